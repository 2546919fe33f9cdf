"""Where a turn ends if it is played on as well as possible: each end with its chance, exactly.

For dice of one layer: every throw is followed. Five dice have 252, so this takes some hundredths of a second.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dicecup.dice import Dice, parts, sort_dice, throws
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.solver.games import Turn
    from dicecup.solver.solution import BoxValue

Ends = dict[Dice, float]  # dice that end the turn, with their chance


@lru_cache(maxsize=32)
def outcomes(count: int, faces: int) -> tuple[tuple[Dice, float], ...]:
    """Every throw of so many dice with its chance."""
    ways = faces**count
    return tuple((dice, weight / ways) for dice, weight in throws(count, faces))


class Forecast:
    """Follows the best decisions of one turn."""

    def __init__(self, rules: Ruleset, turn: Turn) -> None:
        self.rules = rules
        self.turn = turn
        self.scored: dict[Dice, BoxValue] = {}
        self.known: dict[tuple[Dice, int], Ends] = {}

    def best_box(self, dice: Dice) -> BoxValue:
        if dice not in self.scored:
            self.scored[dice] = max(self.turn.boxes(dice), key=lambda box: box.value)
        return self.scored[dice]

    def best_keep(self, dice: Dice, throws_left: int) -> Dice:
        """The dice to keep; all of them means to end the turn."""
        best, kept = self.best_box(dice).value, dice
        for part in parts(dice):
            if len(part) < len(dice) and (worth := self.turn.keep(part, throws_left)) > best:
                best, kept = worth, part
        return kept

    def ends(self, kept: Dice, throws_left: int) -> Ends:
        """After keeping these dice, with so many throws left before that."""
        key = (kept, throws_left)
        if key not in self.known:
            self.known[key] = self.follow(kept, throws_left)
        return self.known[key]

    def follow(self, kept: Dice, throws_left: int) -> Ends:
        found: Ends = {}
        count, faces = self.rules.dice.count, self.rules.dice.faces
        for thrown, chance in outcomes(count - len(kept), faces):
            dice = sort_dice(kept + thrown)
            again = self.best_keep(dice, throws_left - 1) if throws_left > 1 else dice
            later = {dice: 1.0} if again == dice else self.ends(again, throws_left - 1)
            for end, share in later.items():
                found[end] = found.get(end, 0.0) + chance * share
        return found
