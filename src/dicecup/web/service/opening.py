"""Opening a match: its rules, dice and seats; starting it before all seats are taken; and making one from a
record, to look at an upload or to try a position again.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dicecup.bots import BOT_PREFIX, bot_called, bot_of_player
from dicecup.engine.fairness import LATEST_STATEMENT, SAME_DICE, commitment
from dicecup.engine.record import Record
from dicecup.engine.record_header import MOST_NAME, good_name
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import MoveError, UsageError
from dicecup.match import new_secret
from dicecup.rules.loader import load_without_files
from dicecup.rules.model import Ruleset
from dicecup.storage.people import MOST_GAMES
from dicecup.storage.store import PromiseTaken
from dicecup.storage.stored import Evening, Opening, SameDice, Seat
from dicecup.web.service.advising import BOTS_BY_VALUES, has_coach, need_chances
from dicecup.web.service.headers import header_for, header_text
from dicecup.web.service.identity import check_different, is_match_id, key_hash, new_match_id, now, read_name
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.playing_apart import check_seats, close_early
from dicecup.web.service.record_work import PlayedRecord, continuing, standing_after

PROMISE_SECONDS = 24 * 3600  # for which a set-up page can be left open


@dataclass(frozen=True, slots=True)
class NewSeat:
    """A seat as it is asked for: a person on this device, a bot by its name, or open for a friend."""

    kind: Literal["person", "bot", "open"]
    name: str = ""  # of a person; of a bot: which
    seed: str = ""  # of a person, who has seen the commitment


@dataclass(frozen=True, slots=True)
class NewMatch:
    game: str
    seats: Sequence[NewSeat]
    options: Mapping[str, str] = field(default_factory=dict)
    dice: Literal["screen", "table", "points"] = "screen"  # points: a score pad
    promise: str = ""  # the name of a promise that was shown before; empty: a new one
    coach: bool = False
    evening: str = ""  # the id of the evening that the match is to be part of
    same: SameDice = ""


def game_rules(game: str, options: Mapping[str, str] | None = None) -> Ruleset:
    """The rules of a built-in game; strangers must not name files."""
    return load_without_files(game, options)


@dataclass(frozen=True, slots=True)
class DicePromise:
    """A commitment that is published before a match is opened; its secret is in the store."""

    name: str
    commitment: str


async def new_promise(matches: Matches) -> DicePromise:
    """Draw a secret and publish its commitment. Nothing else of the dice is the server's choice."""
    name, secret = secrets.token_hex(16), new_secret()
    made, forget_before = now(), now(-PROMISE_SECONDS)
    await asyncio.to_thread(matches.store.add_promise, name, secret.hex(), made, forget_before)
    return DicePromise(name, commitment(secret))


async def find_promise(matches: Matches, name: str) -> DicePromise | None:
    """Return a promise that was made before, if no match has been opened with it."""
    secret = await asyncio.to_thread(matches.store.promised_secret, name)
    return DicePromise(name, commitment(bytes.fromhex(secret))) if secret else None


async def secret_behind(matches: Matches, promise: str) -> bytes:
    """Return the secret of a promise; a new one if no promise is named."""
    if not promise:
        return new_secret()
    secret = await asyncio.to_thread(matches.store.promised_secret, promise)
    if secret is None:
        raise UsageError("promise_used")
    return bytes.fromhex(secret)


async def open_match(matches: Matches, request: NewMatch, holder: str) -> LiveMatch:
    """Open a match whose people all use the device that holds this key; it begins if no seat is open."""
    rules = game_rules(request.game, request.options)
    seats = read_seats(request.seats)
    screen = request.dice == "screen"
    if request.same:
        check_seats(seats)
        if not screen:
            raise UsageError("same_dice_typed")
    promise = request.promise if screen else ""
    if screen and not promise and any(seat.seed for seat in seats):
        raise UsageError("seed_before_promise")
    secret = await secret_behind(matches, promise) if screen else None
    pad = request.dice == "points"
    if pad and any(seat.kind == "bot" for seat in seats):
        raise UsageError("pad_without_bots")
    if request.coach and pad:
        raise UsageError("coach_points_only")
    asking = BOTS_BY_VALUES & {seat.name for seat in request.seats if seat.kind == "bot"}
    if "winner" in asking:
        need_chances()
    if request.coach or asking:
        await matches.advising.check(rules)
    opening = Opening(
        id=new_match_id(),
        created=now(),
        owner=key_hash(holder),
        ruleset=request.game,
        options=dict(rules.options),
        dice="verifiable" if screen else "points" if pad else "typed",
        commitment=commitment(secret) if secret else None,
        secret=secret.hex() if secret else None,
        coach=request.coach,
        statement=SAME_DICE if request.same else LATEST_STATEMENT,
        same=request.same,
    )
    evening = (await open_evening(matches, request.evening)).id if request.evening else None
    people = [(number, key_hash(holder)) for number, seat in enumerate(seats) if seat.kind == "person"]
    waits = bool(request.same) or any(seat.kind == "open" for seat in seats)
    header = None if waits else header_text(opening, seats)
    try:
        await asyncio.to_thread(
            matches.store.open_match, opening, seats, people, header, (), promise, evening
        )
    except PromiseTaken:
        raise UsageError("promise_used") from None
    return await matches.get(opening.id)


async def open_evening(matches: Matches, evening: str) -> Evening:
    """Return an evening that a match can be added to. Whoever knows its id may do that."""
    store = matches.store
    found = await asyncio.to_thread(store.evening, evening) if is_match_id(evening) else None
    if found is None:
        raise UsageError("evening_unknown")
    if len(await asyncio.to_thread(store.matches_of_evenings, [evening], MOST_GAMES)) == MOST_GAMES:
        raise UsageError("evening_full", most=MOST_GAMES)
    return found


def read_seats(requests: Sequence[NewSeat]) -> list[Seat]:
    if not 1 <= len(requests) <= MOST_PLAYERS or all(request.kind != "person" for request in requests):
        raise UsageError("seats_wrong", most=MOST_PLAYERS)
    seats = [read_seat(request) for request in requests]
    check_different([seat.name for seat in seats if seat.kind == "person"])
    return seats


def read_seat(request: NewSeat) -> Seat:
    if request.kind != "person" and request.seed:
        raise UsageError("seed_without_person")
    if request.kind == "open":
        return Seat("open", "")
    if request.kind == "bot":
        bot_called(request.name)
        return Seat("bot", f"{BOT_PREFIX}{request.name}")
    return Seat("person", read_name(request.name), read_seed(request.seed))


def read_seed(seed: str) -> str:
    """Read a player's seed for the dice. If there is none, the server must not draw one: see `fairness`."""
    if seed and not good_name(seed):
        raise UsageError("name_wrong", name=seed[:80], most=MOST_NAME)
    return seed


def may_begin(live: LiveMatch, holder: str) -> bool:
    """Return whether this key may begin the match: the host's, or any with a seat once the host left."""
    owner = live.stored.opening.owner
    return bool(live.seats_of(holder)) and (holder == owner or not live.seats_of(owner))


async def begin(matches: Matches, live: LiveMatch, holder: str) -> None:
    """Begin with the seats that are taken; with the same dice for all, end with those that are done."""
    if not may_begin(live, key_hash(holder)):
        raise MoveError("not_your_table")
    if live.apart:
        await close_early(matches, live, holder)
        return
    async with live.changing():
        if live.begun:
            raise MoveError("game_begun")
        await live.update(live.store.begin, live.id, header_for(live.stored.opening))


async def keep_record(matches: Matches, uploaded: PlayedRecord) -> LiveMatch:
    """A match that shows a whole record; nobody holds a seat in it."""
    await check_over(matches, uploaded.record)
    return await store_record(matches, uploaded, "")


async def check_over(matches: Matches, record: Record) -> None:
    """Refuse the record of a running match that has the coach off, or whose dice others have yet to throw.

    Its upload could be reviewed, and shows the dice.
    """
    promised = record.header.origin.commitment
    match = await asyncio.to_thread(matches.store.match_promised, promised) if promised else None
    if match is None:
        return
    live = await matches.get(match)
    if live.apart or (live.begun and live.coach_waits):
        raise UsageError("record_of_running")


async def try_again(matches: Matches, live: LiveMatch, moves: int, holder: str) -> LiveMatch:
    """Open a match of one's own from the position after the given number of moves.

    Its further dice are drawn anew, without a commitment, so that nobody knows them. The coach is on, because
    this is for learning, and the caller holds all the seats.
    """
    record = live.playing().record
    if live.is_pad:
        raise UsageError("coach_points_only")
    if not may_try(live, key_hash(holder)):
        raise UsageError("coach_later")
    if not 0 <= moves <= record.moves_made:
        raise UsageError("moves_too_many", most=record.moves_made)
    tried = await matches.work_on_record(len(record.entries), standing_after, record, moves)
    return await store_record(matches, tried, holder, tried=True)


async def go_on(matches: Matches, live: LiveMatch, holder: str) -> LiveMatch:
    """A match of one's own that continues a game from its file, on this device.

    Its dice are drawn anew, without a promise: the secret of the earlier ones is stored only where the game
    began.
    """
    if not live.shown_only:
        raise UsageError("game_goes_on")
    if live.playing().state.finished:
        raise MoveError("game_over")
    record = live.playing().record
    continued = await matches.work_on_record(len(record.entries), continuing, record)
    return await store_record(matches, continued, holder)


def may_try(live: LiveMatch, holder: str) -> bool:
    """Whether a position may be tried: not while the coach is off, unless all people in it are the holder."""
    played = live.whole or live  # with the same dice, the others play matches of their own
    return not live.coach_waits or played.human_seats <= played.seats_of(holder)


async def store_record(
    matches: Matches, played: PlayedRecord, holder: str, *, tried: bool = False
) -> LiveMatch:
    """Open a match that continues from the end of the record."""
    header = played.record.header
    opening = Opening(
        id=new_match_id(),
        created=now(),
        owner=key_hash(holder) if holder else "",
        ruleset=header.reference,
        options=dict(header.rules.options),
        dice=header.origin.kind,
        coach=tried and has_coach(header.rules),
        tried=tried,
    )
    seats = [
        Seat("bot" if bot_of_player(player) else "person" if holder else "open", player)
        for player in header.players
    ]
    people = [(number, key_hash(holder)) for number, seat in enumerate(seats) if seat.kind == "person"]
    await matches.in_background(matches.store.open_match, opening, seats, people, played.header, played.texts)
    return await matches.get(opening.id, played.record)
