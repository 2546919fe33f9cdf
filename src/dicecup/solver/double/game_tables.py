"""Everything about a game that the kernels read, on the processor and on a card."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.solver.double.points import BoxPoints
from dicecup.solver.double.sheets import SheetIndex

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
