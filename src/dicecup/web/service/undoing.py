"""Undo in a match: what a viewer may undo alone, and what the others have to agree to.

Undo needs nobody's consent until the next player has rolled; further steps need everybody's. What was undone
stays in the record.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice

from dicecup.engine.state import Score, Throw
from dicecup.errors import MoveError
from dicecup.match import Change, Match
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.record_work import LONG, undone


@dataclass(frozen=True, slots=True)
class UndoOptions:
    """What a viewer may undo now: alone, and with the consent of all; 0 is nothing."""

    alone: int
    together: int
    proposed: int = 0  # how many steps somebody has proposed to undo
    agreed: frozenset[int] = frozenset()  # the seats that agreed to that


NOTHING_TO_UNDO = UndoOptions(0, 0)


def undo_options(live: LiveMatch, seats: frozenset[int]) -> UndoOptions:
    match = live.match
    if match is None or match.record.secret is not None or not seats or live.stored.opening.same:
        return NOTHING_TO_UNDO
    if live.stored.opening.part_of is not None:
        return UndoOptions(steps_in_part(live, match), 0)
    steps = match.steps_to_last_decision()
    proposed = max(live.proposals.values(), default=0)
    agreed = frozenset(seat for seat, wish in live.proposals.items() if wish == proposed)
    return UndoOptions(steps_alone(live, match, seats), steps, proposed, agreed)


def steps_alone(live: LiveMatch, match: Match, seats: frozenset[int]) -> int:
    """One's own last move while nobody has thrown after it; anybody's, if all people share a device."""
    if not match.record.moves_made:
        return 0
    if live.is_pad:  # where everybody writes for everybody
        return 1
    if live.human_seats <= seats:
        return match.steps_to_last_decision()
    for before, move, _ in match.record.backwards():
        thrown = isinstance(move, Throw) and match.record.header.origin.kind != "typed"
        return 1 if before.player in seats and not thrown else 0
    return 0


def steps_in_part(live: LiveMatch, match: Match) -> int:
    """With the same dice for all, undo only a box that nobody else can see yet.

    A roll cannot be undone once it has been seen.
    """
    seen = live.whole is None or live.turns_finished <= live.whole.turns_open
    written = any(isinstance(move, Score) for _, move, _ in islice(match.record.backwards(), 1))
    return 1 if written and not seen and not match.state.finished else 0


async def undo(live: LiveMatch, seats: frozenset[int], version: int, steps: int | None = None) -> bool:
    """Undo and return True; or propose so many steps to the others and return False.

    Without a number it is what one may undo alone, never what somebody else has proposed meanwhile.
    """
    async with changing_undo(live, seats, version) as change:
        may = undo_options(live, seats)
        wanted = steps or may.alone
        alone = live.stored.opening.part_of is not None or live.stored.opening.same
        if not wanted or wanted > (may.alone if alone else change.before.moves_made):
            raise MoveError("undo_nothing")
        if wanted > may.alone and not live.human_seats <= seats:
            return await consent(live, change, seats, version, wanted)
        await undo_now(live, change, wanted)
        return True


async def agree(live: LiveMatch, seats: frozenset[int], version: int, steps: int) -> bool:
    """Agree to undo the steps that the viewer saw proposed; return whether they are undone now."""
    async with changing_undo(live, seats, version) as change:
        if steps not in live.proposals.values():
            raise MoveError("undo_other")
        return await consent(live, change, seats, version, steps)


async def refuse(live: LiveMatch, seats: frozenset[int], version: int) -> None:
    """Refuse a proposal and so end it; the seats that proposed it only withdraw."""
    async with changing_undo(live, seats, version):
        against = sorted(seats - live.proposals.keys()) if live.proposals else []
        await live.update(live.store.refuse, live.id, version, against)


@asynccontextmanager
async def changing_undo(live: LiveMatch, seats: frozenset[int], version: int) -> AsyncIterator[Change]:
    if not seats:
        raise MoveError("seat_not_yours")
    async with live.changing(version):
        yield live.playing().prepare(version)


async def consent(live: LiveMatch, change: Change, seats: frozenset[int], version: int, steps: int) -> bool:
    """Record consent; undo and return True if everyone agrees. There is one proposal at a time."""
    others = {wish for seat, wish in live.proposals.items() if seat not in seats}
    if others - {steps}:
        raise MoveError("undo_other")
    await live.update(live.store.consent, live.id, version, sorted(seats), steps)
    agreed = {seat for seat, wish in live.proposals.items() if wish == steps}
    if not live.human_seats <= agreed:
        return False
    await undo_now(live, change, steps)
    return True


async def undo_now(live: LiveMatch, change: Change, steps: int) -> None:
    """Undo moves; refused by the match if it has gone on since the change was prepared."""
    record = change.before
    if steps <= record.remembered or change.number <= LONG:
        change.undo(steps)
    else:  # most of a long game has to be replayed
        change.go_on(await live.elsewhere(change.number, undone, record, steps))
    await live.commit(change)
