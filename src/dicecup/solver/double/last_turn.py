"""The last turn of a game of double dice, when what counts is a function of the final score.

With two boxes left, every way to end the turn gives a final score, so the solver of turns only has to be
told what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np

from dicecup.dice import Dice, Faces, layer_faces
from dicecup.engine.legality import allowed_placements
from dicecup.engine.play import fill_cell, placement_of, scored_layers
from dicecup.engine.state import Score, Sheet, final_score
from dicecup.errors import PositionError
from dicecup.solver.double.solution import DoubleSolution, DoubleTurn, rank_of
from dicecup.solver.double.turn import Floats, TurnValues
from dicecup.solver.solution import BoxValue, Solution

Worth = Callable[[int], float]


class LastDoubleTurn(DoubleTurn):
    """All values of the last turn: the best mean of `worth` of the final score, a number from 0 to 1."""

    def __init__(self, solution: DoubleSolution, sheet: Sheet, worth: Worth) -> None:
        super().__init__(solution, sheet)
        self.worth = worth
        solver = solution.solver
        layers = solver.before_last_throw(self._final_throws())
        with solution.alone:
            self._decisions = solver.decisions_for(layers)
            self.value = solver.start_value(self._decisions)

    def whole(self, rest: float) -> float:
        return float(rest)

    @property
    def decisions(self) -> TurnValues:
        return self._decisions

    def _final_throws(self) -> Floats:
        """The worth of every final throw: [inner multiset, outer multiset]."""
        rules = self.solution.rules
        faces = range(rules.dice.faces)
        multisets = list(combinations_with_replacement(faces, rules.dice.count))
        throws: list[Faces] = [tuple(face + 1 for face in dice) for dice in multisets]
        ranks = [rank_of(list(dice)) for dice in multisets]
        final = np.zeros((len(throws), len(throws)), dtype=np.float32)
        known: dict[Sheet, Floats] = {}
        for rank, inner in zip(ranks, throws, strict=True):
            for cell, _strike, found in allowed_placements(rules, self.sheet, inner):
                between = fill_cell(rules, self.sheet, inner, cell, found.points)
                if between not in known:
                    known[between] = np.zeros(len(throws), dtype=np.float32)
                    for place, outer in zip(ranks, throws, strict=True):
                        known[between][place] = max(value for *_, value in self._ends(between, outer))
                np.maximum(final[rank], known[between], out=final[rank])
        return final

    def _ends(self, between: Sheet, outer: Faces) -> list[tuple[int, bool, int, float]]:
        """Every way to fill the last box: the cell, whether it is crossed out, its points and its worth."""
        rules, found = self.solution.rules, []
        for cell, strike, scored in allowed_placements(rules, between, outer):
            end = fill_cell(rules, between, outer, cell, scored.points)
            found.append((cell, strike, scored.points, self.worth(final_score(rules, end))))
        return found

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        rules = self.solution.rules
        inner, outer = (layer_faces(dice, layer) for layer in scored_layers(rules))
        boxes = []
        for first, first_strike, one in allowed_placements(rules, self.sheet, inner):
            between = fill_cell(rules, self.sheet, inner, first, one.points)
            for second, strike, points, value in self._ends(between, outer):
                move = Score((placement_of(rules, first, first_strike), placement_of(rules, second, strike)))
                boxes.append(BoxValue(move, one.points + points, value))
        return boxes


class LastDoubleTurns(Solution):
    """A game of double dice in its last turn, played for the highest mean of a function of the score."""

    def __init__(self, solution: DoubleSolution, worth: Worth) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.worth = worth

    def unchecked_turn(self, sheet: Sheet) -> LastDoubleTurn:
        if sheet.cells.count(None) != len(self.rules.scored):
            raise PositionError("sheet_impossible")
        return LastDoubleTurn(self.solution, sheet, self.worth)
