"""Open a match (rules, dice, seats), start it once the seats are taken, or make one from a record: to look
at an uploaded one, or to try a position again.
"""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from dicecup.bots import BOT_PREFIX, bot_called, bot_of_player
from dicecup.engine.fairness import commitment
from dicecup.engine.record import DiceOrigin, Entry, Header, Record
from dicecup.engine.record_text import MOST_NAME, RecordWriter, entry_text, good_name
from dicecup.errors import MoveError, RulesError, UsageError
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.storage.rows import Opening, Seat
from dicecup.storage.store import PromiseTaken
from dicecup.web.service.advising import BOTS_BY_VALUES, has_coach
from dicecup.web.service.live_match import LiveMatch, derived, key_hash, new_table_id, now
from dicecup.web.service.matches import Matches

JOINERS = "\u200c\u200d"  # parts of some scripts and emoji; the other marks of their kind only mislead
BLANK_LETTERS = "\u115f\u1160\u2800"  # letters and a sign by their category, which show nothing


def read_name(name: str) -> str:
    """The name as it is kept: in one spelling, without marks that nobody sees."""
    spelled = unicodedata.normalize("NFKC", name)
    kept = "".join(
        letter for letter in spelled if letter in JOINERS or unicodedata.category(letter) != "Cf"
    ).strip()
    if kept.startswith(BOT_PREFIX):
        raise UsageError("name_of_bot", name=name[:80], prefix=BOT_PREFIX)
    if not good_name(kept) or not is_seen(kept):
        raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
    return kept


def is_seen(name: str) -> bool:
    """Marks that stand on a letter show nothing alone: there has to be a letter, a number or a sign."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in look_of(name))


def look_of(name: str) -> str:
    """What is left of a name for the eye: two that look the same are the same."""
    seen = [letter for letter in name if letter not in JOINERS + BLANK_LETTERS]
    return " ".join("".join(seen).split()).casefold()


def check_different(names: list[str]) -> None:
    if len({look_of(name) for name in names}) != len(names):
        raise UsageError("name_twice")


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


def promised_secret(tables: Matches, promise: str) -> bytes:
    return derived(tables.server_key, "promise", promise)


def promised_commitment(tables: Matches, promise: str) -> str:
    return commitment(promised_secret(tables, promise))


async def open_table(tables: Matches, wish: TableWish, holder: str) -> LiveMatch:
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


def may_begin(table: LiveMatch, holder: str) -> bool:
    """The one who opened the table says when; once they have left, whoever sits there."""
    owner = table.stored.opening.owner
    return bool(table.seats_of(holder)) and (holder == owner or not table.seats_of(owner))


async def begin(tables: Matches, table: LiveMatch, holder: str) -> None:
    """Begin with the seats that are taken."""
    if not may_begin(table, key_hash(holder)):
        raise MoveError("not_your_table")
    async with tables.changing(table):
        if table.begun:
            raise MoveError("game_begun")
        await begin_now(tables, table)


async def begin_now(tables: Matches, table: LiveMatch) -> None:
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


async def keep_record(tables: Matches, record: Record) -> LiveMatch:
    """A table that shows a whole record; nobody holds a seat at it."""
    await check_over(tables, record)
    return await store(tables, record.header, record.entries, "")


async def check_over(tables: Matches, record: Record) -> None:
    """A record of a game that goes on here is no way round the coach that its table has off."""
    promised = record.header.origin.commitment
    match = await asyncio.to_thread(tables.store.match_promised, promised) if promised else None
    if match is None:
        return
    table = await tables.get(match)
    if table.begun and table.coach_waits:
        raise UsageError("record_of_running")


async def try_again(tables: Matches, table: LiveMatch, moves: int, holder: str) -> LiveMatch:
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


def may_try(table: LiveMatch, holder: str) -> bool:
    """Not while the coach has to wait, unless there is nobody to be helped against."""
    return not table.coach_waits or table.human_seats <= table.seats_of(holder)


def person_at(players: tuple[str, ...], seat: int) -> tuple[str, ...]:
    """Whoever tries a bot's position plays on in its place; the other bots stay what they are."""
    name = players[seat].removeprefix(BOT_PREFIX)
    while name != players[seat] and name in players:
        name = f"{name}+"
    return (*players[:seat], name, *players[seat + 1 :])


async def store(
    tables: Matches, header: Header, entries: tuple[Entry, ...], holder: str, *, tried: bool = False
) -> LiveMatch:
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
