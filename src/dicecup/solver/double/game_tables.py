"""Everything about a game of double dice that the kernels read, on the CPU and on a GPU: sheets as numbers,
points of boxes.

A sheet between turns is a mask of filled boxes and a class of upper totals: those from which every way to
go on gains the same bonus (see `components`). Equal boxes (Extra as a second Chance) are filled in
sheet order. The bonus is counted when it is reached, so a value is that of the rest of the game, whatever
was written so far. A level is the sheets with the same number of filled boxes; a place is a sheet's
number within its level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.engine.legality import never_barred, rank_of, ways_to_fill
from dicecup.errors import UsageError
from dicecup.rules.model import Box, OfFace, Ruleset
from dicecup.rules.scoring import score_table
from dicecup.solver.components import bonus_by_total, join_totals, lowest_totals
from dicecup.solver.double.multisets import all_multisets

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


FORBIDDEN = -(2**15)  # points of a box that may not be filled; far below any real ones, and a 16-bit integer
MOST_BOXES = 20


@dataclass(frozen=True)
class BoxPoints:
    """The most points that may be written, by [multiset, box]; multisets of one layer's dice by their rank.

    Under `last_resort` some ways to fill a box are barred while another box is open that pays: `barred` holds
    then, `free` otherwise.
    """

    free: npt.NDArray[np.int32]
    barred: npt.NDArray[np.int32]
    barring: npt.NDArray[np.int32]  # [multiset]: the boxes that bar, as a mask; 0 if nothing is ever barred


def check_double_solvable(rules: Ruleset) -> None:
    """Raise an error for games whose state is more than the filled boxes and an upper total."""
    plain = (
        len(rules.dice.layers) == 2
        and len(rules.columns) == 1
        and rules.joker is None
        and rules.repeat is None
        and not any(box.after or box.above for box in rules.boxes)
        and len(rules.boxes) <= MOST_BOXES
    )
    if not plain:
        raise UsageError("double_not_solvable", ruleset=rules.id)


def box_points(rules: Ruleset) -> BoxPoints:
    """Compile what `engine.legality` allows."""
    multisets = all_multisets(rules.dice.faces, rules.dice.count, np).T + 1
    shape = (len(multisets), len(rules.boxes))
    free, barred = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    barring = np.zeros(len(multisets), dtype=np.int32)
    for number, faces in enumerate(multisets.tolist()):
        scores = score_table(rules)[tuple(faces)]
        for index, box in enumerate(rules.boxes):
            ways = [points for points, _struck in ways_to_fill(box, scores[index].points)]
            ranks = [rank_of(rules, box, points, forced=False) for points in ways]
            enduring = [points for points, rank in zip(ways, ranks, strict=True) if rank.endurance]
            free[number, index] = max(ways)
            barred[number, index] = max(enduring, default=FORBIDDEN)
            barring[number] |= any(rank.precedence for rank in ranks) << index
    if never_barred(rules):
        barring[:] = 0
    return BoxPoints(free, barred, barring)


def layers_interchangeable(rules: Ruleset) -> bool:
    """Return whether exchanging inner and outer leaves every value.

    Under `last_resort` it does not: the layer scored first is barred by more open boxes than the other.
    """
    return never_barred(rules)


class GameTables(NamedTuple):
    """The game as arrays, in the order of `struct Game` in turns.cu."""

    place: Ints  # by mask
    upper_mask: Ints  # by mask
    class_of: Ints  # [upper mask, total]
    bonus: Ints  # [total]
    free: Ints  # see `BoxPoints`
    barred: Ints
    barring: Ints
    is_upper: Ints  # [box]


def game_tables(index: SheetIndex, points: BoxPoints) -> GameTables:
    is_upper = np.array([box in index.upper for box in range(index.boxes)])
    tables = (
        *(index.place, index.upper_mask, index.class_of, index.bonus),
        *(points.free, points.barred, points.barring, is_upper),
    )
    return GameTables(*(np.ascontiguousarray(table, dtype=np.int32) for table in tables))
