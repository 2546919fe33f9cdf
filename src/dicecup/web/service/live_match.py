"""A match in memory: its seats and the keys that hold them, its lock, and what people do in it.

The rules and the versions are the business of `Match`; here it is decided who may act.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from dicecup.bots import bot_of_player
from dicecup.dice import Dice
from dicecup.engine.record import Record
from dicecup.engine.record_text import RecordWriter
from dicecup.engine.state import Keep, Placement, TurnMove, Write
from dicecup.errors import MoveError, UsageError
from dicecup.match import Change, Match
from dicecup.storage.entries import EntryTaken
from dicecup.storage.store import Store
from dicecup.storage.stored import Addition, Notice, Result, Seat, StoredMatch
from dicecup.web.service.headers import header_for, should_have_begun
from dicecup.web.service.identity import now
from dicecup.web.service.presence import Company, Draft
from dicecup.web.service.record_work import (
    LONG,
    Elsewhere,
    empty_record,
    in_thread,
    remembered,
    replay_match,
    with_last_states,
)
from dicecup.web.service.statistics import final_results

BYTES_OF_ENTRY = 400  # with the state after it, which reviews and other code that replays the game create
BYTES_OF_MATCH = 10_000
Answer = TypeVar("Answer")
Persist = Callable[[Addition], Awaitable[None]]  # raises EntryTaken if another process wrote first


class LiveMatch:
    """One match of this process. Changing it requires its lock; reading does not."""

    def __init__(
        self,
        store: Store,
        stored: StoredMatch,
        persist: Persist | None = None,
        listeners: Sequence[Callable[[LiveMatch], None]] = (),
        elsewhere: Elsewhere = in_thread,
    ) -> None:
        self.store = store
        self.stored = stored
        self.persist = persist
        self.elsewhere = elsewhere  # runs slow work on long records outside the event loop
        self.listeners = listeners  # called after every change
        self.match: Match | None = None
        self.parts: dict[int, LiveMatch] = {}  # with the same dice for all: the match of each seat
        self.whole: LiveMatch | None = None  # of which this is the match of one seat
        self.gone = False  # whether the match has been removed
        self.draft = Draft()
        self.company = Company()
        self.pace = "normal"  # of its bots, as whoever played last likes it
        self.hurried = asyncio.Event()  # set while people want to see no more of the bots' turns
        self.final_only = False  # whether only the dice that turns end with are typed
        self.lock = asyncio.Lock()

    @property
    def id(self) -> str:
        return self.stored.opening.id

    @property
    def version(self) -> int:
        return self.match.version if self.match else 0

    @property
    def size(self) -> int:
        """How many bytes of memory it takes, at most and about."""
        return BYTES_OF_MATCH + BYTES_OF_ENTRY * self.version

    @property
    def begun(self) -> bool:
        return self.match is not None

    @property
    def age(self) -> tuple[int, int]:
        """As the store counts it: changes beside the moves, and entries."""
        return self.stored.changes, self.version

    @property
    def stamp(self) -> str:
        """What the match looks like: the same in every process, and another one after every change."""
        played = sum(part.version for part in self.parts.values()) if self.apart else 0
        return f"{self.version}.{self.stored.changes}" + (f".{played}" if self.apart else "")

    @property
    def apart(self) -> bool:
        """Whether everybody is still playing alone, with the same dice."""
        return bool(self.stored.opening.same) and self.match is None

    @property
    def hidden(self) -> bool:
        """Whether only whoever plays here may see it: the dice are those of others, who are still playing."""
        return self.stored.opening.part_of is not None and (self.whole is None or self.whole.apart)

    @property
    def turns_open(self) -> int:
        """With the same dice for all: how many turns everybody may see, since all have finished them."""
        if self.stored.opening.same != "turn" or self.open_seats:
            return 0
        return min((self.turns_of(seat) for seat in self.people), default=0)

    def turns_of(self, seat: int) -> int:
        """How many turns a seat has finished in its own match."""
        part = self.parts.get(seat)
        return part.turns_finished if part else 0

    @property
    def turns_finished(self) -> int:
        """How many turns of the first seat are over."""
        match = self.match
        if match is None:
            return 0
        filled = sum(points is not None for points in match.state.sheets[0].cells)
        return filled // len(match.rules.scored)

    def playing(self) -> Match:
        """The match itself; refused while it has not begun."""
        if self.match is None:
            raise MoveError("game_not_begun")
        return self.match

    def seats_of(self, holder: str | None) -> frozenset[int]:
        """The seats that a key may act for."""
        return self.stored.keys.get(holder or "", frozenset())

    @property
    def people(self) -> frozenset[int]:
        """The seats that somebody holds."""
        return frozenset(number for number, seat in enumerate(self.stored.seats) if seat.kind == "person")

    @property
    def open_seats(self) -> list[int]:
        """The seats that anybody may take."""
        if self.shown_only:
            return []
        return [number for number, seat in enumerate(self.stored.seats) if seat.kind == "open"]

    @property
    def human_seats(self) -> frozenset[int]:
        """The seats of people, including those that somebody left during the game."""
        return frozenset(number for number, seat in enumerate(self.stored.seats) if seat.kind != "bot")

    @property
    def proposals(self) -> dict[int, int]:
        """The seats that want to undo, and how many steps."""
        return {seat: steps for seat, steps in self.stored.consents.items() if steps}

    @property
    def refusals(self) -> frozenset[int]:
        """The seats that refused the last proposal, until something else happens."""
        return frozenset(seat for seat, steps in self.stored.consents.items() if not steps)

    @property
    def shown_only(self) -> bool:
        """Whether this is an uploaded record, which nobody plays."""
        return not self.stored.opening.owner

    @property
    def coach_waits(self) -> bool:
        """Whether people play against each other with the coach off: it gives no advice before the end."""
        alone = len(self.human_seats) == 1 and self.stored.opening.part_of is None
        among_people = not alone and not self.shown_only
        return among_people and not self.stored.opening.coach and not self.playing().state.finished

    @property
    def is_pad(self) -> bool:
        """Whether points are written straight into the sheets, without dice."""
        return self.stored.opening.dice == "points"

    def bot_is_next(self) -> bool:
        match = self.match
        return match is not None and not match.state.finished and bot_of_player(match.player) is not None

    # Reading, changing, persisting

    async def reload(self) -> None:
        """Load what the store has that is not here yet. The caller holds the lock, and notifies everybody."""
        stored, texts = await asyncio.to_thread(self.fetch)
        self.take_over(stored, texts, await self.replayed(stored, texts))

    async def replayed(self, stored: StoredMatch, texts: Sequence[str]) -> Record | None:
        """The record of a whole match that was fetched, if it is long; None if some of it is here already."""
        known = self.match is not None and stored.header == self.stored.header
        if known or stored.header is None or len(texts) <= LONG:
            return None
        found: Record = await self.elsewhere(len(texts), replay_match, stored.header, texts)
        return found

    def fetch(self) -> tuple[StoredMatch, list[str]]:
        """Read the match and the entries that are not here yet. Blocks."""
        stored, texts = self.store.match_and_entries(self.id, self.version)
        if stored and should_have_begun(stored):
            self.store.begin_if_full(self.id, header_for(stored.opening))
            stored, texts = self.store.match_and_entries(self.id, self.version)
        if stored and self.match and stored.header != self.stored.header:
            # A header changes when a player deletes their data: the record has another name then.
            stored, texts = self.store.match_and_entries(self.id)
        if stored is None:  # deleted
            raise UsageError("match_unknown")
        return stored, texts

    def take_over(self, stored: StoredMatch, texts: Sequence[str], played: Record | None = None) -> None:
        """Apply the state that was fetched, all of it at once: readers never see a part of it.

        `played` is the record if the texts were replayed already.
        """
        known = self.match if stored.header == self.stored.header else None
        if stored.header is not None:
            match = known or self.begin(stored, stored.header, played)
            match.catch_up(texts[match.version :] if played else texts)
            match.forget_states(remembered(match.record))
            self.match = match
        self.stored = stored

    def follow(self, notice: Notice) -> bool:
        """Apply another process's change from its notification alone; return False if impossible."""
        if self.match is None or not notice.texts or notice.number > self.version:
            return False
        new = notice.texts[self.version - notice.number :]
        if new:
            if self.draft.version == self.version and self.draft.marked is not None:
                self.draft.keep(self.match.record.moves_made, self.draft.marked)  # if that is the move
            self.match.catch_up(new)
            self.match.forget_states(remembered(self.match.record))
            self.stored = replace(self.stored, consents={})
        return True

    def follow_marks(self, marks: str) -> None:
        """Show the marks of a player who is connected to another process."""
        version, *slots = map(int, marks.split(" "))
        if version == self.version:
            self.draft.mark(version, frozenset(slots))
            self.notify()

    def begin(self, stored: StoredMatch, text: str, played: Record | None) -> Match:
        secret = bytes.fromhex(stored.opening.secret) if stored.opening.secret else None
        return Match(played or empty_record(text), self.save, secret)

    async def save(self, change: Change) -> None:
        """Persist a change of the match, with the results if it ends the game."""
        made = now()
        results = await self.results_after(change, made)
        texts = tuple(change.texts)
        addition = Addition(self.id, change.number, texts, made, results, change.reopens_game)
        if self.persist:
            await self.persist(addition)
        else:
            await asyncio.to_thread(self.store.append, addition)

    async def results_after(self, change: Change, made: str) -> tuple[Result, ...]:
        """The results if the change ends the game, and everybody may see them."""
        if not change.ends_game or self.stored.opening.part_of is not None:
            return ()
        # All moves are looked at: in a thread, and on a copy, so that their states are forgotten again.
        return tuple(await asyncio.to_thread(final_results, change.after.shortened(0), made))

    async def commit(self, change: Change) -> None:
        """Let the match persist a change and take it over. The caller holds the lock."""
        match = self.playing()
        await match.commit_async(change)
        match.forget_states(remembered(match.record))
        self.stored = replace(self.stored, consents={})

    async def commit_player(self, change: Change, holder: str) -> int:
        """Let the match persist that a player joins a pad, whose sheet a key may fill, and return their seat.

        EntryTaken if another process has changed who plays. The caller holds the lock.
        """
        number, seat = len(self.stored.seats), Seat("person", change.after.header.players[-1])
        before, header = self.stored.header or "", RecordWriter().header(change.after.header)

        async def save(change: Change) -> None:
            change.after = await self.elsewhere(change.number, with_last_states, change.after)
            added = (self.id, number, seat, holder, before, header)
            if not await asyncio.to_thread(self.store.add_seat, *added):
                raise EntryTaken

        await self.playing().commit_async(change, save)
        keys = {**self.stored.keys, holder: self.seats_of(holder) | {number}}
        seats, changes = (*self.stored.seats, seat), self.stored.changes + 1
        self.stored = replace(
            self.stored, seats=seats, keys=keys, header=header, finished=None, changes=changes
        )
        return number

    async def update(self, what: Callable[..., Answer], *arguments: object) -> Answer:
        """Change something beside the moves in the store, and read it back. The caller holds the lock."""
        answer = await asyncio.to_thread(partial(what, *arguments))
        await self.reload()
        return answer

    @asynccontextmanager
    async def changing(self, version: int = 0) -> AsyncIterator[None]:
        """Hold the lock for a change made against a version; afterwards all listeners are notified."""
        async with self.lock:
            try:
                if version > self.version:  # another process is ahead, and its notification not yet here
                    await self.reload()
                yield
            except EntryTaken:
                # Another process was faster: read what it did, and let the caller decide again.
                found = self.version
                await self.reload()
                self.notify()
                raise MoveError("version_stale", found=found, version=self.version) from None
            self.notify()

    def notify(self) -> None:
        """Notify everybody concerned that the match looks different now."""
        for listener in self.listeners:
            listener(self)

    @property
    def marks(self) -> str:
        """The version and the slots of the dice that the player is marking, as the live stream sends them."""
        if self.draft.version != self.version or self.draft.marked is None:
            return ""
        return " ".join(map(str, (self.version, *sorted(self.draft.marked))))

    # What people do

    def prepare_turn(self, seats: frozenset[int], version: int, *, typing: bool = False) -> Change:
        """Begin a change if one of these seats may act. Anybody with a seat may type a bot's dice."""
        if not seats:
            raise MoveError("seat_not_yours")
        change = self.playing().prepare(version)
        state = change.before.state
        if state.finished:
            raise MoveError("game_over")
        if state.player not in seats and not (typing and self.bot_is_next()):
            raise MoveError("not_your_turn")
        return change

    def skip_bots(self, seats: frozenset[int]) -> None:
        """Let the bots play at once until it is a person's turn."""
        if not seats:
            raise MoveError("seat_not_yours")
        if self.bot_is_next():
            self.hurried.set()

    def mark(self, seats: frozenset[int], version: int, slots: frozenset[int]) -> None:
        """Let everybody see which dice the player is about to keep. It is no move, and is not stored."""
        rules = self.prepare_turn(seats, version).before.rules
        if any(slot >= rules.dice.count for slot in slots):
            raise MoveError("move_unreadable")
        self.draft.mark(version, slots)
        self.notify()

    def pick(self, seats: frozenset[int], version: int, picked: Mapping[str, Placement]) -> None:
        """Remember the boxes picked so far in a turn that fills several. It is no move, and is not stored."""
        self.prepare_turn(seats, version)
        self.draft.pick(version, picked)

    async def decide(
        self, seats: frozenset[int], version: int, move: TurnMove, kept: frozenset[int] | None = None
    ) -> None:
        """Keep dice, in these slots, or fill a box. Dice that the server throws follow a keep at once."""
        async with self.changing(version):
            change = self.prepare_turn(seats, version)
            change.decide(move)
            if isinstance(move, Keep) and change.after.header.origin.kind != "typed":
                change.throw()
            await self.commit(change)
            if kept is not None:
                self.draft.keep(change.before.moves_made, kept)

    async def write(self, seats: frozenset[int], move: Write) -> None:
        """Write points on a pad: anybody with a seat, in any box. The move names what the box held before, so
        that writes of several devices in different boxes do not get in each other's way.
        """
        if not seats:
            raise MoveError("seat_not_yours")
        async with self.changing():
            change = self.playing().prepare()
            change.decide(move)
            await self.commit(change)

    async def throw(
        self, seats: frozenset[int], version: int, typed: Dice | None = None, *, final: bool = False
    ) -> None:
        """Throw the dice that are due, or type what they show."""
        async with self.changing(version):
            change = self.prepare_turn(seats, version, typing=typed is not None)
            change.throw(typed, final=final)
            await self.commit(change)
