"""Joining a match, leaving it, moving a seat to another device, and playing again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from dicecup.bots import BOT_PREFIX
from dicecup.errors import MoveError, UsageError
from dicecup.storage.entries import EntryTaken
from dicecup.storage.removal import discard_match
from dicecup.storage.stored import Evening, Seat
from dicecup.web.service.headers import header_for
from dicecup.web.service.identity import (
    check_different,
    key_hash,
    mark_look_alikes,
    new_key,
    new_match_id,
    now,
    read_name,
)
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import NewMatch, NewSeat, open_match, read_seed
from dicecup.web.service.playing_apart import check_newcomer, play_dice_again
from dicecup.web.service.snapshot import DICE


async def join(live: LiveMatch, holder: str, name: str, number: int | None = None, seed: str = "") -> int:
    """Take an open seat, the first one if none is named; the game begins when the last one is taken."""
    async with live.changing():
        seats, free = live.stored.seats, live.open_seats
        if live.stored.opening.same:
            check_newcomer(live, holder)
            seed = ""  # somebody may be playing already: the dice are fixed
        if number is not None and not 0 <= number < len(seats):
            raise UsageError("seat_unknown")
        if not free or (number is not None and number not in free):
            raise MoveError("seat_taken")
        chosen = free[0] if number is None else number
        if live.begun:  # a seat that somebody left: its name and seed are part of the record
            seat = Seat("person", seats[chosen].name, seats[chosen].seed)
        else:
            names = [*(other.name for other in seats if other.kind == "person"), read_name(name)]
            check_different(names)
            seat = Seat("person", mark_look_alikes(names)[-1], read_seed(seed))
        header = header_for(live.stored.opening)
        if not await live.update(live.store.take_seat, live.id, chosen, seat, key_hash(holder), header):
            raise MoveError("seat_taken")
        return chosen


async def add_player(live: LiveMatch, holder: str, name: str) -> int:
    """Give somebody who comes late an empty sheet on a pad; this device writes for them, too."""
    if not live.seats_of(key_hash(holder)):
        raise MoveError("seat_not_yours")
    async with live.changing():
        while True:
            names = [*(seat.name for seat in live.stored.seats), read_name(name)]
            check_different([name for name in names if name])
            change = live.playing().prepare()
            change.join(mark_look_alikes(names)[-1])
            try:
                return await live.commit_player(change, key_hash(holder))
            except EntryTaken:  # who plays has changed meanwhile: take the seat after those who joined
                await live.reload()


async def leave(live: LiveMatch, holder: str, number: int) -> None:
    """Give up a seat, so that somebody else can take it."""
    async with live.changing():
        check_holder(live, holder, number)
        if live.apart and number in live.stored.parts:
            raise MoveError("same_dice_begun")
        await live.update(live.store.leave_seat, live.id, number, key_hash(holder))


async def seat_link(live: LiveMatch, holder: str, number: int, hours: float) -> str:
    """A secret that brings this seat to another device of the same person; it expires."""
    check_holder(live, holder, number)
    token = new_key()
    expires = now(later=hours * 3600)
    await asyncio.to_thread(live.store.add_link, live.id, number, key_hash(token), expires)
    return token


async def revoke_links(live: LiveMatch, holder: str, number: int, *, devices: bool) -> None:
    """Make the private links of a seat invalid, and release the other devices that hold it if asked to."""
    async with live.changing():
        check_holder(live, holder, number)
        only = key_hash(holder) if devices else None
        await live.update(live.store.revoke_links, live.id, number, only)


async def follow_link(live: LiveMatch, holder: str, token: str) -> int:
    async with live.changing():
        number = await live.update(live.store.follow_link, live.id, key_hash(token), key_hash(holder), now())
        if number is None:
            raise UsageError("link_unknown")
        return number


def check_holder(live: LiveMatch, holder: str, number: int) -> None:
    if not 0 <= number < len(live.stored.seats):
        raise UsageError("seat_unknown")
    if number not in live.seats_of(key_hash(holder)):
        raise MoveError("seat_not_yours")


async def play_again(matches: Matches, live: LiveMatch, holder: str) -> LiveMatch:
    """The next match of the same people: the same game, the next player first, in the same evening.

    Two people or more who play again begin an evening. The first to ask opens the match, with open seats for
    people on other devices; each of them who asks after that takes their own seat.
    """
    live = live.whole or live
    here = live.seats_of(key_hash(holder))
    if not here:
        raise MoveError("seat_not_yours")
    if live.stored.opening.same and live.stored.opening.tried:  # once more, now against this game
        name = live.stored.seats[min(here)].name
        return await play_dice_again(matches, live, min(here), holder, name)
    async with live.changing():
        following = live.stored.next
        if not following:
            if not live.playing().state.finished:
                raise MoveError("game_not_over")
            following = await open_following(matches, live, holder)
    found = await matches.get(following)
    await sit_again(live, found, holder)
    return found


async def open_following(matches: Matches, live: LiveMatch, holder: str) -> str:
    """Open the next match. The caller holds the lock of this one."""
    if not live.stored.evening and len(live.human_seats) > 1 and not live.stored.opening.tried:
        evening = Evening(new_match_id(), now(), key_hash(holder), "")
        await live.update(live.store.begin_evening, evening, live.id)
    wish = following_match(live, key_hash(holder))
    try:
        opened = await open_match(matches, wish, holder)
    except UsageError as error:
        if error.code != "evening_full":
            raise
        opened = await open_match(matches, replace(wish, evening=""), holder)
    if not await live.update(live.store.set_next, live.id, opened.id):  # another process opened it first
        await asyncio.to_thread(discard_match, live.store, opened.id)
        matches.forget(opened.id)
    return str(live.stored.next)


def following_match(live: LiveMatch, holder: str) -> NewMatch:
    """The same game with the same people, the next one first; seats of other devices are open."""
    opening, here = live.stored.opening, live.seats_of(holder)
    seats = []
    for number, seat in enumerate(live.stored.seats):
        if seat.kind == "bot":
            seats.append(NewSeat("bot", seat.name.removeprefix(BOT_PREFIX)))
        else:
            seats.append(NewSeat("person", seat.name) if number in here else NewSeat("open"))
    return NewMatch(
        game=opening.ruleset,
        seats=seats[1:] + seats[:1],
        options=opening.options,
        dice=DICE.get(opening.dice, "screen"),  # type: ignore[arg-type]
        coach=opening.coach,
        evening=live.stored.evening or "",
        same=opening.same,
    )


async def sit_again(live: LiveMatch, following: LiveMatch, holder: str) -> None:
    """Take a player's seats again in the next match, if they are still open."""
    if following.begun or following.seats_of(key_hash(holder)):
        return
    seats = live.stored.seats
    for number in sorted(live.seats_of(key_hash(holder))):
        place = (number - 1) % len(seats)
        with suppress(MoveError, UsageError):  # somebody else has the seat or the name: they may still watch
            await join(
                following, holder, seats[number].name, place if place in following.open_seats else None
            )
