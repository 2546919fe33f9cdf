"""Steps that happen without a request: bots play, and the secret of the dice is revealed at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from dicecup.bots import bot_of_player
from dicecup.engine.state import Score, TurnMove
from dicecup.errors import DicecupError
from dicecup.match import Change
from dicecup.web.service.identity import log_name
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.playing_apart import all_done, close

if TYPE_CHECKING:
    from dicecup.web.service.matches import Matches

Step = Literal["throw", "decide", "reveal", "close"]

RETRY = 3.0  # seconds after something went wrong
PACES = {"slow": 2.5, "normal": 1.0, "instant": 0.0}  # how long bots wait, as a share of the settings
log = logging.getLogger("dicecup.web")


class Runner:
    """At most one task per match. After a restart a match resumes on the next request."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.running: dict[str, asyncio.Task[None]] = {}
        self.others: set[asyncio.Task[None]] = set()

    def start_if_due(self, live: LiveMatch) -> None:
        """Start a task if a step is due that no person takes."""
        if live.id not in self.running and due(live) is not None:
            self.running[live.id] = asyncio.create_task(self.run(live))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.others.add(task)
        task.add_done_callback(self.others.discard)

    async def run(self, live: LiveMatch) -> None:
        try:
            while due(live) is not None:
                if await self.run_due_steps(live):
                    continue
                if not self.matches.subscribers.has(live.id):
                    return  # the next request starts this again
                await asyncio.sleep(RETRY)
        finally:
            del self.running[live.id]  # now, because a move may arrive before the task's done callbacks run

    async def run_due_steps(self, live: LiveMatch) -> bool:
        """Take the steps that are due, and return whether nothing went wrong."""
        try:
            await self.take_steps(live)
        except DicecupError as error:
            # Another process took the step, the database is unavailable or the coach is busy.
            log.info("match %s: %s", log_name(live.id), error.code)
            return False
        except Exception:
            log.exception("match %s cannot continue by itself", log_name(live.id))
            return False
        return True

    async def take_steps(self, live: LiveMatch) -> None:
        while (step := due(live)) is not None:
            if step == "close":
                await close(self.matches, live)
                continue
            version = live.version
            await self.pause(live, step)
            # The lock is free while a bot decides: an undo meanwhile comes first.
            decision = await self.decision(live) if step == "decide" else None
            async with live.changing():
                if live.version == version and (decision or step != "decide"):
                    change = live.playing().prepare()
                    take(step, change, decision)
                    await live.commit(change)
                    if not live.bot_is_next():
                        live.hurried.clear()

    async def decision(self, live: LiveMatch) -> TurnMove | None:
        match = live.playing()
        if not live.bot_is_next() or match.state.throw_due:
            return None  # undone during the pause
        return await self.matches.advising.decision_of_bot(match, live.stored.opening.owner)

    async def pause(self, live: LiveMatch, step: Step) -> None:
        """Wait before a step of a bot, until somebody skips it."""
        if step == "reveal":
            live.hurried.clear()
            await asyncio.sleep(self.matches.settings.reveal_after)
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(live.hurried.wait(), self.delay(live) * PACES[live.pace])

    def delay(self, live: LiveMatch) -> float:
        """Return the delay in seconds, long enough to undo a box and to follow a bot's play."""
        settings = self.matches.settings
        record = live.playing().record
        before, move, _ = next(record.backwards(), (None, None, None))
        if before and isinstance(move, Score):
            person = bot_of_player(record.header.players[before.player]) is None
            return settings.pause if person else settings.pace
        return settings.pace

    async def stop(self) -> None:
        tasks = [*self.running.values(), *self.others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def due(live: LiveMatch) -> Step | None:
    """Return the step that is due now without a person, if any."""
    match = live.match
    if live.apart:
        return "close" if all_done(live) else None
    if match is None or not live.people:  # a match that everybody left is paused
        return None
    if match.reveal_due:
        return None if live.stored.opening.part_of else "reveal"
    if not live.bot_is_next():
        return None
    if not match.state.throw_due:
        return "decide"
    # Physical dice are thrown by people, also for a bot.
    return None if match.record.header.origin.kind == "typed" else "throw"


def take(step: Step, change: Change, decision: TurnMove | None) -> None:
    if step == "reveal":
        change.reveal()
    elif step == "throw":
        change.throw()
    elif decision is not None:
        change.decide(decision)
