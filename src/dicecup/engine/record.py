"""A record: everything that happened in a game, from which every state, undo and review is derived.

Entries are append-only. Undo is an entry too, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Literal

from dicecup.dice import Dice
from dicecup.engine.checked import checked_state
from dicecup.engine.fairness import SAME_DICE, ThrowNumber, derive_throw, seed_secret
from dicecup.engine.pad import plain_write
from dicecup.engine.play import apply_and_score, as_dice, as_kept, check_final
from dicecup.engine.recent import FIRST_THROW, Recent, Step, number_after, steps_backwards
from dicecup.engine.state import Keep, Move, Score, State, Throw, Write, start
from dicecup.errors import MoveError, RecordError
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import Scored

SECRET = re.compile(r"(?:[0-9a-f]{2}){16,64}")  # at least 128 bits

FEW_STATES = 16  # states that are pickled with a record

BOT_PREFIX = "bot:"  # of the names of players that are bots

DiceKind = Literal["system", "seed", "typed", "verifiable", "points"]  # points: a pad, no dice are known


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo of the last `steps` moves."""

    steps: int


@dataclass(frozen=True, slots=True)
class Reveal:
    """The secret of verifiable dice, published after the game."""

    secret: str  # hexadecimal


Entry = Move | Undo | Reveal
"""An entry of a record: a `Move`, an undo of some `steps`, or the `secret` of verifiable dice."""
# The turns of another game whose dice are taken: the first, and the step to the next.
Borrowed = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DiceOrigin:
    """Where the dice of a game come from, and its public data."""

    kind: DiceKind
    seed: int | None = None  # for `seed`
    commitment: str = ""  # for `verifiable`
    player_seeds: tuple[str, ...] = ()  # for `verifiable`, one per player; with statement 2 some are empty
    statement: int = 1  # what is proved of `verifiable` dice, and how they are derived: see fairness
    borrowed: Borrowed | None = None  # with statement 3: which dice of another game these are

    @property
    def same_dice(self) -> bool:
        """Whether every player gets the same dice in every turn and roll."""
        return self.statement == SAME_DICE

    def throw(self, secret: bytes, number: ThrowNumber, rules: Ruleset, count: int, players: int = 1) -> Dice:
        """Return the dice of a throw in a game of so many players, derived from the secret."""
        if self.same_dice:
            number = number.for_all(players, *(self.borrowed or ()))
        return derive_throw(secret, self.statement, self.player_seeds, number, rules.dice, count)


@dataclass(frozen=True, slots=True)
class Header:
    """Everything that is decided before the first throw.

    >>> dicecup.Game("yatzy", ["Ann", "Bo"]).record.header.players
    ('Ann', 'Bo')
    """

    reference: str  # the id or path of the rules
    rules: Ruleset
    players: tuple[str, ...]
    origin: DiceOrigin
    date: str = ""  # as written by the interface; ignored by the game


@dataclass(frozen=True)
class Record:
    """A header and entries. Build it with `append`, which rejects illegal entries.

    >>> import dicecup
    >>> game = dicecup.Game("yatzy", ["Ann"], seed=4)
    >>> rolled = game.roll()
    >>> game.record.moves, game.record.header.players
    ((Throw(dice=(1, 1, 2, 6, 6)),), ('Ann',))
    """

    header: Header
    entries: tuple[Entry, ...] = ()
    first: State | None = None  # where the game began if not with empty sheets; has no text form

    def __post_init__(self) -> None:
        if self.first is not None:
            object.__setattr__(self, "first", checked_state(self.header.rules, self.first))

    @property
    def beginning(self) -> State:
        """The state before the first move.

        >>> dicecup.Game.from_position("yatzy / ones=3").record.beginning.sheet.cells[:2]
        (3, None)
        """
        return self.first or start(self.rules, len(self.header.players))

    @property
    def rules(self) -> Ruleset:
        """The rules of the game.

        >>> dicecup.Game("yatzy").record.rules.throws
        3
        """
        return self.header.rules

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The current moves, without those undone.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.undo()
        >>> game.record.moves, len(game.record.entries)
        ((), 2)
        """
        return tuple(current_moves(self.entries))

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The state at the start and after each current move.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> [state.dice for state in game.record.states]
        [(), (1, 1, 2, 6, 6)]
        """
        return (self.beginning, *(state for _, state, _ in self._line))

    @property
    def state(self) -> State:
        """The current state; avoids `states`, whose cost grows with the length of the game.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.record.state.dice, game.record.state.throws_left
        ((1, 1, 2, 6, 6), 2)
        """
        return self._recent.state

    @property
    def last_scored(self) -> tuple[Scored, ...]:
        """What the last current move wrote, one for each box that it filled.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> points = game.score("sixes")
        >>> game.record.last_scored[0].points, game.record.last_scored[0].counted
        (12, (6, 6))
        """
        return self._recent.steps[-1][2] if self._recent.steps else ()

    @property
    def moves_made(self) -> int:
        """The number of current moves.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.keep(6, 6)
        >>> game.record.moves_made
        2
        """
        return self._recent.skipped + len(self._recent.steps)

    @property
    def remembered(self) -> int:
        """The number of current moves, the last ones, whose states are known without replaying them."""
        return len(self._recent.steps)

    @property
    def throws_made(self) -> int:
        """The number of current throws.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.keep(6, 6)
        >>> game.record.throws_made
        1
        """
        return self.next_throw.in_game - 1

    @property
    def next_throw(self) -> ThrowNumber:
        """The number of the next throw.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.record.next_throw
        ThrowNumber(in_game=2, turn=1, in_turn=2)
        """
        number = self._recent.number
        for move, _, _ in self._recent.steps:
            number = number_after(number, move)
        return number

    def backwards(self) -> Iterator[tuple[State, Move, State]]:
        """Yield the current moves, the last one first, each with the states before and after it.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.keep(6, 6)
        >>> [move for before, move, after in game.record.backwards()]
        [Keep(dice=(6, 6)), Throw(dice=(1, 1, 2, 6, 6))]
        """
        recent = self._recent
        yield from steps_backwards(recent.before, recent.steps)
        if recent.skipped:
            yield from steps_backwards(self.beginning, self._line[: recent.skipped])

    @property
    def secret(self) -> str | None:
        """The revealed secret of verifiable dice.

        >>> game = dicecup.Game("yatzy", ["bot:random"])
        >>> moves = game.play_bots()
        >>> len(game.record.secret)
        64
        """
        last = self.entries[-1] if self.entries else None  # nothing follows a reveal
        return last.secret if isinstance(last, Reveal) else None

    def append(self, entry: Entry) -> Record:
        """Return the record with one more entry; dice are sorted. To add many, use RecordBuilder.

        >>> dicecup.Game("yatzy", dice="typed").record.append(dicecup.Throw((6, 1, 3, 3, 6))).state.dice
        (1, 3, 3, 6, 6)
        """
        builder = RecordBuilder(self)
        builder.add(entry)
        return builder.build()

    def __getstate__(self) -> dict[str, object]:
        """Pickle the fields, and the states that are remembered if few are, or the record was shortened.

        All states are many times larger, and found again by replaying.
        """
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        recent: Recent | None = self.__dict__.get("_recent")
        if recent is None or (len(recent.steps) > FEW_STATES and not recent.skipped):
            return kept
        return kept | {"_recent": recent}

    def shortened(self, most: int) -> Record:
        """Return the same record that remembers the states of its last moves only, at most so many.

        Earlier ones are computed again on demand, by replaying.
        """
        recent = self._recent
        away = len(recent.steps) - most
        if away <= 0:
            return self
        number = recent.number
        for move, _, _ in recent.steps[:away]:
            number = number_after(number, move)
        before = recent.steps[away - 1][1]
        shorter = replace(self)
        shorter.__dict__["_recent"] = Recent(recent.skipped + away, before, number, recent.steps[away:])
        return shorter

    @cached_property
    def _recent(self) -> Recent:
        return Recent(0, self.beginning, FIRST_THROW, self._line)

    @cached_property
    def _line(self) -> tuple[Step, ...]:
        """Each current move with the resulting state and points."""
        known: Recent | None = self.__dict__.get("_recent")
        if known and not known.skipped:
            return known.steps
        builder = RecordBuilder(replace(self, entries=()))
        for entry in self.moves if known else self.entries:  # if known, all of them have been checked
            builder.add(entry)
        return tuple(builder.line)


def current_moves(entries: Iterable[Entry]) -> list[Move]:
    """The moves among entries, without those undone."""
    found: list[Move] = []
    for entry in entries:
        if isinstance(entry, Undo):
            del found[-entry.steps :]
        elif not isinstance(entry, Reveal):
            found.append(entry)
    return found


# Share equal moves: few are distinct, and records in memory are long.
shared_throw = lru_cache(maxsize=4096)(Throw)
shared_keep = lru_cache(maxsize=4096)(Keep)
shared_score = lru_cache(maxsize=4096)(Score)


class RecordBuilder:
    """A record that grows in place, each entry in constant time; `Record.append` copies the whole record."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.entries = list(record.entries)
        self.recent = record._recent if record.entries else Recent(0, record.beginning, FIRST_THROW, ())
        self.line: list[Step] = list(self.recent.steps)

    @property
    def rules(self) -> Ruleset:
        return self.record.rules

    @property
    def state(self) -> State:
        return self.line[-1][1] if self.line else self.recent.before

    def add(self, entry: Entry) -> None:
        """Add an entry with its dice sorted, or raise the reason why it is refused."""
        if isinstance(entry, Throw):
            check_final(entry.final)
            entry = shared_throw(as_dice(self.rules, entry.dice), entry.final)
        elif isinstance(entry, Keep):
            entry = shared_keep(as_kept(self.rules, self.state, entry.dice))
        elif isinstance(entry, Write):
            entry = plain_write(entry)
        if self.entries and isinstance(self.entries[-1], Reveal):
            raise RecordError("record_closed")
        match entry:
            case Undo(steps):
                most = self.recent.skipped + len(self.line)
                if not 1 <= steps <= most:
                    raise RecordError("undo_too_far", most=most)
                if steps > len(self.line):
                    self.replay()
                del self.line[-steps:]
            case Reveal(secret):
                self.check_reveal(secret)
            case _:
                self.check_kind(entry)
                after = apply_and_score(self.rules, self.state, entry)
                if isinstance(entry, Score):
                    entry = shared_score(entry.placements)
                self.line.append((entry, *after))
        self.entries.append(entry)

    def check_kind(self, move: Move) -> None:
        """Refuse a move that does not fit the origin of this game's dice."""
        kind = self.record.header.origin.kind
        if isinstance(move, Write) != (kind == "points"):
            raise MoveError("pad_without_dice" if kind == "points" else "points_with_dice")
        if isinstance(move, Throw) and move.final and kind != "typed":
            raise MoveError("dice_not_typed")

    def check_reveal(self, secret: str) -> None:
        if not SECRET.fullmatch(secret):
            raise RecordError("secret_unreadable")
        if self.record.header.origin.kind != "verifiable":
            raise RecordError("reveal_not_due")
        if not self.state.finished:
            raise RecordError("reveal_too_early")

    def replay(self) -> None:
        """Find the states again that are not remembered. What was undone was checked when it was added."""
        whole = RecordBuilder(replace(self.record, entries=()))
        for move in current_moves(self.entries):
            whole.add(move)
        self.recent, self.line = whole.recent, whole.line

    def build(self) -> Record:
        """Return the record as it is now."""
        built = Record(self.record.header, tuple(self.entries), self.record.first)
        before = self.recent
        # This avoids replaying the game.
        built.__dict__["_recent"] = Recent(before.skipped, before.before, before.number, tuple(self.line))
        return built


def secret_of(record: Record) -> bytes | None:
    """Return the secret from which anyone can derive the throws, if it is already known."""
    origin = record.header.origin
    if origin.kind == "seed":
        assert origin.seed is not None
        return seed_secret(origin.seed)
    return bytes.fromhex(record.secret) if record.secret else None
