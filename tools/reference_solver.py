"""A slow solver in plain Python, as the oracle for the fast ones, with which it shares no code.

It plays the legal moves of the engine and caches whole sheets: nothing is merged or indexed, and it knows no
rules. Suitable for small games, and for the last boxes of large ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from dicecup.dice import Dice, parts, sort_dice, throws
from dicecup.engine.play import legal_scores, score_sheet
from dicecup.engine.state import Sheet, empty_sheet, final_score
from dicecup.rules.model import Ruleset

Values = Mapping[Dice, float]


class Reference:
    """Expected final scores under perfect play, points on the sheet included."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        count, faces, layers = rules.dice.count, rules.dice.faces, len(rules.dice.layers)
        self.throws = {
            number: [
                (dice, weight / (faces**layers) ** number) for dice, weight in throws(number, faces, layers)
            ]
            for number in range(count + 1)
        }
        # By dice kept: what the throw of the rest may make of them, with its probability.
        self.follows: dict[Dice, list[tuple[Dice, float]]] = {
            kept: [(sort_dice(kept + thrown), chance) for thrown, chance in self.throws[count - size]]
            for size in range(count + 1)
            for kept, _ in self.throws[size]
        }
        self.known: dict[Sheet, float] = {}

    def expected(self, sheet: Sheet | None = None) -> float:
        """Return the expected final score before the first throw of a turn."""
        sheet = sheet or empty_sheet(self.rules)
        if sheet not in self.known:
            self.known[sheet] = self.turn(sheet)
        return self.known[sheet]

    def turn(self, sheet: Sheet) -> float:
        if sheet.full:
            return final_score(self.rules, sheet)
        values = self.after_throw(sheet, self.rules.throws - 1)
        return float(sum(chance * values[dice] for dice, chance in self.throws[self.rules.dice.count]))

    def after_throw(self, sheet: Sheet, throws_left: int) -> Values:
        """Return the value of each full throw with that many throws left."""
        scored = {dice: self.best_score(sheet, dice) for dice, _ in self.throws[self.rules.dice.count]}
        values: Values = scored
        for _ in range(throws_left):
            kept = self.keeps(values)
            values = {dice: max(best, *(kept[part] for part in parts(dice))) for dice, best in scored.items()}
        return values

    def best_score(self, sheet: Sheet, dice: Dice) -> float:
        return max(
            self.expected(score_sheet(self.rules, sheet, dice, move.placements)[0])
            for move in legal_scores(self.rules, sheet, dice)
        )

    def keeps(self, values: Values) -> Values:
        """Return the value of keeping each multiset of dice when the rest is thrown and `values` follow."""
        return {
            kept: sum(chance * values[dice] for dice, chance in follows)
            for kept, follows in self.follows.items()
        }
