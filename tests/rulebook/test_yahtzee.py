"""The American game. None of the rule sheets covers it; the rule pages document the decisions."""

from __future__ import annotations

import pytest
from tests.rulebook import course
from tests.rulebook.clauses import clauses_of
from tests.rulebook.support import boxes_allowed, decision, game, lines, play_out, points, refused, sheet_of

from dicecup.engine import Sheet, State, Throw, apply, final_score, score, standings, start
from dicecup.rules import Ruleset

clause = clauses_of("decisions")

FREE = game("yahtzee")
FORCED = game("yahtzee", joker="forced")
NONE = game("yahtzee", joker="none")
LOWER = {
    *("three_of_a_kind", "four_of_a_kind", "full_house"),
    *("small_straight", "large_straight", "chance"),
}
UPPER = {"ones", "twos", "threes", "fours", "fives", "sixes"}


@clause("yahtzee boxes")
def test_boxes_in_order():
    assert [box.id for box in FREE.boxes] == [
        *("ones", "twos", "threes", "fours", "fives", "sixes"),
        *("three_of_a_kind", "four_of_a_kind", "full_house"),
        *("small_straight", "large_straight", "yahtzee", "chance"),
    ]
    course.every_turn_fills(FREE, 1)
    course.three_throws_at_most(FREE)
    course.boxes_in_any_order(FREE)


@pytest.mark.parametrize("rules", [FREE, FORCED, NONE], ids=["free", "forced", "none"])
@pytest.mark.parametrize(
    ("dice", "box", "expected"),
    [
        clause.case("yahtzee boxes", "4 4 1 2 3", "fours", 8),
        clause.case("yahtzee boxes", "4 4 4 2 1", "three_of_a_kind", 15),
        clause.case("yahtzee boxes", "4 4 2 2 1", "three_of_a_kind", 0),
        clause.case("yahtzee boxes", "5 5 5 5 2", "four_of_a_kind", 22),
        clause.case("yahtzee boxes", "5 5 5 2 2", "four_of_a_kind", 0),
        clause.case("yahtzee boxes", "5 5 5 2 2", "full_house", 25),
        clause.case("yahtzee boxes", "5 5 5 5 5", "full_house", 0),
        clause.case("yahtzee boxes", "1 2 3 4 4", "small_straight", 30),
        clause.case("yahtzee boxes", "1 2 3 4 5", "small_straight", 30),
        clause.case("yahtzee boxes", "1 2 3 5 6", "small_straight", 0),
        clause.case("yahtzee boxes", "2 3 4 5 6", "large_straight", 40),
        clause.case("yahtzee boxes", "1 2 3 4 6", "large_straight", 0),
        clause.case("yahtzee boxes", "5 5 5 5 5", "yahtzee", 50),
        clause.case("yahtzee boxes", "5 5 5 5 4", "yahtzee", 0),
        clause.case("yahtzee boxes", "1 2 2 4 6", "chance", 15),
    ],
)
def test_points(rules: Ruleset, dice: str, box: str, expected: int):
    assert points(rules, dice, box) == expected


@clause("yahtzee boxes")
def test_bonus_of_35():
    upper = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
    assert lines(FREE, upper)["bonus"] == 35
    assert lines(FREE, upper | {"ones": 2})["bonus"] == 0
    assert lines(FREE, upper | {"chance": 20})["grand_total"] == 118


def hundreds(rules: Ruleset, sheet: Sheet, dice: str, box: str, strike: bool = False) -> int:
    """Return how much more than its points a score adds to the final score; the bonus is out of reach."""
    before = State((sheet,), 0, tuple(int(face) for face in dice.split()), None, 0)
    after = apply(rules, before, score(box, strike=strike)).sheets[0]
    index = [other.id for other in rules.boxes].index(box)
    return final_score(rules, after) - final_score(rules, sheet) - (after.cells[index] or 0)


@clause("yahtzee repeats")
def test_hundred_for_each_further_five_alike():
    held = sheet_of(FREE, {"yahtzee": 50})
    assert hundreds(FREE, held, "6 6 6 6 6", "sixes") == 100
    assert hundreds(FREE, held, "6 6 6 6 6", "chance") == 100
    assert hundreds(FREE, held, "6 6 6 6 6", "ones") == 100
    assert hundreds(FREE, held, "6 6 6 6 6", "sixes", strike=True) == 100
    assert hundreds(FREE, held, "6 6 6 6 5", "sixes") == 0
    assert hundreds(FREE, sheet_of(FREE, {}), "6 6 6 6 6", "yahtzee") == 0
    assert hundreds(FREE, sheet_of(FREE, {}), "6 6 6 6 6", "sixes") == 0
    assert hundreds(FREE, sheet_of(FREE, {"yahtzee": 0}), "6 6 6 6 6", "sixes") == 0


@clause("yahtzee repeats")
def test_two_further_ones_are_two_hundred():
    """50, then 30 in sixes and 25 in fives with a hundred each, on a separate line below the boxes."""
    state = start(FREE)
    for face, box in ((4, "yahtzee"), (6, "sixes"), (5, "fives")):
        state = apply(FREE, state, Throw((face,) * 5))
        state = apply(FREE, state, score(box))
    (sheet,) = state.sheets
    assert final_score(FREE, sheet) == 50 + 30 + 25 + 200
    assert standings(FREE, state) == ((1, 0, 305),)
    assert "yahtzee_bonus" in FREE.lines


@clause("yahtzee free")
def test_free_joker():
    """Both boxes filled, by points or a strike: full points in full house and the straights, any open box."""
    for held in (50, 0):
        filled = {"yahtzee": held, "fours": 8}
        assert points(FREE, "4 4 4 4 4", "full_house", filled) == 25
        assert points(FREE, "4 4 4 4 4", "small_straight", filled) == 30
        assert points(FREE, "4 4 4 4 4", "large_straight", filled) == 40
        assert points(FREE, "4 4 4 4 4", "chance", filled) == 20
        assert points(FREE, "4 4 4 4 4", "three_of_a_kind", filled) == 20
        assert points(FREE, "4 4 4 4 4", "sixes", filled) == 0
        state = decision(FREE, "4 4 4 4 4", filled)
        assert boxes_allowed(FREE, state) == LOWER | UPPER - {"fours"}


@clause("yahtzee free")
def test_free_joker_waits_for_both_boxes():
    assert points(FREE, "4 4 4 4 4", "full_house", {"yahtzee": 50}) == 0
    assert points(FREE, "4 4 4 4 4", "full_house", {"fours": 8}) == 0
    state = decision(FREE, "4 4 4 4 4", {"yahtzee": 50})
    assert boxes_allowed(FREE, state) == LOWER | UPPER


@clause("yahtzee forced")
def test_forced_upper_box_first():
    state = decision(FORCED, "4 4 4 4 4", {"yahtzee": 50, "sixes": 18})
    assert boxes_allowed(FORCED, state) == {"fours"}
    assert refused(FORCED, state, score("chance")) == "joker_forced"
    assert refused(FORCED, state, score("ones", strike=True)) == "joker_forced"
    assert refused(FORCED, state, score("fours")) == ""
    assert points(FORCED, "4 4 4 4 4", "fours", {"yahtzee": 50}) == 20


@clause("yahtzee forced")
def test_forced_then_a_lower_box():
    filled = {"yahtzee": 0, "fours": 12}
    state = decision(FORCED, "4 4 4 4 4", filled)
    assert boxes_allowed(FORCED, state) == LOWER
    assert refused(FORCED, state, score("sixes")) == "joker_forced_lower"
    assert points(FORCED, "4 4 4 4 4", "full_house", filled) == 25
    assert points(FORCED, "4 4 4 4 4", "small_straight", filled) == 30
    assert points(FORCED, "4 4 4 4 4", "large_straight", filled) == 40
    assert points(FORCED, "4 4 4 4 4", "four_of_a_kind", filled) == 20


@clause("yahtzee forced")
def test_forced_then_an_upper_box_for_0():
    filled = {"yahtzee": 50, "fours": 12} | dict.fromkeys(LOWER, 0)
    state = decision(FORCED, "4 4 4 4 4", filled)
    assert boxes_allowed(FORCED, state) == UPPER - {"fours"}
    assert all(points(FORCED, "4 4 4 4 4", box, filled) == 0 for box in UPPER - {"fours"})
    assert hundreds(FORCED, sheet_of(FORCED, filled), "4 4 4 4 4", "ones") == 100


@clause("yahtzee forced")
def test_nothing_is_forced_without_a_joker():
    """With the box of five alike open, or dice that are not alike, any box is allowed."""
    state = decision(FORCED, "4 4 4 4 4", {"sixes": 18})
    assert boxes_allowed(FORCED, state) == LOWER | UPPER - {"sixes"} | {"yahtzee"}
    state = decision(FORCED, "4 4 4 4 5", {"yahtzee": 50})
    assert boxes_allowed(FORCED, state) == LOWER | UPPER


@clause("yahtzee none")
def test_none():
    filled = {"yahtzee": 50, "fours": 8}
    assert points(NONE, "4 4 4 4 4", "full_house", filled) == 0
    assert points(NONE, "4 4 4 4 4", "small_straight", filled) == 0
    assert points(NONE, "4 4 4 4 4", "large_straight", filled) == 0
    assert points(NONE, "4 4 4 4 4", "chance", filled) == 20
    assert hundreds(NONE, sheet_of(NONE, filled), "4 4 4 4 4", "chance") == 0
    state = decision(NONE, "4 4 4 4 4", {"yahtzee": 50})
    assert boxes_allowed(NONE, state) == LOWER | UPPER
    assert "yahtzee_bonus" not in NONE.lines


@clause("yahtzee repeats")
def test_a_game_of_fives_only():
    """Thirteen throws of five fives, always in the first open box, `forced`: the hundreds follow the 50.

    Ones to fours 0, fives 25, sixes 0, kinds 25 and 25, full house and straights 0 as long as the box of five
    alike is open, then 50, then chance 25 with a hundred.
    """
    state = play_out(FORCED, start(FORCED), "5 5 5 5 5")
    assert final_score(FORCED, state.sheets[0]) == 25 + 25 + 25 + 50 + 25 + 100
