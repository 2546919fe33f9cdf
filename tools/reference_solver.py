"""A slow solver, as the oracle for the fast ones, with which it shares no code.

It fills boxes as the engine allows and caches whole sheets: nothing is merged or indexed, and it knows no
rules. Suitable for small games, and for the last boxes of large ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from dicecup.dice import Dice, Faces, layer_faces, parts, sort_dice, throws
from dicecup.engine.legality import allowed_placements, repeat_pays
from dicecup.engine.play import fill_cell, scored_layers
from dicecup.engine.state import Sheet, empty_sheet, final_score
from dicecup.rules.model import Ruleset

Values = Mapping[Dice, float]
Chances = list[tuple[Dice, float]]


class Throws:
    """The throws of some dice, what may follow each keep, and the keeps of each throw."""

    def __init__(self, count: int, faces: int, layers: int) -> None:
        self.throws: dict[int, Chances] = {
            number: [
                (dice, weight / (faces**layers) ** number) for dice, weight in throws(number, faces, layers)
            ]
            for number in range(count + 1)
        }
        # By dice kept: what the throw of the rest may make of them, with its probability.
        self.follows: dict[Dice, Chances] = {
            kept: [(sort_dice(kept + thrown), chance) for thrown, chance in self.throws[count - size]]
            for size in range(count + 1)
            for kept, _ in self.throws[size]
        }
        self.full = [dice for dice, _ in self.throws[count]]
        throw_numbers = {dice: number for number, dice in enumerate(self.full)}
        keep_numbers = {kept: number for number, kept in enumerate(self.follows)}
        # The same as arrays with an entry for each keep and each throw that may follow it …
        every = [
            (keep_numbers[kept], throw_numbers[dice], chance)
            for kept, follows in self.follows.items()
            for dice, chance in follows
        ]
        keeps, thrown, chances = zip(*every, strict=True)
        self.keeps, self.thrown, self.chances = np.array(keeps), np.array(thrown), np.array(chances)
        # … and for each throw and each part of it that can be kept.
        kept_parts = [[keep_numbers[part] for part in parts(dice)] for dice in self.full]
        self.parts = np.array([number for numbers in kept_parts for number in numbers])
        self.first_parts = np.cumsum([0, *map(len, kept_parts[:-1])])

    def mean_after(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of the values of the throws that follow, by keep."""
        return np.bincount(self.keeps, weights=self.chances * values[self.thrown])

    def best_part(self, kept: np.ndarray) -> np.ndarray:
        """Return the highest value of a keep of each throw."""
        best: np.ndarray = np.maximum.reduceat(kept[self.parts], self.first_parts)
        return best


throws_of = cache(Throws)


class After(NamedTuple):
    """The sheets that a turn may lead to, each once, and the numbers of those that each throw may lead to."""

    sheets: list[Sheet]
    numbers: np.ndarray  # of all throws, one after another
    first: np.ndarray  # where those of each throw begin

    def by_throw(self) -> list[list[Sheet]]:
        return [[self.sheets[number] for number in part] for part in np.split(self.numbers, self.first[1:])]


class Moves:
    """What the legal moves of the engine make of a sheet, found once for all that is asked about it.

    A turn fills one box: for double dice there is another oracle.
    """

    def __init__(self, rules: Ruleset) -> None:
        (layer,) = scored_layers(rules)
        self.rules = rules
        self.throws = throws_of(rules.dice.count, rules.dice.faces, len(rules.dice.layers))
        self.faces = [layer_faces(dice, layer) for dice in self.throws.full]
        self.known: dict[Sheet, After] = {}

    def after(self, sheet: Sheet) -> After:
        found = self.known.get(sheet)
        if found is None:
            found = self.known[sheet] = self.find(sheet)
        return found

    def find(self, sheet: Sheet) -> After:
        """Fill each box in every way the engine allows; sheets are numbered by what is written on them."""
        rules, sheets = self.rules, list[Sheet]()
        known: dict[tuple[int, int, bool], int] = {}
        numbers, first = list[int](), list[int]()
        for faces in self.faces:
            first.append(len(numbers))
            repeats = repeat_pays(rules, sheet, faces)
            for cell, _, scored in allowed_placements(rules, sheet, faces):
                written = (cell, scored.points, repeats)
                number = known.get(written)
                if number is None:
                    number = known[written] = len(sheets)
                    sheets.append(fill_cell(rules, sheet, faces, cell, scored.points))
                numbers.append(number)
        return After(sheets, np.array(numbers), np.array(first))


def filled(rules: Ruleset, sheet: Sheet, faces: Faces) -> list[Sheet]:
    """Return the sheets after these faces have filled a box, in every way that the engine allows."""
    return [
        fill_cell(rules, sheet, faces, cell, scored.points)
        for cell, _, scored in allowed_placements(rules, sheet, faces)
    ]


class Reference:
    """Expected final scores under perfect play, points on the sheet included.

    Several of them may share the moves of a game.
    """

    def __init__(self, rules: Ruleset, moves: Moves | None = None) -> None:
        self.rules = rules
        self.moves = moves or Moves(rules)
        self.dice = self.moves.throws
        self.throws, self.follows = self.dice.throws, self.dice.follows
        self.known: dict[Sheet, float] = {}

    def expected(self, sheet: Sheet | None = None) -> float:
        """Return the expected final score before the first throw of a turn."""
        sheet = sheet or empty_sheet(self.rules)
        found = self.known.get(sheet)
        if found is None:
            found = self.known[sheet] = self.turn(sheet)
        return found

    def turn(self, sheet: Sheet) -> float:
        if sheet.full:
            return final_score(self.rules, sheet)
        values = self.after_throw(sheet, self.rules.throws - 1)
        return float(sum(chance * values[dice] for dice, chance in self.throws[self.rules.dice.count]))

    def after_throw(self, sheet: Sheet, throws_left: int) -> Values:
        """Return the value of each full throw with that many throws left."""
        sheets, numbers, first = self.moves.after(sheet)
        scored = np.maximum.reduceat(np.array([self.expected(one) for one in sheets])[numbers], first)
        values = scored
        for _ in range(throws_left):
            values = np.maximum(scored, self.dice.best_part(self.dice.mean_after(values)))
        return dict(zip(self.dice.full, values.tolist(), strict=True))

    def keeps(self, values: Values) -> Values:
        """Return the value of keeping each multiset of dice when the rest is thrown and `values` follow."""
        after = np.array([values[dice] for dice in self.dice.full], dtype=float)
        return dict(zip(self.follows, self.dice.mean_after(after).tolist(), strict=True))
