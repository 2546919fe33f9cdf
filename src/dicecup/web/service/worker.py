"""Worker processes for slow questions: the pipe to them, and compiling the coach's kernels in the
background.

Messages are pickled; rulesets travel by name.
"""

from __future__ import annotations

import asyncio
import io
import logging
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from filelock import FileLock, Timeout

from dicecup.errors import DicecupError, UsageError
from dicecup.rules.loader import load_without_files, main_ids
from dicecup.rules.model import Ruleset
from dicecup.web.service.fair_queue import Caller, FairQueue, caller_now

LENGTH = struct.Struct(">I")


class MessagePickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        return (value.reference, dict(value.options)) if isinstance(value, Ruleset) else None


class MessageUnpickler(pickle.Unpickler):
    def persistent_load(self, name: Any) -> Any:
        return load_without_files(*name)


def pack(value: object) -> bytes:
    """Pickle a message, prefixed with its length."""
    buffer = io.BytesIO()
    MessagePickler(buffer).dump(value)
    data = buffer.getvalue()
    return LENGTH.pack(len(data)) + data


def unpack(data: bytes) -> Any:
    return MessageUnpickler(io.BytesIO(data)).load()


NICEST = 19  # everything else comes first
DELAY = 3.0  # seconds after the start, so that the first page does not wait


async def warm_all() -> None:
    """Compile the coach's kernels in a process of its own."""
    await asyncio.sleep(DELAY)
    worker = Worker(NICEST)
    try:
        for game in main_ids():  # the others compile the same kernels
            await worker.ask("warm", load_without_files(game))
    finally:
        await worker.stop()


def warm_once(rules: Ruleset, prepare: Callable[[Ruleset], None]) -> None:
    """Prepare a game unless that was done before, or another process is doing it."""
    import numba

    from dicecup.solver.compiled import KEPT

    if not KEPT:  # no folder to write to: the first request has to wait
        return
    folder = Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    mark = folder / f"warm-{rules.id}"
    with suppress(Timeout), FileLock(folder / "warming", blocking=False):
        if not mark.exists():
            prepare(rules)
            mark.touch()


MOST_WAITING = 200  # questions; further ones are refused
MOST_OF_CALLER = 20  # of them
LARGE = 50_000  # bytes
MOST_MEMORY = 500_000_000  # bytes
LEAST_ANSWERS = 50  # between two replacements: a new process needs seconds to load a game
LONGEST = 300.0  # seconds for one answer: compiling all kernels on a slow machine takes a minute
# First of all it closes what it has inherited: uvloop, unlike asyncio, lets a child have the socket on which
# the server listens, and a worker that outlives a killed server would keep the port.
COMMAND = (
    "-P",
    "-c",
    "import os; os.closerange(3, 65536); from dicecup.web.service.worker_main import main; main()",
)

Question = tuple[bytes, "asyncio.Future[Any]"]
log = logging.getLogger("dicecup.web")


class Worker:
    """A process that answers one question at a time, callers in turn. Started by the first question."""

    def __init__(
        self,
        niceness: int = 0,
        most_memory: int = MOST_MEMORY,
        *,
        busy: str = "coach_busy",
        failed: str = "coach_failed",
        large: int = LARGE,
    ) -> None:
        self.niceness = niceness
        self.busy_code, self.failed_code = busy, failed  # how questions are refused
        self.large = large  # bytes of an answer, from which on it is unpickled in a thread
        self.most_memory = most_memory  # bytes; a process that takes more is replaced
        self.answered = 0  # by this process
        self.waiting: FairQueue[Question] = FairQueue(lambda question: not question[1].done())
        self.process: Process | None = None
        self.busy: asyncio.Task[None] | None = None

    async def ask(
        self, thought: str, *arguments: object, urgency: int = 0, caller: Caller | None = None
    ) -> Any:
        """Return what the function of this name in `worker_main` returns, or raise its error."""
        future = asyncio.get_running_loop().create_future()
        question = (pack((thought, arguments)), future)
        limits = {"most": MOST_WAITING, "most_of_caller": MOST_OF_CALLER}
        self.waiting.add(question, caller or caller_now(), urgency, busy=self.busy_code, **limits)
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        return await future

    async def work(self) -> None:
        try:
            while following := self.waiting.take():
                caller, (question, future) = following
                begun = monotonic()
                await self.answer(question, future)
                self.waiting.charge(caller, monotonic() - begun)
        finally:
            self.busy = None

    async def answer(self, question: bytes, future: asyncio.Future[Any]) -> None:
        error: Exception
        try:
            async with asyncio.timeout(LONGEST):
                good, answer = await self.exchange(question)
        except Exception:  # it died, timed out, or sent something unreadable
            log.exception("a worker process failed")
            self.kill()
            error = UsageError(self.failed_code)
        else:
            if good:
                if not future.done():
                    future.set_result(answer)
                return
            error = answer if isinstance(answer, Exception) else UsageError(self.failed_code)
        if not future.done():
            future.set_exception(error)

    async def exchange(self, question: bytes) -> tuple[bool, Any]:
        process = self.process
        if process is None or process.returncode is not None:
            command = (sys.executable, *COMMAND, str(self.niceness))
            process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            self.process = process
            self.answered = 0
        assert process.stdin
        assert process.stdout
        process.stdin.write(question)
        await process.stdin.drain()
        (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        data = await process.stdout.readexactly(length)
        # Unpickling the review of ten players takes most of a second: not in the event loop.
        kind, answer, memory = unpack(data) if length < self.large else await asyncio.to_thread(unpack, data)
        self.answered += 1
        if memory > self.most_memory and self.answered >= LEAST_ANSWERS:
            log.info("a worker process takes %d MB: it is replaced", memory // 1_000_000)
            await self.replace(process)
        return understood(kind, answer)

    async def replace(self, process: Process) -> None:
        """Let the next question start a new process: that is what frees the memory of compiled code, too."""
        self.kill()
        await process.wait()

    def kill(self) -> None:
        if self.process and self.process.returncode is None:
            self.process.kill()
        self.process = None

    async def stop(self) -> None:
        process = self.process
        if self.busy:
            self.busy.cancel()
        for _question, future in self.waiting.clear():
            future.cancel()
        self.kill()
        if process:
            await process.wait()


class DirectWorker(Worker):
    """Answers in this process, for places that have no others: a browser."""

    async def exchange(self, question: bytes) -> tuple[bool, Any]:
        from dicecup.web.service.worker_main import answer_to

        return understood(*answer_to(question[LENGTH.size :]))


def make_worker(niceness: int = 0, most_memory: int = MOST_MEMORY, **more: Any) -> Worker:
    kind = DirectWorker if sys.platform == "emscripten" else Worker
    return kind(niceness, most_memory, **more)


def understood(kind: str, answer: Any) -> tuple[bool, Any]:
    """Return whether a message answers the question, and the answer or the error."""
    if kind == "refused":
        family, code, values = answer
        return False, family(code, **values)
    if kind == "failed":
        log.error("a worker process failed: %s", answer)
    return kind == "answer", answer


def refusal_of(error: DicecupError) -> tuple[str, tuple[type[DicecupError], str, dict[str, object]]]:
    """An error as a message: its values may be anything that can be pickled."""
    return "refused", (type(error), error.code, error.values)
