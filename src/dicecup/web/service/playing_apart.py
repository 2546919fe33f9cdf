"""Matches with the same dice for all: everybody plays alone, and the games are put together at the end.

Such a match has no moves of its own while it is played. Each person plays a match of one seat, a part, whose
dice are those of the whole; nobody else can see it. When all have finished, the bots play with the same dice,
and the record of the whole is stored at once, with the secret to follow. What the players did is not known to
any page, stream or download before that, except for turns that are open to all.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from dicecup.bots import BOT_PREFIX
from dicecup.engine.fairness import SAME_DICE, commitment, trimmed
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_dice import Round, dice_of, moves_of, rounds, rounds_of, turns_of
from dicecup.engine.record_text import RecordWriter
from dicecup.engine.state import Move, Score, Throw
from dicecup.errors import MoveError, UsageError
from dicecup.match import Change, Match
from dicecup.storage.entries import EntryTaken
from dicecup.storage.store import PromiseTaken
from dicecup.storage.stored import Opening, Seat
from dicecup.web.service.headers import header_with
from dicecup.web.service.identity import key_hash, new_match_id, now, read_name
from dicecup.web.service.live_match import LiveMatch

if TYPE_CHECKING:
    from dicecup.web.service.matches import Matches


@dataclass(frozen=True, slots=True)
class SeatProgress:
    """How far a seat is: of persons it is known, bots play at the end."""

    seat: int
    turns: int
    done: bool


def progress_of(live: LiveMatch) -> list[SeatProgress]:
    """How far every seat is in a match that is played apart."""
    return [
        SeatProgress(seat, live.turns_of(seat), is_done(live, seat)) for seat in range(len(live.stored.seats))
    ]


def is_done(live: LiveMatch, seat: int) -> bool:
    part = live.parts.get(seat)
    return part is not None and part.match is not None and part.match.state.finished


def all_done(live: LiveMatch) -> bool:
    """Whether nobody is still playing and nobody can still join."""
    people = live.people
    return not live.open_seats and bool(people) and all(is_done(live, seat) for seat in people)


def check_seats(seats: list[Seat]) -> None:
    """Refuse seats that do not suit a match with the same dice: each person needs their own device."""
    if len(seats) < 2 or sum(seat.kind == "person" for seat in seats) > 1:
        raise UsageError("same_dice_seats")


def check_newcomer(live: LiveMatch, holder: str) -> None:
    """Refuse a second seat for somebody: they would know the dice."""
    if live.seats_of(key_hash(holder)):
        raise UsageError("same_dice_seats")


def origin_for(live: LiveMatch) -> DiceOrigin:
    """The dice of a part: those of the whole, or of the earlier game that is played again."""
    for part in live.parts.values():
        if part.match is not None:
            return part.match.record.header.origin
    seeds = tuple(seat.seed for seat in live.stored.seats)
    return DiceOrigin(
        "verifiable",
        commitment=commitment(shared_secret(live)),
        player_seeds=trimmed(seeds),
        statement=SAME_DICE,
        borrowed=(1, 1),
    )


def shared_secret(live: LiveMatch) -> bytes:
    assert live.stored.opening.secret is not None  # drawn when the match was opened
    return bytes.fromhex(live.stored.opening.secret)


async def own_part(matches: Matches, live: LiveMatch, holder: str) -> LiveMatch:
    """The match in which whoever holds this key plays their seat; it begins with the first request."""
    seats = live.seats_of(key_hash(holder))
    if not seats:
        raise MoveError("seat_not_yours")
    if not live.stored.opening.same:
        raise UsageError("same_dice_not")
    seat = min(seats)
    async with live.changing():
        if seat not in live.stored.parts:
            if live.begun:
                raise MoveError("game_over")
            await open_part(matches, live, seat, holder)
    part = await matches.get(live.stored.parts[seat])
    if not part.seats_of(key_hash(holder)):  # another device of the same player
        async with part.changing():
            await part.update(part.store.share_part, part.id, key_hash(holder))
    return part


async def open_part(matches: Matches, live: LiveMatch, seat: int, holder: str) -> None:
    name = live.stored.seats[seat].name
    opening = part_opening(live.stored.opening, seat, key_hash(holder))
    header = RecordWriter().header(header_with(live.stored.opening, (name,), origin_for(live)))
    people = [(0, key_hash(holder))]
    with suppress(PromiseTaken):  # another process has opened it at the same time
        await asyncio.to_thread(matches.store.open_match, opening, [Seat("person", name)], people, header)
    await live.reload()


def part_opening(whole: Opening, seat: int, owner: str) -> Opening:
    return Opening(
        id=new_match_id(),
        created=now(),
        owner=owner,
        ruleset=whole.ruleset,
        options=whole.options,
        dice="verifiable",
        secret=whole.secret,
        coach=whole.coach,
        tried=whole.tried,
        statement=SAME_DICE,
        part_of=whole.id,
        part_seat=seat,
    )


async def close_early(matches: Matches, live: LiveMatch, holder: str) -> None:
    """Show the result without those who have not finished; whoever asks must have finished."""
    if not all(is_done(live, seat) for seat in live.seats_of(key_hash(holder))):
        raise MoveError("same_dice_unfinished")
    await close(matches, live)


async def close(matches: Matches, live: LiveMatch) -> None:
    """Put the games of all seats together that have finished, let the bots play, and store the whole."""
    stored = live.stored
    kept = [number for number, seat in enumerate(stored.seats) if seat.kind == "bot" or is_done(live, number)]
    match = Match(Record(header_of_whole(live, kept)), partial(save_whole, live, kept), shared_secret(live))
    change = match.prepare()
    played = {
        place: moves_of(part.playing().record, 0)
        for place, number in enumerate(kept)
        if (part := live.parts.get(number))
    }
    for turn, place in product(range(match.rules.turns), range(len(kept))):
        if change.after.state.finished:  # somebody has won at once, in the middle of a round
            break
        if place in played:
            repeat_turn(change, played[place][turn])
        else:
            await bot_turn(matches, change, stored.opening.owner)
    async with live.changing():
        if live.stored.seats == stored.seats and not live.begun:
            with suppress(EntryTaken):  # another process has stored the whole
                await match.commit_async(change)


def header_of_whole(live: LiveMatch, kept: list[int]) -> Header:
    """The header of the record of all; the dice are another game's if a seed's player is left out."""
    seats = [live.stored.seats[number] for number in kept]
    part = origin_for(live)
    seeds = tuple(seat.seed for seat in seats)
    own = live.stored.opening.commitment is not None
    if own and sorted(filter(None, seeds)) == sorted(filter(None, part.player_seeds)):
        part = DiceOrigin("verifiable", commitment=part.commitment, player_seeds=seeds, statement=SAME_DICE)
    return header_with(live.stored.opening, tuple(seat.name for seat in seats), part)


async def save_whole(live: LiveMatch, kept: list[int], change: Change) -> None:
    """Persist the game of these seats, with its results."""
    header = RecordWriter().header(change.after.header)
    results = await live.results_after(change, now())
    if not await live.update(live.store.finish_same, live.id, kept, header, change.texts, results):
        raise EntryTaken


def repeat_turn(change: Change, moves: list[Move]) -> None:
    """Play a turn as it was played before. The dice are thrown again, and have to be the same."""
    for move in moves:
        if not isinstance(move, Throw):
            change.add(move)
        elif change.throw() != move.dice:
            raise UsageError("secret_lost")


async def bot_turn(matches: Matches, change: Change, owner: str) -> None:
    while True:
        change.throw()
        if change.after.state.finished:
            return
        decision = await matches.advising.decision_of_bot(Match(change.after), owner)
        change.decide(decision)
        if isinstance(decision, Score):
            return


def open_rounds(live: LiveMatch) -> tuple[list[int], list[Round]]:
    """The turns that everybody may see, side by side, and the seats that played them."""
    if not live.apart:
        record = live.playing().record
        seats = list(range(len(record.header.players)))
        return seats, rounds_of(record) if live.stored.opening.same else []
    seats = sorted(live.people)
    played = [
        turns_of(part.match.record, 0) if (part := live.parts.get(seat)) and part.match else []
        for seat in seats
    ]
    return seats, rounds(played)[: live.turns_open]


async def play_dice_again(matches: Matches, live: LiveMatch, seat: int, holder: str, name: str) -> LiveMatch:
    """A match of somebody against what one seat of a finished game did, with the dice that it had."""
    record = live.playing().record
    if not 0 <= seat < len(record.header.players):
        raise UsageError("seat_unknown")
    if not record.state.finished:
        raise MoveError("game_not_over")
    origin = dice_of(record, seat)
    assert record.secret is not None  # dice_of refuses otherwise
    opening = Opening(
        id=new_match_id(),
        created=now(),
        owner=key_hash(holder),
        ruleset=record.header.reference,
        options=dict(record.rules.options),
        dice="verifiable",
        secret=record.secret,
        coach=False,
        tried=True,
        statement=SAME_DICE,
        same="game",
    )
    player = read_name(name)
    former = f"{record.header.players[seat].removeprefix(BOT_PREFIX)[:40]} {record.header.date}".strip()
    while former == player:
        former = f"{former} +"
    seats = [Seat("person", player), Seat("person", former)]
    header, secret = header_with(opening, (former,), origin), bytes.fromhex(record.secret)

    def write() -> None:
        earlier = Match(Record(header), secret=secret).prepare()
        for moves in moves_of(record, seat):
            repeat_turn(earlier, moves)
        matches.store.open_match(opening, seats, [(0, key_hash(holder))])
        part = part_opening(opening, 1, "")
        matches.store.open_match(part, seats[1:], [], RecordWriter().header(header), earlier.texts)

    await matches.in_background(write)
    return await matches.get(opening.id)
