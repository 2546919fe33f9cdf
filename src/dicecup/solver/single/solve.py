"""Solving a game: level by level from the full sheet to the empty one, kept on disk as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dicecup.engine.totals import bonus
from dicecup.errors import StorageError
from dicecup.folders import tables_folder
from dicecup.messages import problem_of
from dicecup.rules.model import Ruleset
from dicecup.solver.files.resume import UnfinishedTable
from dicecup.solver.files.tables import Encoding, TableFile, TableHeader, open_table, table_path
from dicecup.solver.limits import PACK_FROM, check_room, check_solvable
from dicecup.solver.single.cpu import PRECISIONS, Backend, empty_level, make_backend
from dicecup.solver.single.index import Array, Index, build_index
from dicecup.solver.single.kernel_tables import build_program


@dataclass(frozen=True)
class Progress:
    """How far a solve is. `resumed`: states that an earlier run had done."""

    stage: Literal["compiling", "solving"]
    done: int = 0
    total: int = 1
    resumed: int = 0


Watch = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Ignore progress."""


def solve_single(
    rules: Ruleset,
    *,
    precision: int = PRECISIONS[0],
    backend: str = "cpu",
    folder: Path | None = None,
    watch: Watch = ignore,
    wait: bool = False,
) -> TableFile:
    """Solve the game and keep its table; what an earlier run left unfinished is taken up.

    Where another process is at it already: `wait` for its table.
    """
    folder = folder or tables_folder()
    check_solvable(rules)
    index = build_index(rules)
    machine = make_backend(backend, index, build_program(index), precision)
    check_room(index, precision, folder)
    encoding: Encoding = "packed" if precision == 32 and index.states >= PACK_FROM else "plain"
    header = TableHeader(rules.id, rules.identity, precision, encoding, index.states, backend)
    path = table_path(folder, rules, precision)
    with unwritable(path), UnfinishedTable(path, header, wait=wait) as unfinished:
        if wait and path.is_file():
            with suppress(StorageError):  # a bad one is made anew
                return open_table(path, rules, precision)
        values = unfinished.resume(index)
        if values is None:
            unfinished.begin()
            values = last_level(index, precision)
            unfinished.add(0, values[: index.level(0).size], encode(index, 0, values, encoding))
        values = climb(index, machine, unfinished, values, watch)
        unfinished.finish(float(values[0]) * rules.columns[0].multiplier)
        return open_table(path, rules, precision)


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Whatever the system refuses in here is about this file."""
    try:
        yield
    except OSError as error:
        raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None


def climb(index: Index, machine: Backend, unfinished: UnfinishedTable, values: Array, watch: Watch) -> Array:
    """All levels that are still missing."""
    sizes = [index.level(number).size for number in range(index.levels + 1)]
    reached = len(unfinished.header.sections)
    resumed = done = sum(sizes[:reached])

    def tell(states: int) -> None:
        nonlocal done
        done += states
        watch(Progress("solving", done, index.states, resumed))

    if reached <= index.levels and not machine.compiled(values):
        watch(Progress("compiling"))
    below = index.level(reached - 1)
    for number in range(reached, index.levels + 1):
        level = index.level(number)
        values = machine.solve_level(level, below, values, tell)
        unfinished.add(
            number, values[: level.size], encode(index, number, values, unfinished.header.encoding)
        )
        below = level
    return values


def last_level(index: Index, precision: int) -> Array:
    """The full sheets: nothing more to come but the bonus."""
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
    """A level as the table keeps it."""
    level = index.level(open_boxes)
    if encoding == "plain":
        return values[: level.size]
    from dicecup.solver.files.packing import pack

    return pack(index, level, np.asarray(values))
