"""Taking back: alone until the next player throws, further if all agree to as many steps.

What was taken back stays in the record, so that everybody can see that it was.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicecup.engine.moves import Throw
from dicecup.errors import MoveError
from dicecup.match import Match
from dicecup.web.service.playing import check_version
from dicecup.web.service.table import Table
from dicecup.web.service.tables import Tables


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


def taking_back(table: Table, seats: frozenset[int]) -> TakingBack:
    match = table.match
    if match is None or closed(match) or not seats:
        return NOTHING_TO_TAKE_BACK
    steps = match.steps_to_last_decision()
    steps_proposed = max(table.proposals.values(), default=0)
    agreed = frozenset(seat for seat, wish in table.proposals.items() if wish == steps_proposed)
    return TakingBack(steps_alone(table, seats, match), steps, steps_proposed, agreed)


def steps_alone(table: Table, seats: frozenset[int], match: Match) -> int:
    """One's own last move, as long as nobody threw after it; anybody's, if all the people are here."""
    if not match.record.moves:
        return 0
    if table.human_seats <= seats:
        return match.steps_to_last_decision()
    mover = match.record.states[-2].player
    thrown = isinstance(match.record.moves[-1], Throw) and match.record.header.origin.kind != "typed"
    return 1 if mover in seats and not thrown else 0


async def undo(
    tables: Tables, table: Table, seats: frozenset[int], version: int, steps: int | None = None
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


async def agree(tables: Tables, table: Table, seats: frozenset[int], version: int, steps: int) -> bool:
    """Whether it is taken back now. One agrees to the steps one has seen, not to whatever is proposed."""
    if not seats:
        raise MoveError("seat_not_yours")
    async with tables.changing(table, version):
        check_version(table.playing(), version)
        if steps not in table.proposals.values():
            raise MoveError("undo_other")
        return await consent(tables, table, seats, version, steps)


async def consent(tables: Tables, table: Table, seats: frozenset[int], version: int, steps: int) -> bool:
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


async def refuse(tables: Tables, table: Table, seats: frozenset[int], version: int) -> None:
    """One who does not agree ends the proposal; who proposed it takes only their own word back."""
    if not seats:
        raise MoveError("seat_not_yours")
    async with tables.changing(table, version):
        check_version(table.playing(), version)
        against = sorted(seats - table.proposals.keys()) if table.proposals else []
        await tables.change(table, tables.store.refuse, table.id, version, against)
