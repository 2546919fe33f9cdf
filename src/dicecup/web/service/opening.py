"""Opening a table: rules, dice, seats; and beginning the game once the seats are taken."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from dicecup.bots import BOT_PREFIX, bot_called
from dicecup.engine.record import DiceOrigin, Header
from dicecup.engine.record_text import MOST_NAME, RecordWriter, good_name
from dicecup.engine.verifiable import commitment
from dicecup.errors import MoveError, RulesError, UsageError
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.storage.matches import PromiseTaken
from dicecup.storage.rows import Opening, Seat
from dicecup.web.service.advising import BOTS_BY_VALUES
from dicecup.web.service.calling import check_different, read_name
from dicecup.web.service.clock import now
from dicecup.web.service.keys import derived, key_hash, new_table_id
from dicecup.web.service.table import Table
from dicecup.web.service.tables import Tables

MOST_SEATS = 10
PROMISE_LETTERS = 32


@dataclass(frozen=True, slots=True)
class SeatWish:
    """A seat as it is asked for: a person on this device, a bot by its name, or open for a friend."""

    kind: Literal["person", "bot", "open"]
    name: str = ""  # of a person; of a bot: which
    seed: str = ""


@dataclass(frozen=True, slots=True)
class TableWish:
    game: str
    seats: Sequence[SeatWish]
    options: Mapping[str, str] = field(default_factory=dict)
    dice: Literal["screen", "table"] = "screen"
    promise: str = ""  # the name of a promise that was shown before; empty: a new one
    coach: bool = False


def game_rules(game: str, options: Mapping[str, str] | None = None) -> Ruleset:
    """One of the games that come along; a path is nothing that a stranger may name."""
    if game not in builtin_ids():
        raise RulesError("ruleset_unknown", ruleset=game[:40], known=", ".join(builtin_ids()))
    return load_ruleset(game, options)


def new_promise() -> str:
    """The name of a promise: the secret behind it can be worked out by this server only."""
    return secrets.token_hex(PROMISE_LETTERS // 2)


def promised_secret(tables: Tables, promise: str) -> bytes:
    return derived(tables.server_key, "promise", promise)


def promised_commitment(tables: Tables, promise: str) -> str:
    return commitment(promised_secret(tables, promise))


async def open_table(tables: Tables, wish: TableWish, holder: str) -> Table:
    """A new table whose people all sit at the device that holds this key; begun if no seat is open."""
    rules = game_rules(wish.game, wish.options)
    seats = read_seats(wish.seats)
    promise = wish.promise or new_promise()
    if len(promise) != PROMISE_LETTERS or not promise.isalnum() or not promise.isascii():
        raise UsageError("promise_used")
    screen = wish.dice == "screen"
    if wish.coach or any(seat.kind == "bot" and seat.name in BOTS_BY_VALUES for seat in wish.seats):
        await tables.advising.check(rules)
    opening = Opening(
        id=new_table_id(),
        created=now(),
        owner=key_hash(holder),
        ruleset=wish.game,
        options=dict(rules.options),
        dice="verifiable" if screen else "typed",
        commitment=promised_commitment(tables, promise) if screen else None,
        secret=promised_secret(tables, promise).hex() if screen else None,
        coach=wish.coach,
    )
    people = [(number, key_hash(holder)) for number, seat in enumerate(seats) if seat.kind == "person"]
    try:
        await asyncio.to_thread(tables.store.open_match, opening, seats, people)
    except PromiseTaken:
        raise UsageError("promise_used") from None
    table = await tables.get(opening.id)
    if all(seat.kind != "open" for seat in seats):
        async with tables.changing(table):
            await begin_now(tables, table)
    return table


def read_seats(wishes: Sequence[SeatWish]) -> list[Seat]:
    if not 1 <= len(wishes) <= MOST_SEATS or all(wish.kind != "person" for wish in wishes):
        raise UsageError("seats_wrong", most=MOST_SEATS)
    seats = [read_seat(wish) for wish in wishes]
    check_different([seat.name for seat in seats if seat.kind == "person"])
    return seats


def read_seat(wish: SeatWish) -> Seat:
    seed = read_seed(wish.seed)
    if wish.kind == "open":
        return Seat("open", "")
    if wish.kind == "bot":
        bot_called(wish.name)
        return Seat("bot", f"{BOT_PREFIX}{wish.name}", seed)
    return Seat("person", read_name(wish.name), seed)


def read_seed(seed: str) -> str:
    """A player's share in the dice; drawn where the player leaves it to us."""
    if seed and not good_name(seed):
        raise UsageError("name_wrong", name=seed[:80], most=MOST_NAME)
    return seed or secrets.token_hex(8)


def may_begin(table: Table, holder: str) -> bool:
    """The one who opened the table says when; once they have left, whoever sits there."""
    owner = table.stored.opening.owner
    return bool(table.seats_of(holder)) and (holder == owner or not table.seats_of(owner))


async def begin(tables: Tables, table: Table, holder: str) -> None:
    """Begin with the seats that are taken."""
    if not may_begin(table, key_hash(holder)):
        raise MoveError("not_your_table")
    async with tables.changing(table):
        if table.begun:
            raise MoveError("game_begun")
        await begin_now(tables, table)


async def begin_now(tables: Tables, table: Table) -> None:
    """The caller holds the table."""
    opening = table.stored.opening
    taken = [number for number, seat in enumerate(table.stored.seats) if seat.kind != "open"]
    if not table.people:
        raise UsageError("seats_wrong", most=MOST_SEATS)
    seats = [table.stored.seats[number] for number in taken]
    origin = DiceOrigin("typed")
    if opening.dice == "verifiable":
        seeds = tuple(seat.seed for seat in seats)
        origin = DiceOrigin("verifiable", commitment=opening.commitment or "", player_seeds=seeds)
    rules = game_rules(opening.ruleset, opening.options)
    date = datetime.now(UTC).date().isoformat()
    header = Header(opening.ruleset, rules, tuple(seat.name for seat in seats), origin, date)
    await tables.change(table, tables.store.begin, table.id, RecordWriter().header(header), taken)
