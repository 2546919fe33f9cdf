"""What a player can learn: the habits that cost most, in one game and over many, and positions to try again.

Each decision that lost something belongs to one habit: a kind and, where it is about a box, the box. These
are ids and numbers; the interfaces have the sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dicecup.coach.advice import is_strike
from dicecup.coach.puzzles import Puzzle, offered_places
from dicecup.coach.reasons import bonus_par
from dicecup.dice import Dice, contains
from dicecup.engine.legality import crossed_out
from dicecup.engine.play import score_sheet
from dicecup.engine.record import Record
from dicecup.engine.serialize import Position, move_to_data
from dicecup.engine.state import Keep, Score, Sheet, State
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.coach.review import Decision

HabitKind = Literal[
    "crossed_out",  # 0 points in a box that was needed
    "few_dice",  # an upper box filled with fewer points than the bonus needs
    "used_up",  # another box filled too early
    "other_column",  # the right box, in another column or with another layer
    "stopped",  # filled a box instead of rolling again
    "rolled_on",  # rolled again instead of filling the box
    "missed_straight",
    "chased_straight",
    "kept_more",  # dice that do not help
    "kept_less",  # rolled helpful dice again
    "kept_other",
]


class Habit(NamedTuple):
    """A kind of mistake; with the box where it is about one."""

    kind: HabitKind
    box: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A habit, what it cost in all, how often it occurred, and the decision that it cost most in.

    >>> worst = max(dicecup.review("sunday.record").players[1].lessons, key=lambda lesson: lesson.loss)
    >>> worst.habit.kind, worst.count, worst.loss > 1
    ('used_up', 1, True)
    """

    habit: Habit  # its `kind`, and the `box` where it is about one
    loss: float  # in points, of all decisions together
    count: int
    moves: int  # of the record before that decision
    turn: int  # of that decision, from 1 on


MOST_LESSONS = 3
LEAST_LESSON = 0.06  # of a perfect turn: smaller losses teach nothing
STRAIGHT = 3  # so many different faces and no others are kept for a straight


def lessons_of(record: Record, decisions: Iterable[Decision]) -> tuple[Lesson, ...]:
    """Return all habits in one player's decisions, the costliest first."""
    found: defaultdict[Habit, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.mark:
            found[habit_of(record.rules, record.states[decision.moves].sheet, decision)].append(decision)
    lessons = []
    for habit, marked in found.items():
        worst = max(marked, key=lambda decision: decision.loss)
        loss = sum(decision.loss for decision in marked)
        lessons.append(Lesson(habit, loss, len(marked), worst.moves, worst.turn))
    return tuple(sorted(lessons, key=lambda lesson: -lesson.loss))


def worth_saying(lessons: Sequence[Lesson], perfect_turn: float) -> tuple[Lesson, ...]:
    """Return the lessons to open a review with: at most three, without small losses."""
    return tuple(lesson for lesson in lessons if lesson.loss >= LEAST_LESSON * perfect_turn)[:MOST_LESSONS]


def habit_of(rules: Ruleset, sheet: Sheet, decision: Decision) -> Habit:
    """Return the habit that explains a loss."""
    taken, best = decision.taken.move, decision.best.move
    if isinstance(taken, Score) and isinstance(best, Score):
        return habit_of_boxes(rules, sheet, decision.dice, taken, best)
    if isinstance(taken, Score):
        return Habit("stopped")
    if isinstance(best, Score):
        return Habit("rolled_on")
    return Habit(habit_of_keeps(taken, best))


def habit_of_boxes(rules: Ruleset, sheet: Sheet, dice: Dice, taken: Score, best: Score) -> Habit:
    _, written = score_sheet(rules, sheet, dice, taken.placements)
    wanted = [placed.box for placed in best.placements]
    wrong = [
        (placed, scored.points)
        for placed, scored in zip(taken.placements, written, strict=True)
        if placed.box not in wanted
    ]
    if not wrong:
        return Habit("other_column")
    placed, points = min(wrong, key=lambda one: one[1])
    if crossed_out(rules.boxes[rules.box_index[placed.box]], points):
        return Habit("crossed_out", placed.box)
    return Habit("few_dice" if points < bonus_par(rules, placed.box) else "used_up", placed.box)


def habit_of_keeps(taken: Keep, best: Keep) -> HabitKind:
    if contains(taken.dice, best.dice):
        return "kept_more"
    if contains(best.dice, taken.dice):
        return "kept_less"
    if is_run(best.dice) != is_run(taken.dice):
        return "missed_straight" if is_run(best.dice) else "chased_straight"
    return "kept_other"


def is_run(dice: Dice) -> bool:
    single = all(isinstance(die, int) for die in dice)
    return single and len(dice) >= STRAIGHT and len(set(dice)) == len(dice)


@dataclass(frozen=True, slots=True)
class HabitOverGames:
    """What a habit costs in a game, on average over several games."""

    habit: Habit
    per_game: float
    count: int


def habits_over(games: Sequence[Iterable[tuple[Habit, float, int]]]) -> tuple[HabitOverGames, ...]:
    """Return the costliest habits over many games, each given by its habits, their losses and counts."""
    losses: defaultdict[Habit, float] = defaultdict(float)
    counts: defaultdict[Habit, int] = defaultdict(int)
    for game in games:
        for habit, loss, count in game:
            losses[habit] += loss
            counts[habit] += count
    ranked = sorted(losses, key=lambda habit: -losses[habit])
    return tuple(
        HabitOverGames(habit, losses[habit] / len(games), counts[habit]) for habit in ranked[:MOST_LESSONS]
    )


def lesson_data(lesson: Lesson) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": lesson.habit.kind}
    data |= {"box": lesson.habit.box} if lesson.habit.box else {}
    return data | {
        "loss": lesson.loss,
        "count": lesson.count,
        "turn": lesson.turn,
        "moves": lesson.moves,
    }


LISTED = 8  # choices of a mistake that are remembered
MOST_MISTAKES = 5  # of one game


def mistakes_of(record: Record, decisions: Iterable[Decision], close: float) -> list[tuple[Decision, Puzzle]]:
    """Return the decisions that lost most, each as a puzzle without an id.

    An answer that loses less than `close` will be right.
    """
    marked = [decision for decision in decisions if decision.mark == "blunder" and decision.unforced]
    marked.sort(key=lambda decision: -decision.loss)
    return [(one, puzzle_from(record, one, close)) for one in marked[:MOST_MISTAKES]]


def puzzle_from(record: Record, decision: Decision, close: float) -> Puzzle:
    rules = record.rules
    before = record.states[decision.moves]
    alone = State((before.sheet,), 0, decision.dice, None, decision.throws_left)
    choices = [choice for choice in decision.choices if not is_strike(choice)]
    listed = choices[:LISTED]
    if decision.taken not in listed:
        listed.append(decision.taken)
    unlisted = [choice for choice in choices if choice not in listed]
    moves = [choice.move for choice in listed]
    return Puzzle(
        id="",
        line=str(Position(record.header.reference, rules, alone)),
        moves=tuple(move_to_data(rules, move) for move in moves),
        losses=tuple(round(choice.loss, 2) for choice in listed),
        rest=round(unlisted[0].loss, 2) if unlisted else None,
        offered=offered_places(rules, moves, [decision.taken.move]),
        close=round(close, 3),
    )
