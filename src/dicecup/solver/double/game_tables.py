"""Everything about a game of double dice that the kernels read, on the CPU and on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.engine.legality import never_barred, rank_of, ways_to_fill
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_table
from dicecup.solver.double.multisets import all_multisets
from dicecup.solver.double.sheet_index import SheetIndex

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


Ints = npt.NDArray[np.int32]


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
