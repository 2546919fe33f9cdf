"""Grading: what reviews find is stored for its player; answers to puzzles and mistakes are graded.

Everything belongs to the holder of a key, as the seats of a match do. A day begins at midnight UTC, so that
the five puzzles of a day are the same for everybody.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from dicecup.coach.lessons import Habit, HabitOverGames, Lesson, habits_over, mistakes_of
from dicecup.coach.puzzles import (
    KNOWN,
    START_RATING,
    Graded,
    Puzzle,
    daily_puzzles,
    first_asked,
    next_asked,
    next_rating,
)
from dicecup.coach.review import INACCURACY, Review
from dicecup.engine.record import Record
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.storage import results as stored
from dicecup.storage.results import PuzzleAnswer, PuzzleStanding, StoredMistake
from dicecup.storage.store import Store
from dicecup.web.service.live_match import LiveMatch

FEWEST_GAMES = 2  # over which habits are reported
MOST_GAMES = 100  # … the newest ones


def today() -> date:
    return datetime.now(UTC).date()


def remember_review(store: Store, live: LiveMatch, record: Record, found: Review) -> None:
    """Store the habits of every player of a finished game, and the mistakes of those who play here."""
    players = found.players
    stored.add_habits(store, live.id, {seat: habits_text(one.habits) for seat, one in enumerate(players)})
    if live.stored.opening.tried:
        return
    close = INACCURACY * found.perfect_turn
    for holder, seats in live.stored.keys.items():
        mistakes: list[StoredMistake] = []
        for seat in sorted(seats):
            for decision, puzzle in mistakes_of(record, players[seat].decisions, close):
                named = replace(puzzle, id=f"{live.id}-{decision.moves}")
                mistakes.append(new_mistake(live, players[seat].name, named, decision.loss))
        if mistakes:
            stored.add_mistakes(store, holder, mistakes)


def new_mistake(live: LiveMatch, player: str, puzzle: Puzzle, lost: float) -> StoredMistake:
    return StoredMistake(
        id=puzzle.id,
        game=live.stored.opening.ruleset,
        player=player,
        puzzle=json.dumps(puzzle.to_data(), separators=(",", ":")),
        lost=round(lost, 2),
        solved=0,
        due=first_asked(today()).isoformat(),
        made=today().isoformat(),
    )


def habits_text(habits: Iterable[Lesson]) -> str:
    rows = [[one.habit.kind, one.habit.box, round(one.loss, 2), one.count] for one in habits]
    return json.dumps(rows, separators=(",", ":"))


def read_habits(text: str) -> list[tuple[Habit, float, int]]:
    return [(Habit(kind, box), loss, count) for kind, box, loss, count in json.loads(text)]


@dataclass(frozen=True, slots=True)
class OverGames:
    """The habits that cost most over several games of one kind."""

    games: int
    habits: tuple[HabitOverGames, ...]


def habits_over_games(store: Store, holder: str, rules: Ruleset) -> OverGames | None:
    """Return the habits of a person in their newest games with these rules, if there are several."""
    results = store.results_of(holder, most=MOST_GAMES).results
    mine = [one for one in results if one.identity == rules.identity]
    known = stored.habits_of(store, sorted({one.match for one in mine}))
    texts = [known[one.match, one.seat] for one in mine if (one.match, one.seat) in known]
    if len(texts) < FEWEST_GAMES:
        return None
    return OverGames(len(texts), habits_over([read_habits(text) for text in texts]))


@dataclass(frozen=True, slots=True)
class AnsweredPuzzle:
    """A graded answer; with the standing after it, if it counts, and the change."""

    graded: Graded
    standing: PuzzleStanding | None
    change: float = 0.0
    counts: bool = True  # the first answer to a puzzle


def answer_puzzle(store: Store, holder: str, puzzle: Puzzle, move: object) -> AnsweredPuzzle:
    """Grade an answer. The first one to a puzzle changes the rating."""
    graded = puzzle.grade_data(move)
    day = today()
    change = 0.0

    def after(before: PuzzleStanding | None) -> PuzzleStanding:
        nonlocal change
        known = before or PuzzleStanding(START_RATING)
        rating = next_rating(known.rating, known.answered, puzzle.rating, graded.right)
        change = rating - known.rating
        yesterday = (day - timedelta(days=1)).isoformat()
        days = known.days if known.last_day == day.isoformat() else 1
        days = known.days + 1 if known.last_day == yesterday else days
        return PuzzleStanding(
            rating, known.answered + 1, known.solved + graded.right, max(days, 1), day.isoformat()
        )

    answer = PuzzleAnswer(puzzle.id, day.isoformat(), graded.right, graded.loss)
    standing = stored.add_answer(store, holder, answer, after)
    if standing is None:
        return AnsweredPuzzle(graded, stored.standing_of(store, holder), counts=False)
    return AnsweredPuzzle(graded, standing, change)


@dataclass(frozen=True, slots=True)
class Daily:
    """The five puzzles of a day, and which of them a person answered, and how."""

    day: date
    puzzles: tuple[Puzzle, ...]
    answers: tuple[PuzzleAnswer | None, ...]
    standing: PuzzleStanding | None

    @property
    def following(self) -> Puzzle | None:
        """The first puzzle that has not been answered."""
        pairs = zip(self.puzzles, self.answers, strict=True)
        return next((puzzle for puzzle, answer in pairs if answer is None), None)


def daily(store: Store, holder: str, game: str) -> Daily:
    chosen = today()
    puzzles = daily_puzzles(game, chosen)
    answers = stored.answers_of(store, holder)
    given = tuple(answers.get(puzzle.id) for puzzle in puzzles)
    return Daily(chosen, puzzles, given, stored.standing_of(store, holder))


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake as a puzzle, and when it is asked again."""

    stored: StoredMistake
    puzzle: Puzzle

    @property
    def known(self) -> bool:
        return self.stored.solved >= KNOWN

    def is_due(self, day: date) -> bool:
        return not self.known and self.stored.due <= day.isoformat()


def puzzle_of(mistake: StoredMistake) -> Mistake:
    return Mistake(mistake, Puzzle.from_data(json.loads(mistake.puzzle)))


def all_mistakes(store: Store, holder: str) -> list[Mistake]:
    return [puzzle_of(one) for one in stored.mistakes_of(store, holder)]


def get_mistake(store: Store, holder: str, mistake: str) -> Mistake:
    found = stored.find_mistake(store, holder, mistake[:80])
    if found is None:
        raise UsageError("mistake_unknown")
    return puzzle_of(found)


def answer_mistake(store: Store, holder: str, mistake: Mistake, move: object) -> tuple[Graded, Mistake]:
    """Grade an answer. It moves the next time only if the mistake was due, or if it was wrong."""
    graded = mistake.puzzle.grade_data(move)
    if graded.right and not mistake.is_due(today()):
        return graded, mistake
    solved, due = next_asked(mistake.stored.solved, graded.right, today())
    stored.answer_mistake(store, holder, mistake.stored.id, solved, due.isoformat())
    after = replace(mistake.stored, solved=solved, due=due.isoformat())
    return graded, replace(mistake, stored=after)


def learning_data(store: Store, holder: str) -> dict[str, Any]:
    """Return everything of this module that is stored about a person."""
    standing = stored.standing_of(store, holder)
    return {
        "rating": None if standing is None else {name: getattr(standing, name) for name in STANDING},
        "answers": [
            {"puzzle": one.puzzle, "day": one.day, "correct": one.correct, "loss": one.loss}
            for one in stored.answers_of(store, holder).values()
        ],
        "mistakes": [mistake_data(one) for one in all_mistakes(store, holder)],
    }


STANDING = ("rating", "answered", "solved", "days", "last_day")


def mistake_data(mistake: Mistake) -> dict[str, Any]:
    one = mistake.stored
    return {
        "id": one.id,
        "game": one.game,
        "player": one.player,
        "position": mistake.puzzle.line,
        "lost": one.lost,
        "solved": one.solved,
        "due": None if mistake.known else one.due,
        "made": one.made,
    }
