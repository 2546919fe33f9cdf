"""A solved game of one layer: the value of every sheet, throw, keep and box, from its table.

All values are expected final scores under perfect play, the points on the sheet included.
"""

from __future__ import annotations

from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from dicecup.dice import Dice, Faces, Lattice, lattice
from dicecup.engine.serialize import Position
from dicecup.engine.state import Sheet, State, bonus, score, start
from dicecup.errors import Phrase, PositionError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.files.tables import TableFile, damaged
from dicecup.solver.single.index import Index, Place, build_index
from dicecup.solver.single.kernel_tables import Program, build_program
from dicecup.solver.single.packing import Source, open_source
from dicecup.solver.single.state_tables import ChoiceTables, build_choices
from dicecup.solver.single.turn_values import box_values, turn_values
from dicecup.solver.solution import BoxValue, FinalScores, Play, Solution, Turn
from dicecup.solver.vector import VECTOR_BYTES

if TYPE_CHECKING:
    from dicecup.solver.single.chances import GameChances


class SingleTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, solution: SingleSolution, sheet: Sheet) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.sheet = sheet
        self.place = solution.place(sheet)
        self.so_far = points_so_far(solution.rules, sheet)
        self.value = self._solve()

    def _solve(self) -> float:
        """Return the value before the first throw, and compute all others."""
        solution, place = self.solution, self.place
        throws, keeps = solution.rules.throws, solution.lattice.keeps
        self._kept = np.empty((max(throws - 1, 1), keeps))
        self._thrown = np.empty((throws, len(solution.lattice.throws)))
        if not place.level:
            return self._whole(bonus(solution.rules, upper_sum(solution.rules, self.sheet)))
        above = place.level - int(solution.index.opens[place.lower])
        value = turn_values(
            solution.program,
            solution.source(place.level - 1),
            place.lower,
            above,
            place.position,
            solution.room,
            self._kept,
            self._thrown,
        )
        return self._whole(value)

    def _whole(self, more: float) -> float:
        return (self.so_far + float(more)) * self.solution.rules.columns[0].multiplier

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return self._whole(self._kept[throws_left - 1, self.solution.lattice.number[faces_of(dice)]])

    def _throw(self, dice: Dice, throws_left: int) -> float:
        number = self.solution.lattice.number[faces_of(dice)] - self.solution.lattice.keeps
        return self._whole(self._thrown[throws_left, number])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        solution, place = self.solution, self.place
        boxes = solution.rules.boxes
        values = np.empty((len(boxes), 2))
        points = np.zeros((len(boxes), 2), dtype=np.int64)
        box_values(
            solution.program,
            solution.choices,
            solution.source(place.level - 1),
            place.lower,
            place.level - int(solution.index.opens[place.lower]),
            place.position,
            np.array(place.states, dtype=np.int64),
            solution.lattice.number[faces_of(dice)] - solution.lattice.keeps,
            values,
            points,
        )
        whole = (self.so_far + values.ravel()) * solution.rules.columns[0].multiplier
        found = zip(solution.moves, points.ravel().tolist(), whole.tolist(), strict=True)
        return [BoxValue(move, worth, value) for move, worth, value in found if not isnan(value)]


class SingleSolution(Solution):
    """A game and its table. Its turns share the work space of the kernels: one thread at a
    time solves one.
    """

    def __init__(self, rules: Ruleset, table: TableFile) -> None:
        self.rules = rules
        self.table = table
        self.index: Index = build_index(rules)
        self.program: Program = build_program(self.index)
        self.lattice: Lattice = lattice(rules.dice.count, rules.dice.faces)
        self.sources: dict[int, Source] = {}
        column = rules.columns[0].id
        self.moves = [score(box.id, column, strike=strike) for box in rules.boxes for strike in (False, True)]
        rows = self.lattice.rows + len(self.lattice.throws) + len(self.program.target_class)
        self.room: Array = np.zeros(rows * VECTOR_BYTES // np.dtype(np.float64).itemsize)

    @cached_property
    def choices(self) -> ChoiceTables:
        return build_choices(self.index)

    def source(self, level: int) -> Source:
        if level not in self.sources:
            source = open_source(self.index, self.table, level)
            values = len(source.values) + len(source.values_32)
            if self.table.header.encoding == "plain" and values != self.index.level(level).size:
                raise damaged(self.table.path)  # compiled code would read past the end
            self.sources[level] = source
        return self.sources[level]

    def place(self, sheet: Sheet) -> Place:
        try:
            return self.index.locate(sheet)
        except KeyError:
            raise PositionError("sheet_impossible") from None

    @property
    def expected(self) -> float:
        return self.table.header.expected

    def unchecked_turn(self, sheet: Sheet) -> SingleTurn:
        return SingleTurn(self, sheet)

    def final_scores(self, position: Position | State | None = None, play: Play = "points") -> FinalScores:
        if play not in ("points", "target"):
            known = Phrase("expected_one_of", known="points, target")
            raise UsageError("argument_wrong", argument="play", expected=known)
        state = start(self.rules) if position is None else self._state_of(position)
        return self.chances.final_scores(state, play)

    @cached_property
    def chances(self) -> GameChances:
        from dicecup.solver.single.chances import GameChances

        return GameChances(self)

    @cached_property
    def computed_chances(self) -> GameChances:
        """The chances of sheets with few open boxes, the same whatever tables are stored."""
        from dicecup.solver.single.chances import GameChances

        return GameChances(self, stored=False)


def faces_of(dice: Dice) -> Faces:
    """Return the faces of dice of one layer."""
    return tuple(die if isinstance(die, int) else die[0] for die in dice)


def upper_sum(rules: Ruleset, sheet: Sheet) -> int:
    return sum(sheet.cells[index] or 0 for index in rules.upper)


def points_so_far(rules: Ruleset, sheet: Sheet) -> int:
    """Return the points on the sheet; the bonus is still to come."""
    repeats = sheet.repeats * rules.repeat.points if rules.repeat else 0
    return sum(points or 0 for points in sheet.cells) + repeats
