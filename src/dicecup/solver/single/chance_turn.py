"""One turn played for a chance: the value of every throw, keep and box, from the rows of the sheets after
it.

`SingleTurn` asks how many points a decision is worth. This asks, for each of several *aims*, how likely it is
to be reached: at least so many points, or more than somebody else may get.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dicecup.dice import Dice, Lattice
from dicecup.engine.state import Sheet, final_score
from dicecup.solver.arrays import Array
from dicecup.solver.single.index import Place
from dicecup.solver.single.level_kernels import NONE
from dicecup.solver.single.row_kernels import RowLevel, expected_after, legal_options, places_after
from dicecup.solver.single.solution import SingleSolution, faces_of, points_so_far
from dicecup.solver.solution import BoxValue, Turn

MOST_OPTIONS = 2  # of one box with certain dice: as they score, and struck


class Aims:
    """What is aimed for: columns of weights over targets. A final score is worth the weights of all targets
    that it reaches.
    """

    def __init__(self, targets: Array, weights: Array) -> None:
        self.targets = targets
        self.weights = weights  # [target, aim]

    @classmethod
    def at_least(cls, *targets: int) -> Aims:
        """Each target as an aim of its own."""
        return cls(np.array(targets, dtype=np.int64), np.eye(len(targets)))

    @classmethod
    def worth(cls, lowest: int, utility: Array) -> Aims:
        """One aim: a final score of `lowest` + n is worth `utility[n]`, less than the first is worth 0."""
        steps = np.diff(utility, prepend=0.0)
        used = np.flatnonzero(steps)
        return cls(lowest + used, steps[used, None])

    def of(self, score: int) -> Array:
        """What a final score is worth for each aim."""
        return np.asarray((self.targets <= score) @ self.weights)


class TurnNumbers(NamedTuple):
    """Several numbers of every decision of a turn, by throws left: [throw or keep, number]."""

    thrown: list[Array]
    kept: list[Array]  # with one throw to come, with two …
    value: Array  # before the first throw


def decide_turn(dice: Lattice, throws: int, values: Array, starts: Array, *, by_first: bool) -> TurnNumbers:
    """Return the numbers of a turn, given those of every way to end it: [option, number].

    `starts` says where the options of each throw begin, and the end. Every number has its own best decisions;
    `by_first`, all decisions are those that are best for the first number.
    """
    final = best_of(values, starts[:-1], by_first)
    thrown, kept = [final], []
    for _ in range(1, throws):
        keeps = dice.throw_chances @ thrown[-1]
        kept.append(keeps)
        inside = best_of(keeps[dice.inside], dice.inside_starts[:-1], by_first)
        both = np.stack([final, inside], axis=1).reshape(-1, final.shape[1])
        thrown.append(best_of(both, np.arange(0, len(both), 2), by_first))
    return TurnNumbers(thrown, kept, np.asarray(dice.weights @ thrown[-1]))


class RowTurn:
    """The numbers of a turn for each aim: [throw or keep, aim], by throws left.

    `rows` are those of the level below. In `target` play every aim has its own best decisions; in `points`
    play (with `by_points`) all decisions are those with the highest expected score. Rows in which no points
    are counted, such as those of the bonus, are read without `counting`.
    """

    def __init__(
        self,
        solution: SingleSolution,
        sheet: Sheet,
        rows: RowLevel,
        aims: Aims,
        *,
        by_points: bool = False,
        counting: bool = True,
    ) -> None:
        self.solution = solution
        self.sheet = sheet
        self.rows = rows
        self.counting = counting
        self.place: Place = solution.place(sheet)
        self.options, self.starts, self.places = self._options()
        self.box_values = self._box_values(aims, points_so_far(solution.rules, sheet))
        self._decide(by_points)

    def _options(self) -> tuple[Array, Array, Array]:
        """Every way to end the turn (see `legal_options`), where each throw begins, and the states after."""
        program, place, index = self.solution.program, self.place, self.solution.index
        above = place.level - int(index.opens[place.lower])
        places = np.empty(program.target_class.size, dtype=np.int64)
        noted = np.empty((len(place.states), 2), dtype=np.int64)
        starts = self.rows.starts
        _, used = places_after(program, place.lower, above, place.position, starts, places, noted)
        uppers = len(index.upper.components)
        order = [*range(uppers, len(place.states)), *range(uppers)]
        states = [int(self.solution.choices.first_state[part]) + place.states[part] for part in order]
        noted[:, 0] = states  # the sheet as it is: boxes that are worth the same are not the same box
        throws = len(self.solution.lattice.throws)
        kind = int(index.kinds[place.lower])
        member = int(program.member[program.group_first[kind, above] + place.position])
        found = np.empty((throws * len(self.solution.rules.boxes) * MOST_OPTIONS, 5), dtype=np.int64)
        bounds = np.empty(throws + 1, dtype=np.int64)
        ahead = np.where(places >= 0, 0.0, NONE)
        count = legal_options(
            program, self.solution.choices, place.lower, member, noted, len(noted), ahead, found, bounds
        )
        return found[:count], bounds, places[:used]

    def _box_values(self, aims: Aims, so_far: int) -> Array:
        """The numbers of every option: [option, aim]."""
        rows, options = self.rows, self.options
        found = np.empty((len(options), aims.weights.shape[1]))
        wanted = -(-aims.targets // self.solution.rules.columns[0].multiplier)  # points before it multiplies
        for target in np.unique(options[:, 2]):
            chosen = options[:, 2] == target
            there = int(self.places[target])
            points, which = np.unique(options[chosen, 3] * self.counting, return_inverse=True)
            needed = wanted[None, :] - so_far - points[:, None]
            found[chosen] = (read_row(rows, there, needed) @ aims.weights)[which]
        return found

    def _decide(self, by_points: bool) -> None:
        values = self.box_values
        if by_points:
            # The expected score is one more column, which alone decides.
            values = np.concatenate([self._expected()[:, None], values], axis=1)
        throws = self.solution.rules.throws
        found = decide_turn(self.solution.lattice, throws, values, self.starts, by_first=by_points)
        first = 1 if by_points else 0
        self.thrown = [values[:, first:] for values in found.thrown]
        self.kept = [values[:, first:] for values in found.kept]
        self.value = self.solution.lattice.weights @ self.thrown[-1]

    def _expected(self) -> Array:
        """The expected score of every option, as far as it matters here."""
        program, place = self.solution.program, self.place
        above = place.level - int(self.solution.index.opens[place.lower])
        ahead = np.empty(len(self.places))
        source = self.solution.source(place.level - 1)
        expected_after(program, source, place.lower, above, place.position, ahead)
        return np.asarray(ahead[self.options[:, 2]] + self.options[:, 3])


class ChanceTurn(Turn):
    """All chances of one turn for one aim."""

    def __init__(
        self, solution: SingleSolution, sheet: Sheet, rows: RowLevel | None, aims: Aims, *, by_points: bool
    ) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.sheet = sheet
        if rows is None:
            self.value = float(aims.of(final_score(self.rules, sheet))[0])
        else:
            self.turn = RowTurn(solution, sheet, rows, aims, by_points=by_points)
            self.value = float(self.turn.value[0])

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return float(self.turn.kept[throws_left - 1][self.solution.lattice.number[faces_of(dice)], 0])

    def _throw(self, dice: Dice, throws_left: int) -> float:
        return float(self.turn.thrown[throws_left][self._number(dice), 0])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        first, end = self.turn.starts[self._number(dice) :][:2]
        found = []
        for number in range(first, end):
            box, struck, _target, _whole, points = map(int, self.turn.options[number])
            move = self.solution.moves[2 * box + struck]
            found.append((2 * box + struck, BoxValue(move, points, float(self.turn.box_values[number, 0]))))
        return [value for _place, value in sorted(found)]

    def _number(self, dice: Dice) -> int:
        return self.solution.lattice.number[faces_of(dice)] - self.solution.lattice.keeps


def best_of(values: Array, starts: Array, by_first: bool) -> Array:
    """The best of each group of rows: column by column, or all columns of the row that is best in the first.

    Of equal rows the first is best.
    """
    if not by_first:
        return np.asarray(np.maximum.reduceat(values, starts, axis=0))
    bounds = pairwise([*starts, len(values)])
    return np.asarray(values[[start + np.argmax(values[start:end, 0]) for start, end in bounds]])


def read_row(rows: RowLevel, state: int, needed: Array) -> Array:
    """Return the chance to write at least so many points from a sheet on."""
    first, length = int(rows.first[state]), int(rows.length[state])
    row = stored(rows.values[first : first + length])
    padded = np.concatenate([[0.0], row, [1.0]])
    return np.asarray(padded[np.clip(-needed - int(rows.base[state]), -1, length) + 1])


def stored(values: Any) -> Array:
    """Return chances as fractions: they are stored as whole numbers of 65,535ths."""
    if values.dtype == np.uint16:
        return np.asarray(values / 65535.0)
    return np.asarray(np.clip(values.astype(np.float64), 0.0, 1.0))
