"""Solve a game by backward induction, level by level, with checkpoints, here or on an executor.

A task is sent as the rules, the numbers of its groups and the values of exactly those groups of the level
below that they can lead to. Workers build everything else from the rules, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dicecup.engine.state import bonus
from dicecup.errors import StorageError
from dicecup.executors import spread
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array, empty_level, number_type
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.files.tables import (
    Encoding,
    TableFile,
    TableHeader,
    TableWriter,
    open_table,
    table_path,
    write_errors,
)
from dicecup.solver.limits import PRECISIONS, unknown_backend
from dicecup.solver.single.index import PACK_FROM, Index, Level, build_index, check_room, check_solvable
from dicecup.solver.single.kernel_tables import KernelTables, build_program
from dicecup.solver.solution import OnBatch, OnProgress, Progress, no_callback

if TYPE_CHECKING:
    from dicecup.solver.single.level_kernels import CpuBackend

STATES = 1 << 18  # of a piece, about: some tenths of a second of one core, and some megabytes each way


class SpreadLevels:
    """Solves levels by an executor."""

    def __init__(self, index: Index, program: KernelTables, precision: int, executor: Executor) -> None:
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


def lowers_after(below: Level, lowers: Array, program: KernelTables) -> Array:
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
    """Compute the values of these groups in a worker, from those of the groups they can lead to."""
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
    from dicecup.solver.single.level_kernels import CpuBackend

    index = build_index(rules)
    return CpuBackend(index, build_program(index), precision)


class Backend(Protocol):
    """Solves the levels of one game in one precision."""

    def compiled(self, below: Array) -> bool:
        """Return whether work can start without compiling first."""

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        """Return the values of a level, from those of the level below."""


def make_backend(
    name: str, index: Index, program: KernelTables, precision: int, executor: Executor | None = None
) -> Backend:
    if executor:
        return SpreadLevels(index, program, precision, executor)
    if name == "cpu":
        from dicecup.solver.single.level_kernels import CpuBackend

        return CpuBackend(index, program, precision)
    if name == "cuda":
        from dicecup.solver.single.cuda import CudaBackend

        return CudaBackend(index, program, precision)
    raise unknown_backend(name)


def solve_single(
    rules: Ruleset,
    *,
    precision: int = PRECISIONS[0],
    backend: str = "cpu",
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    wait: bool = False,
    executor: Executor | None = None,
) -> TableFile:
    """Solve the game and keep its table, resuming from what an earlier run left unfinished.

    If another process is solving the game, raise an error, or `wait` for its table.
    """
    folder = folder or tables_folder()
    check_solvable(rules)
    check_room(rules, precision, folder)
    index = build_index(rules)
    machine = make_backend(backend, index, build_program(index), precision, executor)
    encoding: Encoding = "packed" if precision == 32 and index.states >= PACK_FROM else "plain"
    header = TableHeader(rules.id, rules.identity, precision, encoding, index.states, backend)
    path = table_path(folder, rules, precision)
    with write_errors(path), UnfinishedSolve(path, header, wait=wait) as unfinished:
        if wait and path.is_file():
            with suppress(StorageError):  # an invalid table is solved again
                return open_table(path, rules, precision)
        writer = TableWriter(path, header)
        values = resume(index, unfinished, writer)
        if values is None:
            writer.start()
            values = last_level(index, precision)
            save_level(index, 0, values, unfinished, writer)
        values = solve_levels(index, machine, unfinished, writer, values, on_progress)
        writer.finish(float(values[0]) * rules.columns[0].multiplier)
        unfinished.remove()
        return open_table(path, rules, precision)


def resume(index: Index, unfinished: UnfinishedSolve, writer: TableWriter) -> Array | None:
    """Resume an earlier run: return its last level, or None if there is nothing to resume from."""
    precision = writer.header.precision
    for number in reversed(unfinished.levels()):
        found = unfinished.load(number, number_type(precision))
        size = len(found.values)
        if size and size == index.level(number).size and writer.resume(found.note):
            values = empty_level(size, precision)
            values[:size] = found.values
            return values
    return None


def solve_levels(
    index: Index,
    machine: Backend,
    unfinished: UnfinishedSolve,
    writer: TableWriter,
    values: Array,
    on_progress: OnProgress,
) -> Array:
    """Solve all levels that are still missing; return the values of the last one."""
    sizes = [index.level(number).size for number in range(index.levels + 1)]
    reached = len(writer.header.sections)
    resumed = done = sum(sizes[:reached])

    def on_batch(states: int) -> None:
        nonlocal done
        done += states
        on_progress(Progress("solving", done, index.states, resumed))

    if reached <= index.levels and not machine.compiled(values):
        on_progress(Progress("compiling"))
    below = index.level(reached - 1)
    for number in range(reached, index.levels + 1):
        level = index.level(number)
        values = machine.solve_level(level, below, values, on_batch)
        save_level(index, number, values, unfinished, writer)
        below = level
    return values


def save_level(
    index: Index, number: int, values: Array, unfinished: UnfinishedSolve, writer: TableWriter
) -> None:
    """Write a level into the table, and save its values: the next level, or a later run, needs them."""
    sections = writer.add(number, encode(index, number, values, writer.header.encoding))
    unfinished.save(number, values[: index.level(number).size], sections)
    unfinished.forget(number - 1)


def last_level(index: Index, precision: int) -> Array:
    """Return the values of the full sheets: only the bonus is still to come."""
    level = index.level(0)
    values = empty_level(level.size, precision)
    for lower in level.lowers:
        kind = int(index.kinds[lower])
        group = index.groups[kind][0]
        totals = [total for member in group.members for total in index.upper.rows[kind][member].totals]
        start = level.starts[lower]
        values[start : start + group.size] = [bonus(index.rules, total) for total in totals]
    return values


def encode(index: Index, open_boxes: int, values: Array, encoding: Encoding) -> object:
    """Return a level as it is stored in the table."""
    level = index.level(open_boxes)
    if encoding == "plain":
        return values[: level.size]
    from dicecup.solver.single.packing import pack

    return pack(index, level, np.asarray(values))
