"""One turn of a game of one layer, solved in plain Python from the values of the sheets it can end with.

What may be written is decided by the engine, throw by throw; then two walks over the lattice of dice for each
further throw: the mean of one die more, the best of one die less. About 7,200 steps for five dice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf
from operator import itemgetter
from typing import NamedTuple

from dicecup.dice import Dice, Faces, Lattice, lattice, layer_faces
from dicecup.engine.legality import allowed_placements, never_barred, offers, repeat_pays
from dicecup.engine.play import placement_of
from dicecup.engine.state import Score, Sheet, final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import BoxValue, Turn

SheetValue = Callable[[Sheet], float]  # the expected final score of a sheet before a turn


class Way(NamedTuple):
    """One way to end a turn: what the game is worth then, and what is written."""

    value: float
    cell: int
    strike: bool
    points: int


class ValuesAfter(dict[int, float]):
    """By points: the value of the sheet when they are written in one cell, each computed when needed."""

    def __init__(self, turn: PlainTurn, cell: int, pays: bool) -> None:
        self.turn = turn
        self.cell = cell
        self.pays = pays  # a repeat

    def __missing__(self, points: int) -> float:
        sheet = self.turn.sheet
        cells = sheet.cells[: self.cell] + (points,) + sheet.cells[self.cell + 1 :]
        value = self[points] = self.turn.value_after(Sheet(cells, sheet.repeats + self.pays))
        return value


class PlainTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, rules: Ruleset, sheet: Sheet, value_after: SheetValue) -> None:
        self.rules = rules
        self.sheet = sheet
        self.value_after = value_after
        self.dice: Lattice = lattice(rules.dice.count, rules.dice.faces)
        cells = range(len(sheet.cells))
        self.after = [[ValuesAfter(self, cell, pays) for cell in cells] for pays in (False, True)]
        self.best: list[Way] = []  # by throw: the best way to end the turn
        self.kept: list[list[float]] = []  # by throws left before rolling - 1, then by row of the lattice
        self.thrown: list[list[float]] = []  # by throws left, then by throw
        self.value = float(final_score(rules, sheet)) if sheet.full else self._solve()

    def _solve(self) -> float:
        """Return the value before the first throw, and compute all others."""
        simple = never_barred(self.rules) and not self.rules.extensions
        find = self._best_offered if simple else self._best_allowed
        self.best = list(map(find, self.dice.throws))
        ends = [way.value for way in self.best]
        self.thrown.append(ends)
        for _ in range(1, self.rules.throws):
            kept = self.dice.mean_rolls(self.thrown[-1])
            self.kept.append(kept)
            self.thrown.append(self.dice.best_within(kept, ends))
        return self.dice.mean_rolls(self.thrown[-1])[0]

    def _best_offered(self, faces: Faces) -> Way:
        """The best way to end the turn with these dice, where every offer may be taken."""
        pays = repeat_pays(self.rules, self.sheet, faces)
        after, strike = self.after[pays], self.best_strikes[pays]
        found, best = 0, -inf
        given = offers(self.rules, self.sheet, faces)
        for cell, scored in enumerate(given):
            if scored is not None and (value := after[cell][scored.points]) > best:
                found, best = cell, value
        points = given[found]
        if strike.value > best or points is None:
            return strike
        return Way(best, found, False, points.points)

    @cached_property
    def best_strikes(self) -> list[Way]:
        """The best box to cross out, by whether a repeat pays: the same with all dice."""
        boxes = self.rules.boxes
        cells = [
            cell
            for cell, points in enumerate(self.sheet.cells)
            if points is None and boxes[cell % len(boxes)].strike
        ]
        none = Way(-inf, 0, strike=True, points=0)
        return [
            max((Way(after[cell][0], cell, True, 0) for cell in cells), key=itemgetter(0), default=none)
            for after in self.after
        ]

    def _best_allowed(self, faces: Faces) -> Way:
        """The best way to end the turn with these dice, in any game."""
        return max(self._ways(faces), key=itemgetter(0))

    def _ways(self, faces: Faces) -> Iterator[Way]:
        """Every way to end the turn with these dice."""
        after = self.after[repeat_pays(self.rules, self.sheet, faces)]
        for cell, strike, scored in allowed_placements(self.rules, self.sheet, faces):
            yield Way(after[cell][scored.points], cell, strike, scored.points)

    def _box(self, way: Way) -> BoxValue:
        placed = placement_of(self.rules, way.cell, way.strike)
        return BoxValue(Score((placed,)), way.points, way.value)

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return self.kept[throws_left - 1][self.dice.number[layer_faces(dice, 0)]]

    def _keep_values(self, throws_left: int) -> Sequence[float]:
        return self.kept[throws_left - 1][: self.dice.keeps]

    def _throw(self, dice: Dice, throws_left: int) -> float:
        return self.thrown[throws_left][self.dice.number[layer_faces(dice, 0)] - self.dice.keeps]

    def _best_box(self, dice: Dice) -> BoxValue:
        return self._box(self.best[self.dice.number[layer_faces(dice, 0)] - self.dice.keeps])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        return list(map(self._box, self._ways(layer_faces(dice, 0))))
