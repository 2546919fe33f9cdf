"""The matches of this process: found in memory or read from the store, one change at a time; and what runs
by itself: bots play, and the secret of the dice is revealed when the game is over.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dicecup.bots import BOT_PREFIX, bot_of_player
from dicecup.engine.state import Keep, Score
from dicecup.errors import DicecupError, MoveError, UsageError
from dicecup.match import Match
from dicecup.storage.store import EntryTaken, Store
from dicecup.web.service.advising import BOTS_BY_VALUES, Advising, has_coach
from dicecup.web.service.live_match import LiveMatch, Writer, is_table_id
from dicecup.web.service.subscribers import Subscribers
from dicecup.web.service.worker import warm_all
from dicecup.web.settings import Settings

if TYPE_CHECKING:
    pass


Step = Literal["throw", "decide", "reveal"]
RETRY = 3.0  # seconds after something went wrong
log = logging.getLogger("dicecup.web")


def due(table: LiveMatch) -> Step | None:
    """The step that the table itself has to take now."""
    match = table.match
    if match is None or not table.people:  # a table that everybody left rests
        return None
    if match.reveal_due:
        return "reveal"
    if not table.bot_is_next():
        return None
    if not match.state.throw_due:
        return "decide"
    # Dice on the table are thrown by people, also for a bot.
    return None if match.record.header.origin.kind == "typed" else "throw"


def take(step: Step, match: Match, decision: Keep | Score | None) -> None:
    if step == "reveal":
        match.reveal()
    elif step == "throw":
        match.throw()
    elif decision is not None:
        match.decide(decision)


class Runner:
    """At most one task a table. After a restart a table goes on as soon as somebody looks at it."""

    def __init__(self, tables: Matches) -> None:
        self.tables = tables
        self.running: dict[str, asyncio.Task[None]] = {}
        self.others: set[asyncio.Task[None]] = set()

    def look_after(self, table: LiveMatch) -> None:
        if table.id not in self.running and due(table) is not None:
            task = asyncio.create_task(self.run(table))
            self.running[table.id] = task
            task.add_done_callback(lambda _task: self.running.pop(table.id, None))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.others.add(task)
        task.add_done_callback(self.others.discard)

    async def run(self, table: LiveMatch) -> None:
        while due(table) is not None:
            try:
                await self.go_on(table)
            except DicecupError as error:
                # Another process took the step, the store is away or the coach is busy.
                log.info("table %s: %s", table.id, error.code)
            except Exception:
                log.exception("table %s cannot go on by itself", table.id)
            if not self.tables.hub.watched(table.id):
                return  # whoever looks next starts this again
            await asyncio.sleep(RETRY)

    async def go_on(self, table: LiveMatch) -> None:
        while (step := due(table)) is not None:
            version = table.version
            await asyncio.sleep(self.delay(table, step))
            # Nobody has to wait while a bot thinks: who takes something back meanwhile is quicker.
            decision = await self.decision(table) if step == "decide" else None
            async with self.tables.changing(table):
                if table.version == version:
                    await self.tables.play(table, partial(take, step, decision=decision))

    async def decision(self, table: LiveMatch) -> Keep | Score | None:
        match = table.playing()
        bot = match.player.removeprefix(BOT_PREFIX)
        if not table.bot_is_next() or match.state.throw_due:
            return None  # taken back during the pause
        if bot in BOTS_BY_VALUES:
            return await self.tables.advising.decide(bot, match.rules, match.state)
        return await asyncio.to_thread(table.draft().decision_of_bot)

    def delay(self, table: LiveMatch, step: Step) -> float:
        """Long enough that a person can take back their box, and see what a bot does."""
        settings = self.tables.settings
        if step == "reveal":
            return settings.reveal_after
        assert table.match is not None
        moves, states = table.match.record.moves, table.match.record.states
        if moves and isinstance(moves[-1], Score):
            before = states[-2].player
            person = bot_of_player(table.match.record.header.players[before]) is None
            return settings.pause if person else settings.pace
        return settings.pace

    async def stop(self) -> None:
        tasks = [*self.running.values(), *self.others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


MOST_IN_MEMORY = 2000
Answer = TypeVar("Answer")


class Matches:
    """The one way to tables. Changes are saved first; only then are watchers told."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.server_key = store.server_key()
        self.hub = Subscribers(settings.limits)
        self.writer = Writer(store)
        self.advising = Advising()
        self.runner = Runner(self)
        self.live: OrderedDict[str, LiveMatch] = OrderedDict()
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

    async def get(self, match: str) -> LiveMatch:
        table = self.live.get(match) or await self.load(match)
        self.live.move_to_end(match)
        if self.store.database.shared:
            await self.catch_up(table)
        self.runner.look_after(table)
        return table

    async def load(self, match: str) -> LiveMatch:
        stored = await asyncio.to_thread(self.store.match, match) if is_table_id(match) else None
        if stored is None:
            raise UsageError("match_unknown")
        read = LiveMatch(self.store, stored)
        await asyncio.to_thread(read.read)
        table = self.live.setdefault(match, read)  # somebody else may have read it meanwhile
        while len(self.live) > MOST_IN_MEMORY:
            oldest = next(iter(self.live))
            if oldest == match or self.hub.watched(oldest) or self.live[oldest].lock.locked():
                self.live.move_to_end(oldest)
                break
            del self.live[oldest]
        return table

    async def catch_up(self, table: LiveMatch) -> None:
        """Nobody is shown less than another process has answered already; its word may come later."""
        age = await asyncio.to_thread(self.store.age, table.id)
        if not is_behind(table, age):
            return
        async with table.lock:  # held while a change of our own is saved and not yet taken in
            if is_behind(table, age):
                await asyncio.to_thread(table.read)
                self.changed(table)

    @asynccontextmanager
    async def changing(self, table: LiveMatch, version: int = 0) -> AsyncIterator[None]:
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

    async def change(self, table: LiveMatch, what: Callable[..., Answer], *arguments: object) -> Answer:
        """Do something in the store and take in what the table looks like then. The caller holds the lock."""
        answer = await asyncio.to_thread(partial(what, *arguments))
        await asyncio.to_thread(table.read)
        return answer

    async def play(self, table: LiveMatch, act: Callable[[Match], object]) -> None:
        """Let a draft of the match act, save what came of it, and only then be in the new state.

        The caller holds the lock.
        """
        draft = table.draft()
        act(draft)
        await self.writer.write(table.addition(table.playing().record, draft.record))
        table.added(draft.record)

    def changed(self, table: LiveMatch) -> None:
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


def is_behind(table: LiveMatch, age: tuple[int, int]) -> bool:
    return any(here < there for here, there in zip(table.age, age, strict=True))
