"""Playing: throws, keeps, boxes, and taking back."""

from __future__ import annotations

from fastapi import APIRouter

from dicecup.coach.data import choice_data, reason_data
from dicecup.engine.move_data import move_from_data
from dicecup.engine.moves import Throw
from dicecup.errors import UsageError
from dicecup.web.api.common import REFUSALS, Asked, Seats, answer
from dicecup.web.api.models import (
    AgreeRequest,
    HintAnswer,
    HintOption,
    MoveRequest,
    State,
    Undone,
    UndoRequest,
    VersionRequest,
)
from dicecup.web.service import playing, undo
from dicecup.web.service.advising import check_on, in_time
from dicecup.web.viewer import TablesNow

router = APIRouter(prefix="/api/matches/{match}", tags=["playing"], responses=REFUSALS)


@router.post("/moves")
async def move(tables: TablesNow, table: Asked, seats: Seats, wish: MoveRequest) -> State:
    """Play. Saved before it is answered; refused with a code and the state as it stands otherwise."""
    if wish.move == {"throw": True}:
        await playing.throw(tables, table, seats, wish.version)
        return answer(table, seats)
    read = move_from_data(table.playing().rules, wish.move)
    if isinstance(read, Throw):
        await playing.throw(tables, table, seats, wish.version, read.dice)
    else:
        await playing.decide(tables, table, seats, wish.version, read)
    return answer(table, seats)


@router.get("/hint")
async def hint(tables: TablesNow, table: Asked, reasons: bool = False) -> HintAnswer:
    """What the choice that is due is worth, best first; only at a table that has the coach on."""
    check_on(table)
    rules = table.playing().rules
    advice = await in_time(tables.advising.advice(table))
    if advice is None:
        raise UsageError("coach_preparing")
    options = [HintOption(**choice_data(rules, choice)) for choice in advice.choices]
    if reasons and options:
        why = await in_time(tables.advising.reasons(table))
        if why is None:
            raise UsageError("coach_preparing")
        for option, choice, reason in zip(options, advice.choices, why, strict=False):
            option.reason = reason_data(choice, reason)
    return HintAnswer(expected=advice.expected, exact=advice.exact, options=options)


@router.post("/undo")
async def take_back(tables: TablesNow, table: Asked, seats: Seats, wish: UndoRequest) -> Undone:
    """Take back alone what may be taken back alone; more steps are proposed to the others."""
    done = await undo.undo(tables, table, seats, wish.version, wish.steps)
    return Undone(done=done, state=answer(table, seats))


@router.post("/undo/agree")
async def agree(tables: TablesNow, table: Asked, seats: Seats, wish: AgreeRequest) -> Undone:
    """Agree to the steps that somebody proposed to take back; `undo_other` if that is not the proposal."""
    done = await undo.agree(tables, table, seats, wish.version, wish.steps)
    return Undone(done=done, state=answer(table, seats))


@router.post("/undo/refuse")
async def refuse(tables: TablesNow, table: Asked, seats: Seats, wish: VersionRequest) -> State:
    """Refuse what somebody proposed to take back."""
    await undo.refuse(tables, table, seats, wish.version)
    return answer(table, seats)
