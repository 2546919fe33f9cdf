"""The upper total: which sums can occur with which upper boxes filled, and which are equivalent.

Two sums with the same open upper boxes share one *slot* if no way to fill the rest distinguishes them by the
bonus; see `components`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.components import (
    Component,
    bonus_by_total,
    components,
    join_totals,
    last_step,
    lowest_totals,
)
from dicecup.solver.ready import strides_of


@dataclass(frozen=True, eq=False)
class UpperRow:
    """The slots of one class of the upper part."""

    totals: tuple[int, ...]  # the lowest sum of each slot
    slot: np.ndarray[tuple[int], np.dtype[np.int32]]  # by sum up to the last step; NOWHERE if it cannot occur


@dataclass(frozen=True, eq=False)
class UpperPart:
    """All groups with upper boxes together: their classes as one number, the first group counting slowest."""

    components: tuple[Component, ...]
    digits: tuple[tuple[int, ...], ...]  # of each class: the class of every group
    strides: tuple[int, ...]
    opens: tuple[int, ...]
    rows: tuple[tuple[UpperRow, ...], ...]  # [kind][class]; kind 1: a joker may have been scored above

    @property
    def kinds(self) -> int:
        return len(self.rows)

    @property
    def most_open(self) -> int:
        return max(self.opens)


@lru_cache(maxsize=8)
def upper_part(rules: Ruleset) -> UpperPart:
    groups = tuple(component for component in components(rules) if component.upper)
    sizes = [len(group.classes) for group in groups]
    digits = tuple(product(*(range(size) for size in sizes)))
    strides = strides_of(sizes)
    upper = {rules.boxes[index].id for index in rules.upper}
    joker_above = rules.joker is not None and bool(upper & set(rules.joker.boxes))
    kinds = 2 if joker_above else 1
    steps = [
        [sorted(gains(rules, groups, strides, numbers, kind)) for numbers in digits] for kind in range(kinds)
    ]
    past, future = sums_before(rules, steps), sums_after(steps)
    return UpperPart(
        components=groups,
        digits=digits,
        strides=strides,
        opens=tuple(
            sum(group.opens[digit] for group, digit in zip(groups, numbers, strict=True))
            for numbers in digits
        ),
        rows=tuple(
            tuple(join(rules, past[kind][number], future[kind][number]) for number in range(len(digits)))
            for kind in range(kinds)
        ),
    )


Steps = list[list[list[tuple[int, int]]]]  # [kind][class]: (gain, class afterwards)


def gains(
    rules: Ruleset,
    groups: tuple[Component, ...],
    strides: tuple[int, ...],
    digits: tuple[int, ...],
    kind: int,
) -> set[tuple[int, int]]:
    """Return every gain that filling a box of this class can bring; in kind 1 also those of jokers."""
    closed = {box for group, digit in zip(groups, digits, strict=True) for box in group.closed[digit]}
    faces = [face for face, box in rules.upper_box_of_face.items() if box in closed] if kind else []
    here = sum(digit * stride for digit, stride in zip(digits, strides, strict=True))
    found = set()
    for group, stride, digit in zip(groups, strides, digits, strict=True):
        columns = group.plain.union(*(group.jokers[face] for face in faces))
        offers = group.states[group.classes[digit]].offers
        for column in columns:
            for option in offers[column]:
                found.add((option.gain, here + (option.target - digit) * stride))
    return found


def sums_before(rules: Ruleset, steps: Steps) -> list[list[set[int]]]:
    """Return the sums, cut at the last step, that can be on the sheet."""
    last = last_step(rules)
    found: list[list[set[int]]] = [[set() for _ in row] for row in steps]
    found[0][0].add(0)
    for number in range(len(steps[0])):  # fuller classes have higher numbers
        if len(steps) > 1:
            found[1][number] |= found[0][number]
        for kind, row in enumerate(steps):
            for gain, after in row[number]:
                found[kind][after] |= {min(total + gain, last) for total in found[kind][number]}
    return found


def sums_after(steps: Steps) -> list[list[set[int]]]:
    """Return the sums that the open boxes can still add. A sheet of kind 0 can become one of kind 1."""
    found: list[list[set[int]]] = [[set() for _ in row] for row in steps]
    for number in reversed(range(len(steps[0]))):
        for kind in reversed(range(len(steps))):
            row = steps[kind][number]
            reached = {gain + rest for gain, after in row for rest in found[kind][after]} if row else {0}
            found[kind][number] = reached | (found[1][number] if len(steps) > 1 else set())
    return found


def join(rules: Ruleset, past: set[int], future: set[int]) -> UpperRow:
    last = last_step(rules)
    paid, more = np.array(bonus_by_total(rules, last), dtype=np.int32), np.array(sorted(future))
    classes = join_totals(past, lambda total: paid[np.minimum(total + more, last)].tobytes())
    slot = np.full(last + 1, NOWHERE, dtype=np.int32)
    slot[list(classes)] = list(classes.values())
    return UpperRow(tuple(lowest_totals(classes)), slot)
