"""Which relatives of the games the solver covers, and the sentence for those that it does not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.solver.conftest import random_sheet
from tests.solver.test_reference import compare

from dicecup.engine.state import empty_sheet
from dicecup.errors import UsageError
from dicecup.rules import builtin_ids, load_ruleset
from dicecup.solver.components import EXTENSIONS, check_rules
from dicecup.solver.find import estimate_seconds
from dicecup.solver.learned.layout import check_learnable
from dicecup.solver.single.index import check_solvable
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single
from reference_solver import Reference

# What each game cannot be solved for; without an entry it can.
REFUSED = {
    "maxi-yatzy": "saved for later turns",
    "triple-yahtzee": "repeats in several columns",
    "balut": "all columns hold together",
    "generala": "number of the roll",
    "jamb": "boxes that are announced",
}


@pytest.mark.parametrize("game", builtin_ids())
def test_rules_that_are_not_covered_are_refused_in_one_place(game: str) -> None:
    rules = load_ruleset(game)
    if game not in REFUSED:
        check_rules(rules)
        return
    for refuse in (check_rules, check_solvable, check_learnable, lambda rules: estimate_seconds(rules, 64)):
        with pytest.raises(UsageError, match=REFUSED[game]) as caught:
            refuse(rules)
        assert caught.value.code == "solve_extension"


def test_every_extension_has_words() -> None:
    used = {extension for game in builtin_ids() for extension in load_ruleset(game).extensions}
    assert used == set(EXTENSIONS)


def test_kniffel_is_yahtzee_without_jokers(solved) -> None:
    """Published for Yahtzee without jokers and without points for further Yahtzees."""
    assert solved("kniffel").table.header.expected == pytest.approx(245.8707745141, abs=1e-8)


def test_yacht_is_solved(solved) -> None:
    """The last boxes agree with the slow solver that shares no code with the fast one."""
    solution, random = solved("yacht"), Random(3)
    assert 150 < solution.table.header.expected < 250
    sheet = random_sheet(solution.rules, 2, random)
    compare(solution, Reference(solution.rules), sheet, random)


def test_maxi_yatzy_without_saved_rolls_can_be_solved() -> None:
    """Solving it takes minutes, so that only its size is checked here; `bench/published.py` solves it.

    `dicecup solve maxi-yatzy -o saved=none -o bonus=fifty` gives 383.30540268494, as published.
    """
    rules = load_ruleset("maxi-yatzy", {"saved": "none", "bonus": "fifty"})
    assert check_solvable(rules).states == 32_473_088


SMALL_MAXI = """
format = 1
id = "small-maxi"
base = "maxi-yatzy"
saved_throws = false

[upper]
boxes = { ones = false, twos = false, threes = false, fours = false, fives = false }
bonus = [{ at = 18, points = 50 }]

[options]
saved = false
bonus = false

[box]
pair = false
two_pairs = false
three_pairs = false
three_of_a_kind = false
four_of_a_kind = false
five_of_a_kind = false
low_straight = false
high_straight = false
full_straight = false
full_house = false
villa = false
chance = false
maxi_yatzy = false
"""


def test_six_dice_and_a_bonus_from_beginning_to_end(tmp_path: Path) -> None:
    """Maxi Yatzy with two boxes, by the slow solver that shares no code with the fast one."""
    path = tmp_path / "small-maxi.toml"
    path.write_text(SMALL_MAXI, encoding="utf-8")
    rules = load_ruleset(str(path))
    assert [box.id for box in rules.boxes] == ["sixes", "tower"]
    solution = SingleSolution(rules, solve_single(rules, precision=64, folder=tmp_path))
    compare(solution, Reference(rules), empty_sheet(rules), Random(1))
