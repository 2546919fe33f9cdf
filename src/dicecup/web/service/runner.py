"""What happens at a table by itself: bots play, and the secret of the dice is shown when the game is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dicecup.bots import BOT_PREFIX, bot_of_player
from dicecup.engine.moves import Keep, Score
from dicecup.errors import DicecupError
from dicecup.match import Match
from dicecup.web.service.advising import BOTS_BY_VALUES
from dicecup.web.service.table import Table

if TYPE_CHECKING:
    from dicecup.web.service.tables import Tables

Step = Literal["throw", "decide", "reveal"]
RETRY = 3.0  # seconds after something went wrong
log = logging.getLogger("dicecup.web")


def due(table: Table) -> Step | None:
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

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.running: dict[str, asyncio.Task[None]] = {}
        self.others: set[asyncio.Task[None]] = set()

    def look_after(self, table: Table) -> None:
        if table.id not in self.running and due(table) is not None:
            task = asyncio.create_task(self.run(table))
            self.running[table.id] = task
            task.add_done_callback(lambda _task: self.running.pop(table.id, None))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.others.add(task)
        task.add_done_callback(self.others.discard)

    async def run(self, table: Table) -> None:
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

    async def go_on(self, table: Table) -> None:
        while (step := due(table)) is not None:
            version = table.version
            await asyncio.sleep(self.delay(table, step))
            # Nobody has to wait while a bot thinks: who takes something back meanwhile is quicker.
            decision = await self.decision(table) if step == "decide" else None
            async with self.tables.changing(table):
                if table.version == version:
                    await self.tables.play(table, partial(take, step, decision=decision))

    async def decision(self, table: Table) -> Keep | Score | None:
        match = table.playing()
        bot = match.player.removeprefix(BOT_PREFIX)
        if not table.bot_is_next() or match.state.throw_due:
            return None  # taken back during the pause
        if bot in BOTS_BY_VALUES:
            return await self.tables.advising.decide(bot, match.rules, match.state)
        return await asyncio.to_thread(table.draft().decision_of_bot)

    def delay(self, table: Table, step: Step) -> float:
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
