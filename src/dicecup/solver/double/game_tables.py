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
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dicecup.engine.legality import never_barred, rank_of, ways_to_fill
from dicecup.errors import UsageError
from dicecup.rules.model import Box, OfFace, Ruleset
from dicecup.rules.scoring import score_table
from dicecup.solver.components import bonus_by_total, check_rules, join_totals, lowest_totals
from dicecup.solver.double.multisets import multisets_by_rank

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
    """All sheets of a game, level by level. The lists need no NumPy; the arrays are for kernels."""

    def __init__(self, rules: Ruleset) -> None:
        self.boxes = len(rules.boxes)
        self.upper = rules.upper
        self.gains = [upper_gains(rules.boxes[box], rules.dice.counted) for box in self.upper]
        self.bonus = bonus_by_total(rules, sum(gains[-1] for gains in self.gains))
        found = [self.join_totals_of(filled) for filled in range(1 << len(self.upper))]
        # By [upper mask, total]: the class, or -1 if impossible; and the lowest total of each class.
        self.classes = [
            [classes.get(total, IMPOSSIBLE) for total in range(len(self.bonus))] for classes in found
        ]
        self.class_totals = [lowest_totals(classes) for classes in found]
        self.canonical = canonical_masks(self.boxes, boxes_alike(rules.boxes))
        self.number_sheets()

    def join_totals_of(self, filled: int) -> dict[int, int]:
        """Return the class of every possible total of a set of filled upper boxes."""
        done = [gains for bit, gains in enumerate(self.gains) if filled >> bit & 1]
        gains = sorted(sums([gains for bit, gains in enumerate(self.gains) if not filled >> bit & 1]))
        bonus = self.bonus
        return join_totals(
            sums(done), lambda total: tuple(bonus[total + gain] - bonus[total] for gain in gains)
        )

    def number_sheets(self) -> None:
        """Compute for every mask its upper boxes, and the place of its first class in its level."""
        self.is_own = [mask == own for mask, own in enumerate(self.canonical)]
        self.uppers = [0]
        for box in range(self.boxes):
            bit = 1 << self.upper.index(box) if box in self.upper else 0
            self.uppers += [upper | bit for upper in self.uppers]
        self.level_sizes = [0] * (self.boxes + 1)
        self.places: list[int] = []
        for mask, own in enumerate(self.canonical):
            if mask != own:  # the boxes of `own` are the same or come earlier
                self.places.append(self.places[own])
                continue
            filled = mask.bit_count()
            self.places.append(self.level_sizes[filled])
            self.level_sizes[filled] += len(self.class_totals[self.uppers[mask]])

    def place_of(self, mask: int, total: int) -> int:
        """Return the place of any sheet in its level."""
        return self.places[mask] + self.classes[self.uppers[mask]][total]

    def is_possible(self, mask: int, total: int) -> bool:
        """Return whether the upper boxes of a sheet can have such a total."""
        return 0 <= total < len(self.bonus) and self.classes[self.uppers[mask]][total] != IMPOSSIBLE

    def masks(self, filled: int) -> list[int]:
        """Return the masks of a level, in the order of their places."""
        return [mask for mask, own in enumerate(self.is_own) if own and mask.bit_count() == filled]

    @cached_property
    def place(self) -> Ints:
        return as_ints(self.places)

    @cached_property
    def upper_mask(self) -> Ints:
        return as_ints(self.uppers)

    @cached_property
    def class_of(self) -> Ints:
        return as_ints(self.classes)

    def level(self, filled: int) -> DoubleLevel:
        masks: list[int] = []
        totals: list[int] = []
        for mask in self.masks(filled):
            lowest = self.class_totals[self.uppers[mask]]
            masks += [mask] * len(lowest)
            totals += lowest
        return DoubleLevel(filled, as_ints(masks), as_ints(totals))


IMPOSSIBLE = -1


def as_ints(numbers: object) -> Ints:
    import numpy as np

    return np.array(numbers, dtype=np.int32)


def upper_gains(box: Box, counted: int) -> list[int]:
    """Return what may be written in an upper box."""
    assert isinstance(box.needs, OfFace)
    return [box.points.matching * box.needs.face * copies for copies in range(counted + 1)]


def canonical_masks(boxes: int, alike: list[list[int]]) -> list[int]:
    """Return every mask with equal boxes filled in sheet order."""
    masks = list(range(1 << boxes))
    for group in alike:
        whole = sum(1 << box for box in group)
        filled = [sum(1 << box for box in group[:count]) for count in range(len(group) + 1)]
        masks = [mask & ~whole | filled[(mask & whole).bit_count()] for mask in masks]
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
    """The most points that may be written, by [multiset][box]; multisets of one layer's dice by their rank.

    Under `last_resort` some ways to fill a box are barred while another box is open that pays: `barred` holds
    then, `free` otherwise.
    """

    free: list[list[int]]
    barred: list[list[int]]
    barring: list[int]  # [multiset]: the boxes that bar, as a mask; 0 if nothing is ever barred


def check_double_solvable(rules: Ruleset) -> None:
    """Raise an error for games whose state is more than the filled boxes and an upper total."""
    check_rules(rules)
    plain = (
        len(rules.dice.layers) == 2
        and len(rules.columns) == 1
        and rules.joker is None
        and rules.repeat is None
        and not any(box.after or box.above or box.once for box in rules.boxes)
        and len(rules.boxes) <= MOST_BOXES
    )
    if not plain:
        raise UsageError("double_not_solvable", ruleset=rules.id)


def box_points(rules: Ruleset) -> BoxPoints:
    """Compile what `engine.legality` allows."""
    found = BoxPoints([], [], [])
    for faces in multisets_by_rank(rules.dice.faces, rules.dice.count):
        free, barred, barring = [], [], 0
        for index, (box, scored) in enumerate(zip(rules.boxes, score_table(rules)[faces], strict=True)):
            ways = [points for points, _struck in ways_to_fill(box, scored.points)]
            ranks = [rank_of(rules, box, points, forced=False) for points in ways]
            enduring = [points for points, rank in zip(ways, ranks, strict=True) if rank.endurance]
            free.append(max(ways))
            barred.append(max(enduring, default=FORBIDDEN))
            barring |= any(rank.precedence for rank in ranks) << index
        found.free.append(free)
        found.barred.append(barred)
        found.barring.append(0 if never_barred(rules) else barring)
    return found


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


def game_lists(index: SheetIndex, points: BoxPoints) -> tuple[list[Any], ...]:
    """Return the tables of `GameTables` as lists."""
    is_upper = [int(box in index.upper) for box in range(index.boxes)]
    sheets = (index.places, index.uppers, index.classes, index.bonus)
    return (*sheets, points.free, points.barred, points.barring, is_upper)


def game_tables(index: SheetIndex, points: BoxPoints) -> GameTables:
    return GameTables(*map(as_ints, game_lists(index, points)))
