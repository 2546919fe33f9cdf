"""One turn of a game of one layer, worked out in plain Python from the values of the sheets it can end with.

What may be written is decided by the engine, throw by throw; then two walks over the lattice of dice for each
further throw: the mean of one die more, the best of one die less. About 7,200 steps for five dice.
"""

from __future__ import annotations

from collections.abc import Callable

from dicecup.dice import Dice, Faces, layer_faces
from dicecup.engine.legality import allowed_placements, repeat_pays
from dicecup.engine.play import placement_of
from dicecup.engine.state import Score, Sheet, final_score
from dicecup.lattice import Lattice, lattice
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import BoxValue, Turn

SheetValue = Callable[[Sheet], float]  # the expected final score of a sheet before a turn


class PlainTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, rules: Ruleset, sheet: Sheet, value_after: SheetValue) -> None:
        self.rules = rules
        self.sheet = sheet
        self.value_after = value_after
        self.dice: Lattice = lattice(rules.dice.count, rules.dice.faces)
        self.after: dict[tuple[int, int, bool], float] = {}  # by cell, points and whether a repeat pays
        self.kept: list[list[float]] = []  # by throws left before rolling - 1, then by row of the lattice
        self.thrown: list[list[float]] = []  # by throws left, then by throw
        self.value = float(final_score(rules, sheet)) if sheet.full else self._solve()

    def _solve(self) -> float:
        """Return the value before the first throw, and work out all others."""
        ends = [self._best(dice) for dice in self.dice.throws]
        self.thrown.append(ends)
        for _ in range(1, self.rules.throws):
            kept = expected(self.dice, self.thrown[-1])
            self.kept.append(kept)
            self.thrown.append(best_keeps(self.dice, kept, ends))
        return expected(self.dice, self.thrown[-1])[0]

    def _best(self, faces: Faces) -> float:
        """Return the value of the best way to end the turn with these dice."""
        pays, after = repeat_pays(self.rules, self.sheet, faces), self._after
        placements = allowed_placements(self.rules, self.sheet, faces)
        return max(after(cell, scored.points, pays) for cell, _, scored in placements)

    def _ways(self, faces: Faces) -> list[tuple[Score, int, float]]:
        """Every way to end the turn with these dice: the move, its points, the value of the sheet then."""
        pays = repeat_pays(self.rules, self.sheet, faces)
        return [
            (
                Score((placement_of(self.rules, cell, strike),)),
                scored.points,
                self._after(cell, scored.points, pays),
            )
            for cell, strike, scored in allowed_placements(self.rules, self.sheet, faces)
        ]

    def _after(self, cell: int, points: int, pays: bool) -> float:
        key = (cell, points, pays)
        if key not in self.after:
            cells = self.sheet.cells[:cell] + (points,) + self.sheet.cells[cell + 1 :]
            self.after[key] = self.value_after(Sheet(cells, self.sheet.repeats + pays))
        return self.after[key]

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return self.kept[throws_left - 1][self.dice.number[layer_faces(dice, 0)]]

    def _throw(self, dice: Dice, throws_left: int) -> float:
        return self.thrown[throws_left][self.dice.number[layer_faces(dice, 0)] - self.dice.keeps]

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        return [BoxValue(*way) for way in self._ways(layer_faces(dice, 0))]


def expected(dice: Lattice, thrown: list[float]) -> list[float]:
    """Return the value of every row when its missing dice are rolled: the mean over one die more."""
    values = [0.0] * dice.keeps + thrown
    for row in range(dice.keeps - 1, -1, -1):
        values[row] = sum(map(values.__getitem__, dice.more[row])) / dice.faces
    return values


def best_keeps(dice: Lattice, kept: list[float], ends: list[float]) -> list[float]:
    """Return the value of every throw with the best keep, or with the best box at once."""
    best: list[float] = []
    for own, fewer in zip([*kept[: dice.keeps], *ends], dice.fewer, strict=True):
        best.append(max(own, *map(best.__getitem__, fewer)) if fewer else own)
    return best[dice.keeps :]
