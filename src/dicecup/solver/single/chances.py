"""Chances of a game of one layer and one column: how it may end, the best chance of a target; their tables.

Each chance is stored as a 16-bit integer, n/65,535; parts of a row that are exactly 0 or 1 are not stored.
The chances of the empty sheet are stored unrounded too.

For sheets with few open boxes everything is computed when it is asked for; for others there are tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from dicecup.engine.state import Sheet, State, empty_sheet, final_score, turn_start
from dicecup.errors import PositionError, StorageError, UsageError
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
from dicecup.solver.limits import check_disk, check_memory, command_line
from dicecup.solver.single.chance_turn import Aims, ChanceTurn, RowTurn
from dicecup.solver.single.row_kernels import RowLevel
from dicecup.solver.single.rows import NUMBERS, BonusRows, Descent, Rows, UtilityRows, Wanted
from dicecup.solver.single.solution import SingleSolution, faces_of, points_so_far
from dicecup.solver.solution import FinalScores, OnProgress, Play, Progress, Solution, no_callback

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
    """Return the table, if there is one. A damaged one is ignored and computed again."""
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
            with suppress(StorageError):  # an invalid table is computed again
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


MOST_ASKED = 9  # open boxes: the rows of so few are computed when they are asked for, in a second or two
ALWAYS_ASKED = 6  # open boxes: for so few that is as quick as reading a table, which is rounded
REMEMBERED = 32


class GameChances:
    """The chances of one game: from its tables, or computed when they are asked for.

    `folder` is where tables are looked for. Without `stored` none is read: tables are rounded, so what is
    computed from them may differ in the last digits. Threads may not share it.
    """

    def __init__(self, solution: SingleSolution, folder: Path | None = None, *, stored: bool = True) -> None:
        self.solution = solution
        self.stored = stored
        self.folder = folder or tables_folder()
        self.tables: dict[Play, ChanceTable | None] = {}
        self.remembered: dict[tuple[Sheet, Play, type[Rows]], RowLevel] = {}
        self.waiting: dict[Sheet, FinalScores] = {}  # of the last players asked for

    def table(self, play: Play) -> ChanceTable | None:
        if not self.stored:
            return None
        if self.tables.get(play) is None:
            self.tables[play] = find_chances(self.solution, play, self.folder)
        return self.tables[play]

    def rows(self, sheet: Sheet, play: Play, kind: type[Rows] = Rows) -> RowLevel:
        """The rows of the level below a sheet, which its turn needs: of totals, or of the bonus.

        Where computing them takes long and there is no table, an error says what to run once.
        """
        key = sheet, play, kind
        if key not in self.remembered:
            if len(self.remembered) >= REMEMBERED:
                self.remembered.pop(next(iter(self.remembered)))
            self.remembered[key] = self._rows(sheet, play, kind)
        return self.remembered[key]

    def _rows(self, sheet: Sheet, play: Play, kind: type[Rows]) -> RowLevel:
        place = self.solution.place(sheet)
        table = self.table(play) if place.level > min(ALWAYS_ASKED, MOST_ASKED) else None
        if table is not None:
            totals, bonus = table.level(place.level - 1)
            return bonus if kind is BonusRows else totals
        if place.level > MOST_ASKED:
            raise chances_take_long(self.solution.rules, play)
        rows = kind(Descent(self.solution, place), play)
        rows.solve()
        assert rows.below is not None
        return rows.below

    def can_compute(self, sheet: Sheet) -> bool:
        """Whether the rows of a sheet can be had without a table."""
        return self.solution.place(sheet).level <= MOST_ASKED

    def final_scores_of_waiting(self, sheets: Sequence[Sheet]) -> list[FinalScores]:
        """The final scores of players who are waiting for their turns, without the chance of the bonus.

        They are cached: nothing changes for them during the up to three decisions of another player.
        """
        rules, known = self.solution.rules, self.waiting
        self.waiting = {
            sheet: known.get(sheet) or self.final_scores(turn_start(rules, (sheet,), 0), bonus=False)
            for sheet in sheets
        }
        return [self.waiting[sheet] for sheet in sheets]

    def final_scores(self, state: State, play: Play = "points", *, bonus: bool = True) -> FinalScores:
        """The chances of all final scores of the player whose turn it is.

        In `target` play each number of the curve is the best chance of that target by itself. Without `bonus`
        its chance is left out: computing it is a third of the work.
        """
        rules, sheet = self.solution.rules, state.sheet
        times = rules.columns[0].multiplier
        if sheet.full:
            score = final_score(rules, sheet)
            return FinalScores(score, (1.0,), float(score > times * points_so_far(rules, sheet)))
        table = self.table(play) if sheet == empty_sheet(rules) and not state.dice else None
        if table is not None:
            least, curve, paid = table.whole_game
            return FinalScores(times * least, multiplied(curve, times), paid)
        rows = self.rows(sheet, play)
        so_far, by_points = points_so_far(rules, sheet), play == "points"
        least, most = reach(self.solution, sheet, rows)
        aims = Aims.at_least(*range(times * (so_far + least), times * (so_far + most) + 1, times))
        curve = self._now(RowTurn(self.solution, sheet, rows, aims, by_points=by_points), state)
        chance = self._bonus(state, play) if bonus else None
        return FinalScores(times * (so_far + least), multiplied(curve, times), chance)

    def _bonus(self, state: State, play: Play) -> float:
        """The chance of the bonus."""
        rules, sheet = self.solution.rules, state.sheet
        one = Aims.at_least(rules.columns[0].multiplier * points_so_far(rules, sheet))
        below = self.rows(sheet, play, BonusRows)
        paid = RowTurn(self.solution, sheet, below, one, by_points=play == "points", counting=False)
        return float(self._now(paid, state)[0])

    def _now(self, turn: RowTurn, state: State) -> Array:
        """The numbers of this moment of a turn."""
        numbers, keeps = self.solution.lattice.number, self.solution.lattice.keeps
        if not state.dice:
            return turn.value
        if state.kept is not None:
            return np.asarray(turn.kept[state.throws_left - 1][numbers[faces_of(state.kept)]])
        return np.asarray(turn.thrown[state.throws_left][numbers[faces_of(state.dice)] - keeps])


class AimSolution(Solution):
    """A game played for an aim: every value is the chance to reach it instead of points.

    Where the rows of the sheets after a turn are those of single targets, a weighted aim is the mean of the
    best chances of its targets: what could be had if the target were known from now on.
    """

    def __init__(self, chances: GameChances, aims: Aims) -> None:
        self.chances = chances
        self.rules = chances.solution.rules
        self.aims = aims

    def _unchecked_turn(self, sheet: Sheet) -> ChanceTurn:
        rows = None if sheet.full else self.chances.rows(sheet, "target")
        return ChanceTurn(self.chances.solution, sheet, rows, self.aims, by_points=False)


class UtilitySolution(Solution):
    """A game played for the highest mean of a function of the final score, exactly: for few open boxes.

    `utility(score)` is what a final score is worth, between 0 and 1.
    """

    def __init__(self, solution: SingleSolution, sheet: Sheet, utility: Callable[[int], float]) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.sheet = sheet
        self.utility = utility
        self.rows: UtilityRows | None = None
        if not sheet.full:
            descent = Descent(solution, solution.place(sheet))
            top = descent.levels[-1]
            so_far, state = points_so_far(self.rules, sheet), top.states[0]
            scores = range(so_far + int(top.least[state]), so_far + int(top.most[state]) + 1)
            times = self.rules.columns[0].multiplier
            worth = np.array([utility(times * score) for score in scores])
            self.rows = UtilityRows(descent, "target", worth)
            self.rows.solve()

    def _unchecked_turn(self, sheet: Sheet) -> ChanceTurn:
        if sheet != self.sheet:
            raise PositionError("sheet_impossible")
        so_far = points_so_far(self.rules, sheet) * self.rules.columns[0].multiplier
        if self.rows is None:
            worth = Aims(np.array([so_far]), np.array([[self.utility(final_score(self.rules, sheet))]]))
            return ChanceTurn(self.solution, sheet, None, worth, by_points=False)
        # Its rows count the points written from this sheet on.
        return ChanceTurn(self.solution, sheet, self.rows.below, Aims.at_least(so_far), by_points=False)


def reach(solution: SingleSolution, sheet: Sheet, rows: RowLevel) -> tuple[int, int]:
    """Return the fewest and the most points that can still be written, within the range of the rows."""
    turn = RowTurn(solution, sheet, rows, Aims.at_least(0))
    after, points = turn.places[turn.options[:, 2]], turn.options[:, 3]
    most = points - rows.base[after]
    return int((most - rows.length[after]).min()), int(most.max())


def multiplied(curve: Array, times: int) -> tuple[float, ...]:
    """Return the curve of scores that count so many times: between two of them it does not change."""
    return tuple(min(float(value), 1.0) for value in (curve[0], *np.repeat(curve[1:], times)))


def chances_take_long(rules: Ruleset, play: Play) -> UsageError:
    """Return the error that says what to run once."""
    command = command_line("chance", rules, f"--play {play}")
    return UsageError("chances_take_long", ruleset=rules.id, command=command)
