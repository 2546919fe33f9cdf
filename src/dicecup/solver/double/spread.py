"""Levels of a game of double dice solved by the workers of an executor, some sheets at a time.

A piece travels as the rules, the numbers of its sheets and the values of exactly those sheets that they can
lead to. Workers build everything else from the rules, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.executors import spread
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import DoubleLevel, SheetIndex
from dicecup.solver.double.turn import LANES, CpuTurns
from dicecup.solver.solution import OnBatch, no_callback

SHEETS = 8 * LANES  # of a piece: some seconds of one core; whole vectors, as on one machine


class SpreadTurns:
    """The turns of one game, by an executor."""

    part = 512 * LANES  # sheets between two saves

    def __init__(self, rules: Ruleset, index: SheetIndex, executor: Executor) -> None:
        self.rules = rules
        self.index = index
        self.executor = executor

    def compiled(self) -> bool:
        """Workers compile by themselves."""
        return True

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of some sheets of a level, from those of the level after the turn."""
        found = []
        for values in spread(self.executor, solve_piece, self.pieces(level, after)):
            found.append(values)
            on_batch(len(values))
        return np.concatenate(found)

    def pieces(self, level: DoubleLevel, after: npt.NDArray[Any]) -> Iterator[tuple[Any, ...]]:
        for first in range(0, len(level), SHEETS):
            mask, total = level.mask[first : first + SHEETS], level.total[first : first + SHEETS]
            places = places_after(self.index, mask)
            yield self.rules, level.filled, mask, total, after[places]


def places_after(index: SheetIndex, masks: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the places of all sheets that a turn can lead to from these, in ascending order."""
    found = set()
    for mask in {int(mask) for mask in masks}:
        boxes = [box for box in range(index.boxes) if not mask >> box & 1]
        found |= {index.canonical[mask | 1 << one | 1 << other] for one, other in combinations(boxes, 2)}
    rows = [index.place[mask] + np.arange(len(index.class_totals[index.upper_mask[mask]])) for mask in found]
    return np.sort(np.concatenate(rows)).astype(np.int64)


def solve_piece(
    rules: Ruleset,
    filled: int,
    mask: npt.NDArray[np.int32],
    total: npt.NDArray[np.int32],
    values: npt.NDArray[Any],
) -> npt.NDArray[Any]:
    """What a worker does: the values of these sheets."""
    turns = turns_of(rules)
    index = turns.solver.index
    after = np.zeros(index.level_sizes[filled + 2])
    after[places_after(index, mask)] = values
    return turns.solve_level(DoubleLevel(filled, mask, total), after, no_callback)


@lru_cache(maxsize=1)
def turns_of(rules: Ruleset) -> CpuTurns:
    return CpuTurns(rules, SheetIndex(rules))
