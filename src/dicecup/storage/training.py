"""Training in the terminal: a file of answers, and of mistakes to be asked again.

One JSON object a line, only ever appended, each written to disk before the next question: nothing is lost if
the program is killed, and a line that was cut short is ignored. Rating and dates follow from the lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from dicecup.coach.puzzles import (
    KNOWN,
    START_RATING,
    Graded,
    Puzzle,
    checksum,
    find_puzzle,
    first_asked,
    next_asked,
    next_rating,
)
from dicecup.engine.serialize import move_to_data
from dicecup.errors import DicecupError, StorageError, problem_of

MISTAKE = "mistake-"  # begins the ids of mistakes


@dataclass(slots=True)
class TrainingMistake:
    """A mistake of one's own, how often in a row it has been solved since, and when it is asked again."""

    puzzle: Puzzle
    due: date
    solved: int = 0

    @property
    def known(self) -> bool:
        return self.solved >= KNOWN


@dataclass(slots=True)
class Training:
    """What follows from all lines of the file."""

    rating: float = START_RATING
    answered: dict[str, bool] = field(default_factory=dict)  # puzzles, and whether the first answer was right
    mistakes: dict[str, TrainingMistake] = field(default_factory=dict)
    reviewed: set[str] = field(default_factory=set)  # records whose mistakes are in here

    def add(self, entry: Mapping[str, Any]) -> None:
        if "mistake" in entry:
            puzzle = Puzzle.from_data(entry["mistake"])
            due = first_asked(date.fromisoformat(entry["day"]))
            self.mistakes.setdefault(puzzle.id, TrainingMistake(puzzle, due))
        elif "reviewed" in entry:
            self.reviewed.add(str(entry["reviewed"]))
        elif "answer" in entry:
            self.add_answer(str(entry["answer"]), bool(entry["right"]), date.fromisoformat(entry["day"]))

    def add_answer(self, puzzle: str, right: bool, day: date) -> None:
        """Add an answer. Only the first one to a puzzle counts; a mistake is asked until it is known.

        A right answer before a mistake is due shows nothing new.
        """
        if mistake := self.mistakes.get(puzzle):
            if not right or mistake.due <= day:
                mistake.solved, mistake.due = next_asked(mistake.solved, right, day)
        elif puzzle not in self.answered and not puzzle.startswith(MISTAKE):
            rated = find_puzzle(puzzle).rating
            self.rating = next_rating(self.rating, len(self.answered), rated, right)
            self.answered[puzzle] = right

    def due(self, day: date) -> list[TrainingMistake]:
        """The mistakes to be asked on a day, those first that have waited longest."""
        waiting = [one for one in self.mistakes.values() if not one.known and one.due <= day]
        return sorted(waiting, key=lambda one: (one.due, one.puzzle.id))

    def find(self, puzzle: str) -> Puzzle:
        """The puzzle or the mistake with this id."""
        if puzzle in self.mistakes:
            return self.mistakes[puzzle].puzzle
        return find_puzzle(puzzle)


class TrainingFile:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.training = Training()
        for entry in self.entries():
            try:
                self.training.add(entry)
            except (DicecupError, KeyError, TypeError, ValueError):  # of another version
                continue

    def entries(self) -> Iterator[dict[str, Any]]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError("file_unreadable", file=self.path, problem=problem_of(error)) from None
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:  # cut short, or the end
                continue
            if isinstance(entry, dict):
                yield entry

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write a line to disk, and only then count it."""
        data = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write((b"\n" if self.is_cut() else b"") + data + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageError("file_unwritable", file=self.path, problem=problem_of(error)) from None
        self.training.add(entry)

    def is_cut(self) -> bool:
        """Whether the last line was cut short by a kill."""
        with self.path.open("rb") as file:
            if not file.seek(0, os.SEEK_END):
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"

    def answer(self, puzzle: Puzzle, graded: Graded, day: date) -> None:
        move = move_to_data(puzzle.position.rules, graded.move)
        entry = {"answer": puzzle.id, "move": move, "right": graded.right, "loss": graded.loss}
        self.append(entry | {"day": day.isoformat()})

    def add_mistake(self, puzzle: Puzzle, day: date) -> None:
        """Remember a mistake of a game of that day, unless it is known; its id follows from the position."""
        data = puzzle.to_data() | {"id": MISTAKE + checksum(puzzle.line)[:8]}
        if data["id"] not in self.training.mistakes:
            self.append({"mistake": data, "day": day.isoformat()})

    def was_reviewed(self, record: bytes) -> bool:
        return record_name(record) in self.training.reviewed

    def set_reviewed(self, record: bytes) -> None:
        self.append({"reviewed": record_name(record)})


def record_name(record: bytes) -> str:
    return sha256(record).hexdigest()[:16]
