"""Computed lines of a sheet (sums, bonus, totals, final score) and the standings of a game."""

from __future__ import annotations

from collections.abc import Mapping

from dicecup.engine.state import Sheet, State
from dicecup.rules.model import Ruleset, Section


def bonus(rules: Ruleset, upper_sum: int) -> int:
    """Return the points of the highest bonus step that the upper sum reaches."""
    return max((tier.points for tier in rules.bonus if upper_sum >= tier.at), default=0)


def column_lines(rules: Ruleset, sheet: Sheet, column: int) -> Mapping[str, int]:
    """Return every computed line of one column by id; `rules.lines` lists those that are printed."""
    first = column * len(rules.boxes)
    cells = sheet.cells[first : first + len(rules.boxes)]

    def section(name: Section) -> int:
        return sum(points or 0 for box, points in zip(rules.boxes, cells, strict=True) if box.section == name)

    upper_sum = section("upper")
    upper_total = upper_sum + bonus(rules, upper_sum)
    repeats = sheet.repeats * rules.repeat.points if rules.repeat else 0
    lower_total = section("lower") + repeats
    grand_total = upper_total + lower_total
    lines = {
        "upper_sum": upper_sum,
        "bonus": upper_total - upper_sum,
        "upper_total": upper_total,
        "lower_total": lower_total,
        "grand_total": grand_total,
        "weighted_total": (grand_total + section("after_total")) * rules.columns[column].multiplier,
    }
    return lines | ({rules.repeat.id: repeats} if rules.repeat else {})


def final_score(rules: Ruleset, sheet: Sheet) -> int:
    """Return the final score: columns by multiplier, bonus, repeats, boxes after the total."""
    return sum(column_lines(rules, sheet, column)["weighted_total"] for column in range(len(rules.columns)))


def standings(rules: Ruleset, state: State) -> tuple[tuple[int, int, int], ...]:
    """Return (place, player, final score), best first; equal scores share the place."""
    scores = [final_score(rules, sheet) for sheet in state.sheets]
    rows = [
        (1 + sum(other > score for other in scores), player, score) for player, score in enumerate(scores)
    ]
    return tuple(sorted(rows))
