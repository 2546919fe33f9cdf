"""Work on long records: reading an upload of bounded size, replaying a match, continuing from a position.

Each move of a record is played again by the rules, which takes a tenth of a second for a long game. In a
thread of the server that holds the GIL, which moves need too: so it happens in a process of its own, with a
lower priority. Of short records it takes a few milliseconds, less than starting a process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from dicecup.bots import BOT_PREFIX
from dicecup.engine.record import FEW_STATES, DiceOrigin, Record, Undo
from dicecup.engine.record_dice import Proof, verify
from dicecup.engine.record_header import read_header
from dicecup.engine.record_text import RecordWriter, entry_texts, record_from_text, split_lines
from dicecup.errors import RecordError
from dicecup.match import Match
from dicecup.rules.house import MOST_REFERENCE
from dicecup.rules.loader import load_without_files
from dicecup.web.service.worker import FairTurns, Worker

LONG = 300  # entries, from which on a record is long
REMEMBERED = FEW_STATES  # moves whose states stay in memory, or more in games of many players

Found = TypeVar("Found")
Elsewhere = Callable[..., Awaitable[Any]]  # given the number of entries, a function of this module, arguments


async def in_thread(_entries: int, work: Callable[..., Found], *arguments: object) -> Found:
    """Run the work in a thread, where there are no worker processes."""
    return await asyncio.to_thread(work, *arguments)


@dataclass(frozen=True, slots=True)
class PlayedRecord:
    """A record whose moves have been played, and its texts; the proof of its dice if it is an upload's."""

    record: Record  # with its last states, so that it need not be replayed
    header: str
    texts: tuple[str, ...]  # of the entries
    proof: Proof | None = None


def remembered(record: Record) -> int:
    """How many moves keep their states in memory; those of earlier moves are replayed if needed.

    At least a round, which pages and undoing look back to: a turn may have an announcement, too.
    """
    return max(REMEMBERED, len(record.header.players) * (2 * record.rules.throws + 1))


def played(record: Record, proof: Proof | None = None) -> PlayedRecord:
    texts = tuple(entry_texts(record))
    return PlayedRecord(with_last_states(record), RecordWriter().header(record.header), texts, proof)


def read_upload(data: bytes) -> PlayedRecord:
    """The record in an upload. It names a built-in game or carries house rules, and opens no file."""
    record, _ = record_from_text(data, load_without_files)
    return played(record, verify(record))


def empty_record(header: str) -> Record:
    """The record that begins with a stored header."""
    return Record(read_header(split_lines(header.encode())[0])[0])


def replay_match(header: str, texts: Sequence[str]) -> Record:
    """The record of a stored match."""
    match = Match(empty_record(header))
    match.catch_up(texts)
    return with_last_states(match.record)


def with_last_states(record: Record) -> Record:
    """The record with the states of its last moves; they are found by replaying it if they are not known."""
    return record.shortened(remembered(record))


def undone(record: Record, steps: int) -> Record:
    """The record after its last moves were undone, which may be many more than are remembered."""
    return with_last_states(record.append(Undo(steps)))


def standing_after(record: Record, moves: int) -> PlayedRecord:
    """The record of a new game that continues this one after so many moves."""
    origin = record.header.origin if record.header.origin.kind == "typed" else DiceOrigin("system")
    begun = Record(record.header, record.moves[:moves])
    players = person_at(record.header.players, begun.state.player)
    return played(replaced_header(begun, origin, players))


def person_at(players: tuple[str, ...], seat: int) -> tuple[str, ...]:
    """Return the names with a person in place of the bot at this seat, who retries its position."""
    name = players[seat].removeprefix(BOT_PREFIX)
    while name != players[seat] and name in players:
        name = f"{name}+"
    return (*players[:seat], name, *players[seat + 1 :])


def continuing(record: Record) -> PlayedRecord:
    """The record of a game that goes on from the file of another one, without what was undone there."""
    kind = record.header.origin.kind
    origin = record.header.origin if kind in ("typed", "points") else DiceOrigin("system")
    return played(replaced_header(Record(record.header, record.moves), origin, record.header.players))


def replaced_header(record: Record, origin: DiceOrigin, players: tuple[str, ...]) -> Record:
    return replace(record, header=replace(record.header, origin=origin, players=players))


MOST_LINES = 6_000  # ten players of the longest game, and much taken back
MOST_LINE = 600  # bytes: a name, some options
HOUSE_LINE = b"game house:"  # a line that carries house rules may be as long as they may
MOST_RECORD = 600_000  # bytes
MOST_COMING = 20  # uploads that wait to be read; further ones are rejected
MOST_COMING_OF_CALLER = 3  # of them


class Uploads:
    """The queue of uploads: they wait for each other, and never delay moves.

    Long records are read by a worker process, short ones in a thread.
    """

    def __init__(self, reader: Worker | None) -> None:
        self.reader = reader
        self.thread = ThreadPoolExecutor(1, "upload")
        self.turns = FairTurns(MOST_COMING, MOST_COMING_OF_CALLER, "uploads_busy")

    @asynccontextmanager
    async def reading(self, data: bytes) -> AsyncIterator[PlayedRecord]:
        """The record in an upload; the next one is read when the block is over."""
        check_size(data)
        async with self.turns.turn():
            if self.reader and data.count(b"\n") > LONG:
                yield await self.reader.ask(read_upload.__name__, data)
            else:
                yield await asyncio.get_running_loop().run_in_executor(self.thread, read_upload, data)

    def stop(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)


def check_size(data: bytes) -> None:
    """Check the size, the number of lines and their length, without parsing."""
    if len(data) > MOST_RECORD:
        raise RecordError("record_too_large", most=MOST_RECORD)
    lines = data.split(b"\n")
    if len(lines) > MOST_LINES + 1:
        raise RecordError("record_too_long", most=MOST_LINES)
    for number, line in enumerate(lines, start=1):
        most = MOST_LINE + MOST_REFERENCE if line.startswith(HOUSE_LINE) else MOST_LINE
        if len(line) > most:
            raise RecordError("record_damaged", line=number)
