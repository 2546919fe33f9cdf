"""Numbers of all states of a game: levels, groups of rows, slots.

A state is a class of the lower part, a class of the upper part and a slot of the upper total. A *level* holds
the states with the same number of open boxes; a turn leads from each level to the one below, so a solve needs
two levels at a time. Within a level the states of one lower class form a *group*, whose inner order is the
same for all lower classes of a kind. So filling a lower box leads to the same position in another group, and
the kernels read many neighbouring states at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dicecup.engine.state import Sheet
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array
from dicecup.solver.components import Component, components, memory, remember
from dicecup.solver.single.upper_classes import UpperPart, strides_of, upper_part
from dicecup.solver.upper_totals import last_step


@dataclass(frozen=True, eq=False)
class Group:
    """The inner order of a group: the rows of all upper classes with so many open boxes."""

    members: tuple[int, ...]  # the upper class of each row
    starts: Array  # where each row begins, and the end
    row: Array  # of each position

    @property
    def size(self) -> int:
        return int(self.starts[-1])


@dataclass(frozen=True, eq=False)
class Level:
    """One level: which lower classes have a group in it, and where it begins."""

    open_boxes: int
    lowers: Array
    starts: Array  # by lower class; NOWHERE where it has no group here
    size: int


class Place(NamedTuple):
    """The place of a sheet in the order of states, and the sheets of its groups of boxes before merging."""

    level: int
    lower: int
    position: int
    states: tuple[int, ...]


class IndexReader(NamedTuple):
    """How a group of boxes is read from a sheet."""

    component: Component
    boxes: tuple[tuple[int, str], ...]  # each box, and what is remembered of it
    upper_stride: int
    lower_stride: int


@dataclass(frozen=True, eq=False)
class Index:
    """The order of all states of a game."""

    rules: Ruleset
    upper: UpperPart
    lower: tuple[Component, ...]
    lower_strides: tuple[int, ...]
    opens: Array  # open boxes of each lower class
    ready: Array  # whether all lower boxes that a joker requires are filled, by lower class
    holding: Array  # whether the lower box that pays repeats holds points, by lower class
    groups: tuple[tuple[Group, ...], ...]  # [kind][open upper boxes]
    row_starts: tuple[tuple[int, ...], ...]  # [kind][upper class]: where its row begins in its group

    @property
    def components(self) -> tuple[Component, ...]:
        return self.upper.components + self.lower

    @cached_property
    def kinds(self) -> Array:
        """The kind of each lower class: 1 once a joker may have been scored above, if that matters."""
        return np.asarray(self.ready & (self.upper.kinds > 1), dtype=np.uint8)

    @cached_property
    def group_sizes(self) -> Array:
        return np.array([[group.size for group in row] for row in self.groups], dtype=np.int64)

    @cached_property
    def levels(self) -> int:
        return int(self.opens.max()) + self.upper.most_open

    @cached_property
    def states(self) -> int:
        return sum(self.level(number).size for number in range(self.levels + 1))

    def level(self, open_boxes: int) -> Level:
        above = open_boxes - self.opens.astype(np.int64)
        lowers = np.flatnonzero((above >= 0) & (above <= self.upper.most_open))
        sizes = self.group_sizes[self.kinds[lowers], above[lowers]]
        starts = np.full(len(self.opens), NOWHERE, dtype=np.int64)
        starts[lowers] = np.cumsum(sizes) - sizes
        return Level(open_boxes, lowers.astype(np.int64), starts, int(sizes.sum()))

    def locate(self, sheet: Sheet) -> Place:
        """Return the place of a sheet. KeyError: no game leads to such a sheet."""
        numbers, open_boxes, total, upper, lower = [], 0, 0, 0, 0
        for reader in self.readers:
            cells: list[int | None] = []
            for box, kind in reader.boxes:
                points = sheet.cells[box]
                if points is None:
                    open_boxes += 1
                    cells.append(None)
                    continue
                cells.append(0 if kind == "filled" else remember(kind, points))
                total += points if box in self.upper_boxes else 0
            number = reader.component.numbers[tuple(cells)]
            numbers.append(number)
            upper += reader.component.states[number].group * reader.upper_stride
            lower += reader.component.states[number].group * reader.lower_stride
        kind_number = int(self.kinds[lower])
        slot = self.upper.rows[kind_number][upper].slot[min(total, last_step(self.rules))]
        if slot == NOWHERE:
            raise KeyError(total)
        return Place(open_boxes, lower, self.row_starts[kind_number][upper] + int(slot), tuple(numbers))

    @cached_property
    def upper_boxes(self) -> frozenset[int]:
        return frozenset(self.rules.upper)

    @cached_property
    def readers(self) -> tuple[IndexReader, ...]:
        """How each group of boxes is read from a sheet."""
        above, below = self.upper.strides, self.lower_strides
        strides = [(stride, 0) for stride in above] + [(0, stride) for stride in below]
        return tuple(
            IndexReader(
                component,
                tuple(zip(component.boxes, memory(self.rules, component.boxes), strict=True)),
                *pair,
            )
            for component, pair in zip(self.components, strides, strict=True)
        )


def build_index(rules: Ruleset) -> Index:
    parts = components(rules)
    upper = upper_part(rules)
    lower = tuple(component for component in parts if not component.upper)
    groups, row_starts = [], []
    for rows in upper.rows:
        made = [group_of(upper, rows, number) for number in range(upper.most_open + 1)]
        groups.append(tuple(made))
        begins = {
            member: int(start)
            for group in made
            for member, start in zip(group.members, group.starts, strict=False)
        }
        row_starts.append(tuple(begins[number] for number in range(len(rows))))
    return Index(
        rules=rules,
        upper=upper,
        lower=lower,
        lower_strides=strides_of([len(component.classes) for component in lower]),
        opens=spread([component.opens for component in lower], np.add, 0).astype(np.uint8),
        ready=spread([component.ready for component in lower], np.logical_and, True).astype(np.bool_),
        holding=spread([component.holding for component in lower], np.logical_or, False).astype(np.bool_),
        groups=tuple(groups),
        row_starts=tuple(row_starts),
    )


def spread(values: list[Any], join: np.ufunc, start: Any) -> Array:
    """Return a value for every lower class from the values of its groups of boxes."""
    found = np.array([start])
    for value in values:
        found = join.outer(found, np.array(value)).ravel()
    return found


def group_of(upper: UpperPart, rows: Any, open_boxes: int) -> Group:
    members = tuple(number for number, opens in enumerate(upper.opens) if opens == open_boxes)
    lengths = [len(rows[number].totals) for number in members]
    return Group(
        members=members,
        starts=np.cumsum([0, *lengths], dtype=np.int64),
        row=np.repeat(np.arange(len(members), dtype=np.int32), lengths),
    )
