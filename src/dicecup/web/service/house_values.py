"""The values of house rules: solved one game at a time in a worker process, behind a fair queue of clients.

Whoever sends rules to a server decides how much work they are, so a game is refused before it is solved if
that would take long, a caller has one solve under way at most, and the tables share a bounded folder.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import token_hex

from dicecup.errors import UsageError
from dicecup.rules.loader import load_without_files
from dicecup.rules.model import Ruleset
from dicecup.web.service.advising import has_solver, make_worker
from dicecup.web.service.house_draft import builtin_base
from dicecup.web.service.worker import NICEST, caller_now

MOST_JOBS = 200  # that are remembered
MOST_WAITING = 20  # solves under way and queued; further ones are refused


@dataclass(frozen=True, slots=True)
class HouseValue:
    """Expected final scores with perfect play: of the house rules, and of their base if that is known."""

    expected: float
    base_expected: float | None


@dataclass(eq=False)
class HouseJob:
    """A solve that is queued, under way or done."""

    caller: str
    note: Path  # where the worker writes how far it is
    task: asyncio.Task[HouseValue] = field(init=False)

    @property
    def done(self) -> bool:
        return self.task.done()

    @property
    def value(self) -> HouseValue | None:
        """Return the answer, if there is one; raise the error of a failed solve."""
        if not self.done:
            return None
        try:
            return self.task.result()
        except asyncio.CancelledError:
            raise UsageError("coach_failed") from None

    @property
    def share(self) -> float:
        """The share of the states that is solved."""
        try:
            done, total = self.note.read_text("ascii").split()
            return int(done) / max(1, int(total))
        except (OSError, ValueError):
            return 0.0


class HouseValues:
    """The solves of a server."""

    def __init__(self) -> None:
        self.worker = make_worker(NICEST)
        self.jobs: OrderedDict[tuple[str, str], HouseJob] = OrderedDict()  # by identity and base

    @cached_property
    def folder(self) -> tempfile.TemporaryDirectory[str]:
        """Return the temporary folder, created late because a killed server leaves it behind."""
        return tempfile.TemporaryDirectory(prefix="dicecup-")

    def find(self, rules: Ruleset) -> HouseJob | None:
        return self.jobs.get((rules.identity, builtin_base(rules.reference)))

    def start(self, rules: Ruleset) -> HouseJob:
        """Begin to solve house rules, unless that was done before."""
        if (job := self.find(rules)) and not (job.done and job.task.exception()):
            return job
        if not has_solver():
            raise UsageError("solver_missing")
        caller = caller_now().name
        under_way = [job for job in self.jobs.values() if not job.done]
        if any(job.caller == caller for job in under_way):
            raise UsageError("still_working")
        if len(under_way) >= MOST_WAITING:
            raise UsageError("coach_busy")
        base = builtin_base(rules.reference)
        job = HouseJob(caller, Path(self.folder.name) / token_hex(8))
        job.task = asyncio.create_task(self.solve(rules, base, job.note))
        self.jobs[rules.identity, base] = job
        while len(self.jobs) > MOST_JOBS and next(iter(self.jobs.values())).done:
            self.jobs.popitem(last=False)
        return job

    async def solve(self, rules: Ruleset, base: str, note: Path) -> HouseValue:
        asked = load_without_files(base) if base else None
        try:
            return HouseValue(*await self.worker.ask("house_value", rules, asked, str(note)))
        finally:
            note.unlink(missing_ok=True)

    async def stop(self) -> None:
        for job in self.jobs.values():
            job.task.cancel()
        await self.worker.stop()
        if "folder" in vars(self):
            self.folder.cleanup()
