"""The rows of the store, as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dicecup.engine.record import DiceKind

SeatKind = Literal["person", "bot", "open"]
SameDice = Literal["", "turn", "game"]  # not at all, or: once all have finished the turn, or the game


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a match: open, held by a person, or a bot, whose name says which."""

    kind: SeatKind
    name: str
    seed: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """Everything that is decided when a match is opened."""

    id: str
    created: str
    owner: str
    ruleset: str
    options: Mapping[str, str]
    dice: DiceKind
    commitment: str | None = None
    secret: str | None = field(default=None, repr=False)
    coach: bool = False
    tried: bool = False  # a retry of a position of another game: it does not count in the statistics
    statement: int = 1  # of verifiable dice: what they prove, see engine.fairness
    same: SameDice = ""  # everybody plays alone with the same dice; when the others' turns can be seen
    part_of: str | None = None  # the match with the same dice for all whose seat is played here
    part_seat: int | None = None


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The current state of a match, without its moves."""

    opening: Opening
    seats: tuple[Seat, ...]
    keys: Mapping[str, frozenset[int]] = field(repr=False)  # hash of a device's key → its seats
    consents: Mapping[int, int]  # seat → steps it agrees to undo at the current version; 0: it declined
    header: str | None = None
    finished: str | None = None
    next: str | None = None
    changes: int = 0  # change counter, entries not counted
    evening: str | None = None  # the evening that the match belongs to
    parts: Mapping[int, str] = field(default_factory=dict)  # with the same dice: seat → the match of its own


@dataclass(frozen=True, slots=True)
class Evening:
    """The games of one group of people. Whoever knows its id can see it and add games to it."""

    id: str
    created: str
    owner: str = field(repr=False)  # hash of the key of whoever began it
    name: str  # empty: it is called by its date


@dataclass(frozen=True, slots=True)
class BestRoll:
    """The dice that gave a seat the most points in one box."""

    points: int
    box: str
    dice: str  # such as `6 6 6 6 6`; of double dice the layer that was written in the box


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one seat of a finished game."""

    seat: int
    name: str
    ruleset: str
    identity: str
    points: int
    place: int
    players: int
    sheet: str  # JSON
    finished: str
    match: str = ""
    best: BestRoll | None = None  # where the dice are known


@dataclass(frozen=True, slots=True)
class Verdict:
    """The coach's review of one seat of a finished game, in points."""

    seat: int
    luck: float
    skill: float
    error_rate: float


@dataclass(frozen=True, slots=True)
class Addition:
    """Entries to append to a match, the first with this number.

    With results the game is over; an addition that reopens it undoes its end.
    """

    match: str
    number: int
    texts: tuple[str, ...]
    made: str
    results: tuple[Result, ...] = ()
    reopens: bool = False


TRANSIENT = -1  # the number of a notice whose message is not stored


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification that another process changed a match; with an empty `match`, any of them.

    With `texts` it appended these entries and changed nothing else. With the number `TRANSIENT`, `texts` is a
    transient message to the connected clients of the match, and nothing was stored.
    """

    match: str = ""
    number: int = 0  # of the first entry
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a seat in a list of matches."""

    seat: int
    points: int
    place: int
    mine: bool  # held by the device that requested the list
    verdict: Verdict | None = None  # once the game is reviewed
    best: BestRoll | None = None  # where the dice are known


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list."""

    id: str
    created: str
    ruleset: str
    names: tuple[str, ...]
    begun: bool
    finished: str | None
    tried: bool = False
    undone: bool = False  # a player took back a roll of the server and could know what comes
    ended: tuple[Ended, ...] = ()  # of a finished match, by seat
    evening: str | None = None


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A part of the list of a device's matches, newest first."""

    lines: list[MatchLine]
    older: str = ""  # where the next part begins; empty after the last one


@dataclass(frozen=True, slots=True)
class ResultPage:
    """The results of some of a device's matches, oldest first, and the reviews by match and seat."""

    results: list[Result]
    verdicts: dict[tuple[str, int], Verdict]
    older: str = ""  # where the part before these begins; empty if there is none
    undone: frozenset[str] = frozenset()  # the matches in which a roll of the server was taken back


def read_opening(row: Sequence[Any]) -> Opening:
    match, created, owner, ruleset, options, dice, commitment, secret, coach, tried, statement, *same = row
    return Opening(
        match,
        created,
        owner,
        ruleset,
        json.loads(options),
        dice,
        commitment,
        secret,
        coach=bool(coach),
        tried=bool(tried),
        statement=statement,
        same=same[0],
        part_of=same[1],
        part_seat=same[2],
    )
