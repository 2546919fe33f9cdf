"""What a solved game answers: the value of every sheet, and of every throw, keep and box of a turn.

All values are expected final scores under perfect play, the points on the sheet included.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from dicecup.dice import Dice
from dicecup.engine.state import Score, Sheet
from dicecup.rules.model import Ruleset


class BoxValue(NamedTuple):
    """One way to end a turn."""

    move: Score
    points: int
    value: float


class Turn(Protocol):
    """All values of one turn on one sheet."""

    value: float

    def keep(self, dice: Dice, throws_left: int) -> float: ...

    def throw(self, dice: Dice, throws_left: int) -> float: ...

    def boxes(self, dice: Dice) -> list[BoxValue]: ...


class Solution(Protocol):
    """A solved game."""

    rules: Ruleset

    def turn(self, sheet: Sheet) -> Turn: ...
