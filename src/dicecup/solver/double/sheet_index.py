"""Numbers of the states between turns: the filled boxes, and the upper total as far as it matters.

A sheet is a mask of filled boxes and a class of upper totals: those from which every way to go on gains the
same bonus (see `upper_totals`). Equal boxes (Extra as a second Chance) are filled in sheet order. The bonus
is counted when it is reached, so a value is that of the rest of the game, whatever was written so far.

A level is the sheets with the same number of filled boxes; a place is a sheet's number within its level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dicecup.rules.model import Box, OfFace, Ruleset
from dicecup.solver.upper_totals import bonus_by_total, join_totals, lowest_totals

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class DoubleLevel:
    """The sheets with so many boxes filled: masks, and the lowest upper total of each class."""

    filled: int
    mask: Ints
    total: Ints

    def __len__(self) -> int:
        return len(self.mask)


class SheetIndex:
    """All sheets of a game, level by level."""

    def __init__(self, rules: Ruleset) -> None:
        self.boxes = len(rules.boxes)
        self.upper = rules.upper
        self.gains = [upper_gains(rules.boxes[box], rules.dice.counted) for box in self.upper]
        most = sum(gains[-1] for gains in self.gains)
        self.bonus = bonus_by_total(rules, most)
        # By [upper mask, total]: the class, or -1 if impossible; and the lowest total of each class.
        self.class_of = np.full((1 << len(self.upper), most + 1), -1, dtype=np.int32)
        self.class_totals = [self.class_totals_of(filled) for filled in range(1 << len(self.upper))]
        self.canonical = canonical_masks(self.boxes, boxes_alike(rules.boxes))
        self.number_sheets()

    def class_totals_of(self, filled: int) -> list[int]:
        """Fill `class_of` for one set of filled upper boxes; return the lowest total of each class."""
        done = [gains for bit, gains in enumerate(self.gains) if filled >> bit & 1]
        to_come = [gains for bit, gains in enumerate(self.gains) if not filled >> bit & 1]
        gains = np.array(sorted(sums(to_come)))
        classes = join_totals(sums(done), lambda total: self.bonus[total + gains] - self.bonus[total])
        self.class_of[filled, list(classes)] = list(classes.values())
        return lowest_totals(classes)

    def number_sheets(self) -> None:
        """Compute for every mask the place of its first class in its level."""
        masks = np.arange(1 << self.boxes, dtype=np.int32)
        self.filled = sum((masks >> box & 1 for box in range(self.boxes)), np.zeros_like(masks))
        self.upper_mask = sum(
            ((masks >> box & 1) << bit for bit, box in enumerate(self.upper)), np.zeros_like(masks)
        )
        classes = np.array([len(totals) for totals in self.class_totals], dtype=np.int32)
        classes = np.where(self.canonical == masks, classes[self.upper_mask], 0)
        place = np.zeros_like(masks)
        self.level_sizes = []
        for filled in range(self.boxes + 1):
            chosen = self.filled == filled
            ends = np.cumsum(classes[chosen])
            place[chosen] = ends - classes[chosen]
            self.level_sizes.append(int(ends[-1]))
        self.place: Ints = place[self.canonical]

    def masks(self, filled: int) -> list[int]:
        """Return the masks of a level, in the order of their places."""
        own = self.canonical == np.arange(len(self.canonical))
        return [int(mask) for mask in np.flatnonzero(own & (self.filled == filled))]

    def level(self, filled: int) -> DoubleLevel:
        masks: list[int] = []
        totals: list[int] = []
        for mask in self.masks(filled):
            lowest = self.class_totals[self.upper_mask[mask]]
            masks += [mask] * len(lowest)
            totals += lowest
        return DoubleLevel(filled, np.array(masks, dtype=np.int32), np.array(totals, dtype=np.int32))

    def place_of(self, mask: int, total: int) -> int:
        """Return the place of any sheet in its level."""
        return int(self.place[mask] + self.class_of[self.upper_mask[mask], total])


def upper_gains(box: Box, counted: int) -> list[int]:
    """Return what may be written in an upper box."""
    assert isinstance(box.needs, OfFace)
    return [box.points.matching * box.needs.face * copies for copies in range(counted + 1)]


def canonical_masks(boxes: int, alike: list[list[int]]) -> Ints:
    """Return every mask with equal boxes filled in sheet order."""
    masks = np.arange(1 << boxes, dtype=np.int32)
    for group in alike:
        filled = sum((masks >> box & 1 for box in group), np.zeros_like(masks))
        for order, box in enumerate(group):
            masks = np.where(order < filled, masks | 1 << box, masks & ~(1 << box)).astype(np.int32)
    return masks


def sums(parts: list[list[int]]) -> set[int]:
    """Return every sum of one number from each part."""
    found = {0}
    for part in parts:
        found = {total + number for total in found for number in part}
    return found


def boxes_alike(boxes: tuple[Box, ...]) -> list[list[int]]:
    """Return groups of equal boxes outside the upper section."""
    groups: dict[object, list[int]] = {}
    for index, box in enumerate(boxes):
        if box.section != "upper":
            groups.setdefault((box.needs, box.points, box.strike), []).append(index)
    return [group for group in groups.values() if len(group) > 1]
