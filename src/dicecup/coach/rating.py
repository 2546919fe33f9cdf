"""How good decisions were: marks for single ones, a class for all of them together.

A loss is measured in points, and points mean different things in different games. So all limits are shares
of what a perfect turn brings: the expected final score at the start divided by the number of turns (16.6
points in `yatzy-sv`); at least one point, as the rules of a house may give nothing or less. docs/coach.md
shows the scale with the classes that the bots reach.
"""

from __future__ import annotations

from typing import Literal

Mark = Literal["", "inaccuracy", "blunder"]
Rating = Literal["perfect", "master", "expert", "strong", "good", "casual", "beginner"]

INACCURACY = 0.02
BLUNDER = 0.12
# The highest error rate of each class, as a share of a perfect turn.
CLASSES: tuple[tuple[float, Rating], ...] = (
    (0.0001, "perfect"),
    (0.004, "master"),
    (0.010, "expert"),
    (0.020, "strong"),
    (0.040, "good"),
    (0.080, "casual"),
)
LAST: Rating = "beginner"


def turn_measure(expected_at_start: float, turns: int) -> float:
    """What a perfect turn brings, as a measure of losses."""
    return max(abs(expected_at_start) / turns, 1.0)


def mark_of(loss: float, perfect_turn: float) -> Mark:
    if loss >= BLUNDER * perfect_turn:
        return "blunder"
    return "inaccuracy" if loss >= INACCURACY * perfect_turn else ""


def rating_of(error_rate: float, perfect_turn: float) -> Rating:
    """The class of an error rate: the mean loss of an unforced decision, in points."""
    share = error_rate / perfect_turn
    return next((rating for most, rating in CLASSES if share <= most), LAST)
