"""The English, French and German sheets of double dice, and the basic rules of Yatzy below them.

What they share stands once; then comes what only one or two of them say.
"""

from __future__ import annotations

import pytest
from tests.rulebook import basic_rules as basic
from tests.rulebook import course
from tests.rulebook.clauses import clauses_of
from tests.rulebook.support import (
    boxes_allowed,
    decision,
    game,
    inner_points,
    outer_points,
    points,
    refused,
    written_on,
)

from dicecup.engine import apply

ENGLISH, FRENCH, GERMAN = "dice-in-dice-yatzy.en", "double-yatzy.fr", "doppel-yatzy.de"
clause = clauses_of(ENGLISH, FRENCH, GERMAN)
not_german = clauses_of(ENGLISH, FRENCH)
french = clauses_of(FRENCH)
german = clauses_of(GERMAN)

YATZY = game("yatzy")
DOUBLE = game("dice-in-dice")
NEGATIVE = game("dice-in-dice", extra="negative")
FREE_STRIKE = game("dice-in-dice", extra="free_strike")
rows = pytest.mark.parametrize


@clause("double dice")
def test_double_dice():
    basic.dice_are_double(DOUBLE)


@rows(("dice", "box", "expected"), [clause.case(*row) for row in basic.LAYER_ROWS])
def test_five_of_six(dice: str, box: str, expected: int):
    assert inner_points(DOUBLE, dice, box) == expected
    assert outer_points(DOUBLE, dice, box) == expected


@clause("one die disregarded everywhere")
def test_optional_yatzy_scoring_adds_five_dice():
    """Six sixes: 50 and five sixes, 80, not 86."""
    plus_sum = game("dice-in-dice", yatzy="plus_sum")
    assert inner_points(plus_sum, "6 6 6 6 6 6", "yatzy") == 80
    assert outer_points(plus_sum, "6 6 6 6 6 1", "yatzy") == 80


@clause("unused dice")
def test_unused_dice():
    """English: they "don't need to be part of the same double dice"; German: if an outer die is dropped, its
    inner die need not be dropped too. French: "ne doivent pas", which they contradict. Decided: need not.
    """
    basic.unused_dice_are_free(DOUBLE)


@clause("layers apart")
def test_layers_apart():
    basic.inner_and_outer_are_counted_apart(DOUBLE)


@clause("whole dice")
def test_whole_dice():
    """English: "you cannot save the inner and reroll the outer"; French: "un dé est à l’intérieur de
    l’autre"; German: the inner and the outer die belong together.
    """
    basic.dice_are_kept_whole(DOUBLE)


@clause("inner then outer")
def test_inner_then_outer():
    basic.inner_is_scored_then_outer(DOUBLE)


@clause("extra added")
def test_extra_added():
    basic.extra_makes_the_boxes_even(DOUBLE)


@not_german("extra after grand total")
def test_extra_after_grand_total():
    basic.extra_follows_the_grand_total(NEGATIVE, -15)
    basic.extra_follows_the_grand_total(DOUBLE, 20)
    basic.extra_follows_the_grand_total(FREE_STRIKE, 0)


@clause("extra variant negative")
def test_extra_variant_1():
    basic.extra_negative(NEGATIVE)


@not_german("negative extra not crossed out")
def test_extra_variant_1_is_not_crossed_out():
    basic.extra_cannot_be_crossed_out(NEGATIVE)


@clause("extra variant chance")
def test_extra_variant_2():
    basic.extra_as_chance(DOUBLE)


@clause("extra variant free strike")
def test_extra_variant_3():
    basic.extra_free_strike(FREE_STRIKE)


@rows(("dice", "box", "expected"), [clause.case(*row) for row in basic.SCANDINAVIAN_ROWS])
def test_strict_scandinavian(dice: str, box: str, expected: int):
    assert inner_points(game("dice-in-dice", scoring="scandinavian"), dice, box) == expected


@rows(("dice", "box", "expected"), [clause.case(*row) for row in basic.INTERNATIONAL_ROWS])
def test_international(dice: str, box: str, expected: int):
    assert outer_points(game("dice-in-dice", scoring="international"), dice, box) == expected


@clause("worked example")
def test_worked_example():
    basic.worked_example(DOUBLE)


@clause("five dice")
def test_five_dice():
    basic.five_ordinary_dice(YATZY)


@clause("throw, keep, throw, keep, throw")
def test_course_of_a_turn():
    course.any_dice_may_be_kept(YATZY)
    course.three_throws_at_most(YATZY)


@clause("saved dice thrown again")
def test_saved_dice_thrown_again():
    course.kept_dice_may_be_thrown_again(YATZY)


@clause("fill in")
def test_fill_in():
    course.every_turn_fills(YATZY, 1)


@clause("cross out")
def test_cross_out():
    basic.nothing_fits_so_one_is_crossed_out(YATZY)


@clause("every box once")
def test_every_box_once():
    """English: "Next time you have to go for another combination"; French: "jusqu’à ce que toutes les cases
    soient remplies"; German: "Jede Kombination ist daher nur einmal zulässig".
    """
    course.a_box_is_used_once(YATZY, "3 3 3 6 6", "threes", 9)


@not_german("only included dice")
def test_only_included_dice():
    basic.only_dice_of_the_combination_count(YATZY)


@clause("computed lines")
def test_computed_lines():
    course.never_takes_dice(YATZY, "upper_sum", "bonus", "grand_total")


@rows(("dice", "box", "expected"), [clause.case(*row) for row in basic.YATZY_ROWS])
def test_combinations(dice: str, box: str, expected: int):
    assert points(YATZY, dice, box) == expected


@rows(("dice", "box", "expected"), [clause.case(*row) for row in basic.YATZY_PLUS_SUM_ROWS])
def test_yatzy_with_sum(dice: str, box: str, expected: int):
    assert points(game("yatzy", yatzy="plus_sum"), dice, box) == expected


@clause("total")
def test_total():
    basic.total_is_the_upper_sum(YATZY)


@clause("bonus")
def test_bonus():
    basic.bonus_is_50_from_63_on(YATZY)


@clause("grand total")
def test_grand_total():
    """English: "you don't get to count ones to sixes twice"; French: "tout ce qui se trouve à partir du
    Total"; German: "alles zusammen von Summe und runter".
    """
    basic.grand_total_counts_the_upper_half_once(YATZY)


@french("any five")
def test_any_five():
    """The die that does not fit is dropped, whatever its position."""
    for place in range(6):
        dice = ["6"] * 6
        dice[place] = "2"
        assert inner_points(DOUBLE, " ".join(dice), "yatzy") == 50
        assert outer_points(DOUBLE, " ".join(dice), "yatzy") == 50


@german("six dice")
def test_six_dice():
    """German sheet: "insgesamt sechs Würfel", so that a straight may miss one die."""
    assert DOUBLE.dice.count == 6
    assert inner_points(DOUBLE, "1 2 3 4 5 1", "low_straight") == 15


@german("dropped die differs")
def test_dropped_die_differs():
    """The same inner dice: in Chance the 1 is left out, in Low Straight the 6, in Ones any but the 1."""
    dice = "1 2 3 4 5 6"
    assert inner_points(DOUBLE, dice, "chance") == 20
    assert inner_points(DOUBLE, dice, "low_straight") == 15
    assert inner_points(DOUBLE, dice, "ones") == 1


@german("highest removed")
def test_highest_removed():
    assert inner_points(NEGATIVE, "6 1 1 1 1 1", "extra") == -5


@german("written in its column")
def test_written_in_its_column():
    """The inner result is written in its box, then the outer one in another."""
    state = decision(DOUBLE, "5-2 5-2 5-2 5-2 5-2 5-2")
    after = apply(DOUBLE, state, course.placements(DOUBLE, "twos", "fives"))
    assert written_on(DOUBLE, after.sheets[0]) == {"twos": 10, "fives": 25}


@german("pair of threes")
def test_pair_of_threes():
    assert points(YATZY, "3 3 1 2 4", "pair") == 6


@german("chance once")
def test_chance_saves_from_a_strike_once():
    """Open: chance and yatzy. Chance takes the dice; once it is used, yatzy must be struck."""
    filled = {box.id: 0 for box in YATZY.boxes if box.id not in ("chance", "yatzy")}
    assert points(YATZY, "1 2 2 4 6", "chance", filled) == 15
    used = decision(YATZY, "1 2 2 4 6", filled | {"chance": 15})
    assert refused(YATZY, used, course.placements(YATZY, "chance")) == "box_filled"
    assert boxes_allowed(YATZY, used) == {"yatzy"}
    assert points(YATZY, "1 2 2 4 6", "yatzy", filled | {"chance": 15}) == 0


@german("65")
def test_yatzy_of_threes_with_sum():
    assert points(game("yatzy", yatzy="plus_sum"), "3 3 3 3 3", "yatzy") == 65
