"""Solving a game of double dice: level by level from the full sheet to the empty one, saved as it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dicecup.errors import UsageError
from dicecup.folders import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import check_double_solvable
from dicecup.solver.double.packed import ValueTable, make_header, pack, packed_table_path, unpack
from dicecup.solver.double.sheet_index import DoubleLevel, SheetIndex
from dicecup.solver.files.resume import UnfinishedDouble
from dicecup.solver.files.tables import write_aside
from dicecup.solver.single.cpu import BACKENDS, Done
from dicecup.solver.single.solve import Progress, Watch, ignore, unwritable


class DoubleBackend(Protocol):
    """A machine made ready for one game."""

    part: int  # sheets after which it is worth saving what is done

    def compiled(self) -> bool:
        """Whether work can start without compiling first."""

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], done: Done) -> npt.NDArray[Any]:
        """The values of some sheets of a level, from those of the level after the turn."""


def make_backend(name: str, rules: Ruleset, index: SheetIndex) -> DoubleBackend:
    if name == "cpu":
        from dicecup.solver.double.turn import CpuTurns

        return CpuTurns(rules, index)
    if name == "cuda":
        from dicecup.solver.double.cuda import CudaTurns

        return CudaTurns(rules, index)
    raise UsageError("backend_unknown", backend=name, known=", ".join(BACKENDS))


def solve_double(
    rules: Ruleset, *, backend: str = "cpu", folder: Path | None = None, watch: Watch = ignore
) -> ValueTable:
    """Solve the game and keep its table; what an earlier run left unfinished is taken up."""
    check_double_solvable(rules)
    index = SheetIndex(rules)
    machine = make_backend(backend, rules, index)
    path = packed_table_path(folder or tables_folder(), rules)
    with unwritable(path), UnfinishedDouble(path) as unfinished:
        levels = climb(index, machine, unfinished, watch)
        data = pack(make_header(rules, index, backend), index, levels)
        write_aside(path, data)
        unfinished.remove()
    return unpack(data, rules, index, path)


def climb(
    index: SheetIndex, machine: DoubleBackend, unfinished: UnfinishedDouble, watch: Watch
) -> dict[int, npt.NDArray[Any]]:
    """The values of every level, saved part by part."""
    levels = {index.boxes: np.zeros(1)}
    total = sum(index.level_sizes[::2])
    done = resumed = 1  # the full sheet is known

    def tell(sheets: int) -> None:
        nonlocal done
        done += sheets
        watch(Progress("solving", done, total, resumed))

    if not machine.compiled():
        watch(Progress("compiling"))
    for filled in range(index.boxes - 2, -1, -2):
        level = index.level(filled)
        values = unfinished.load(filled, len(level))
        resumed += len(values)
        done += len(values)
        for first in range(len(values), len(level), machine.part):
            rest = DoubleLevel(
                filled, level.mask[first:][: machine.part], level.total[first:][: machine.part]
            )
            values = np.append(values, machine.solve_level(rest, levels[filled + 2], tell))
            unfinished.save(filled, values)
        levels[filled] = values
    return levels
