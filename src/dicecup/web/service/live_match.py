"""A match in memory: what the store holds of it, the keys that hold its seats, and how it is persisted."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
from dataclasses import replace
from datetime import UTC, datetime

from dicecup.bots import bot_of_player
from dicecup.engine.record import Entry, Record
from dicecup.engine.record_text import Line, append_line, entry_text, read_header, split_lines
from dicecup.engine.serialize import sheet_to_data
from dicecup.engine.totals import standings
from dicecup.errors import MoveError
from dicecup.match import Match
from dicecup.storage.rows import Addition, Result, StoredMatch
from dicecup.storage.store import EntryTaken, Store


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that is mistaken for something else
TABLE_LETTERS = 12
MOST_KEY = 100


def new_key() -> str:
    return secrets.token_urlsafe(32)


def new_table_id() -> str:
    """Short enough to read out, long enough that nobody finds a table by guessing (59 bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(TABLE_LETTERS))


def is_table_id(text: str) -> bool:
    """Whether a table could be called so: nothing else is ever looked up."""
    return len(text) == TABLE_LETTERS and all(letter in ALPHABET for letter in text)


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def derived(server_key: bytes, purpose: str, text: str) -> bytes:
    """A value that only this server can work out, the same for the same purpose and text."""
    return hmac.new(server_key, f"{purpose} {text}".encode(), hashlib.sha256).digest()


def results_of(record: Record, finished: str) -> list[Result]:
    rules, players = record.rules, record.header.players
    return [
        Result(
            seat=seat,
            name=players[seat],
            ruleset=record.header.reference,
            identity=rules.identity,
            points=points,
            place=place,
            players=len(players),
            sheet=json.dumps(sheet_to_data(rules, record.state.sheets[seat])),
            finished=finished,
        )
        for place, seat, points in standings(rules, record.state)
    ]


Waiting = tuple[Addition, "asyncio.Future[None]"]


class Writer:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: list[Waiting] = []
        self.busy: asyncio.Task[None] | None = None

    async def write(self, addition: Addition) -> None:
        """Wait until the entries are kept; EntryTaken if another process was quicker."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((addition, done))
        if self.busy is None:
            self.busy = asyncio.create_task(self.work())
        await done

    async def work(self) -> None:
        while self.waiting:
            batch, self.waiting = self.waiting, []
            await self.write_batch(batch)
        self.busy = None

    async def write_batch(self, batch: list[Waiting]) -> None:
        try:
            kept = await asyncio.to_thread(self.store.append_batch, [addition for addition, _ in batch])
        except Exception as error:
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return
        for (_, done), taken in zip(batch, kept, strict=True):
            if done.done():
                continue  # whoever asked went away
            if taken:
                done.set_result(None)
            else:
                done.set_exception(EntryTaken())


def nowhere(before: Record, entry: Entry) -> None:
    """Drafts are saved as a whole."""


class LiveMatch:
    """One table. Whoever changes it holds its lock; whoever only looks needs none."""

    def __init__(self, store: Store, stored: StoredMatch) -> None:
        self.store = store
        self.stored = stored
        self.match: Match | None = None
        self.changes = 0  # beside the moves, of those that were read to the end
        self.lock = asyncio.Lock()
        self.revision = 0  # grows with everything that watchers should see, also beside the moves
        self.drawn: dict[tuple[object, ...], bytes] = {}  # what was drawn of this revision, for whom

    @property
    def id(self) -> str:
        return self.stored.opening.id

    @property
    def version(self) -> int:
        return self.match.version if self.match else 0

    @property
    def begun(self) -> bool:
        return self.match is not None

    @property
    def age(self) -> tuple[int, int]:
        """As the store counts it; never more than what is here."""
        return self.changes, self.version

    def playing(self) -> Match:
        """The match; refused when it has not begun."""
        if self.match is None:
            raise MoveError("game_not_begun")
        return self.match

    def seats_of(self, holder: str | None) -> frozenset[int]:
        """The seats that a key may act for."""
        return self.stored.keys.get(holder or "", frozenset())

    @property
    def people(self) -> frozenset[int]:
        """The seats that somebody sits in."""
        return frozenset(number for number, seat in enumerate(self.stored.seats) if seat.kind == "person")

    @property
    def open_seats(self) -> list[int]:
        """The seats that anybody may take."""
        if self.shown_only:
            return []
        return [number for number, seat in enumerate(self.stored.seats) if seat.kind == "open"]

    @property
    def human_seats(self) -> frozenset[int]:
        """The seats of people, also those that somebody left in the middle of the game."""
        return frozenset(number for number, seat in enumerate(self.stored.seats) if seat.kind != "bot")

    @property
    def proposals(self) -> dict[int, int]:
        """The seats that would take back, and how many steps."""
        return {seat: steps for seat, steps in self.stored.consents.items() if steps}

    @property
    def refusals(self) -> frozenset[int]:
        """The seats that did not agree to what was proposed last, as long as nothing new happens."""
        return frozenset(seat for seat, steps in self.stored.consents.items() if not steps)

    @property
    def shown_only(self) -> bool:
        """Whether this is an uploaded record, to look at."""
        return not self.stored.opening.owner

    @property
    def coach_waits(self) -> bool:
        """Whether people play against each other with the coach off: it helps nobody before the end."""
        among_people = len(self.human_seats) > 1 and not self.shown_only
        return among_people and not self.stored.opening.coach and not self.playing().state.finished

    def bot_is_next(self) -> bool:
        match = self.match
        return match is not None and not match.state.finished and bot_of_player(match.player) is not None

    # Reading and writing; both are called in threads.

    def read(self) -> None:
        """Take in what the store has that is not here yet."""
        stored = self.store.match(self.id)
        assert stored is not None
        self.stored = stored
        if stored.header is not None:
            self.read_match(stored, stored.header)
        self.changes = stored.changes

    def read_match(self, stored: StoredMatch, begun: str) -> None:
        if self.match is None:
            lines, _ = split_lines(begun.encode())
            header, _ = read_header(lines)
            secret = bytes.fromhex(stored.opening.secret) if stored.opening.secret else None
            self.match = Match(Record(header), nowhere, secret)
        record = self.match.record
        first = len(record.entries)
        for number, text in enumerate(self.store.entries(self.id, first), start=first + 1):
            record = append_line(record, Line(number, text))
        self.match.record = record

    def addition(self, before: Record, after: Record) -> Addition:
        """What the store has to add for the match to be in the new state."""
        made = now()
        texts = []
        for entry in after.entries[len(before.entries) :]:
            texts.append(entry_text(before, entry))
            before = before.append(entry)
        ended = after.state.finished and not self.playing().state.finished
        results = tuple(results_of(after, made)) if ended else ()
        return Addition(self.id, self.version, tuple(texts), made, results)

    def added(self, record: Record) -> None:
        """The store has it: now the match is in the new state."""
        self.playing().record = record
        self.stored = replace(self.stored, consents={})

    def draft(self) -> Match:
        """A copy of the match to play on; what comes of it counts when the store has it."""
        match = self.playing()
        return Match(match.record, nowhere, match.secret, match.bot_seed)

    def touch(self) -> None:
        """Forget what was drawn: it looks different now."""
        self.revision += 1
        self.drawn.clear()
