"""Everything about a game of double dice that the kernels read, on the processor and on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.errors import UsageError
from dicecup.rules.model import Points, Ruleset
from dicecup.rules.scoring import score_table
from dicecup.solver.double.lattice import all_multisets
from dicecup.solver.double.sheet_index import SheetIndex

FORBIDDEN = -(2**15)  # points of a box that may not be filled; far below any real ones, still a small integer
MOST_BOXES = 20


@dataclass(frozen=True)
class BoxPoints:
    """Points by [multiset, box], multisets of one layer's dice in the order of their rank.

    Under `last_resort` a 0 may be written only when no open box gives points: `forced` holds while one does,
    `free` otherwise. Where strikes are free, `free` always holds.
    """

    plain: npt.NDArray[np.int32]  # what the box gives, strikes aside
    can_score: npt.NDArray[np.bool_]  # [box]: a box that never gives points is not struck when it is filled
    free: npt.NDArray[np.int32]
    forced: npt.NDArray[np.int32]
    scoring: npt.NDArray[
        np.int32
    ]  # [multiset]: the boxes that give more than 0, as a mask; 0 if never forced


def check_double_solvable(rules: Ruleset) -> None:
    """Refuse games that need more remembered than filled boxes and an upper total."""
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
    table = score_table(rules)
    multisets = all_multisets(rules.dice.faces, rules.dice.count, np).T + 1
    scores = [table[tuple(int(face) for face in faces)] for faces in multisets]
    points = np.array([[scored.points for scored in row] for row in scores], dtype=np.int32)
    strikable = np.array([box.strike for box in rules.boxes])
    can_score = np.array([box.points != Points() for box in rules.boxes])
    free = np.where(strikable, np.maximum(points, 0), points)
    if rules.strike == "free":
        return BoxPoints(points, can_score, free, free, np.zeros(len(points), dtype=np.int32))
    forced = np.where((points == 0) & can_score, FORBIDDEN, points)
    scoring = ((points > 0) << np.arange(len(rules.boxes))).sum(axis=1)
    return BoxPoints(points, can_score, free, forced.astype(np.int32), scoring.astype(np.int32))


def layers_interchangeable(rules: Ruleset) -> bool:
    """Whether exchanging inner and outer leaves every value.

    Under `last_resort` it does not: the layer scored first sees more open boxes than the other.
    """
    return rules.strike == "free"


Ints = npt.NDArray[np.int32]


class GameTables(NamedTuple):
    """In the order of `struct Game` in turns.cu."""

    place: Ints  # by mask
    upper_mask: Ints  # by mask
    class_of: Ints  # [upper mask, total]
    bonus: Ints  # [total]
    free: Ints  # [multiset, box]: points, see `points`
    forced: Ints  # [multiset, box]
    scoring: Ints  # [multiset]
    is_upper: Ints  # [box]


def game_tables(index: SheetIndex, points: BoxPoints) -> GameTables:
    is_upper = np.array([box in index.upper for box in range(index.boxes)])
    tables = (
        *(index.place, index.upper_mask, index.class_of, index.bonus),
        *(points.free, points.forced, points.scoring, is_upper),
    )
    return GameTables(*(np.ascontiguousarray(table, dtype=np.int32) for table in tables))
