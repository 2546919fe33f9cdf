"""Uploaded records: their size is bounded before anything is read. They name built-in games or carry house
rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from dicecup.errors import RecordError
from dicecup.rules.reader import MOST_REFERENCE
from dicecup.web.service.fair_queue import FairTurns
from dicecup.web.service.record_work import LONG, PlayedRecord, read_upload
from dicecup.web.service.worker import Worker

MOST_LINES = 6_000  # ten players of the longest game, and much taken back
MOST_LINE = 600  # bytes: a name, some options
HOUSE_LINE = b"game house:"  # a line that carries house rules may be as long as they may
MOST_RECORD = 600_000  # bytes
MOST_COMING = 20  # uploads that wait to be read; further ones are rejected
MOST_COMING_OF_CALLER = 3  # of them


class Uploads:
    """Strangers wait for each other here, and never before somebody's move.

    Long records are read by a worker process, short ones in a thread.
    """

    def __init__(self, reader: Worker | None) -> None:
        self.reader = reader
        self.thread = ThreadPoolExecutor(1, "upload")
        self.turns = FairTurns(MOST_COMING, MOST_COMING_OF_CALLER, "uploads_busy")

    @asynccontextmanager
    async def reading(self, data: bytes) -> AsyncIterator[PlayedRecord]:
        """The record in an upload; the next one is read when the block is over."""
        check_size(data)
        async with self.turns.turn():
            if self.reader and data.count(b"\n") > LONG:
                yield await self.reader.ask(read_upload.__name__, data)
            else:
                yield await asyncio.get_running_loop().run_in_executor(self.thread, read_upload, data)

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
        most = MOST_LINE + MOST_REFERENCE if line.startswith(HOUSE_LINE) else MOST_LINE
        if len(line) > most:
            raise RecordError("record_damaged", line=number)
