"""What somebody learns: habits in reviewed games, their own mistakes, answers to puzzles, and their rating.

A person is the hash of the key of a browser or of an API client, as everywhere in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dicecup.storage.database import StorePart, Transaction
from dicecup.storage.results import placeholders

MOST_MISTAKES = 200  # of one person; those that are known and those that cost least go first
TABLES = ("mistakes", "puzzle_answers", "puzzle_ratings")  # with rows of a person


@dataclass(frozen=True, slots=True)
class StoredMistake:
    """A position that somebody is asked again, when, and how often they solved it in a row."""

    id: str  # the match and the number of moves before it
    game: str
    player: str
    puzzle: str  # JSON, with the solution
    lost: float
    solved: int
    due: str
    made: str


@dataclass(frozen=True, slots=True)
class PuzzleAnswer:
    """The first answer of a person to a puzzle."""

    puzzle: str
    day: str
    correct: bool
    loss: float


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """A person's rating for puzzles, and on how many days in a row they answered one."""

    rating: float
    answered: int = 0
    solved: int = 0
    days: int = 0
    last_day: str = ""


MISTAKE = "id, game, player, puzzle, lost, solved, due, made"


def add_habits(store: StorePart, match: str, habits: Mapping[int, str]) -> None:
    """Store the habits that a review found, as JSON by seat."""
    with store.database.changes() as changes:
        for seat, text in habits.items():
            changes.run("UPDATE results SET habits = ? WHERE match = ? AND seat = ?", (text, match, seat))


def habits_of(store: StorePart, matches: Sequence[str]) -> dict[tuple[str, int], str]:
    """Return the habits in some matches, by match and seat, where they are known."""
    if not matches:
        return {}
    rows = store.database.rows(
        f"SELECT match, seat, habits FROM results WHERE match IN {placeholders(matches)} "
        "AND habits IS NOT NULL",
        matches,
    )
    return {(match, seat): text for match, seat, text in rows}


def add_mistakes(store: StorePart, holder: str, mistakes: Iterable[StoredMistake]) -> None:
    """Store positions to ask again; those that are known already stay as they are."""
    with store.database.changes() as changes:
        for one in mistakes:
            changes.run(
                f"INSERT INTO mistakes (holder, {MISTAKE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (holder, id) DO NOTHING",
                (holder, one.id, one.game, one.player, one.puzzle, one.lost, one.solved, one.due, one.made),
            )
        changes.run(
            "DELETE FROM mistakes WHERE holder = ? AND id NOT IN (SELECT id FROM mistakes WHERE holder = ? "
            f"ORDER BY solved, lost DESC, id LIMIT {MOST_MISTAKES})",
            (holder, holder),
        )


def mistakes_of(store: StorePart, holder: str) -> list[StoredMistake]:
    """Return all mistakes of a person, in the order in which they are due."""
    rows = store.database.rows(
        f"SELECT {MISTAKE} FROM mistakes WHERE holder = ? ORDER BY due, lost DESC, id", (holder,)
    )
    return [StoredMistake(*row) for row in rows]


def find_mistake(store: StorePart, holder: str, mistake: str) -> StoredMistake | None:
    rows = store.database.rows(
        f"SELECT {MISTAKE} FROM mistakes WHERE holder = ? AND id = ?", (holder, mistake)
    )
    return StoredMistake(*rows[0]) if rows else None


def answer_mistake(store: StorePart, holder: str, mistake: str, solved: int, due: str) -> None:
    with store.database.changes() as changes:
        changes.run(
            "UPDATE mistakes SET solved = ?, due = ? WHERE holder = ? AND id = ?",
            (solved, due, holder, mistake),
        )


def answers_of(store: StorePart, holder: str) -> dict[str, PuzzleAnswer]:
    """Return a person's first answers, by puzzle."""
    rows = store.database.rows(
        "SELECT puzzle, day, correct, loss FROM puzzle_answers WHERE holder = ?", (holder,)
    )
    return {row[0]: PuzzleAnswer(row[0], row[1], bool(row[2]), row[3]) for row in rows}


def standing_of(store: StorePart, holder: str) -> PuzzleStanding | None:
    rows = store.database.rows(STANDING, (holder,))
    return PuzzleStanding(*rows[0]) if rows else None


STANDING = "SELECT rating, answered, solved, days, last_day FROM puzzle_ratings WHERE holder = ?"


def add_answer(
    store: StorePart,
    holder: str,
    answer: PuzzleAnswer,
    next_standing: Callable[[PuzzleStanding | None], PuzzleStanding],
) -> PuzzleStanding | None:
    """Store the first answer to a puzzle and return the new standing; None if it was answered before."""
    with store.database.changes() as changes:
        added = changes.run(
            "INSERT INTO puzzle_answers (holder, puzzle, day, correct, loss) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (holder, puzzle) DO NOTHING",
            (holder, answer.puzzle, answer.day, int(answer.correct), answer.loss),
        )
        if not added:
            return None
        rows = changes.rows(STANDING, (holder,))
        after = next_standing(PuzzleStanding(*rows[0]) if rows else None)
        save_standing(changes, holder, after)
    return after


def save_standing(changes: Transaction, holder: str, standing: PuzzleStanding) -> None:
    changes.run(
        "INSERT INTO puzzle_ratings (holder, rating, answered, solved, days, last_day) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (holder) DO UPDATE SET rating = excluded.rating, "
        "answered = excluded.answered, solved = excluded.solved, days = excluded.days, "
        "last_day = excluded.last_day",
        (holder, standing.rating, standing.answered, standing.solved, standing.days, standing.last_day),
    )


def remove_learning(store: StorePart, holder: str) -> None:
    """Remove everything that a person learned from; habits go with their matches."""
    with store.database.changes() as changes:
        for table in TABLES:
            changes.run(f"DELETE FROM {table} WHERE holder = ?", (holder,))
