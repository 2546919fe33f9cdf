"""Worker processes for slow questions: the fair queues before them, the pipe to them, kernels compiled ahead.

A caller is the network of a client. The queues are fair: the caller that has used the least time is served
next, and a new caller starts at the current minimum. So no caller waits longer because another one has queued
much. Bots have a share of their own: half of the time while people wait too.

Messages are pickled; rulesets travel by name.
"""

from __future__ import annotations

import asyncio
import heapq
import io
import itertools
import logging
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Generic, Literal, Protocol, TypeVar

from dicecup.errors import DicecupError, UsageError
from dicecup.rules.loader import load_without_files, main_ids
from dicecup.rules.model import Ruleset

Share = Literal["people", "bots"]
Item = TypeVar("Item")

caller_of_request: ContextVar[str] = ContextVar("caller", default="")  # tasks inherit it from their request


class LoopSlot(Protocol):
    """A slot that a request holds while it runs: few requests of a client run at once (see `web.guard`)."""

    async def reacquire(self) -> None:
        """Reacquire a slot that was released while the request waited for something else."""

    async def pause(self) -> None:
        """Wait while the client has used up its share of the event loop."""


slot_of_request: ContextVar[LoopSlot | None] = ContextVar("slot", default=None)


@dataclass(frozen=True, slots=True)
class Caller:
    share: Share
    name: str


def caller_now() -> Caller:
    """The caller whose request is being served; work of the server itself has an empty name."""
    return Caller("people", caller_of_request.get())


async def wait_with_others(task: asyncio.Task[Any], seconds: float) -> bool:
    """Wait for a task that many requests may wait for; whether it is done in time. It continues otherwise.

    Then the requests of one client continue one after the other, as new ones do.
    """
    await asyncio.wait({task}, timeout=seconds)
    if slot := slot_of_request.get():
        await slot.reacquire()
    return task.done()


class Spending:
    """Virtual time: how much each of several parties has used, and who is next."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.clock = 0.0  # where the party that was served last stood

    def next(self, waiting: Iterable[str]) -> str:
        """Choose the party that has used the least; the first of several."""
        chosen = min(waiting, key=self.standing)
        self.clock = max(self.clock, self.standing(chosen))
        return chosen

    def standing(self, party: str) -> float:
        """The party's used time, at least that of the party served last: idle time earns no credit."""
        return max(self.spent.get(party, 0.0), self.clock)

    def charge(self, party: str, cost: float) -> None:
        self.spent[party] = self.standing(party) + cost
        # Only those ahead of the clock have to be remembered.
        self.spent = {party: spent for party, spent in self.spent.items() if spent > self.clock}


@dataclass
class Waiting(Generic[Item]):
    """The queued items of one share, by caller."""

    by_caller: dict[str, list[tuple[int, int, Item]]] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)


class FairQueue(Generic[Item]):
    """Items by caller. Within one caller the most urgent comes first, then the oldest."""

    def __init__(self, is_alive: Callable[[Item], bool]) -> None:
        self.is_alive = is_alive  # false for items whose request was cancelled
        self.numbers = itertools.count()
        self.shares: dict[str, Waiting[Item]] = {}
        self.spending = Spending()

    def __len__(self) -> int:
        return sum(len(items) for share in self.shares.values() for items in share.by_caller.values())

    def add(
        self, item: Item, caller: Caller, urgency: int = 0, *, most: int, most_of_caller: int, busy: str
    ) -> None:
        """Add an item, or raise `still_working` or `busy` if the caller's queue or the whole one is full."""
        share = self.shares.setdefault(caller.share, Waiting())
        items = [entry for entry in share.by_caller.get(caller.name, ()) if self.is_alive(entry[2])]
        if len(items) >= most_of_caller:
            raise UsageError("still_working")
        if len(self) >= most:
            raise UsageError(busy)
        items.append((-urgency, next(self.numbers), item))
        heapq.heapify(items)
        share.by_caller[caller.name] = items

    def take(self) -> tuple[Caller, Item] | None:
        """Remove the item that is next."""
        while waiting := [name for name, share in self.shares.items() if share.by_caller]:
            chosen: Share = self.spending.next(waiting)  # type: ignore[assignment]
            share = self.shares[chosen]
            name = share.spending.next(share.by_caller)
            items = share.by_caller[name]
            *_, item = heapq.heappop(items)
            if not items:
                del share.by_caller[name]
            if self.is_alive(item):
                return Caller(chosen, name), item
        return None

    def charge(self, caller: Caller, cost: float) -> None:
        """Count what an item of this caller has cost."""
        self.spending.charge(caller.share, cost)
        self.shares.setdefault(caller.share, Waiting()).spending.charge(caller.name, cost)

    def clear(self) -> list[Item]:
        """Remove all items."""
        queues = [items for share in self.shares.values() for items in share.by_caller.values()]
        found = [item for items in queues for *_, item in items]
        self.shares.clear()
        return found


class FairTurns:
    """A lock that admits one caller at a time, in fair order."""

    def __init__(self, most: int, most_of_caller: int, busy: str) -> None:
        self.most = most
        self.most_of_caller = most_of_caller
        self.busy = busy
        self.held = False
        self.queue: FairQueue[asyncio.Future[None]] = FairQueue(lambda future: not future.done())

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the caller's turn; the time until the block ends is what it costs."""
        caller = caller_now()
        if self.held:
            await self.wait(caller)
        self.held = True
        begun = monotonic()
        try:
            yield
        finally:
            self.queue.charge(caller, monotonic() - begun)
            self.release()

    async def wait(self, caller: Caller) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        limits = {"most": self.most, "most_of_caller": self.most_of_caller}
        self.queue.add(future, caller, busy=self.busy, **limits)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it was this one's turn
                self.release()
            raise

    def release(self) -> None:
        """Admit the next caller."""
        following = self.queue.take()
        if following is None:
            self.held = False
        else:
            following[1].set_result(None)


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


NICEST = 19  # lowest priority
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
    """A process that answers one question at a time, behind a fair queue; the first question starts it."""

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
        self, function: str, *arguments: object, urgency: int = 0, caller: Caller | None = None
    ) -> Any:
        """Return what the function of this name in `worker_main` returns, or raise its error."""
        future = asyncio.get_running_loop().create_future()
        question = (pack((function, arguments)), future)
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
