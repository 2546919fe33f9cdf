"""The last boxes of every game, with every combination of options, against the oracle."""

from __future__ import annotations

from random import Random

import pytest
from tests.solver.conftest import all_rulesets, random_sheet

from dicecup.dice import throws
from dicecup.engine.play import legal_scores, score_sheet
from dicecup.engine.state import Sheet
from dicecup.rules import load_ruleset
from reference_solver import Reference


def compare(solution, reference, sheet, random) -> None:
    rules = solution.rules
    turn = solution.turn(sheet)
    assert turn.value == pytest.approx(reference.expected(sheet), abs=1e-9)
    dice = [faces for faces, _ in throws(rules.dice.count, rules.dice.faces)]
    alike = [faces for faces in dice if len(set(faces)) == 1]
    values = reference.after_throw(sheet, 1)
    keeps = reference.keeps(values)
    for thrown in random.sample(dice, 8) + alike:
        expected = {
            move: reference.expected(score_sheet(rules, sheet, thrown, move.placements)[0])
            for move in legal_scores(rules, sheet, thrown)
        }
        assert {choice.move: choice.value for choice in turn.boxes(thrown)} == pytest.approx(
            expected, abs=1e-9
        )
        assert turn.throw(thrown, 1) == pytest.approx(values[thrown], abs=1e-9)
        assert turn.keep(thrown[:2], 2) == pytest.approx(keeps[thrown[:2]], abs=1e-9)


@pytest.mark.parametrize(("game", "options"), all_rulesets(), ids=str)
def test_two_boxes_left(solved_end, game, options):
    rules = load_ruleset(game, options)
    solution, reference, random = solved_end(rules, 2), Reference(rules), Random(f"{game} {options}")
    for _ in range(2):
        compare(solution, reference, random_sheet(rules, 2, random), random)


@pytest.mark.parametrize(
    "open_boxes",
    [
        ("low_score", "high_score"),
        ("yum", "third_yum"),
        ("second_yum", "third_yum"),
        ("ones", "long_straight"),
        ("sixes", "full_house"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"joker_upper": "none"}], ids=["sum", "none"])
def test_boxes_of_yum_plus_that_look_at_each_other(solved_end, open_boxes, options):
    """With all other boxes filled: low and high, the order of the Yums, jokers in both sections."""
    rules = load_ruleset("yum-plus", options)
    filled = {"low_score": 23, "high_score": 27, "fives": 20, "sixes": 24, "fours": 12}
    cells = tuple(None if box.id in open_boxes else filled.get(box.id, 0) for box in rules.boxes)
    compare(solved_end(rules, 2), Reference(rules), Sheet(cells), Random(1))
