"""Solving a game of double dice: backwards, level by level, saved meanwhile."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dicecup.errors import StorageError
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import (
    DoubleLevel,
    SheetIndex,
    check_double_solvable,
    layers_interchangeable,
)
from dicecup.solver.double.multisets import multiset_count
from dicecup.solver.double.packed import ValueTable, make_header, pack, packed_table_path, unpack
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.files.tables import replace_file, write_errors
from dicecup.solver.limits import check_memory, cores, unknown_backend
from dicecup.solver.solution import OnBatch, OnProgress, Progress, no_callback

THROWS_PER_SECOND = 60_000_000  # of one core, by sheet; measured: docs/dice-in-dice-solved.md

WORK_NUMBERS = 30  # of 4 bytes for each multiset of dice: what is built meanwhile, and the lanes of a batch


class DoubleBackend(Protocol):
    """Solves the levels of one game."""

    part: int  # sheets between two saves

    def compiled(self) -> bool:
        """Return whether work can start without compiling first."""

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of some sheets of a level, from those of the level after the turn."""


def make_backend(name: str, rules: Ruleset, index: SheetIndex) -> DoubleBackend:
    if name == "cpu":
        from dicecup.solver.double.turn import CpuTurns

        return CpuTurns(rules, index)
    if name == "cuda":
        from dicecup.solver.double.cuda import CudaTurns

        return CudaTurns(rules, index)
    raise unknown_backend(name)


def solve_seconds(rules: Ruleset, index: SheetIndex) -> float:
    """Estimate how long a solve takes on this machine's processor."""
    throws = multiset_count(rules.dice.faces**2, rules.dice.count)
    if layers_interchangeable(rules):
        throws //= 2
    return sum(index.level_sizes[::2]) * throws / THROWS_PER_SECOND / cores()


def check_room(rules: Ruleset) -> None:
    """Raise an error if memory is too small for the lattice of the dice and the work space of a turn."""
    dice, faces = rules.dice.count, rules.dice.faces**2
    rows = [multiset_count(faces, size) for size in range(dice + 1)]
    numbers = sum(count * (faces + size + WORK_NUMBERS) for size, count in enumerate(rows[:-1]))
    numbers += rows[-1] * (dice + WORK_NUMBERS)
    check_memory(4 * numbers // (2 if layers_interchangeable(rules) else 1))


def solve_double(
    rules: Ruleset,
    *,
    backend: str = "cpu",
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    wait: bool = False,
) -> ValueTable:
    """Solve the game and keep its table, resuming from what an earlier run left unfinished.

    If another process is solving the game, raise an error, or `wait` for its table.
    """
    check_double_solvable(rules)
    if backend == "cpu":
        check_room(rules)
    index = SheetIndex(rules)
    machine = make_backend(backend, rules, index)
    path = packed_table_path(folder or tables_folder(), rules)
    header = make_header(rules, index, backend)
    with write_errors(path), UnfinishedSolve(path, header, wait=wait) as unfinished:
        if wait and path.is_file():
            with suppress(StorageError):  # a bad one is solved again
                return unpack(path.read_bytes(), rules, index, path)
        levels = solve_levels(index, machine, unfinished, on_progress)
        data = pack(header, index, levels)
        replace_file(path, data)
        unfinished.remove()
    return unpack(data, rules, index, path)


def solve_levels(
    index: SheetIndex, machine: DoubleBackend, unfinished: UnfinishedSolve, on_progress: OnProgress
) -> dict[int, npt.NDArray[Any]]:
    """Return the values of every level, saved part by part."""
    levels = {index.boxes: np.zeros(1)}
    total = sum(index.level_sizes[::2])
    done = resumed = 1  # the full sheet is known

    def on_batch(sheets: int) -> None:
        nonlocal done
        done += sheets
        on_progress(Progress("solving", done, total, resumed))

    if not machine.compiled():
        on_progress(Progress("compiling"))
    for filled in range(index.boxes - 2, -1, -2):
        level = index.level(filled)
        values = unfinished.load(filled, np.float64).values[: len(level)]
        resumed += len(values)
        done += len(values)
        for first in range(len(values), len(level), machine.part):
            rest = DoubleLevel(
                filled, level.mask[first:][: machine.part], level.total[first:][: machine.part]
            )
            values = np.append(values, machine.solve_level(rest, levels[filled + 2], on_batch))
            unfinished.save(filled, values)
        levels[filled] = values
    return levels
