"""Games of double dice solved naively with the engine alone, as the oracle for the fast solver.

Nothing is merged or ranked: sheets are sheets, throws are tuples, and every legal move is tried. What some
faces make of a sheet is asked once, since many throws share it. It shares no code with the solver. For games
with two or three dice and few faces.
"""

from __future__ import annotations

from functools import cache

from dicecup.dice import Dice, layer_faces, sort_dice, throws
from dicecup.engine.play import apply, keeps, scored_layers
from dicecup.engine.state import Keep, Move, Sheet, State, final_score
from dicecup.rules.model import Ruleset
from reference_solver import filled


class Reference:
    """The expected final score under perfect play from any state of a one-player game."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.throws = cache(lambda count: list(throws(count, rules.dice.faces, len(rules.dice.layers))))
        self.filled = cache(lambda sheet, faces: set(filled(rules, sheet, faces)))
        self.sheet_value = cache(self.sheet_value)  # type: ignore[method-assign]
        self.turn_value = cache(self.turn_value)  # type: ignore[method-assign]
        self.score_value = cache(self.score_value)  # type: ignore[method-assign]
        self.value = cache(self.value)  # type: ignore[method-assign]

    def sheet_value(self, sheet: Sheet) -> float:
        """Return the value before the first throw of a turn."""
        if sheet.full:
            return float(final_score(self.rules, sheet))
        return self.turn_value(sheet, (), self.rules.throws)

    def turn_value(self, sheet: Sheet, kept: Dice, throws_left: int) -> float:
        """Return the value with these dice kept and a throw due."""
        total = weights = 0.0
        for thrown, weight in self.throws(self.rules.dice.count - len(kept)):
            total += weight * self.value(sheet, sort_dice(kept + thrown), throws_left - 1)
            weights += weight
        return total / weights

    def best(self, state: State) -> float:
        """Return the value with dice on the table and a decision due."""
        return self.value(state.sheet, state.dice, state.throws_left)

    def value(self, sheet: Sheet, dice: Dice, throws_left: int) -> float:
        value = self.score_value(sheet, dice)
        if throws_left:
            value = max(value, *(self.turn_value(sheet, keep.dice, throws_left) for keep in keeps(dice)))
        return value

    def score_value(self, sheet: Sheet, dice: Dice) -> float:
        """Return the value of the best way to end the turn with these dice."""
        sheets = {sheet}
        for layer in scored_layers(self.rules):
            faces = layer_faces(dice, layer)
            sheets = {after for one in sheets for after in self.filled(one, faces)}
        return max(map(self.after_score, sheets))

    def after_score(self, sheet: Sheet) -> float:
        """Return the value of the sheet that a turn ends with."""
        return self.sheet_value(sheet)

    def move_value(self, state: State, move: Move) -> float:
        if isinstance(move, Keep):
            return self.turn_value(state.sheet, move.dice, state.throws_left)
        return self.after_score(apply(self.rules, state, move).sheet)
