"""Records from strangers: bounded in size, read one at a time, and of no rules but those that come along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from dicecup.engine.record import Record
from dicecup.engine.record_text import record_from_text, split_lines
from dicecup.errors import RecordError, RulesError, UsageError
from dicecup.rules.loader import builtin_ids

MOST_LINES = 6_000  # ten players of the longest game, and much taken back; time grows with the square
MOST_LINE = 600  # bytes: a name, some options; a line of spaces takes time that grows with the square too
MOST_RECORD = 600_000  # bytes
MOST_COMING = 4  # uploads that are read or wait for it; who comes then is told to come again


class Uploads:
    """Strangers wait for each other here, in a thread of their own, and never before somebody's move."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "upload")
        self.turn = asyncio.Semaphore(1)
        self.coming = 0

    @asynccontextmanager
    async def reading(self, data: bytes) -> AsyncIterator[Record]:
        """The record in an upload; the next one is read when the block is over."""
        check_size(data)
        if self.coming >= MOST_COMING:
            raise UsageError("uploads_busy")
        self.coming += 1
        try:
            async with self.turn:
                yield await asyncio.get_running_loop().run_in_executor(self.thread, read_upload, data)
        finally:
            self.coming -= 1

    def stop(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)


def check_size(data: bytes) -> None:
    """Everything that can be known without reading it."""
    if len(data) > MOST_RECORD:
        raise RecordError("record_too_large", most=MOST_RECORD)
    lines = data.split(b"\n")
    if len(lines) > MOST_LINES + 1:
        raise RecordError("record_too_long", most=MOST_LINES)
    for number, line in enumerate(lines, start=1):
        if len(line) > MOST_LINE:
            raise RecordError("record_damaged", line=number)


def read_upload(data: bytes) -> Record:
    """The record in an upload. Its `game` line could name a file of this machine: that is refused first."""
    lines, _ = split_lines(data)
    for line in lines[:200]:
        word, _, reference = line.text.partition(" ")
        if word == "game" and reference not in builtin_ids():
            raise RulesError("ruleset_unknown", ruleset=reference[:40], known=", ".join(builtin_ids()))
        if word == "begin":
            break
    record, _ = record_from_text(data)
    return record
