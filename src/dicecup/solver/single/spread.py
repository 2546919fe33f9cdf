"""Levels of a game solved by the workers of an executor, some groups of states at a time.

A piece travels as the rules, the numbers of its groups and the values of exactly those groups of the level
below that they can lead to. Workers build everything else from the rules, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import lru_cache
from typing import Any

import numpy as np

from dicecup.executors import spread
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array, empty_level
from dicecup.solver.single.index import Index, Level, build_index
from dicecup.solver.single.kernel_tables import Program, build_program
from dicecup.solver.single.level_kernels import CpuBackend
from dicecup.solver.solution import OnBatch, no_callback

STATES = 1 << 18  # of a piece, about: some tenths of a second of one core, and some megabytes each way


class SpreadLevels:
    """Solves levels by an executor."""

    def __init__(self, index: Index, program: Program, precision: int, executor: Executor) -> None:
        self.index = index
        self.program = program
        self.precision = precision
        self.executor = executor

    def compiled(self, below: Array) -> bool:  # noqa: ARG002
        """Workers compile by themselves."""
        return True

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        """Return the values of a level, from those of the level below."""
        result, reached = empty_level(level.size, self.precision), 0
        for part in spread(self.executor, solve_piece, self.pieces(level, below, values)):
            result[reached : reached + len(part)] = part
            reached += len(part)
            on_batch(len(part))
        return result

    def pieces(self, level: Level, below: Level, values: Array) -> Iterator[tuple[Any, ...]]:
        first = 0
        ends = np.append(level.starts[level.lowers[1:]], level.size)
        while first < len(level.lowers):
            reached = level.starts[level.lowers[first]]
            last = int(np.searchsorted(ends, reached + STATES)) + 1
            lowers = level.lowers[first:last]
            after = lowers_after(below, lowers, self.program)
            yield (
                self.index.rules,
                self.precision,
                level.open_boxes,
                lowers,
                values_after(self.index, below, after, values),
            )
            first = last


def lowers_after(below: Level, lowers: Array, program: Program) -> Array:
    """Return the lower classes whose groups in the level below these can lead to, in ascending order."""
    found = [lowers]  # filling an upper box leaves the lower class as it is
    for part, stride in enumerate(program.stride):
        digits = lowers // stride % program.digits[part]
        for digit in np.unique(digits):
            state = program.digit_state[program.digit_first[part] + digit]
            targets = program.target_class[program.target_start[state] : program.target_start[state + 1]]
            here = lowers[digits == digit]
            found += [here + (int(target) - digit) * stride for target in np.unique(targets)]
    after = np.unique(np.concatenate(found))
    return np.asarray(after[below.starts[after] != NOWHERE])


def sizes_of(index: Index, open_boxes: int, lowers: Array) -> Array:
    """Return how many states of a level have each of these lower classes."""
    return np.asarray(
        index.group_sizes[index.kinds[lowers], open_boxes - index.opens[lowers].astype(np.int64)]
    )


def values_after(index: Index, below: Level, after: Array, values: Array) -> Array:
    """Return the values of these groups of the level below, one group after the other."""
    sizes = sizes_of(index, below.open_boxes, after)
    begins = np.cumsum(sizes) - sizes
    return np.asarray(values[np.arange(sizes.sum()) + np.repeat(below.starts[after] - begins, sizes)])


def solve_piece(rules: Ruleset, precision: int, open_boxes: int, lowers: Array, values: Array) -> Array:
    """What a worker does: the values of these groups, from those of the groups they can lead to."""
    machine = backend_of(rules, precision)
    index = machine.index
    whole, below = index.level(open_boxes), index.level(open_boxes - 1)
    after = lowers_after(below, lowers, machine.program)
    sizes = sizes_of(index, open_boxes - 1, after)
    starts = np.full_like(below.starts, NOWHERE)
    starts[after] = np.cumsum(sizes) - sizes
    room = empty_level(len(values), precision)
    room[: len(values)] = values
    size = int(sizes_of(index, open_boxes, lowers).sum())
    piece = Level(open_boxes, lowers, whole.starts - whole.starts[lowers[0]], size)
    ahead = Level(open_boxes - 1, after, starts, len(values))
    return machine.solve_level(piece, ahead, room, no_callback)[:size]


@lru_cache(maxsize=1)
def backend_of(rules: Ruleset, precision: int) -> CpuBackend:
    index = build_index(rules)
    return CpuBackend(index, build_program(index), precision)
