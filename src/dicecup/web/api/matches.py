"""Opening, joining, leaving and watching matches."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from dicecup.engine.record_text import record_to_text
from dicecup.web.api.common import REFUSALS, Asked, Key, Seats, answer
from dicecup.web.api.models import (
    Joined,
    JoinRequest,
    Link,
    LinkRequest,
    MatchRequest,
    Opened,
    Promise,
    Proof,
    SeatChoice,
    State,
)
from dicecup.web.api.reviews import proof_of
from dicecup.web.events import stream
from dicecup.web.service import joining, opening
from dicecup.web.service.keys import key_hash, new_key
from dicecup.web.service.state import state_data
from dicecup.web.service.table import Table
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

    def draw(now: Table) -> str:
        return json.dumps(state_data(now, now.seats_of(holder)))

    player = holder if table.seats_of(holder) else ""
    return stream(request, tables, table, player, "state", lambda now: ("state", now.seats_of(holder)), draw)
