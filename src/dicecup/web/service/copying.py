"""Tables made from records: to look at an uploaded one, or to try a position again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dicecup.bots import BOT_PREFIX, bot_of_player
from dicecup.engine.record import DiceOrigin, Entry, Header, Record
from dicecup.engine.record_text import RecordWriter, entry_text
from dicecup.errors import UsageError
from dicecup.storage.rows import Opening, Seat
from dicecup.web.service.advising import has_coach
from dicecup.web.service.clock import now
from dicecup.web.service.keys import key_hash, new_table_id
from dicecup.web.service.table import Table
from dicecup.web.service.tables import Tables


async def keep_record(tables: Tables, record: Record) -> Table:
    """A table that shows a whole record; nobody holds a seat at it."""
    await check_over(tables, record)
    return await store(tables, record.header, record.entries, "")


async def check_over(tables: Tables, record: Record) -> None:
    """A record of a game that goes on here is no way round the coach that its table has off."""
    promised = record.header.origin.commitment
    match = await asyncio.to_thread(tables.store.match_promised, promised) if promised else None
    if match is None:
        return
    table = await tables.get(match)
    if table.begun and table.coach_waits:
        raise UsageError("record_of_running")


async def try_again(tables: Tables, table: Table, moves: int, holder: str) -> Table:
    """A table of one's own that stands where this one stood after so many moves.

    From here on its dice are thrown anew, so that nobody knows them; they come without a promise. The coach
    is at hand: whoever tries a position again wants to learn, and holds all the seats.
    """
    record = table.playing().record
    if not may_try(table, key_hash(holder)):
        raise UsageError("coach_later")
    typed = record.header.origin.kind == "typed"
    origin = record.header.origin if typed else DiceOrigin("system")
    if not 0 <= moves <= len(record.moves):
        raise UsageError("moves_too_many", most=len(record.moves))
    stood = record.moves[:moves]
    players = person_at(record.header.players, record.states[len(stood)].player)
    header = replace(record.header, origin=origin, players=players)
    return await store(tables, header, stood, holder, tried=True)


def may_try(table: Table, holder: str) -> bool:
    """Not while the coach has to wait, unless there is nobody to be helped against."""
    return not table.coach_waits or table.human_seats <= table.seats_of(holder)


def person_at(players: tuple[str, ...], seat: int) -> tuple[str, ...]:
    """Whoever tries a bot's position plays on in its place; the other bots stay what they are."""
    name = players[seat].removeprefix(BOT_PREFIX)
    while name != players[seat] and name in players:
        name = f"{name}+"
    return (*players[:seat], name, *players[seat + 1 :])


async def store(
    tables: Tables, header: Header, entries: tuple[Entry, ...], holder: str, *, tried: bool = False
) -> Table:
    opening = Opening(
        id=new_table_id(),
        created=now(),
        owner=key_hash(holder) if holder else "",
        ruleset=header.reference,
        options=dict(header.rules.options),
        dice=header.origin.kind,
        coach=tried and has_coach(),
        tried=tried,
    )
    seats = [
        Seat("bot" if bot_of_player(player) else "person" if holder else "open", player)
        for player in header.players
    ]
    people = [number for number, seat in enumerate(seats) if seat.kind == "person"]
    holders = [(number, key_hash(holder)) for number in people]
    texts = await asyncio.to_thread(entry_texts, header, entries)
    await asyncio.to_thread(
        tables.store.open_match, opening, seats, holders, RecordWriter().header(header), texts
    )
    return await tables.get(opening.id)


def entry_texts(header: Header, entries: tuple[Entry, ...]) -> list[str]:
    """The lines of the entries. Long records take their time: nobody's move waits for that."""
    texts = []
    record = Record(header)
    for entry in entries:
        texts.append(entry_text(record, entry))
        record = record.append(entry)
    return texts
