"""How a game may end: the chance of every final score."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

Play = Literal["points", "target"]  # for the highest expected score, or for the highest chance of a target


@dataclass(frozen=True)
class FinalScores:
    """How a game may end from one moment on: the chance of every final score, and of the bonus.

    >>> import dicecup
    >>> line = "yatzy-sv / ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 pair=12 two_pairs=22"
    >>> position = dicecup.Game.from_position(line + " chance=20 yatzy=0 low_straight=0").position
    >>> end = position.rules.solve().final_scores(position)
    >>> end.bonus, end.at_least(end.least), round(end.mean, 2) > end.least
    (1.0, 1.0, True)
    """

    least: int  # a final score that is reached in any case
    curve: tuple[float, ...]  # the chance of at least `least` + n points
    bonus: float | None  # the chance of the bonus; None where it is not known
    exact: bool = True  # or sampled

    def at_least(self, score: int) -> float:
        """The chance of at least so many points."""
        place = score - self.least
        return 1.0 if place < 0 else self.curve[place] if place < len(self.curve) else 0.0

    @property
    def chances(self) -> tuple[float, ...]:
        """The chance of exactly `least` + n points."""
        return tuple(one - other for one, other in zip(self.curve, (*self.curve[1:], 0.0), strict=True))

    @property
    def mean(self) -> float:
        """The mean final score."""
        return self.least + sum(self.curve[1:])

    @property
    def spread(self) -> float:
        """The standard deviation of the final score."""
        mean = self.mean - self.least
        return sqrt(sum((place - mean) ** 2 * chance for place, chance in enumerate(self.chances)))
