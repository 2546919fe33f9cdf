"""The CPU backend: one level at a time, its groups distributed over the cores."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from dicecup.solver.arrays import Array, empty_level
from dicecup.solver.compiled import is_compiled, kernel, parallel_kernel
from dicecup.solver.single.index import Index, Level
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import (
    gather_lower,
    gather_upper,
    pay_repeats,
    score_jokers,
    score_throws,
    turn,
)
from dicecup.solver.solution import OnBatch
from dicecup.solver.vector import lanes, store

# States between two checks of the clock and of Ctrl-C: an eighth of a second on two cores.
BATCH = 1 << 19


@kernel()
def solve_group(
    program: Program, lower: int, above: int, below: Any, starts: Any, level: Any, start: int
) -> None:
    """The values of all states of one group."""
    size = program.group_size[program.kinds[lower], above]
    rows = program.take_starts.size - 1
    throws, width = program.weights.size, lanes(below)
    work = np.empty(rows * width, below.dtype)
    final = np.empty(throws * width, below.dtype)
    ahead = np.empty(program.target_class.size * width, below.dtype)
    states = np.empty((program.stride.size + program.upper_states.shape[0], 2), np.int64)
    result = np.empty(width, below.dtype)
    jokers = program.joker_dice.size > 0 and program.ready[lower]
    for first in range(0, size, width):
        used = gather_lower(program, lower, above, first, below, starts, ahead, states)
        noted = gather_upper(program, lower, above, first, below, starts[lower], ahead, states, used)
        score_throws(program, ahead, states, noted, final, work)
        if jokers:
            score_jokers(program, lower, above, first, ahead, states, noted, final)
        if program.repeat_dice.size:
            pay_repeats(program, lower, above, first, final)
        store(result, 0, turn(program, work, final))
        for lane in range(min(width, size - first)):
            level[start + first + lane] = result[lane]


@parallel_kernel(nogil=True)
def solve_groups(
    program: Program, lowers: Any, open_boxes: int, below: Any, below_starts: Any, level: Any, starts: Any
) -> None:
    for number in numba.prange(lowers.size):
        lower = lowers[number]
        above = open_boxes - program.opens[lower]
        solve_group(program, lower, above, below, below_starts, level, starts[lower])


class CpuBackend:
    """Solves with all cores that Numba is given."""

    def __init__(self, index: Index, program: Program, precision: int) -> None:
        self.index = index
        self.program = program
        self.precision = precision

    def compiled(self, below: Array) -> bool:
        starts = np.zeros(1, dtype=np.int64)
        return is_compiled(solve_groups, self.program, starts, 1, below, starts, below, starts)

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        result = empty_level(level.size, self.precision)
        ends = np.append(level.starts[level.lowers[1:]], level.size)
        first = 0
        while first < len(level.lowers):
            reached = level.starts[level.lowers[first]]
            last = int(np.searchsorted(ends, reached + BATCH)) + 1
            lowers = level.lowers[first:last]
            solve_groups(self.program, lowers, level.open_boxes, values, below.starts, result, level.starts)
            on_batch(int(ends[min(last, len(ends)) - 1] - reached))
            first = last
        return result
