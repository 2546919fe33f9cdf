"""Create, join, leave and watch matches, and play them: rolls, keeps, boxes, undo."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from dicecup.coach.review import choice_data, reason_data
from dicecup.engine.record_text import record_to_text
from dicecup.engine.serialize import move_from_data
from dicecup.engine.state import Throw
from dicecup.errors import UsageError
from dicecup.web.api.models import (
    REFUSALS,
    AgreeRequest,
    Asked,
    HintAnswer,
    HintOption,
    Joined,
    JoinRequest,
    Key,
    Link,
    LinkRequest,
    MatchRequest,
    MoveRequest,
    Opened,
    Promise,
    Proof,
    SeatChoice,
    Seats,
    State,
    Undone,
    UndoRequest,
    VersionRequest,
    answer,
)
from dicecup.web.api.reviews import proof_of
from dicecup.web.live import stream
from dicecup.web.service import actions, joining, opening
from dicecup.web.service.advising import check_on, in_time
from dicecup.web.service.live_match import LiveMatch, key_hash, new_key
from dicecup.web.service.snapshot import state_data
from dicecup.web.viewer import TablesNow

router = APIRouter(prefix="/api", tags=["matches"], responses=REFUSALS)


@router.post("/promises", status_code=201)
async def promise(tables: TablesNow) -> Promise:
    """A promise for dice: see the commitment first, then choose seeds and open a match with it."""
    name = opening.new_promise()
    return Promise(promise=name, commitment=opening.promised_commitment(tables, name))


@router.post("/matches", status_code=201)
async def open_match(tables: TablesNow, key: Key, wish: MatchRequest) -> Opened:
    """Open a match. It begins at once when no seat is open."""
    holder = key or new_key()
    seats = [opening.SeatWish(seat.kind, seat.name, seat.seed) for seat in wish.seats]
    table = await opening.open_table(
        tables,
        opening.TableWish(wish.game, seats, wish.options, wish.dice, wish.promise, wish.coach),
        holder,
    )
    return Opened(key=holder, state=answer(table, table.seats_of(key_hash(holder))))


@router.get("/matches/{match}")
async def look(table: Asked, seats: Seats) -> State:
    return answer(table, seats)


@router.post("/matches/{match}/join")
async def join(tables: TablesNow, table: Asked, key: Key, wish: JoinRequest) -> Joined:
    """Take an open seat. The match begins when the last one is taken."""
    holder = key or new_key()
    seat = await joining.join(tables, table, holder, wish.name, wish.seat, wish.seed)
    state = answer(table, table.seats_of(key_hash(holder)))
    return Joined(key=holder, state=state, seat=seat)


@router.post("/matches/{match}/leave")
async def leave(tables: TablesNow, table: Asked, key: Key, wish: SeatChoice) -> State:
    await joining.leave(tables, table, key, wish.seat)
    return answer(table, table.seats_of(key_hash(key)))


@router.post("/matches/{match}/begin")
async def begin(tables: TablesNow, table: Asked, key: Key) -> State:
    """Begin without waiting for the seats that are still open."""
    await opening.begin(tables, table, key)
    return answer(table, table.seats_of(key_hash(key)))  # seats may have moved up


@router.post("/matches/{match}/again", status_code=201)
async def again(tables: TablesNow, table: Asked, key: Key) -> Opened:
    """The next match of the same players, or the one that another player has opened already."""
    following = await joining.play_again(tables, table, key)
    return Opened(key=key, state=answer(following, following.seats_of(key_hash(key))))


@router.post("/matches/{match}/links", status_code=201)
async def link(tables: TablesNow, table: Asked, key: Key, wish: SeatChoice) -> Link:
    """A private token that brings your seat to another device of yours."""
    return Link(token=await joining.seat_link(tables, table, key, wish.seat))


@router.post("/matches/{match}/claim")
async def claim(tables: TablesNow, table: Asked, key: Key, wish: LinkRequest) -> Joined:
    """Come back to a seat on this device with the token of its private link."""
    holder = key or new_key()
    seat = await joining.follow_link(tables, table, holder, wish.token)
    state = answer(table, table.seats_of(key_hash(holder)))
    return Joined(key=holder, state=state, seat=seat)


@router.get("/matches/{match}/record", response_class=PlainTextResponse)
async def record(table: Asked) -> PlainTextResponse:
    """The record so far, as a file that `dicecup verify` reads."""
    name = f"{table.stored.opening.ruleset}-{table.id}.record"
    text = record_to_text(table.playing().record)
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/matches/{match}/proof")
async def proof(table: Asked) -> Proof:
    return proof_of(table.playing().record)


@router.get("/matches/{match}/events", response_class=StreamingResponse)
async def events(request: Request, tables: TablesNow, table: Asked, key: Key) -> StreamingResponse:
    """Server-sent events: the state now, and again after every change."""
    holder = key_hash(key)

    def draw(now: LiveMatch) -> str:
        return json.dumps(state_data(now, now.seats_of(holder)))

    player = holder if table.seats_of(holder) else ""
    return stream(request, tables, table, player, "state", lambda now: ("state", now.seats_of(holder)), draw)


moves_router = APIRouter(prefix="/api/matches/{match}", tags=["playing"], responses=REFUSALS)


@moves_router.post("/moves")
async def move(tables: TablesNow, table: Asked, seats: Seats, wish: MoveRequest) -> State:
    """Play. Saved before it is answered; refused with a code and the state as it stands otherwise."""
    if wish.move == {"throw": True}:
        await actions.throw(tables, table, seats, wish.version)
        return answer(table, seats)
    read = move_from_data(table.playing().rules, wish.move)
    if isinstance(read, Throw):
        await actions.throw(tables, table, seats, wish.version, read.dice)
    else:
        await actions.decide(tables, table, seats, wish.version, read)
    return answer(table, seats)


@moves_router.get("/hint")
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


@moves_router.post("/undo")
async def take_back(tables: TablesNow, table: Asked, seats: Seats, wish: UndoRequest) -> Undone:
    """Take back alone what may be taken back alone; more steps are proposed to the others."""
    done = await actions.undo(tables, table, seats, wish.version, wish.steps)
    return Undone(done=done, state=answer(table, seats))


@moves_router.post("/undo/agree")
async def agree(tables: TablesNow, table: Asked, seats: Seats, wish: AgreeRequest) -> Undone:
    """Agree to the steps that somebody proposed to take back; `undo_other` if that is not the proposal."""
    done = await actions.agree(tables, table, seats, wish.version, wish.steps)
    return Undone(done=done, state=answer(table, seats))


@moves_router.post("/undo/refuse")
async def refuse(tables: TablesNow, table: Asked, seats: Seats, wish: VersionRequest) -> State:
    """Refuse what somebody proposed to take back."""
    await actions.refuse(tables, table, seats, wish.version)
    return answer(table, seats)
