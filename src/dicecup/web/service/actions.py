"""Moves of people: checked against seat, version and turn, then played by the match; and undo.

Undo needs nobody's consent until the next player has rolled; further steps need everybody's. What was
undone stays in the record.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicecup.dice import Dice
from dicecup.engine.state import Keep, Score, Throw
from dicecup.errors import MoveError
from dicecup.match import Match
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches


def check_version(match: Match, version: int) -> None:
    if version != match.version:
        raise MoveError("version_stale", found=version, version=match.version)


def check_turn(table: LiveMatch, seats: frozenset[int], version: int, *, typing: bool = False) -> Match:
    """The match, if one of these seats may act now. Anybody at the table may type a bot's dice."""
    if not seats:
        raise MoveError("seat_not_yours")
    match = table.playing()
    check_version(match, version)
    if match.state.finished:
        raise MoveError("game_over")
    if match.state.player not in seats and not (typing and table.bot_is_next()):
        raise MoveError("not_your_turn")
    return match


async def decide(
    tables: Matches, table: LiveMatch, seats: frozenset[int], version: int, move: Keep | Score
) -> None:
    """Keep dice or fill a box. Dice that the server throws follow a keep at once."""

    def play(match: Match) -> None:
        match.decide(move)
        if isinstance(move, Keep) and match.record.header.origin.kind != "typed":
            match.throw()

    async with tables.changing(table, version):
        check_turn(table, seats, version)
        await tables.play(table, play)


async def throw(
    tables: Matches, table: LiveMatch, seats: frozenset[int], version: int, typed: Dice | None = None
) -> None:
    """Throw the dice that are due, or type what they show."""
    async with tables.changing(table, version):
        check_turn(table, seats, version, typing=typed is not None)
        await tables.play(table, lambda match: match.throw(typed))


@dataclass(frozen=True, slots=True)
class TakingBack:
    """What a viewer may take back now: alone, and with the consent of all; 0 is nothing."""

    alone: int
    together: int
    proposed: int = 0  # how many steps somebody has proposed to take back
    agreed: frozenset[int] = frozenset()  # the seats that agreed to that


NOTHING_TO_TAKE_BACK = TakingBack(0, 0)


def closed(match: Match) -> bool:
    return match.record.secret is not None


def taking_back(table: LiveMatch, seats: frozenset[int]) -> TakingBack:
    match = table.match
    if match is None or closed(match) or not seats:
        return NOTHING_TO_TAKE_BACK
    steps = match.steps_to_last_decision()
    steps_proposed = max(table.proposals.values(), default=0)
    agreed = frozenset(seat for seat, wish in table.proposals.items() if wish == steps_proposed)
    return TakingBack(steps_alone(table, seats, match), steps, steps_proposed, agreed)


def steps_alone(table: LiveMatch, seats: frozenset[int], match: Match) -> int:
    """One's own last move, as long as nobody threw after it; anybody's, if all the people are here."""
    if not match.record.moves:
        return 0
    if table.human_seats <= seats:
        return match.steps_to_last_decision()
    mover = match.record.states[-2].player
    thrown = isinstance(match.record.moves[-1], Throw) and match.record.header.origin.kind != "typed"
    return 1 if mover in seats and not thrown else 0


async def undo(
    tables: Matches, table: LiveMatch, seats: frozenset[int], version: int, steps: int | None = None
) -> bool:
    """Whether it is taken back; if not, so many steps are proposed to the others.

    Without a number it is what one may take back alone, never what somebody else has proposed meanwhile.
    """
    if not seats:
        raise MoveError("seat_not_yours")
    async with tables.changing(table, version):
        match = table.playing()
        check_version(match, version)
        may = taking_back(table, seats)
        wanted = steps or may.alone
        if not wanted or wanted > len(match.record.moves):
            raise MoveError("undo_nothing")
        if wanted > may.alone and not table.human_seats <= seats:
            return await consent(tables, table, seats, version, wanted)
        await tables.play(table, lambda draft: draft.undo(wanted))
        return True


async def agree(tables: Matches, table: LiveMatch, seats: frozenset[int], version: int, steps: int) -> bool:
    """Whether it is taken back now. One agrees to the steps one has seen, not to whatever is proposed."""
    if not seats:
        raise MoveError("seat_not_yours")
    async with tables.changing(table, version):
        check_version(table.playing(), version)
        if steps not in table.proposals.values():
            raise MoveError("undo_other")
        return await consent(tables, table, seats, version, steps)


async def consent(tables: Matches, table: LiveMatch, seats: frozenset[int], version: int, steps: int) -> bool:
    """Whether all the people want it now; the caller holds the table. One proposal at a time."""
    others = {wish for seat, wish in table.proposals.items() if seat not in seats}
    if others - {steps}:
        raise MoveError("undo_other")
    await tables.change(table, tables.store.consent, table.id, version, sorted(seats), steps)
    agreed = {seat for seat, wish in table.proposals.items() if wish == steps}
    if not table.human_seats <= agreed:
        return False
    await tables.play(table, lambda draft: draft.undo(steps))
    return True


async def refuse(tables: Matches, table: LiveMatch, seats: frozenset[int], version: int) -> None:
    """One who does not agree ends the proposal; who proposed it takes only their own word back."""
    if not seats:
        raise MoveError("seat_not_yours")
    async with tables.changing(table, version):
        check_version(table.playing(), version)
        against = sorted(seats - table.proposals.keys()) if table.proposals else []
        await tables.change(table, tables.store.refuse, table.id, version, against)
