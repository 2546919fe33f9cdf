"""Chances of a game of one layer and one column: how it may end, and the best chance to reach a target.

For sheets with few open boxes everything is computed when it is asked for; for others there are tables.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dicecup.engine.state import Sheet, State, empty_sheet, final_score
from dicecup.errors import PositionError, UsageError
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.single.chance_tables import ChanceTable, find_chances
from dicecup.solver.single.chance_turn import Aims, ChanceTurn, RowTurn
from dicecup.solver.single.row_kernels import RowLevel
from dicecup.solver.single.rows import BonusRows, Descent, Rows, UtilityRows
from dicecup.solver.single.solution import SingleSolution, faces_of, points_so_far
from dicecup.solver.solution import FinalScores, Play, Solution

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

    def final_scores(self, state: State, play: Play = "points") -> FinalScores:
        """How the game of the player whose turn it is may end.

        In `target` play each number of the curve is the best chance of that target by itself.
        """
        rules, sheet = self.solution.rules, state.sheet
        times = rules.columns[0].multiplier
        if sheet.full:
            score = final_score(rules, sheet)
            return FinalScores(score, (1.0,), float(score > times * points_so_far(rules, sheet)))
        table = self.table(play) if sheet == empty_sheet(rules) and not state.dice else None
        if table is not None:
            least, curve, bonus = table.whole_game
            return FinalScores(times * least, multiplied(curve, times), bonus)
        rows = self.rows(sheet, play)
        so_far, by_points = points_so_far(rules, sheet), play == "points"
        least, most = reach(self.solution, sheet, rows)
        aims = Aims.at_least(*range(times * (so_far + least), times * (so_far + most) + 1, times))
        curve = self._now(RowTurn(self.solution, sheet, rows, aims, by_points=by_points), state)
        one = Aims.at_least(times * so_far)
        below = self.rows(sheet, play, BonusRows)
        paid = RowTurn(self.solution, sheet, below, one, by_points=by_points, counting=False)
        return FinalScores(
            times * (so_far + least), multiplied(curve, times), float(self._now(paid, state)[0])
        )

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

    def __init__(self, chances: GameChances, aims: Aims, play: Play = "target") -> None:
        self.chances = chances
        self.rules = chances.solution.rules
        self.aims = aims
        self.play: Play = play

    def unchecked_turn(self, sheet: Sheet) -> ChanceTurn:
        rows = None if sheet.full else self.chances.rows(sheet, self.play)
        by_points = self.play == "points"
        return ChanceTurn(self.chances.solution, sheet, rows, self.aims, by_points=by_points)


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

    def unchecked_turn(self, sheet: Sheet) -> ChanceTurn:
        if sheet != self.sheet:
            raise PositionError("sheet_impossible")
        so_far = points_so_far(self.rules, sheet) * self.rules.columns[0].multiplier
        if self.rows is None:
            worth = Aims(np.array([so_far]), np.array([[self.utility(final_score(self.rules, sheet))]]))
            return ChanceTurn(self.solution, sheet, None, worth, by_points=False)
        # Its rows count the points written from this sheet on.
        return ChanceTurn(self.solution, sheet, self.rows.below, Aims.at_least(so_far), by_points=False)


def reach(solution: SingleSolution, sheet: Sheet, rows: RowLevel) -> tuple[int, int]:
    """Return the fewest and the most points that can be written from a sheet on, as far as rows tell."""
    turn = RowTurn(solution, sheet, rows, Aims.at_least(0))
    after, points = turn.places[turn.options[:, 2]], turn.options[:, 3]
    most = points - rows.base[after]
    return int((most - rows.length[after]).min()), int(most.max())


def multiplied(curve: Array, times: int) -> tuple[float, ...]:
    """Return the curve of scores that count so many times: between two of them it does not change."""
    return tuple(min(float(value), 1.0) for value in (curve[0], *np.repeat(curve[1:], times)))


def chances_take_long(rules: Ruleset, play: Play) -> UsageError:
    """Return the error that says what to run once."""
    options = "".join(f" -o {name}={value}" for name, value in rules.non_default_options.items())
    command = f"dicecup chance {shlex.quote(rules.reference)}{options} --play {play}"
    return UsageError("chances_take_long", ruleset=rules.id, command=command)
