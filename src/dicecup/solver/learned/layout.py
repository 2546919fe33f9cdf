"""A sheet as a few small numbers: one *row* for every part of every column.

A part is the whole upper section of a column, or one of its groups of lower boxes. The row of the upper part
says which boxes are filled and what they add up to; the row of a group is its class, as in the exact solver.
The rows of all parts of a column are numbered consecutively, the upper ones first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from dicecup.engine.legality import never_barred
from dicecup.engine.state import Sheet
from dicecup.errors import PositionError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.components import Component, components, memory, remember
from dicecup.solver.upper_totals import last_step


class Reading(NamedTuple):
    """A sheet as numbers."""

    rows: list[int]  # of every part of every column, numbered through the columns
    states: list[list[int]]  # column by column: the state of every group before merging into classes


@dataclass(frozen=True, eq=False)
class Layout:
    """The parts of a column of the sheet and the numbers of their rows."""

    rules: Ruleset
    upper: tuple[int, ...]  # the upper boxes
    groups: tuple[Component, ...]  # of lower boxes
    totals: int  # different sums of the upper part, 0 included
    first: tuple[int, ...]  # the first row of each part, and the end

    @property
    def parts(self) -> int:
        return len(self.first) - 1

    @property
    def rows(self) -> int:
        """Rows of a column."""
        return self.first[-1]

    @property
    def upper_rows(self) -> int:
        return self.first[1]

    def upper_row(self, filled: int, total: int) -> int:
        """`filled` has a bit for each upper box, in the order of `upper`."""
        return filled * self.totals + min(total, self.totals - 1)

    def read(self, sheet: Sheet) -> Reading:
        boxes, rows, states = len(self.rules.boxes), [], []
        for column in range(len(self.rules.columns)):
            found, known = self.read_column(sheet.cells[column * boxes : (column + 1) * boxes])
            rows += [column * self.rows + row for row in found]
            states.append(known)
        return Reading(rows, states)

    def read_column(self, cells: tuple[int | None, ...]) -> tuple[list[int], list[int]]:
        filled = sum(1 << place for place, box in enumerate(self.upper) if cells[box] is not None)
        rows = [self.upper_row(filled, sum(cells[box] or 0 for box in self.upper))]
        states = []
        for group, first in zip(self.groups, self.first[1:], strict=False):
            kinds = memory(self.rules, group.boxes)
            written = tuple(
                None if (points := cells[box]) is None else remember(kind, points)
                for box, kind in zip(group.boxes, kinds, strict=True)
            )
            if written not in group.numbers:
                raise PositionError("sheet_impossible")
            states.append(group.numbers[written])
            rows.append(first + group.states[states[-1]].group)
        return rows, states


@lru_cache(maxsize=8)
def layout(rules: Ruleset) -> Layout:
    check_learnable(rules)
    groups = tuple(group for group in components(rules) if not group.upper)
    totals = last_step(rules) + 1
    first = [0, totals << len(rules.upper)]
    for group in groups:
        first.append(first[-1] + len(group.classes))
    return Layout(rules, rules.upper, groups, totals, tuple(first))


def check_learnable(rules: Ruleset) -> None:
    """Raise an error for rules that the tables of a turn do not cover."""
    upper = {rules.boxes[box].id for box in rules.upper}
    free = never_barred(rules) and all(box.strike for box in rules.boxes)
    joker = rules.joker is None or not upper & set(rules.joker.filled)
    if rules.has_layers or rules.repeat is not None or not (free and joker and upper_boxes_apart(rules)):
        raise UsageError("value_not_learnable", ruleset=rules.id)


def upper_boxes_apart(rules: Ruleset) -> bool:
    """Return whether no upper box depends on another box."""
    return all(len(group.boxes) == 1 for group in components(rules) if group.upper)
