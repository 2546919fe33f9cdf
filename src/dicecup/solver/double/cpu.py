"""Whole levels on the processor: the same turns as for one sheet, a cache line of sheets side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.rules.model import Ruleset
from dicecup.solver.backends import Done
from dicecup.solver.compiled import is_compiled
from dicecup.solver.double.kernels import LANES, mean_throw
from dicecup.solver.double.sheets import Level, SheetIndex
from dicecup.solver.double.turn import SUM_BLOCKS, Sheets, TurnSolver


class CpuTurns:
    """The turns of one game, by numba's kernels on every core."""

    part = 512  # sheets between two savings: some seconds on two cores

    def __init__(self, rules: Ruleset, index: SheetIndex) -> None:
        self.solver = TurnSolver(rules, index)

    def compiled(self) -> bool:
        """Whether the kernel that is compiled last is there."""
        rows = np.empty((0, 0), dtype=np.float32)
        return is_compiled(mean_throw, rows, np.empty(0, dtype=np.int32), SUM_BLOCKS, np.empty((0, 0)))

    def solve_level(self, level: Level, after: npt.NDArray[Any], done: Done) -> npt.NDArray[Any]:
        """The values of a level's sheets, from those of the level after the turn."""
        values = np.empty(len(level))
        for first in range(0, len(level), LANES):
            end = min(first + LANES, len(level))
            sheets = Sheets(level.mask[first:end], level.total[first:end], after)
            values[first:end] = self.solver.start_values(sheets)
            done(end - first)
        return values
