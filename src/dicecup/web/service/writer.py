"""The way of entries into the store: what arrives while the disk is busy goes in one transaction after it.

A move is answered when it is on the disk, and a disk may take ten milliseconds for that. With one transaction
a move, 200 moves a second would queue for seconds; together each waits for two writes at most.
"""

from __future__ import annotations

import asyncio

from dicecup.storage.entries import EntryTaken
from dicecup.storage.rows import Addition
from dicecup.storage.store import Store

Waiting = tuple[Addition, "asyncio.Future[None]"]


class Writer:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: list[Waiting] = []
        self.busy: asyncio.Task[None] | None = None

    async def write(self, addition: Addition) -> None:
        """Wait until the entries are kept; EntryTaken if another process was quicker."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((addition, done))
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        await done

    async def work(self) -> None:
        while self.waiting:
            batch, self.waiting = self.waiting, []
            await self.write_batch(batch)
        self.busy = None

    async def write_batch(self, batch: list[Waiting]) -> None:
        try:
            kept = await asyncio.to_thread(self.store.append_batch, [addition for addition, _ in batch])
        except Exception as error:
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return
        for (_, done), taken in zip(batch, kept, strict=True):
            if done.done():
                continue  # whoever asked went away
            if taken:
                done.set_result(None)
            else:
                done.set_exception(EntryTaken())
