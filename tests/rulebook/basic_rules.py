"""The basic rules of Yatzy as printed on the English, German and French sheets, with the same examples.

Each of the three test files runs these rows and checks under the name of its own sheet.
"""

from __future__ import annotations

from tests.rulebook import course
from tests.rulebook.support import (
    boxes_allowed,
    decision,
    game,
    inner_points,
    lines,
    outer_points,
    points,
    refused,
    written_on,
)

from dicecup.engine import Keep, Placement, Score, Throw, apply, start
from dicecup.rules import Ruleset

# clause, dice, box, points
YATZY_ROWS = [
    ("upper", "3 3 3 6 6", "threes", 9),
    ("upper", "3 3 3 6 6", "sixes", 12),
    ("upper", "1 1 4 5 6", "ones", 2),
    ("upper", "2 2 2 2 6", "twos", 8),
    ("upper", "4 4 4 5 5", "fours", 12),
    ("upper", "4 4 4 5 5", "fives", 10),
    ("upper", "3 3 3 6 6", "fours", 0),
    ("pair", "5 5 1 2 3", "pair", 10),
    ("pair", "5 5 3 3 1", "pair", 10),
    ("pair", "1 2 3 4 6", "pair", 0),
    ("two pairs", "5 5 6 6 1", "two_pairs", 22),
    ("two pairs", "5 5 5 6 6", "two_pairs", 22),
    ("two pairs", "5 5 6 1 2", "two_pairs", 0),
    ("four alike as two pairs", "4 4 4 4 2", "two_pairs", 16),
    ("four alike as two pairs", "4 4 4 4 4", "two_pairs", 16),
    ("three of a kind", "2 2 2 5 6", "three_of_a_kind", 6),
    ("three of a kind", "2 2 2 2 6", "three_of_a_kind", 6),
    ("three of a kind", "2 2 5 5 6", "three_of_a_kind", 0),
    ("four of a kind", "4 4 4 4 1", "four_of_a_kind", 16),
    ("four of a kind", "4 4 4 4 4", "four_of_a_kind", 16),
    ("four of a kind", "4 4 4 1 1", "four_of_a_kind", 0),
    ("low straight", "1 2 3 4 5", "low_straight", 15),
    ("low straight", "2 3 4 5 6", "low_straight", 0),
    ("low straight", "1 2 3 4 6", "low_straight", 0),
    ("high straight", "2 3 4 5 6", "high_straight", 20),
    ("high straight", "1 2 3 4 5", "high_straight", 0),
    ("full house", "3 3 3 4 4", "full_house", 17),
    ("full house", "3 3 3 3 4", "full_house", 0),
    ("full house", "3 3 4 4 5", "full_house", 0),
    ("five alike as full house", "3 3 3 3 3", "full_house", 15),
    ("chance", "1 5 4 3 3", "chance", 16),
    ("yatzy", "3 3 3 3 3", "yatzy", 50),
    ("yatzy", "3 3 3 3 4", "yatzy", 0),
]
YATZY_PLUS_SUM_ROWS = [
    ("yatzy with sum", "3 3 3 3 3", "yatzy", 65),
    ("yatzy with sum", "1 1 1 1 1", "yatzy", 55),
    ("yatzy with sum", "6 6 6 6 6", "yatzy", 80),
    ("yatzy with sum", "6 6 6 6 5", "yatzy", 0),
]
# clause, six dice of one layer, box, points: five of them count
LAYER_ROWS = [
    ("five count", "6 6 6 6 6 6", "sixes", 30),
    ("five count", "2 2 3 3 4 4", "two_pairs", 14),
    ("five count", "1 2 3 4 5 6", "low_straight", 15),
    ("five count", "1 2 3 4 5 6", "high_straight", 20),
    ("five count", "4 4 4 4 4 4", "yatzy", 50),
    ("five count", "4 4 4 4 4 1", "yatzy", 50),
    ("one die disregarded everywhere", "1 2 3 4 5 6", "chance", 20),
    ("one die disregarded everywhere", "6 6 6 6 6 6", "chance", 30),
    ("one die disregarded everywhere", "1 2 3 4 5 6", "extra", 20),
    ("one die disregarded everywhere", "1 1 1 1 1 1", "ones", 5),
    ("one die disregarded everywhere", "5 5 5 5 5 5", "fives", 25),
    ("one die disregarded everywhere", "6 6 6 6 6 1", "sixes", 30),
]
SCANDINAVIAN_ROWS = [
    ("strict scandinavian scoring", "4 4 4 4 2 1", "two_pairs", 0),
    ("strict scandinavian scoring", "4 4 4 4 2 2", "two_pairs", 12),
    ("strict scandinavian scoring", "3 3 3 3 3 1", "full_house", 0),
    ("strict scandinavian scoring", "3 3 3 3 3 3", "full_house", 0),
    ("strict scandinavian scoring", "3 3 3 4 4 1", "full_house", 17),
]
INTERNATIONAL_ROWS = [
    ("international scoring", "2 2 2 4 5 6", "three_of_a_kind", 17),
    ("international scoring", "4 4 4 4 1 6", "four_of_a_kind", 22),
    ("international scoring", "3 3 3 4 4 1", "full_house", 25),
    ("international scoring", "1 2 3 4 6 6", "low_straight", 30),
    ("international scoring", "1 2 3 4 5 5", "high_straight", 40),
]

FULL_LOWER = {
    **{"pair": 10, "two_pairs": 22, "three_of_a_kind": 6, "four_of_a_kind": 16},
    **{"low_straight": 15, "high_straight": 20, "full_house": 17, "chance": 16, "yatzy": 50},
}  # 172
UPPER_63 = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}


def five_ordinary_dice(rules: Ruleset) -> None:
    assert (rules.dice.count, rules.dice.faces, len(rules.dice.layers)) == (5, 6, 1)
    course.first_throw_is_of_every_die(rules)


def total_is_the_upper_sum(rules: Ruleset) -> None:
    assert lines(rules, UPPER_63 | {"chance": 16})["upper_sum"] == 63
    assert lines(rules, {"threes": 9, "sixes": 12, "pair": 10})["upper_sum"] == 21


def bonus_is_50_from_63_on(rules: Ruleset) -> None:
    assert lines(rules, UPPER_63)["bonus"] == 50
    assert lines(rules, UPPER_63 | {"ones": 2})["bonus"] == 0
    assert lines(rules, UPPER_63 | {"sixes": 24})["bonus"] == 50
    assert lines(rules, {"chance": 30, "sixes": 30, "fives": 25})["bonus"] == 0


def grand_total_counts_the_upper_half_once(rules: Ruleset) -> None:
    """63 + 50 + 172, not 63 more."""
    assert lines(rules, UPPER_63 | FULL_LOWER)["grand_total"] == 285
    assert lines(rules, UPPER_63 | FULL_LOWER | {"ones": 2})["grand_total"] == 234


def nothing_fits_so_one_is_crossed_out(rules: Ruleset) -> None:
    """Only yatzy and high straight are open, the dice make neither: one of the two gets 0."""
    filled = {box.id: 0 for box in rules.boxes if box.id not in ("yatzy", "high_straight")}
    state = decision(rules, "1 1 2 3 6", filled)
    assert boxes_allowed(rules, state) == {"yatzy", "high_straight"}
    assert points(rules, "1 1 2 3 6", "yatzy", filled) == 0
    assert points(rules, "1 1 2 3 6", "high_straight", filled) == 0
    assert refused(rules, state, course.placements(rules, "chance")) == "box_filled"


def only_dice_of_the_combination_count(rules: Ruleset) -> None:
    """Changing the dice outside the combination changes nothing; Yatzy is 50, not a sum."""
    for rest in ("1 2", "1 6", "4 6"):
        assert points(rules, f"5 5 3 {rest}", "pair") == 10
        assert points(rules, f"5 5 5 {rest}", "three_of_a_kind") == 15
    for rest in "1346":
        assert points(rules, f"2 2 2 2 {rest}", "four_of_a_kind") == 8
        assert points(rules, f"5 5 2 2 {rest}", "two_pairs") == 14
    assert points(rules, "1 1 1 1 1", "yatzy") == points(rules, "6 6 6 6 6", "yatzy") == 50


# The double dice.


def dice_are_double(rules: Ruleset) -> None:
    assert (rules.dice.count, rules.dice.faces, rules.dice.layers) == (6, 6, ("outer", "inner"))
    course.first_throw_is_of_every_die(rules)


def inner_and_outer_are_counted_apart(rules: Ruleset) -> None:
    """Three outer and two inner sixes make neither four nor five of a kind."""
    state = decision(rules, "6-6 6-6 6-5 1-4 2-3 3-2")
    after = apply(rules, state, course.placements(rules, "pair", "three_of_a_kind"))
    assert written_on(rules, after.sheets[0]) == {"pair": 12, "three_of_a_kind": 18}
    after = apply(rules, state, course.placements(rules, "four_of_a_kind", "yatzy"))
    assert written_on(rules, after.sheets[0]) == {"four_of_a_kind": 0, "yatzy": 0}


def dice_are_kept_whole(rules: Ruleset) -> None:
    """A keep names whole double dice; an inner die alone, or in another outer die, is rejected."""
    dice = ((1, 6), (2, 6), (3, 6), (4, 6), (5, 1), (6, 2))
    state = apply(rules, start(rules), Throw(dice))
    assert refused(rules, state, Keep((6,))) == "keep_not_there"
    assert refused(rules, state, Keep(((6, 6),))) == "keep_not_there"
    assert refused(rules, state, Keep(((6, 1),))) == "keep_not_there"
    state = apply(rules, state, Keep(dice[:4]))
    state = apply(rules, state, Throw(((5, 6), (1, 6))))
    assert state.dice == ((1, 6), (1, 6), (2, 6), (3, 6), (4, 6), (5, 6))


def inner_is_scored_then_outer(rules: Ruleset) -> None:
    """The first box takes the inner dice, the second the outer dice, and both must be filled."""
    state = decision(rules, "1-6 1-6 1-6 1-6 1-6 2-5")
    move = course.placements(rules, "sixes", "ones")
    assert written_on(rules, apply(rules, state, move).sheets[0]) == {"sixes": 30, "ones": 5}
    move = course.placements(rules, "ones", "sixes")
    assert written_on(rules, apply(rules, state, move).sheets[0]) == {"ones": 0, "sixes": 0}
    assert refused(rules, state, course.placements(rules, "chance", "chance")) == "box_twice"
    assert refused(rules, state, course.placements(rules, "chance")) == "layers_wrong"
    assert refused(rules, state, Score(())) == "layers_wrong"


def unused_dice_are_free(rules: Ruleset) -> None:
    """The dropped dice may be the two faces of one double die, or faces of two different ones."""
    for dice in ("1-1 6-6 6-6 6-6 6-6 6-6", "1-6 6-1 6-6 6-6 6-6 6-6"):
        after = apply(rules, decision(rules, dice), course.placements(rules, "chance", "yatzy"))
        assert written_on(rules, after.sheets[0]) == {"chance": 30, "yatzy": 50}


def worked_example(rules: Ruleset) -> None:
    state = decision(rules, "6-5 6-4 3-3 3-2 4-1 3-2")
    after = apply(rules, state, course.placements(rules, "low_straight", "full_house"))
    assert written_on(rules, after.sheets[0]) == {"low_straight": 15, "full_house": 21}


def extra_makes_the_boxes_even(rules: Ruleset) -> None:
    boxes = [box.id for box in rules.boxes]
    assert boxes == [box.id for box in game("yatzy").boxes] + ["extra"]
    assert len(boxes) == 16
    course.every_turn_fills(rules, 2)


def extra_follows_the_grand_total(rules: Ruleset, extra: int) -> None:
    assert rules.lines[-3:] == ("grand_total", "extra", "final_score")
    sheet = UPPER_63 | FULL_LOWER | {"extra": extra}
    assert lines(rules, sheet)["grand_total"] == 285
    assert course.placed(rules, sheet) == [(1, 0, 285 + extra)]


def extra_negative(rules: Ruleset) -> None:
    assert inner_points(rules, "1 2 3 4 5 6", "extra") == -15
    assert inner_points(rules, "6 6 6 6 6 6", "extra") == -30
    assert outer_points(rules, "1 1 1 2 2 6", "extra") == -7


def extra_cannot_be_crossed_out(rules: Ruleset) -> None:
    state = decision(rules, "1-1 2-2 3-3 4-4 5-5 6-6")
    crossed = Placement("extra", strike=True)
    chance = Placement("chance")
    assert refused(rules, state, Score((crossed, chance))) == "box_cannot_be_struck"
    assert refused(rules, state, Score((chance, crossed))) == "box_cannot_be_struck"


def extra_as_chance(rules: Ruleset) -> None:
    """Any dice give in Extra what they give in Chance, and it may be crossed out as Chance may."""
    for dice, expected in (("1 2 3 4 5 6", 20), ("1 1 1 1 1 1", 5), ("2 2 6 6 6 6", 26)):
        assert inner_points(rules, dice, "extra") == inner_points(rules, dice, "chance") == expected
        assert outer_points(rules, dice, "extra") == outer_points(rules, dice, "chance") == expected
    state = decision(rules, "1-1 2-2 3-3 4-4 5-5 6-6")
    assert refused(rules, state, course.placements(rules, "extra", "chance", strike=True)) == ""


def extra_free_strike(rules: Ruleset) -> None:
    for dice in ("1 2 3 4 5 6", "6 6 6 6 6 6"):
        assert inner_points(rules, dice, "extra") == 0
        assert outer_points(rules, dice, "extra") == 0
