"""Games of double dice solved naively with the engine alone, as the oracle for the fast solver.

Nothing is merged, ranked or tabulated: sheets are sheets, throws are tuples, and every legal move is tried.
It shares no code with the solver. For games with two or three dice and few faces.
"""

from __future__ import annotations

from functools import cache

from dicecup.dice import Dice, throws
from dicecup.engine.play import apply, legal_moves
from dicecup.engine.state import Keep, Move, Sheet, State, Throw, final_score
from dicecup.rules.model import Ruleset


class Reference:
    """The expected final score under perfect play from any state of a one-player game."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.sheet_value = cache(self.sheet_value)  # type: ignore[method-assign]
        self.turn_value = cache(self.turn_value)  # type: ignore[method-assign]
        self.best = cache(self.best)  # type: ignore[method-assign]

    def sheet_value(self, sheet: Sheet) -> float:
        """Return the value before the first throw of a turn."""
        if sheet.full:
            return float(final_score(self.rules, sheet))
        return self.turn_value(sheet, (), self.rules.throws)

    def turn_value(self, sheet: Sheet, kept: Dice, throws_left: int) -> float:
        """Return the value with these dice kept and a throw due."""
        dice = self.rules.dice
        state = State((sheet,), 0, (), kept, throws_left)
        total = weights = 0.0
        for thrown, weight in throws(dice.count - len(kept), dice.faces, len(dice.layers)):
            total += weight * self.best(apply(self.rules, state, Throw(thrown)))
            weights += weight
        return total / weights

    def best(self, state: State) -> float:
        """Return the value with dice on the table and a decision due."""
        return max(self.move_value(state, move) for move in legal_moves(self.rules, state))

    def move_value(self, state: State, move: Move) -> float:
        if isinstance(move, Keep):
            return self.turn_value(state.sheet, move.dice, state.throws_left)
        return self.sheet_value(apply(self.rules, state, move).sheet)
