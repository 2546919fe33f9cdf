"""The last turn of a game of double dice, when what counts is a function of the final score; and how it may
end.

With two boxes left, every way to end the turn gives a final score, so the solver of turns only has to be
told what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.dice import Dice, Faces, layer_faces, parts
from dicecup.engine.legality import allowed_placements
from dicecup.engine.play import fill_cell, placement_of, scored_layers
from dicecup.engine.state import Score, Sheet, State, final_score
from dicecup.errors import PositionError
from dicecup.rules.model import Ruleset
from dicecup.solver.double.multisets import multiset_rank, multisets_by_rank
from dicecup.solver.double.solution import DoubleSolution, DoubleTurn
from dicecup.solver.double.turn import LANES, NEVER, Floats, TurnSolver, TurnValues
from dicecup.solver.solution import BoxValue, FinalScores, Play, Solution

Worth = Callable[[int], float]


class LastDoubleTurn(DoubleTurn):
    """All values of the last turn: the best mean of `worth` of the final score."""

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
        throws = multisets_by_rank(rules.dice.faces, rules.dice.count)
        final = np.full((len(throws), len(throws)), NEVER)
        known: dict[Sheet, Floats] = {}
        for rank, inner in enumerate(throws):
            for cell, _strike, found in allowed_placements(rules, self.sheet, inner):
                between = fill_cell(rules, self.sheet, inner, cell, found.points)
                if between not in known:
                    best = [max(value for *_, value in self._ends(between, outer)) for outer in throws]
                    known[between] = np.array(best, dtype=np.float32)
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

    def _unchecked_turn(self, sheet: Sheet) -> LastDoubleTurn:
        if sheet.cells.count(None) != len(self.rules.scored):
            raise PositionError("sheet_impossible")
        return LastDoubleTurn(self.solution, sheet, self.worth)


class FollowingSolver(TurnSolver):
    """Solves turns whose decisions are the best ones for other values, such as expected points."""

    def __init__(self, rules: Ruleset, best_for: Floats) -> None:
        super().__init__(rules)
        self.decided: list[npt.NDArray[np.int64]] = []  # by decision, the last one of the turn first
        self.next_decision = 0
        self.learning = True
        self.followed = self.before_last_throw(best_for)
        self.starts_for([self.followed])
        self.learning = False

    def reroll(self, pairs: list[Floats]) -> tuple[list[list[Floats]], list[Floats]]:
        self.next_decision = 0
        return super().reroll(pairs)

    def best_throws(self, keeps: list[Floats], final: Floats) -> Floats:
        if self.learning:
            self.decided.append(self.decisions_by(keeps, final))
            return super().best_throws(keeps, final)
        decided = self.decided[self.next_decision]
        self.next_decision += 1
        throws = self.work("throws", len(decided), final.shape[1])
        return np.take(np.concatenate([final, *keeps]), decided, axis=0, out=throws, mode="clip")

    def decisions_by(self, keeps: list[Floats], final: Floats) -> npt.NDArray[np.int64]:
        """Return the best decision for every throw, as a row of final throws and then keeps by size."""
        sizes = self.lattice.keeps
        first = len(final)
        best, rows = keeps[0][:, 0], first + np.arange(len(keeps[0]))
        for size in sizes[1:]:
            first += len(keeps[size.size - 1])
            whole = size is sizes[-1]
            own = final[size.pair, 0] if whole else keeps[size.size][:, 0]
            own_rows = size.pair if whole else first + np.arange(size.rows)
            place = best[size.less].argmax(axis=1)
            below = size.less[np.arange(size.rows), place]
            ends = own >= best[below]
            best, rows = np.where(ends, own, best[below]), np.where(ends, own_rows, rows[below])
        return rows


class LastTurnScores:
    """The chances of all final scores from one moment of the last turn on."""

    def __init__(self, solution: DoubleSolution, state: State, play: Play) -> None:
        if state.sheet.cells.count(None) != len(solution.rules.scored):
            raise PositionError("sheet_impossible")
        self.state = state
        self.turn = LastDoubleTurn(solution, state.sheet, float)
        # Whatever the aim, the boxes that give most are filled.
        self.best = self.turn.decisions.layers[-1]
        by_points = play == "points"
        self.solver = FollowingSolver(solution.rules, self.best) if by_points else solution.solver
        self.alone = solution.alone
        self.followed = self.solver.followed if isinstance(self.solver, FollowingSolver) else None

    def scores(self) -> FinalScores:
        known = [int(score) for score in np.unique(self.best)]
        chances = {known[0]: 1.0}
        most = LANES - 1
        for first in range(1, len(known), most):
            targets = known[first : first + most]
            chances |= zip(targets, self.chances(targets), strict=True)
        curve, above = [], 0.0
        for score in range(known[-1], known[0] - 1, -1):
            above = chances.get(score, above)
            curve.append(min(above, 1.0))
        return FinalScores(known[0], tuple(reversed(curve)), None)

    def chances(self, targets: list[int]) -> list[float]:
        """The chance of at least so many points, for a few targets side by side."""
        finals = [(self.best >= target).astype(np.float32) for target in targets]
        layers = [self.solver.before_last_throw(final) for final in finals]
        layers.append(self.followed or layers[0])  # by which the decision of this moment is taken
        with self.alone:
            found = self.at_this_moment(layers)
        return [float(chance) for chance in found[: len(targets)]]

    def at_this_moment(self, layers: list[list[Floats]]) -> npt.NDArray[Any]:
        state = self.state
        if not state.dice:
            return self.solver.starts_for(layers)
        after = self.solver.reroll(self.solver.lay_pairs(layers))[0] if state.throws_left > 1 else []
        if state.kept is not None:
            return self.after_keep(state.kept, layers, after)
        ends = self.after_keep(state.dice, layers, after)
        if not state.throws_left:
            return ends
        kept = [part for part in parts(state.dice) if len(part) < len(state.dice)]
        options = np.array([ends, *(self.after_keep(part, layers, after) for part in kept)])
        if self.followed is None:
            return np.asarray(options.max(axis=0))
        return np.asarray(options[options[:, -1].argmax()])

    def after_keep(
        self, dice: Dice, layers: list[list[Floats]], after: list[list[Floats]]
    ) -> npt.NDArray[Any]:
        """The values of keeping these dice and throwing the others; of all dice, those of ending the turn."""
        faces = self.turn.faces(dice)
        count = len(faces)
        if self.state.throws_left < 2 or count == self.turn.rules.dice.count:
            inner, outer = (multiset_rank(sorted(die[layer] for die in faces)) for layer in (0, 1))
            return np.array([one[count][inner, outer] for one in layers])
        kinds = self.turn.rules.dice.faces
        rank = multiset_rank([inner * kinds + outer for inner, outer in faces])
        row = self.solver.lattice.keeps[count].row_of_rank[rank]
        return np.array(after[self.state.throws_left - 2][count][row, : len(layers)])


def last_turn_scores(solution: DoubleSolution, state: State, play: Play) -> FinalScores:
    """How the last turn may end, played for points, or for each final score on its own."""
    return LastTurnScores(solution, state, play).scores()
