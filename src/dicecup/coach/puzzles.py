"""Puzzles: positions with one clearly best choice, with the losses of the others; answers and ratings.

A file of puzzles has a header line with a checksum, then one puzzle a line, easiest first; it is made from
played games by `bots.puzzle_making`. Checking an answer needs neither tables nor NumPy. A mistake of one's
own is a puzzle, too (see `coach.lessons`): it is asked again after 1, 3, 7, 16 and 35 days until it is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dicecup.coach.advice import without_strikes
from dicecup.dice import sort_dice
from dicecup.engine.legality import cell_of
from dicecup.engine.play import apply
from dicecup.engine.serialize import Position, move_from_data
from dicecup.engine.state import Keep, Move, Score
from dicecup.errors import MoveError, UsageError, about
from dicecup.rules.model import Ruleset

FOLDER = Path(__file__).parent / "data"
OFFERED = 5  # answers to choose from
A_DAY = 5  # puzzles of a day, one of each level
FIRST_DAY = date(2026, 1, 1)
NO_LOSS = 0.005  # a choice that loses less is as good as the best


@dataclass(frozen=True, slots=True)
class Graded:
    """What an answer is worth. With `at_least`, `loss` is a lower bound: not all choices are listed."""

    move: Keep | Score
    right: bool
    loss: float
    at_least: bool = False


@dataclass(frozen=True)
class Puzzle:
    """A position, its best choices with their losses, and which of them are offered as answers.

    >>> from dicecup.coach.puzzles import find_puzzle
    >>> puzzle = find_puzzle("yatzy-1")
    >>> puzzle.grade(puzzle.best).right
    True
    """

    id: str
    line: str  # the position as one line of text
    moves: tuple[Mapping[str, Any], ...]  # as data, the best first
    losses: tuple[float, ...]
    rest: float | None  # the least loss of a choice that is not listed; None if all are
    offered: tuple[int, ...]  # places in `moves`, in the order of the dice and of the sheet
    missed: float = 0.0  # how often the human-like bots miss it
    rating: int = 0
    reason: Mapping[str, Any] = field(default_factory=dict)  # of the best choice: see `reason_data`
    close: float = NO_LOSS  # an answer that loses less is right

    @cached_property
    def position(self) -> Position:
        return Position.parse(self.line)

    @cached_property
    def choices(self) -> tuple[Keep | Score, ...]:
        return tuple(decision_from_data(self.position, data) for data in self.moves)

    @property
    def best(self) -> Keep | Score:
        return self.choices[0]

    def grade(self, move: Keep | Score) -> Graded:
        """Return what an answer is worth; an illegal one is refused."""
        rules, state = self.position.rules, self.position.state
        with about(rules):
            apply(rules, state, move)
        if isinstance(move, Keep):
            move = Keep(sort_dice(move.dice))
        for wanted in (move, without_strikes(move)):
            if wanted in self.choices:
                loss = self.losses[self.choices.index(wanted)]
                return Graded(move, loss < self.close, loss)
        assert self.rest is not None
        return Graded(move, False, self.rest, at_least=True)

    def grade_data(self, data: object) -> Graded:
        """Return what an answer is worth that is given as data, such as `{"keep": [6, 6]}`."""
        return self.grade(decision_from_data(self.position, data))

    def to_data(self) -> dict[str, Any]:
        """Return the puzzle with its solution as data."""
        return {
            "id": self.id,
            "position": self.line,
            "moves": list(self.moves),
            "losses": list(self.losses),
            "rest": self.rest,
            "offered": list(self.offered),
            "missed": self.missed,
            "rating": self.rating,
            "reason": dict(self.reason),
            **({} if self.close == NO_LOSS else {"close": self.close}),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Puzzle:
        return cls(
            id=data["id"],
            line=data["position"],
            moves=tuple(data["moves"]),
            losses=tuple(data["losses"]),
            rest=data["rest"],
            offered=tuple(data["offered"]),
            missed=data["missed"],
            rating=data["rating"],
            reason=data["reason"],
            close=data.get("close", NO_LOSS),
        )


def decision_from_data(position: Position, data: object) -> Keep | Score:
    move = move_from_data(position.rules, data)
    if not isinstance(move, Keep | Score):
        raise MoveError("decision_not_due")
    return move


def puzzle_file(game: str) -> Path:
    return FOLDER / f"puzzles-{game}.jsonl"


def puzzle_games() -> tuple[str, ...]:
    """Return the games that have puzzles."""
    return tuple(sorted(path.stem.removeprefix("puzzles-") for path in FOLDER.glob("puzzles-*.jsonl")))


def load_puzzles(game: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game, easiest first; refuse a file that was changed."""
    if game not in puzzle_games():
        raise UsageError("puzzles_missing", ruleset=game[:40], known=", ".join(puzzle_games()))
    return read_puzzles(puzzle_file(game))


@lru_cache(maxsize=16)
def read_puzzles(path: Path) -> tuple[Puzzle, ...]:
    try:
        head, _, body = path.read_text("utf-8").partition("\n")
        header = json.loads(head)
        if header["sha256"] != checksum(body):
            raise UsageError("puzzles_changed", file=path.name)
        return tuple(Puzzle.from_data(json.loads(line)) for line in body.splitlines())
    except OSError:
        raise UsageError("puzzles_changed", file=path.name) from None
    except (ValueError, KeyError, TypeError):
        raise UsageError("puzzles_changed", file=path.name) from None


def checksum(body: str) -> str:
    return sha256(body.encode()).hexdigest()


def puzzles_text(header: Mapping[str, Any], puzzles: list[Puzzle]) -> str:
    """Return the text of a file of puzzles, given easiest first."""
    lines = [json.dumps(puzzle.to_data(), separators=(",", ":")) for puzzle in puzzles]
    body = "".join(f"{line}\n" for line in lines)
    return json.dumps({**header, "puzzles": len(puzzles), "sha256": checksum(body)}) + "\n" + body


def find_puzzle(puzzle_id: str) -> Puzzle:
    """Return the puzzle with an id such as `yatzy-sv-17`."""
    game = puzzle_id.rpartition("-")[0]
    if game in puzzle_games():
        for puzzle in load_puzzles(game):
            if puzzle.id == puzzle_id:
                return puzzle
    raise UsageError("puzzle_unknown", puzzle=puzzle_id[:40])


def daily_puzzles(game: str, day: date) -> tuple[Puzzle, ...]:
    """Return the five puzzles of a day, easiest first: the same everywhere, without a server.

    The puzzles of a game are divided into five levels. Every day takes the next one of each level, in an
    order that is drawn anew when all have been asked.
    """
    puzzles = load_puzzles(game)
    size = len(puzzles) // A_DAY
    round_number, place = divmod((day - FIRST_DAY).days, size)
    found = []
    for level in range(A_DAY):
        members = puzzles[level * size : (level + 1) * size]
        members = tuple(sorted(members, key=lambda puzzle: checksum(f"{round_number} {puzzle.id}")))
        found.append(members[place])
    return tuple(found)


START_RATING = 1200
FIRST_ANSWERS = 10  # during which the rating moves fast
FAST, SLOW = 48, 24  # the most points that one answer is worth


def expected_share(rating: float, puzzle_rating: float) -> float:
    """Return the chance that a player of this rating solves a puzzle, as in Elo's system."""
    return 1 / (1 + 10 ** ((puzzle_rating - rating) / 400))


def next_rating(rating: float, answered: int, puzzle_rating: float, right: bool) -> float:
    """Return the rating after an answer; `answered` puzzles came before it."""
    step = FAST if answered < FIRST_ANSWERS else SLOW
    return rating + step * (right - expected_share(rating, puzzle_rating))


INTERVALS = (1, 3, 7, 16, 35)  # days until a mistake is asked again, by how often it was solved in a row
KNOWN = len(INTERVALS)  # solved so often, it is not asked any more


def first_asked(played: date) -> date:
    """Return when to ask a mistake of a game for the first time: not while the game is still fresh."""
    return played + timedelta(days=INTERVALS[0])


def next_asked(solved: int, right: bool, today: date) -> tuple[int, date]:
    """Return how often a mistake has been solved in a row after this answer, and when to ask it again."""
    solved = min(solved + 1, KNOWN) if right else 0
    return solved, today + timedelta(days=INTERVALS[min(solved, KNOWN - 1)])


def offered_places(rules: Ruleset, moves: Sequence[Move], tempting: Sequence[Move]) -> tuple[int, ...]:
    """Return which choices to offer, given best first: the best, tempting ones, the next best.

    They are in the order of the dice and of the sheet, so that the order does not give away the best one.
    """
    places = [0, *(place for place, move in enumerate(moves) if place and move in tempting)]
    places += [place for place in range(len(moves)) if place not in places]

    def order(place: int) -> tuple[bool, list[object]]:
        move = moves[place]
        if isinstance(move, Score):
            return True, [cell_of(rules, placed.box, placed.column) for placed in move.placements]
        assert isinstance(move, Keep)
        return False, [len(move.dice), *move.dice]

    return tuple(sorted(places[:OFFERED], key=order))
