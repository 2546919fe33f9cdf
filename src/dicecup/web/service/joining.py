"""Coming to a table, leaving it, and bringing one's seat to another device."""

from __future__ import annotations

import asyncio

from dicecup.errors import MoveError, UsageError
from dicecup.storage.rows import Seat
from dicecup.web.service.live_match import LiveMatch, key_hash, new_key
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import SeatWish as Wish
from dicecup.web.service.opening import (
    TableWish,
    begin_now,
    check_different,
    open_table,
    read_name,
    read_seed,
)


async def join(
    tables: Matches, table: LiveMatch, holder: str, name: str, number: int | None = None, seed: str = ""
) -> int:
    """Take an open seat, the first one if none is named; the game begins when the last is taken."""
    async with tables.changing(table):
        seats, free = table.stored.seats, table.open_seats
        if number is not None and not 0 <= number < len(seats):
            raise UsageError("seat_unknown")
        if not free or (number is not None and number not in free):
            raise MoveError("seat_taken")
        place = free[0] if number is None else number
        if table.begun:  # a seat that somebody left: its name and share stand in the record
            seat = Seat("person", seats[place].name, seats[place].seed)
        else:
            seat = Seat("person", read_name(name), read_seed(seed))
            check_different([seat.name, *(other.name for other in seats if other.kind == "person")])
        if not await tables.change(table, tables.store.take_seat, table.id, place, seat, key_hash(holder)):
            raise MoveError("seat_taken")
        if not table.begun and len(free) == 1:
            await begin_now(tables, table)
        return place


async def leave(tables: Matches, table: LiveMatch, holder: str, number: int) -> None:
    """Let a seat go, so that somebody else can take it."""
    async with tables.changing(table):
        check_holder(table, holder, number)
        await tables.change(table, tables.store.leave_seat, table.id, number, key_hash(holder))


async def seat_link(tables: Matches, table: LiveMatch, holder: str, number: int) -> str:
    """A secret that brings this seat to another device of the same person."""
    check_holder(table, holder, number)
    token = new_key()
    await asyncio.to_thread(tables.store.add_link, table.id, number, key_hash(token))
    return token


async def follow_link(tables: Matches, table: LiveMatch, holder: str, token: str) -> int:
    async with tables.changing(table):
        number = await tables.change(
            table, tables.store.follow_link, table.id, key_hash(token), key_hash(holder)
        )
        if number is None:
            raise UsageError("link_unknown")
        return number


def check_holder(table: LiveMatch, holder: str, number: int) -> None:
    if not 0 <= number < len(table.stored.seats):
        raise UsageError("seat_unknown")
    if number not in table.seats_of(key_hash(holder)):
        raise MoveError("seat_not_yours")


async def play_again(tables: Matches, table: LiveMatch, holder: str) -> LiveMatch:
    """A new table like this one, the next player first; people on other devices find its open seats."""
    here = table.seats_of(key_hash(holder))
    if not here:
        raise MoveError("seat_not_yours")
    if table.stored.next:
        return await tables.get(table.stored.next)
    if not table.playing().state.finished:
        raise MoveError("game_not_over")
    opening = table.stored.opening
    wishes = []
    for number, seat in enumerate(table.stored.seats):
        if seat.kind == "bot":
            wishes.append(Wish("bot", seat.name.partition(":")[2]))
        else:
            wishes.append(Wish("person", seat.name) if number in here else Wish("open"))
    wish = TableWish(
        game=opening.ruleset,
        seats=wishes[1:] + wishes[:1],
        options=opening.options,
        dice="table" if opening.dice == "typed" else "screen",
        coach=opening.coach,
    )
    following = await open_table(tables, wish, holder)
    async with tables.changing(table):
        first = await tables.change(table, tables.store.set_next, table.id, following.id)
    return following if first else await tables.get(str(table.stored.next))
