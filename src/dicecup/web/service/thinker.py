"""A process of its own for what takes long to think about.

Threads would not do: the coach's kernels and plain Python hold the interpreter's lock, and all moves of all
tables would wait for it. The process ends by itself when this one is gone, in whatever way it went.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Any

from dicecup.errors import DicecupError, UsageError
from dicecup.web.service.line import LENGTH, pack, unpack

MOST_WAITING = 60  # questions; who comes then is told to come again
LONGEST = 300.0  # seconds for one answer: compiling all kernels on a slow machine takes a minute
COMMAND = ("-P", "-c", "from dicecup.web.service.thoughts import main; main()")

Question = tuple[int, int, bytes, "asyncio.Future[Any]"]
log = logging.getLogger("dicecup.web")


class Thinker:
    """Answers one question at a time, the most urgent first. Started with the first question."""

    def __init__(self, niceness: int = 0) -> None:
        self.niceness = niceness
        self.waiting: list[Question] = []
        self.numbers = itertools.count()
        self.process: Process | None = None
        self.busy: asyncio.Task[None] | None = None

    async def ask(self, thought: str, *arguments: object, urgency: int = 0) -> Any:
        """What the function of this name in `thoughts` answers, or the error that it raises."""
        if len(self.waiting) >= MOST_WAITING:
            raise UsageError("coach_busy")
        future = asyncio.get_running_loop().create_future()
        question = pack((thought, arguments))
        heapq.heappush(self.waiting, (-urgency, next(self.numbers), question, future))
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        return await future

    async def work(self) -> None:
        try:
            while self.waiting:
                *_, question, future = heapq.heappop(self.waiting)
                if not future.done():  # else whoever asked does not want to know any more
                    await self.answer(question, future)
        finally:
            self.busy = None

    async def answer(self, question: bytes, future: asyncio.Future[Any]) -> None:
        error: Exception
        try:
            async with asyncio.timeout(LONGEST):
                good, told = await self.exchange(question)
        except Exception:  # it died, took too long, or said what nobody understands
            log.exception("the coach's process failed")
            self.kill()
            error = UsageError("coach_failed")
        else:
            if good:
                if not future.done():
                    future.set_result(told)
                return
            error = told if isinstance(told, Exception) else UsageError("coach_failed")
        if not future.done():
            future.set_exception(error)

    async def exchange(self, question: bytes) -> tuple[bool, Any]:
        process = self.process
        if process is None or process.returncode is not None:
            command = (sys.executable, *COMMAND, str(self.niceness))
            process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            self.process = process
        assert process.stdin
        assert process.stdout
        process.stdin.write(question)
        await process.stdin.drain()
        (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        kind, told = unpack(await process.stdout.readexactly(length))
        if kind == "refused":
            family, code, values = told
            return False, family(code, **values)
        if kind == "failed":
            log.error("the coach failed: %s", told)
        return kind == "answer", told

    def kill(self) -> None:
        if self.process and self.process.returncode is None:
            self.process.kill()
        self.process = None

    async def stop(self) -> None:
        process = self.process
        if self.busy:
            self.busy.cancel()
        for *_, future in self.waiting:
            future.cancel()
        self.waiting.clear()
        self.kill()
        if process:
            await process.wait()


def refusal_of(error: DicecupError) -> tuple[str, tuple[type[DicecupError], str, dict[str, object]]]:
    """An error as it goes over the line: its values may be anything that can be pickled."""
    return "refused", (type(error), error.code, error.values)
