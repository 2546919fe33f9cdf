"""A solved game of double dice: the value of every sheet, throw, keep and pair of boxes.

All values are expected final scores under perfect play, the points on the sheet included. A turn is solved
when it is first needed, and cached. What asks is plain Python; Numba's kernels answer, or WebAssembly (see
`wasm`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from dicecup.dice import Dice, layer_faces, parts
from dicecup.engine.legality import allowed_placements
from dicecup.engine.play import fill_cell, placement_of, scored_layers
from dicecup.engine.state import Score, Sheet
from dicecup.errors import PositionError
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.multisets import multiset_rank
from dicecup.solver.solution import BoxValue, Solution, Turn

if TYPE_CHECKING:
    from dicecup.solver.double.solve import ValueTable
    from dicecup.solver.double.turn import TurnSolver, TurnValues

REMEMBERED = 16  # turns, of 4 MB each


class Decisions(Protocol):
    """The value of every decision of one sheet's turn, to the end of the game; dice by their rank."""

    def layer(self, size: int, inner: int, outer: int) -> float:
        """Return the value of so many dice, before the last throw, or of a final throw."""

    def keep(self, throws_left: int, size: int, rank: int) -> float:
        """Return the value of keeping so many dice, with more than one throw left."""


class DoubleGame(Solution):
    """A game of double dice and its values."""

    index: SheetIndex

    @abstractmethod
    def rest(self, mask: int, total: int) -> float:
        """Return the value of the rest of the game, with these boxes filled and this upper total."""

    @abstractmethod
    def decisions(self, mask: int, total: int) -> Decisions:
        """Return the values of a turn's decisions."""

    def _unchecked_turn(self, sheet: Sheet) -> DoubleTurn:
        return DoubleTurn(self, sheet)


class DoubleSolution(DoubleGame):
    """A game and its table. Turns share their work space: one thread at a time solves one."""

    def __init__(self, rules: Ruleset, table: ValueTable, index: SheetIndex | None = None) -> None:
        self.rules = rules
        self.table = table
        self.index = index or SheetIndex(rules)
        self.remembered: OrderedDict[tuple[int, int], TurnValues] = OrderedDict()
        self.alone = RLock()

    def __reduce__(self) -> tuple[type[DoubleSolution], tuple[Ruleset, ValueTable]]:
        """Pickle the rules and the values; all else is made from them again."""
        return DoubleSolution, (self.rules, self.table)

    @cached_property
    def solver(self) -> TurnSolver:
        """The solver of turns, made when it is first needed."""
        from dicecup.solver.double.turn import TurnSolver

        return TurnSolver(self.rules, self.index)

    @property
    def expected(self) -> float:
        return self.table.header.expected

    def rest(self, mask: int, total: int) -> float:
        return float(self.table.levels[mask.bit_count()][self.index.place_of(mask, total)])

    def decisions(self, mask: int, total: int) -> TurnValues:
        key = (mask, total)
        with self.alone:
            if key not in self.remembered:
                after = self.table.levels[mask.bit_count() + 2]
                self.remembered[key] = self.solver.decisions(mask, total, after)
                if len(self.remembered) > REMEMBERED:
                    self.remembered.popitem(last=False)
            self.remembered.move_to_end(key)
            return self.remembered[key]


class DoubleTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, solution: DoubleGame, sheet: Sheet) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.sheet = sheet
        cells, index = sheet.cells, solution.index
        self.mask = sum(1 << box for box, points in enumerate(cells) if points is not None)
        self.total = sum(cells[box] or 0 for box in solution.rules.upper)
        whole_turns = self.mask.bit_count() % len(self.rules.scored) == 0
        if not whole_turns or not index.is_possible(self.mask, self.total):
            raise PositionError("sheet_impossible")
        self.so_far = sum(points or 0 for points in cells) + index.bonus[self.total]
        self.value = self.whole(solution.rest(self.mask, self.total))

    def whole(self, rest: float) -> float:
        """Return the final score, given the value of the rest of the game."""
        return (self.so_far + float(rest)) * self.solution.rules.columns[0].multiplier

    @property
    def decisions(self) -> Decisions:
        return self.solution.decisions(self.mask, self.total)

    def faces(self, dice: Dice) -> list[tuple[int, int]]:
        """Return dice as (inner, outer), in the order they are scored, from 0 on."""
        first, second = scored_layers(self.solution.rules)
        return sorted((die[first] - 1, die[second] - 1) for die in dice if isinstance(die, tuple))

    def _keep(self, dice: Dice, throws_left: int) -> float:
        faces = self.faces(dice)
        if throws_left == 1:
            return self.whole(self.layer_value(faces))
        kinds = self.solution.rules.dice.faces
        rank = multiset_rank([inner * kinds + outer for inner, outer in faces])
        return self.whole(self.decisions.keep(throws_left, len(faces), rank))

    def layer_value(self, faces: list[tuple[int, int]]) -> float:
        inner = multiset_rank([inner for inner, _ in faces])
        outer = multiset_rank(sorted(outer for _, outer in faces))
        return self.decisions.layer(len(faces), inner, outer)

    def stop(self, dice: Dice) -> float:
        """Return the value of ending the turn with these dice, in the best boxes."""
        return self.whole(self.layer_value(self.faces(dice)))

    def _throw(self, dice: Dice, throws_left: int) -> float:
        best = self.stop(dice)
        if throws_left:
            best = max(
                best, *(self._keep(part, throws_left) for part in parts(dice) if len(part) < len(dice))
            )
        return best

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        rules, index = self.solution.rules, self.solution.index
        inner, outer = (layer_faces(dice, layer) for layer in scored_layers(rules))
        found = []
        for first, first_strike, one in allowed_placements(rules, self.sheet, inner):
            between = fill_cell(rules, self.sheet, inner, first, one.points)
            reached = self.total + (one.points if first in index.upper else 0)
            for second, strike, other in allowed_placements(rules, between, outer):
                end = reached + (other.points if second in index.upper else 0)
                gained = one.points + other.points
                bonus = index.bonus[end] - index.bonus[self.total]
                rest = self.solution.rest(self.mask | 1 << first | 1 << second, end)
                move = Score((placement_of(rules, first, first_strike), placement_of(rules, second, strike)))
                found.append(BoxValue(move, gained, self.whole(gained + bonus + rest)))
        return found
