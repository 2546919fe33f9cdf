"""What the store keeps, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dicecup.engine.record import DiceKind

SeatKind = Literal["person", "bot", "open"]


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at a table. An open seat waits for somebody; a bot's name says which bot it is."""

    kind: SeatKind
    name: str
    seed: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """Everything that is settled when a table is opened."""

    id: str
    created: str
    owner: str
    ruleset: str
    options: Mapping[str, str]
    dice: DiceKind
    commitment: str | None = None
    secret: str | None = field(default=None, repr=False)
    coach: bool = False
    tried: bool = False  # a position of another game tried again: it does not count in the statistics


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A table as it stands, without the moves."""

    opening: Opening
    seats: tuple[Seat, ...]
    keys: Mapping[str, frozenset[int]] = field(repr=False)  # hash of a device's key → its seats
    consents: Mapping[int, int]  # seat → steps it would take back at the present version; 0: it refused
    header: str | None = None
    finished: str | None = None
    next: str | None = None
    changes: int = 0  # how often it was changed beside the moves


@dataclass(frozen=True, slots=True)
class Result:
    """How one seat ended a game."""

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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the coach found about one seat of a finished game, in points."""

    seat: int
    luck: float
    skill: float
    error_rate: float


@dataclass(frozen=True, slots=True)
class Addition:
    """Entries to be added to a match, the first under this number. With results the game is over."""

    match: str
    number: int
    texts: tuple[str, ...]
    made: str
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a seat of a listed match ended."""

    seat: int
    points: int
    place: int
    mine: bool  # held by the device whose list it is


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
    ended: tuple[Ended, ...] = ()  # of a finished match, by seat
