"""The points that can be written on a pad are those that some dice give there: every throw is tried."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from dicecup.dice import Faces, layer_faces, throws
from dicecup.engine import Sheet
from dicecup.engine.legality import allowed_placements, cell_names
from dicecup.engine.pad import possible_values
from dicecup.engine.play import fill_cell
from dicecup.rules import builtin_ids, load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_box


def variants() -> list[tuple[str, dict[str, str]]]:
    """Every game with its default options, and with each other value of an option."""
    found = []
    for game in builtin_ids():
        choices = load_ruleset(game).choices
        found.append((game, dict[str, str]()))
        found += [(game, {option: value}) for option, values in choices.items() for value in values[1:]]
    return found


def by_brute_force(rules: Ruleset, sheet: Sheet, turn_begun: bool = False) -> dict[int, set[int]]:
    """What any dice can write in each open cell; of several layers each may be the first on the pad."""
    second = rules.strike == "last_resort" and len(rules.scored) > 1 and not turn_begun
    found: dict[int, set[int]] = {}
    thrown: dict[int, dict[int, Faces]] = {}
    for dice in faces_of_throws(rules.dice.count, rules.dice.faces):
        for cell, _strike, scored in allowed_placements(rules, sheet, dice):
            early = rules.boxes[cell % len(rules.boxes)].early if scored.points else ()
            found.setdefault(cell, set()).update({scored.points, *(scored.points + more for more in early)})
            thrown.setdefault(cell, {})[scored.points] = dice
    for cell, by_points in thrown.items() if second else ():
        ends = (by_points[min(by_points)], by_points[max(by_points)])
        for other in {fill_cell(rules, sheet, dice, cell, 0) for dice in ends}:
            for later, given in by_brute_force(rules, other, turn_begun=True).items():
                found[later] |= given
    return found


@cache
def faces_of_throws(count: int, faces: int) -> list[Faces]:
    return [layer_faces(dice, 0) for dice, _ in throws(count, faces)]


def sheets_on_the_way(played, game: str, options: dict[str, str]) -> list[Sheet]:
    record = played(game, options=options, players=("Ann",), chance="pad")
    scored = [state.sheet for state in record.states if not state.dice]
    many = record.rules.has_columns or record.rules.has_layers  # boxes or dice: a few sheets do
    return [*Random(game).sample(scored[:-3], 1 if many else 4), *scored[-3 if many else -4 : -1]]


@pytest.mark.parametrize(("game", "options"), variants(), ids=str)
def test_possible_values_are_those_that_dice_can_write(played, game, options):
    rules = load_ruleset(game, options)
    for sheet in sheets_on_the_way(played, game, options):
        for cell, expected in by_brute_force(rules, sheet).items():
            found = set(possible_values(rules, sheet, *cell_names(rules, cell)))
            if rules.joker and rules.joker.forced:
                # What the joker forbids now could be written before it applied.
                assert expected <= found
                box = rules.boxes[cell % len(rules.boxes)]
                alike = {score_box(box, (face,) * 5, 5).points for face in range(1, 7)}
                assert found - expected <= alike
            else:
                assert found == expected, (cell, sheet)
