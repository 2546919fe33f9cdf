"""The states of a game: how many there are, found before a solve begins, and the number of each.

A state is a class of the lower part, a class of the upper part and a slot of the upper total. A *level*
holds the states with the same number of open boxes; a turn leads from each level to the one below, so a
solve needs two levels at a time. Within a level the states of one lower class form a *group*, whose
inner order is the same for all lower classes of a kind. So filling a lower box leads to the same
position in another group, and the kernels read many neighbouring states at once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dicecup.engine.state import Sheet
from dicecup.errors import UsageError
from dicecup.executors import cores
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array
from dicecup.solver.components import (
    Component,
    check_rules,
    components,
    last_step,
    memory,
    offered_points,
)
from dicecup.solver.files.tables import has_weights
from dicecup.solver.limits import check_disk, check_memory
from dicecup.solver.ready import remembered, strides_of
from dicecup.solver.single.upper_classes import UpperPart, upper_part

MOST_STATES = 20_000_000_000  # a day of two cores, and 80 GB
PACK_FROM = 64_000_000  # states: from here on a 32-bit table is packed
PACKED_BYTES = 2.0  # of a state, measured with some to spare: docs/performance.md
# Steps a second and core in 64 bits, measured with some to spare: docs/performance.md. In 32 bits 1.6 times.
# A state of Yatzy takes 8,820 steps: a million states a second.
STEPS_PER_SECOND = 8_820_000_000
ENTRY_BYTES = 70  # of one way to fill a box with one throw while tables are built; measured
MOVE_BYTES = 8  # of one move of the upper part, which is there twice while tables are built
SPARE_MEMORY = 500_000_000  # the interpreter, the compiler, the index


@dataclass(frozen=True)
class GameSize:
    """How large a game is."""

    states: int
    largest_levels: int  # states of the two largest neighbouring levels together
    steps: int  # of the walks over the dice and of scoring all throws, for one state
    table_bytes: int  # memory for the tables that the kernels read, while they are built


def size_of(rules: Ruleset) -> GameSize:
    """Count the states without numbering them. A game of several columns has the product of its columns."""
    parts, upper = components(rules), upper_part(rules)
    lower: Counter[tuple[int, bool]] = Counter({(0, True): 1})
    for part in parts:
        if part.upper:
            continue
        grown: Counter[tuple[int, bool]] = Counter()
        for (opens, ready), count in lower.items():
            for more, also in zip(part.opens, part.ready, strict=True):
                grown[opens + more, ready and also] += count
        lower = grown
    levels: Counter[int] = Counter()
    for (opens, ready), count in lower.items():
        rows = upper.rows[1 if ready and upper.kinds > 1 else 0]
        for more, row in zip(upper.opens, rows, strict=True):
            levels[opens + more] += count * len(row.totals)
    pairs = [levels[number] + levels[number + 1] for number in range(max(levels))]
    return GameSize(
        states=sum(levels.values()) ** len(rules.columns),
        largest_levels=max(pairs),
        steps=turn_steps(rules),
        table_bytes=ENTRY_BYTES * count_entries(rules, parts) + MOVE_BYTES * count_moves(upper),
    )


def turn_steps(rules: Ruleset) -> int:
    """Return the steps of one turn: two walks over the keeps for each roll but the last, and all scores."""
    dice = rules.dice
    keeps = comb(dice.count - 1 + dice.faces, dice.faces)  # multisets of fewer dice than all
    throws = comb(dice.count + dice.faces - 1, dice.count)
    return 2 * (rules.throws - 1) * keeps * dice.faces + throws * len(rules.boxes)


def count_entries(rules: Ruleset, parts: tuple[Component, ...]) -> int:
    """Return how many ways there are to fill a box, over all throws and all sheets of each group of boxes."""
    found = 0
    for part in parts:
        throws = Counter(offered_points(rules, part.boxes).throws)
        found += sum(
            count * len(state.offers[column]) for state in part.states for column, count in throws.items()
        )
    return found


def count_moves(upper: UpperPart) -> int:
    """Return the size of all tables of moves of the upper part."""
    targets = sum(
        len({(option.target, option.gain) for options in state.offers.values() for option in options})
        for part in upper.components
        for state in part.states
    )
    return targets * sum(len(row.totals) for rows in upper.rows for row in rows)


def check_solvable(rules: Ruleset) -> GameSize:
    """Return the size of the game; if it cannot be solved exactly, an error says what there is instead."""
    if rules.has_layers:
        raise UsageError("solve_layers", ruleset=rules.id)
    check_rules(rules)
    size = size_of(rules)
    if size.states > MOST_STATES:
        code = "solve_too_large_learned" if has_weights(rules) else "solve_too_large"
        raise UsageError(code, ruleset=rules.id, states=rounded(size.states))
    if len(rules.columns) > 1:
        raise UsageError("solve_columns", ruleset=rules.id)
    return size


def rounded(count: int) -> str:
    """Return a huge number as people write it: 3 × 10²⁶."""
    digits, power = f"{count:.0e}".split("e+")
    return f"{digits} × 10" + str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def check_room(rules: Ruleset, precision: int, folder: Path) -> None:
    """Raise an error if memory or disk are too small for the solve."""
    size = size_of(rules)
    levels = size.largest_levels * precision // 8
    check_memory(levels + size.table_bytes + SPARE_MEMORY)
    check_disk(folder, table_bytes(size.states, precision) + levels)


def table_bytes(states: int, precision: int) -> int:
    packed = precision == 32 and states >= PACK_FROM
    return int(states * (PACKED_BYTES if packed else precision / 8)) + (1 << 20)


def solve_seconds(size: GameSize, precision: int) -> float:
    """Estimate how long a solve takes on this machine."""
    return size.states * size.steps / (STEPS_PER_SECOND * (1.6 if precision == 32 else 1.0) * cores())


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
                cells.append(remembered(kind, points))
                if points is None:
                    open_boxes += 1
                elif box in self.upper_boxes:
                    total += points
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
        opens=by_class([component.opens for component in lower], np.add, 0).astype(np.uint8),
        ready=by_class([component.ready for component in lower], np.logical_and, True).astype(np.bool_),
        holding=by_class([component.holding for component in lower], np.logical_or, False).astype(np.bool_),
        groups=tuple(groups),
        row_starts=tuple(row_starts),
    )


def by_class(values: list[Any], join: np.ufunc, start: Any) -> Array:
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


def promotion(index: Index, open_boxes: int) -> Array:
    """Return the positions in the group of kind 1 that those of a group of kind 0 become."""
    upper = index.upper
    if upper.kinds == 1:
        return np.zeros(0, dtype=np.int32)
    found = []
    for member in index.groups[0][open_boxes].members:
        row = upper.rows[1][member]
        found += [index.row_starts[1][member] + row.slot[total] for total in upper.rows[0][member].totals]
    return np.array(found, dtype=np.int32)
