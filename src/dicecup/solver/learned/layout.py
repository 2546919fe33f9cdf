"""A sheet as a few small numbers, and the moves of a game between such sheets as flat arrays.

A sheet has one *row* for every part of every column. A part is the whole upper section of a column, or
one of its groups of lower boxes. The row of the upper part says which boxes are filled and what they add
up to; the row of a group is its class, as in the exact solver. The rows of all parts of a column are
numbered consecutively, the upper ones first.

A *slot* of a column is one change that can happen to one of its parts: this upper box filled with so many
points, that group changing to another class. A value is computed for every slot; a throw then selects,
for every open box, one of them and the points that come with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dicecup.dice import Faces, lattice
from dicecup.engine.legality import never_barred
from dicecup.engine.state import Sheet
from dicecup.errors import PositionError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, by_reference
from dicecup.solver.components import (
    Component,
    bonus_by_total,
    check_rules,
    components,
    joker_throws,
    last_step,
    memory,
    offered_points,
)
from dicecup.solver.ready import remembered


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
                remembered(kind, cells[box]) for box, kind in zip(group.boxes, kinds, strict=True)
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
    check_rules(rules)
    upper = {rules.boxes[box].id for box in rules.upper}
    free = never_barred(rules) and all(box.strike for box in rules.boxes)
    joker = rules.joker is None or not upper & set(rules.joker.filled)
    if rules.has_layers or rules.repeat is not None or not (free and joker and upper_boxes_apart(rules)):
        raise UsageError("value_not_learnable", ruleset=rules.id)


def upper_boxes_apart(rules: Ruleset) -> bool:
    """Return whether no upper box depends on another box."""
    return all(len(group.boxes) == 1 for group in components(rules) if group.upper)


Array = Any  # of NumPy, or of CuPy with the numbers on its GPU
CLOSED = 0  # the entry of a box that is filled


@by_reference
class Moves(NamedTuple):
    """Everything that a turn needs to know of the rules.

    Rows, places of parts and slots are numbered through the columns.
    """

    slot_place: Array  # which part of which column
    slot_step: Array  # which of the steps of its part
    after: Array  # [row, step]: the row afterwards, or NOWHERE
    paid: Array  # [row, step]: what the bonus grows by, times the column's multiplier
    opens: Array  # by row: boxes still open in the part
    passes: Array  # [row, joker]: whether the part lets a joker apply
    cell_place: Array  # by cell of the sheet: which part of which column
    cell_number: Array  # by cell: which box of the part
    cell_slot: Array  # by cell: the first slot of its column
    multiplier: Array  # by cell
    entry: Array  # [row, box of the part]: the entry of a box, or CLOSED
    # What an entry gives for each throw, and behind the throws for those that are jokers; slots of its column
    entry_slot: Array
    entry_points: Array
    entry_zero: Array  # the slot of a strike
    joker: Array  # by throw: which joker it can be, or NOWHERE


class EntryMaker:
    """Collects entries. An entry is an open box in a certain state of its part."""

    def __init__(self) -> None:
        self.slots: list[Array] = []
        self.points: list[Array] = []
        self.zeros: list[int] = []

    def add(self, slots: list[int], points: list[int], zero: int) -> int:
        self.slots.append(np.array(slots))
        self.points.append(np.array(points))
        self.zeros.append(zero)
        return len(self.zeros) - 1


class Book(NamedTuple):
    """The moves, and the entries of the states that classes are merged from: [group][state][place]."""

    moves: Moves
    state_entries: tuple[Array, ...]


@lru_cache(maxsize=8)
def book(rules: Ruleset) -> Book:
    place = layout(rules)
    throws, jokers = lattice(rules.dice.count, rules.dice.faces).throws, joker_throws(rules)

    def offered(boxes: tuple[int, ...]) -> tuple[Faces, ...]:
        points = offered_points(rules, boxes)
        return points.throws + points.jokers

    entries = EntryMaker()
    entries.add([0] * (len(throws) + len(jokers)), [0] * (len(throws) + len(jokers)), 0)
    steps: list[list[tuple[int, int]]] = [upper_steps(place, offered)]
    slot_first = [0, len(steps[0])]
    upper_entries = add_upper(entries, place, steps[0], offered)
    state_entries = []
    for group in place.groups:
        steps.append(group_steps(group))
        state_entries.append(add_group(entries, group, slot_first[-1], offered(group.boxes)))
        slot_first.append(slot_first[-1] + len(steps[-1]))
    after, paid = follow(place, steps[0])
    part_of_slot = np.repeat(np.arange(place.parts), [len(part) for part in steps])
    part_of_box, number_of_box = box_places(place)
    count, multipliers = len(rules.columns), [column.multiplier for column in rules.columns]
    moves = Moves(
        slot_place=through(part_of_slot, count, place.parts),
        slot_step=np.tile(np.concatenate([np.arange(len(part)) for part in steps]), count).astype(np.int32),
        after=through(after, count, place.rows),
        paid=np.concatenate([paid * multiplier for multiplier in multipliers]),
        opens=np.tile(open_boxes(place), count),
        passes=np.tile(joker_passes(place, [face for _, face in jokers]), (count, 1)),
        cell_place=through(part_of_box, count, place.parts),
        cell_number=np.tile(number_of_box, count),
        cell_slot=np.repeat(np.arange(count) * slot_first[-1], len(rules.boxes)).astype(np.int32),
        multiplier=np.repeat(multipliers, len(rules.boxes)).astype(np.float32),
        entry=np.tile(row_entries(place, upper_entries, state_entries), (count, 1)),
        entry_slot=np.stack(entries.slots).astype(np.int32),
        entry_points=np.stack(entries.points).astype(np.float32),
        entry_zero=np.array(entries.zeros, dtype=np.int32),
        joker=joker_numbers(len(throws), [number for number, _ in jokers]),
    )
    return Book(moves, tuple(state_entries))


def through(numbers: Array, columns: int, each: int) -> Array:
    """Return numbers of one column for all columns, numbered through; NOWHERE stays."""
    shifted = [np.where(numbers == NOWHERE, NOWHERE, numbers + column * each) for column in range(columns)]
    return np.concatenate(shifted).astype(np.int32)


def upper_steps(place: Layout, offered: Any) -> list[tuple[int, int]]:
    """Return (place of the upper box, points) for everything that can be written in the upper part."""
    return [
        (number, points)
        for number, box in enumerate(place.upper)
        for points in sorted({0} | {row[0] for row in offered((box,))})
    ]


def group_steps(group: Component) -> list[tuple[int, int]]:
    """Return as many steps as the class with the most following classes has."""
    return [(0, 0)] * max(len(class_targets(group, number)) for number in range(len(group.classes)))


def class_targets(group: Component, number: int) -> list[int]:
    """Return the classes that a class leads to."""
    offers = group.states[group.classes[number]].offers
    return sorted({option.target for options in offers.values() for option in options})


def add_upper(entries: EntryMaker, place: Layout, steps: list[tuple[int, int]], offered: Any) -> list[int]:
    found = []
    for number, box in enumerate(place.upper):
        points = [row[0] for row in offered((box,))]
        slot = {written: order for order, (at, written) in enumerate(steps) if at == number}
        found.append(entries.add([slot[written] for written in points], points, slot[0]))
    return found


def add_group(entries: EntryMaker, group: Component, first: int, columns: tuple[Faces, ...]) -> Array:
    """Add the entries of all states of a group: [state, place]."""
    found = np.full((len(group.states), len(group.boxes)), CLOSED, dtype=np.int32)
    for number, state in enumerate(group.states):
        slot = {target: first + order for order, target in enumerate(class_targets(group, state.group))}
        for place, box in enumerate(group.boxes):
            if state.cells[place] is not None:
                continue
            own = [[option for option in state.offers[column] if option.box == box] for column in columns]
            scored = [next(option for option in options if not option.struck) for options in own]
            zero = next(option for options in own for option in options if not option.points)
            found[number, place] = entries.add(
                [slot[option.target] for option in scored],
                [option.points for option in scored],
                slot[zero.target],
            )
    return found


def follow(place: Layout, upper: list[tuple[int, int]]) -> tuple[Array, Array]:
    """Return where each step of each row leads, and what the bonus grows by."""
    targets = [class_targets(group, number) for group in place.groups for number in range(len(group.classes))]
    firsts = [
        first for group, first in zip(place.groups, place.first[1:], strict=False) for _ in group.classes
    ]
    width = max(len(upper), *map(len, targets))
    after = np.full((place.rows, width), NOWHERE, dtype=np.int32)
    paid = np.zeros((place.rows, width), dtype=np.float32)
    bonuses = np.array(bonus_by_total(place.rules, place.totals - 1), dtype=np.int32)
    filled, total = np.divmod(np.arange(place.upper_rows), place.totals)
    for step, (number, points) in enumerate(upper):
        total_after = np.minimum(total + points, place.totals - 1)
        is_open = filled >> number & 1 == 0
        after[: place.upper_rows, step] = np.where(
            is_open, (filled | 1 << number) * place.totals + total_after, NOWHERE
        )
        paid[: place.upper_rows, step] = bonuses[total_after] - bonuses[total]
    for row, (first, classes) in enumerate(zip(firsts, targets, strict=True), start=place.upper_rows):
        after[row, : len(classes)] = [first + number for number in classes]
    return after, paid


def open_boxes(place: Layout) -> Array:
    filled = np.arange(place.upper_rows) // place.totals
    upper = [len(place.upper) - int(bits).bit_count() for bits in filled]
    return np.array(upper + [opens for group in place.groups for opens in group.opens], dtype=np.int32)


def joker_passes(place: Layout, faces: list[int]) -> Array:
    """Return whether a row lets a joker apply: [row, joker]. It requires certain boxes in every column."""
    boxes = np.array(
        [place.upper.index(place.rules.upper_box_of_face[face]) for face in faces], dtype=np.int64
    )
    filled = np.arange(place.upper_rows) // place.totals
    ready = np.array([ready for group in place.groups for ready in group.ready])
    return np.concatenate([filled[:, None] >> boxes & 1 == 1, np.repeat(ready[:, None], len(faces), axis=1)])


def joker_numbers(throws: int, jokers: list[int]) -> Array:
    found = np.full(throws, NOWHERE, dtype=np.int32)
    found[jokers] = np.arange(len(jokers))
    return found


def box_places(place: Layout) -> tuple[Array, Array]:
    """Return for each box its part, and which box of the part it is."""
    where = {box: (0, number) for number, box in enumerate(place.upper)}
    for part, group in enumerate(place.groups, start=1):
        where |= {box: (part, number) for number, box in enumerate(group.boxes)}
    found = np.array([where[box] for box in range(len(place.rules.boxes))], dtype=np.int32)
    return found[:, 0], found[:, 1]


def row_entries(place: Layout, upper: list[int], groups: list[Array]) -> Array:
    """Return the entry of each open box: [row, place]; of a class, those of the state that represents it."""
    width = max(len(upper), *(entries.shape[1] for entries in groups))
    found = np.full((place.rows, width), CLOSED, dtype=np.int32)
    filled = np.arange(place.upper_rows) // place.totals
    for number, entry in enumerate(upper):
        found[: place.upper_rows, number] = np.where(filled >> number & 1, CLOSED, entry)
    for group, entries, first in zip(place.groups, groups, place.first[1:], strict=False):
        found[first : first + len(group.classes), : entries.shape[1]] = entries[list(group.classes)]
    return found
