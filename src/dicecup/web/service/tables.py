"""The tables of this process: found in memory or read from the store, changed one change at a time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from dicecup.errors import MoveError, UsageError
from dicecup.match import Match
from dicecup.storage.entries import EntryTaken
from dicecup.storage.store import Store
from dicecup.web.service.advising import Advising, has_coach
from dicecup.web.service.hub import Hub
from dicecup.web.service.keys import is_table_id
from dicecup.web.service.runner import Runner
from dicecup.web.service.table import Table
from dicecup.web.service.warming import warm_all
from dicecup.web.service.writer import Writer
from dicecup.web.settings import Settings

MOST_IN_MEMORY = 2000
Answer = TypeVar("Answer")


class Tables:
    """The one way to tables. Changes are saved first; only then are watchers told."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.server_key = store.server_key()
        self.hub = Hub(settings.limits)
        self.writer = Writer(store)
        self.advising = Advising()
        self.runner = Runner(self)
        self.live: OrderedDict[str, Table] = OrderedDict()
        self.stop_listening: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Hear of what other processes change, and let the coach get ready. Called inside the event loop."""
        loop = asyncio.get_running_loop()

        def heard(match: str) -> None:
            loop.call_soon_threadsafe(lambda: self.runner.spawn(self.heard(match)))

        self.stop_listening = self.store.listen(heard)
        if self.settings.warm and has_coach():
            self.runner.spawn(warm_all())

    async def stop(self) -> None:
        self.hub.close()
        await self.runner.stop()
        await self.advising.stop()
        await asyncio.to_thread(self.stop_listening)
        self.store.close()

    async def get(self, match: str) -> Table:
        table = self.live.get(match) or await self.load(match)
        self.live.move_to_end(match)
        if self.store.database.shared:
            await self.catch_up(table)
        self.runner.look_after(table)
        return table

    async def load(self, match: str) -> Table:
        stored = await asyncio.to_thread(self.store.match, match) if is_table_id(match) else None
        if stored is None:
            raise UsageError("match_unknown")
        read = Table(self.store, stored)
        await asyncio.to_thread(read.read)
        table = self.live.setdefault(match, read)  # somebody else may have read it meanwhile
        while len(self.live) > MOST_IN_MEMORY:
            oldest = next(iter(self.live))
            if oldest == match or self.hub.watched(oldest) or self.live[oldest].lock.locked():
                self.live.move_to_end(oldest)
                break
            del self.live[oldest]
        return table

    async def catch_up(self, table: Table) -> None:
        """Nobody is shown less than another process has answered already; its word may come later."""
        age = await asyncio.to_thread(self.store.age, table.id)
        if not is_behind(table, age):
            return
        async with table.lock:  # held while a change of our own is saved and not yet taken in
            if is_behind(table, age):
                await asyncio.to_thread(table.read)
                self.changed(table)

    @asynccontextmanager
    async def changing(self, table: Table, version: int = 0) -> AsyncIterator[None]:
        """Hold the table for a change made against a version; afterwards all who watch are told."""
        async with table.lock:
            try:
                if version > table.version:  # another process may have gone on, and its word not be here yet
                    await asyncio.to_thread(table.read)
                yield
            except EntryTaken:
                # Another process was quicker: see what it did, and let the caller look again.
                found = table.version
                await asyncio.to_thread(table.read)
                self.changed(table)
                raise MoveError("version_stale", found=found, version=table.version) from None
            self.changed(table)

    async def change(self, table: Table, what: Callable[..., Answer], *arguments: object) -> Answer:
        """Do something in the store and take in what the table looks like then. The caller holds the lock."""
        answer = await asyncio.to_thread(partial(what, *arguments))
        await asyncio.to_thread(table.read)
        return answer

    async def play(self, table: Table, act: Callable[[Match], object]) -> None:
        """Let a draft of the match act, save what came of it, and only then be in the new state.

        The caller holds the lock.
        """
        draft = table.draft()
        act(draft)
        await self.writer.write(table.addition(table.playing().record, draft.record))
        table.added(draft.record)

    def changed(self, table: Table) -> None:
        table.touch()
        self.hub.tell(table.id)
        self.runner.look_after(table)

    async def heard(self, match: str) -> None:
        """Another process changed this match; without a name, it may have been any."""
        for name in [match] if match else list(self.live):
            table = self.live.get(name)
            if table is not None:
                async with table.lock:
                    await asyncio.to_thread(table.read)
                    self.changed(table)


def is_behind(table: Table, age: tuple[int, int]) -> bool:
    return any(here < there for here, there in zip(table.age, age, strict=True))
