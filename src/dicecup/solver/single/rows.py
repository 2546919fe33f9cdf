"""Rows of numbers for sheets: the chance to reach every target, or the worth of every total.

A row has a number for each total. For *targets* the total is counted from the end: the points still needed,
so that one row answers every target, whatever is on the sheet already. For a *utility* it is the points
written since a certain sheet, and the number is the mean of a given function of the final score.

Rows are computed backwards from the full sheets, for the sheets that a game can lead to from a certain one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dicecup.solver.arrays import NOWHERE, Array
from dicecup.solver.single.index import Index, Place
from dicecup.solver.single.kernel_tables import KernelTables
from dicecup.solver.single.row_kernels import RowLevel, RowTables, mark_below, reach_of
from dicecup.solver.single.row_turns import follow_rows, solve_rows
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import last_level
from dicecup.solver.solution import OnProgress, Play, Progress, no_callback

# The mean of final scores sums hundreds of chances: it needs 64 bits. Best chances are asked for one by one.
NUMBERS: dict[Play, type[np.floating[Any]]] = {"points": np.float64, "target": np.float32}
BATCH = 1 << 12  # sheets between two checks of the clock and of Ctrl-C


class Wanted(NamedTuple):
    """The sheets of one level whose rows are wanted."""

    open_boxes: int
    states: Array  # their numbers in the level
    lowers: Array
    positions: Array
    most: Array  # points that can still be written, the bonus included; by state of the level
    least: Array
    size: int  # of the level


def row_tables(program: KernelTables) -> RowTables:
    """Return the points of every entry and the bounds of every target as whole numbers."""
    entry_points = program.entry_points.astype(np.int64)
    option_points = program.option_points.astype(np.int64)
    targets = program.target_class.size
    most = np.full(targets, np.iinfo(np.int64).min)
    least = np.full(targets, np.iinfo(np.int64).max)
    for state in range(program.target_start.size - 1):
        first = int(program.target_start[state])
        begin, end = int(program.entry_bounds[state, 0]), int(program.entry_bounds[state, 3])
        reached = first + program.entry_target[begin:end]
        np.maximum.at(most, reached, entry_points[begin:end])
        np.minimum.at(least, reached, entry_points[begin:end])
        columns = 2 * program.joker_dice.size
        begin, end = program.option_start[[state * columns, (state + 1) * columns]] if columns else (0, 0)
        reached = first + program.option_target[begin:end]
        np.maximum.at(most, reached, option_points[begin:end])
        np.minimum.at(least, reached, option_points[begin:end])
        struck = first + program.strike_target[program.strike_start[state] : program.strike_start[state + 1]]
        np.maximum.at(most, struck, 0)
        np.minimum.at(least, struck, 0)
    repeat = int(program.settings[1]) if program.repeat_dice.size else 0
    low = int(min(least.min(initial=0), 0)) + min(repeat, 0)
    high = int(max(most.max(initial=0), 0)) + max(repeat, 0)
    return RowTables(entry_points, option_points, most, least, np.array([low, high, 1]))


@dataclass(frozen=True, eq=False)
class Descent:
    """The sheets that a game can lead to from one sheet, level by level, the full sheets first."""

    solution: SingleSolution
    place: Place

    @property
    def index(self) -> Index:
        return self.solution.index

    @cached_property
    def tables(self) -> RowTables:
        return row_tables(self.solution.program)

    @cached_property
    def levels(self) -> list[Wanted]:
        found = [self._states(open_boxes, marked) for open_boxes, marked in self._marked()][::-1]
        bonus = last_level(self.index, 64)[: found[0].size].astype(np.int64)
        levels = [found[0]._replace(most=bonus, least=bonus)]
        for level in found[1:]:
            below = levels[-1]
            most, least = np.zeros(len(level.states), np.int64), np.zeros(len(level.states), np.int64)
            reach_of(
                self.solution.program,
                self.tables,
                level.lowers,
                level.positions,
                level.open_boxes,
                self.index.level(below.open_boxes).starts,
                below.most,
                below.least,
                most,
                least,
            )
            whole = np.zeros((2, level.size), np.int64)
            whole[:, level.states] = most, least
            levels.append(level._replace(most=whole[0], least=whole[1]))
        return levels

    def _marked(self) -> Iterator[tuple[int, Array]]:
        level = self.index.level(self.place.level)
        marked = np.zeros(level.size, np.bool_)
        marked[level.starts[self.place.lower] + self.place.position] = True
        yield self.place.level, marked
        for open_boxes in range(self.place.level, 0, -1):
            here = self._states(open_boxes, marked)
            below = self.index.level(open_boxes - 1)
            marked = np.zeros(below.size, np.bool_)
            mark_below(self.solution.program, here.lowers, here.positions, open_boxes, below.starts, marked)
            yield open_boxes - 1, marked

    def _states(self, open_boxes: int, marked: Array) -> Wanted:
        level = self.index.level(open_boxes)
        states = np.flatnonzero(marked)
        begins = level.starts[level.lowers]
        lowers = level.lowers[np.searchsorted(begins, states, side="right") - 1]
        none = np.zeros(0, np.int64)
        positions = states - level.starts[lowers]
        return Wanted(open_boxes, states, lowers, positions, none, none, level.size)


class Rows:
    """The rows of every sheet of a descent, those of the full sheets first. This one: targets.

    A row has the chance to write at least n points more, for n from the most that are possible down to the
    fewest. `play` says how one plays: `points` for the highest expected score in every decision, `target`
    for the highest chance of each target by itself. When all is solved, `rows` are those of the first sheet
    and `below` those of the level below, which its turn needs.
    """

    ends = (0.0, 1.0)  # more than can still be written, and no more than is written in any case

    def __init__(self, descent: Descent, play: Play) -> None:
        self.descent = descent
        self.play = play
        self.number = np.dtype(NUMBERS[play])
        self.tables = self.make_tables()
        self.below: RowLevel | None = None
        self.rows = self.empty(descent.levels[0])
        self.fill_full_sheets()

    def make_tables(self) -> RowTables:
        return self.descent.tables

    def bounds(self, level: Wanted) -> tuple[Array, Array]:
        """The total of the first number of each state's row, and how long it is."""
        return -level.most, level.most - level.least

    def fill_full_sheets(self) -> None:
        """Set the rows of the full sheets: where only targets count, they are empty."""

    def solve(self, on_progress: OnProgress = no_callback) -> None:
        """Solve all levels."""
        total = sum(len(level.states) for level in self.descent.levels)
        done = len(self.descent.levels[0].states)
        for level in self.descent.levels[1:]:
            for share in self.solve_level(level):
                done += share
                on_progress(Progress("solving", done, total))

    def solve_level(self, level: Wanted) -> Iterator[int]:
        """Solve the next level, some sheets at a time; yield how many."""
        self.below, self.rows = self.rows, self.empty(level)
        for first in range(0, len(level.states), BATCH):
            batch = slice(first, first + BATCH)
            self._solve(level, batch, self.below)
            yield len(level.states[batch])

    def empty(self, level: Wanted) -> RowLevel:
        bases, lengths = self.bounds(level)
        first, length = np.full(level.size, NOWHERE, np.int64), np.zeros(level.size, np.int64)
        length[level.states] = lengths[level.states]
        first[level.states] = np.cumsum(lengths[level.states]) - lengths[level.states]
        values = np.empty(int(length.sum()), self.number)
        return RowLevel(self.descent.index.level(level.open_boxes).starts, first, length, bases, values)

    def _solve(self, level: Wanted, batch: slice, below: RowLevel) -> None:
        solution, rows = self.descent.solution, self.rows
        states = level.states[batch]
        place = (rows.first[states], rows.length[states], rows.base[states], rows.values)
        sheets = (level.lowers[batch], level.positions[batch], level.open_boxes, below, np.array(self.ends))
        if self.play == "target":
            solve_rows(len(states), solution.program, self.tables, *sheets, *place)
        else:
            source = solution.source(level.open_boxes - 1)
            tables = (solution.program, self.tables, solution.choices)
            follow_rows(len(states), *tables, source, *sheets, *place)

    def first_row(self) -> Array:
        """The row of the sheet where the descent begins."""
        state = int(self.descent.levels[-1].states[0])
        first, length = int(self.rows.first[state]), int(self.rows.length[state])
        return np.asarray(self.rows.values[first : first + length].astype(np.float64))


class UtilityRows(Rows):
    """What the total is worth in the end: a row has a number for each total on the way, counted from the
    sheet where the descent begins. `utility[n]` is the worth of n points more than the fewest possible.
    """

    def __init__(self, descent: Descent, play: Play, utility: Array) -> None:
        self.utility = utility
        top = descent.levels[-1]
        self.least, self.most = int(top.least[top.states[0]]), int(top.most[top.states[0]])
        super().__init__(descent, play)

    def bounds(self, level: Wanted) -> tuple[Array, Array]:
        base = self.least - level.least
        return base, self.most - level.most - base + 1

    def fill_full_sheets(self) -> None:
        for state in self.descent.levels[0].states:
            first, length = int(self.rows.first[state]), int(self.rows.length[state])
            self.rows.values[first : first + length] = self.utility[:length]


class BonusRows(Rows):
    """The chance of the bonus: rows of one number, and no points are counted."""

    def make_tables(self) -> RowTables:
        tables = self.descent.tables
        none = np.zeros_like
        return tables._replace(
            entry_points=none(tables.entry_points),
            option_points=none(tables.option_points),
            bounds=np.zeros(3, np.int64),
        )

    def bounds(self, level: Wanted) -> tuple[Array, Array]:
        return np.zeros(level.size, np.int64), np.ones(level.size, np.int64)

    def fill_full_sheets(self) -> None:
        level = self.descent.levels[0]
        self.rows.values[:] = level.most[level.states] > 0
