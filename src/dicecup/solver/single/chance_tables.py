"""Tables of chances: the rows of all sheets of a game, for one way to play.

Each number is stored as a whole number of 65,535ths, and of a row only the part between certain and
impossible. The numbers of the empty sheet are stored unrounded too.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from dicecup.engine.state import empty_sheet
from dicecup.errors import StorageError
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.compiled import entry_kernel
from dicecup.solver.files.resume import UnfinishedSolve
from dicecup.solver.files.tables import (
    TableFile,
    TableHeader,
    TableWriter,
    open_table,
    table_path,
    write_errors,
)
from dicecup.solver.limits import check_disk, check_memory
from dicecup.solver.single.row_kernels import RowLevel
from dicecup.solver.single.rows import NUMBERS, BonusRows, Descent, Rows, Wanted
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.solution import OnProgress, Play, Progress, no_callback

PRECISION = 16
ROW_BYTES = 2.0  # of a number in a table; most rows are stored in part only


@entry_kernel(nogil=True)
def measure_rows(states: Any, rows: RowLevel, begins: Any, ends: Any) -> None:
    """Find the part of each row whose numbers are neither 0 nor 1 when they are rounded."""
    for number in range(states.size):
        first, length = rows.first[states[number]], rows.length[states[number]]
        begin, end = 0, length
        while begin < length and rows.values[first + begin] * 65535.0 < 0.5:
            begin += 1
        while end > begin and rows.values[first + end - 1] * 65535.0 >= 65534.5:
            end -= 1
        begins[number], ends[number] = begin, end


@entry_kernel(nogil=True)
def round_rows(states: Any, rows: RowLevel, begins: Any, ends: Any, values: Any) -> None:
    """Write these parts one after the other as whole numbers."""
    place = 0
    for number in range(states.size):
        first = rows.first[states[number]]
        for column in range(begins[number], ends[number]):
            values[place] = np.uint16(min(max(rows.values[first + column], 0.0), 1.0) * 65535.0 + 0.5)
            place += 1


def pack_level(level: Wanted, rows: RowLevel, bonus: RowLevel) -> dict[str, Array]:
    """Return a level as it is stored."""
    begins, ends = np.empty_like(level.states), np.empty_like(level.states)
    measure_rows(level.states, rows, begins, ends)
    lengths = ends - begins
    values = np.empty(int(lengths.sum()), np.uint16)
    round_rows(level.states, rows, begins, ends, values)
    length, base = np.zeros(level.size, np.int32), np.zeros(level.size, np.int32)
    length[level.states], base[level.states] = lengths, rows.base[level.states] + begins
    paid = np.zeros(level.size, np.uint16)
    paid[level.states] = np.rint(np.clip(bonus.values, 0, 1) * 65535)
    # An array without entries could not be mapped into memory.
    return {"length": length, "base": base, "bonus": paid, "values": np.append(values, np.uint16(0))}


class ChanceTable:
    """The stored rows of all sheets, for one way to play."""

    def __init__(self, solution: SingleSolution, table: TableFile) -> None:
        self.solution = solution
        self.table = table
        self.levels: dict[int, tuple[RowLevel, RowLevel]] = {}

    def level(self, open_boxes: int) -> tuple[RowLevel, RowLevel]:
        """The rows of a level, and those of the bonus."""
        if open_boxes not in self.levels:
            arrays = self.table.arrays(open_boxes)
            starts = self.solution.index.level(open_boxes).starts
            length = arrays["length"].astype(np.int64)
            rows = RowLevel(starts, np.cumsum(length) - length, length, arrays["base"], arrays["values"])
            states = len(length)
            ones = np.ones(states, np.int64)
            bonus = RowLevel(starts, np.arange(states), ones, np.zeros(states, np.int64), arrays["bonus"])
            self.levels[open_boxes] = rows, bonus
        return self.levels[open_boxes]

    @property
    def whole_game(self) -> tuple[int, Array, float]:
        """Of the empty sheet, not rounded: the fewest points, the curve, the chance of the bonus."""
        arrays = self.table.arrays(len(self.table.header.sections) - 1)
        return int(arrays["least"][0]), arrays["curve"], float(arrays["paid"][0])


def chances_path(folder: Path, rules: Ruleset, play: Play) -> Path:
    return table_path(folder, rules, f"{play}-{PRECISION}")


def find_chances(solution: SingleSolution, play: Play, folder: Path | None = None) -> ChanceTable | None:
    """Return the table, if there is one. One that is damaged is as good as none: it is worked out again."""
    path = chances_path(folder or tables_folder(), solution.rules, play)
    if path.exists():
        with suppress(StorageError):
            return ChanceTable(solution, open_table(path, solution.rules, PRECISION))
    return None


def solve_chances(
    solution: SingleSolution,
    play: Play,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    wait: bool = False,
) -> ChanceTable:
    """Compute the rows of all sheets and keep them, resuming from what an earlier run left unfinished."""
    rules, folder = solution.rules, folder or tables_folder()
    path = chances_path(folder, rules, play)
    descent = Descent(solution, solution.place(empty_sheet(rules)))
    sizes = [int((level.most - level.least)[level.states].sum()) for level in descent.levels]
    number = np.dtype(NUMBERS[play]).itemsize
    check_memory(2 * number * max(sizes) + (1 << 29))
    check_disk(folder, int(ROW_BYTES * sum(sizes)) + number * max(sizes))
    header = TableHeader(rules.id, rules.identity, PRECISION, "rows", sum(sizes), "cpu")
    with write_errors(path), UnfinishedSolve(path, header, wait=wait) as unfinished:
        if wait and path.is_file():
            with suppress(StorageError):  # a bad one is solved again
                return ChanceTable(solution, open_table(path, rules, PRECISION))
        writer = TableWriter(path, header)
        rows, bonus = Rows(descent, play), BonusRows(descent, play)
        reached = resume_rows(descent, rows, bonus, unfinished, writer)
        done = resumed = sum(sizes[:reached])
        total = sum(sizes)
        for open_boxes in range(reached, len(descent.levels)):
            level = descent.levels[open_boxes]
            if open_boxes:
                solved = 0
                for share in rows.solve_level(level):
                    solved += share
                    part = sizes[open_boxes] * solved // len(level.states)
                    on_progress(Progress("solving", done + part, total, resumed))
                for _ in bonus.solve_level(level):
                    pass
            done += sizes[open_boxes]
            arrays = pack_level(level, rows.rows, bonus.rows)
            if open_boxes == len(descent.levels) - 1:
                arrays |= first_sheet(descent, rows, bonus)
            sections = writer.add(open_boxes, Encoded(arrays))
            values = np.concatenate([rows.rows.values, bonus.rows.values.astype(rows.number)])
            unfinished.save(open_boxes, values, sections)
            unfinished.forget(open_boxes - 1)
        least, curve, _ = whole_game(descent, rows, bonus)
        writer.finish(least + float(curve[1:].sum()))
        unfinished.remove()
        return ChanceTable(solution, open_table(path, rules, PRECISION))


class Encoded:
    """Arrays by name, as the writer of tables takes them."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.arrays = arrays

    def _asdict(self) -> dict[str, Array]:
        return self.arrays


def resume_rows(
    descent: Descent, rows: Rows, bonus: BonusRows, unfinished: UnfinishedSolve, writer: TableWriter
) -> int:
    """Take up what an earlier run left; return the number of levels that it solved."""
    for number in reversed(unfinished.levels()):
        if number >= len(descent.levels):
            continue
        found = unfinished.load(number, NUMBERS[rows.play])
        level = descent.levels[number]
        room, paid = rows.empty(level), bonus.empty(level)
        if len(found.values) == len(room.values) + len(paid.values) and writer.resume(found.note):
            room.values[:] = found.values[: len(room.values)]
            paid.values[:] = found.values[len(room.values) :]
            rows.rows, bonus.rows = room, paid
            return number + 1
    writer.start()
    return 0


def whole_game(descent: Descent, rows: Rows, bonus: BonusRows) -> tuple[int, Array, float]:
    top = descent.levels[-1]
    curve = np.concatenate([[1.0], np.clip(rows.first_row()[::-1], 0.0, 1.0)])
    return int(top.least[top.states[0]]), curve, float(np.clip(bonus.first_row()[0], 0.0, 1.0))


def first_sheet(descent: Descent, rows: Rows, bonus: BonusRows) -> dict[str, Array]:
    least, curve, paid = whole_game(descent, rows, bonus)
    return {"least": np.array([least]), "curve": curve, "paid": np.array([paid])}
