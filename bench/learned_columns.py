"""A player that adds up the exact values of the sheet's columns, each solved by itself on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.engine.state import bonus
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned.layout import Array, Layout, layout
from dicecup.solver.learned.network import Moved
from dicecup.solver.single.cuda import CudaBackend
from dicecup.solver.single.index import Index, build_index
from dicecup.solver.single.kernel_tables import build_program
from dicecup.solver.single.solve import last_level

ONE_COLUMN = {"triple-yum-plus": "yum-plus", "yum-plus": "yum-plus"}


def solve_all(xp: Any, index: Index) -> tuple[Array, list[int]]:
    """Return the values of all states of all levels in one array, and the offset of each level."""
    machine = CudaBackend(index, build_program(index), 32)
    below, values = index.level(0), last_level(index, 32)
    first = [0, below.size]
    table = xp.empty(index.states, dtype=xp.float32)
    table[: below.size] = xp.asarray(values[: below.size])
    for number in range(1, index.levels + 1):
        level = index.level(number)
        values = machine.solve_level(level, below, values, lambda _: None)
        table[first[-1] : first[-1] + level.size] = xp.asarray(values[: level.size])
        first.append(first[-1] + level.size)
        below = level
    return table, first


class Columns:
    def __init__(self, xp: Any, rules: Ruleset, options: list[str]) -> None:
        one = load_ruleset(ONE_COLUMN[rules.id], dict(option.split("=", 1) for option in options))
        place, index = layout(rules), build_index(one)
        self.xp, self.parts, self.rows = xp, place.parts, place.rows
        self.columns = len(rules.columns)
        self.multiplier = xp.asarray([column.multiplier for column in rules.columns], dtype=xp.float32)
        self.table, first = solve_all(xp, index)
        self.kinds = xp.asarray(index.kinds).astype(xp.int64)
        starts = np.zeros((len(place.upper) + 1, len(index.opens)), dtype=np.int64)
        for above in range(len(place.upper) + 1):
            for number in range(index.levels + 1):
                chosen = index.opens.astype(np.int64) + above == number
                starts[above, chosen] = index.level(number).starts[chosen] + first[number]
        self.starts = xp.asarray(starts)
        self.upper_rows = place.upper_rows
        self.upper_open, self.position, self.paid = (
            xp.asarray(array) for array in upper_places(place, index)
        )
        strides = np.zeros(place.rows, dtype=np.int64)
        for group, start, stride in zip(place.groups, place.first[1:], index.lower_strides, strict=False):
            strides[start : start + len(group.classes)] = np.arange(len(group.classes)) * stride
        self.strides = xp.asarray(strides)

    def column_value(self, lower: Array, upper: Array) -> Array:
        place = self.starts[self.upper_open[upper], lower] + self.position[self.kinds[lower], upper]
        return self.table[place] - self.paid[upper]

    def after(self, sheets: Array, moved: Moved) -> Array:
        xp = self.xp
        rows = (sheets % self.rows).reshape(len(sheets), self.columns, self.parts)
        lower, upper = self.strides[rows].sum(axis=2), rows[:, :, 0]
        worth = self.column_value(lower, upper) * self.multiplier
        column, row = moved.after // self.rows, moved.after % self.rows
        new_lower = lower[moved.sheet, column] + self.strides[row] - self.strides[moved.before % self.rows]
        new_upper = xp.where(row < self.upper_rows, row, upper[moved.sheet, column])
        new = self.column_value(new_lower, new_upper) * self.multiplier[column]
        return worth.sum(axis=1)[moved.sheet] - worth[moved.sheet, column] + new


def upper_places(place: Layout, index: Index) -> tuple[Array, Array, Array]:
    """Return by upper row: open boxes, [kind] offset in its group, bonus already scored."""
    filled, total = np.divmod(np.arange(place.upper_rows), place.totals)
    opens = np.array([len(place.upper) - int(bits).bit_count() for bits in filled])
    position = np.zeros((len(index.upper.rows), place.upper_rows), dtype=np.int64)
    for row, (bits, points) in enumerate(zip(filled, total, strict=True)):
        number = sum((int(bits) >> bit & 1) * stride for bit, stride in enumerate(index.upper.strides))
        for kind, known in enumerate(index.upper.rows):
            position[kind, row] = index.row_starts[kind][number] + max(int(known[number].slot[points]), 0)
    return opens, position, np.array([bonus(place.rules, int(points)) for points in total], dtype=np.float32)
