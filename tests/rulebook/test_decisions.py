"""Decisions of the rule pages where the sheets are silent, contradict each other, or lost their pictures."""

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
    lines,
    outer_points,
    play_out,
    points,
    refused,
    sheet_of,
    written_on,
)

from dicecup.dice import format_die, parse_die
from dicecup.engine import Placement, Score, apply, start
from dicecup.engine.legality import offers
from dicecup.rules import Ruleset, main_ids

clause = clauses_of("decisions")

YATZY = game("yatzy")
SWEDISH = game("yatzy-sv")
DOUBLE = game("dice-in-dice")
YUM = game("yum-plus")
TRIPLE = game("triple-yum-plus")
GAMES = [game(name) for name in main_ids()]
every_game = pytest.mark.parametrize("rules", GAMES, ids=[rules.id for rules in GAMES])

UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"]
YATZY_BOXES = [
    *UPPER,
    *("pair", "two_pairs", "three_of_a_kind", "four_of_a_kind"),
    *("low_straight", "high_straight", "full_house", "chance", "yatzy"),
]
YUM_BOXES = [
    *UPPER,
    *("pair", "two_pairs", "three_of_a_kind", "four_of_a_kind"),
    *("short_straight", "long_straight", "low_straight", "high_straight"),
    *("low_score", "high_score", "full_house", "chance", "minus", "yum", "second_yum", "third_yum"),
]
YUMS = {"yum": 50, "second_yum": 100, "third_yum": 0}


# Rules common to all games.


@clause("three throws")
@every_game
def test_three_throws(rules: Ruleset):
    course.first_throw_is_of_every_die(rules)
    course.any_dice_may_be_kept(rules)
    course.kept_dice_may_be_thrown_again(rules)
    course.may_stop_after_any_throw(rules)
    course.three_throws_at_most(rules)


@clause("boxes a turn")
@every_game
def test_boxes_a_turn(rules: Ruleset):
    course.every_turn_fills(rules, 2 if rules.id == "dice-in-dice" else 1)


@clause("filled box stays")
def test_filled_box_stays():
    course.a_box_is_used_once(YATZY, "3 3 3 4 4", "full_house", 17)
    course.a_box_is_used_once(YUM, "1 2 2 4 6", "minus", 21)
    struck = decision(YATZY, "3 3 3 4 4", {"full_house": 0})
    assert refused(YATZY, struck, course.placements(YATZY, "full_house")) == "box_filled"


@clause("strike")
@every_game
def test_strike_in_any_open_box(rules: Ruleset):
    if rules.id != "dice-in-dice":
        course.any_box_may_be_struck(rules, "6 6 6 6 6")
        return
    state = decision(rules, "6-6 6-6 6-6 6-6 6-6 6-6")
    for first, then in zip(YATZY_BOXES, [*YATZY_BOXES[1:], "extra"], strict=True):
        after = apply(rules, state, course.placements(rules, first, then, strike=True))
        assert written_on(rules, after.sheets[0]) == {first: 0, then: 0}


@clause("seats")
@every_game
@pytest.mark.parametrize("players", [1, 3])
def test_seats(rules: Ruleset, players: int):
    course.seats_take_turns(rules, players)


@clause("places")
@every_game
def test_places(rules: Ruleset):
    """Of 20, 30, 20, 30 and 10, two share first place, two share third place, and one is fifth."""
    name = "x1.chance" if rules.id == "triple-yum-plus" else "chance"
    sheets = [{name: score} for score in (20, 30, 20, 30, 10)]
    expected = [(1, 1, 30), (1, 3, 30), (3, 0, 20), (3, 2, 20), (5, 4, 10)]
    assert course.placed(rules, *sheets) == expected


@clause("most for the player")
def test_most_for_the_player():
    assert points(YATZY, "2 2 5 5 5", "pair") == 10
    assert outer_points(DOUBLE, "1 1 2 2 6 6", "two_pairs") == 16
    assert outer_points(DOUBLE, "2 2 2 5 5 5", "full_house") == 19
    assert outer_points(DOUBLE, "2 2 2 5 5 5", "three_of_a_kind") == 15


@clause("counted dice shown")
@pytest.mark.parametrize(
    ("rules", "faces", "box", "counted"),
    [
        (YATZY, (2, 2, 5, 5, 6), "pair", (5, 5)),
        (YATZY, (2, 2, 5, 5, 6), "two_pairs", (2, 2, 5, 5)),
        (YATZY, (3, 3, 3, 6, 6), "threes", (3, 3, 3)),
        (YATZY, (1, 2, 3, 4, 6), "chance", (1, 2, 3, 4, 6)),
        (YATZY, (1, 2, 3, 4, 6), "yatzy", ()),
        (DOUBLE, (3, 3, 3, 4, 6, 6), "full_house", (3, 3, 3, 6, 6)),
        (DOUBLE, (1, 2, 2, 3, 4, 5), "low_straight", (1, 2, 3, 4, 5)),
        (DOUBLE, (1, 2, 3, 4, 5, 6), "chance", (2, 3, 4, 5, 6)),
        (DOUBLE, (6, 6, 6, 6, 6, 6), "sixes", (6, 6, 6, 6, 6)),
        (game("dice-in-dice", extra="negative"), (1, 2, 3, 4, 5, 6), "extra", (1, 2, 3, 4, 5)),
        (YUM, (4, 4, 4, 1, 2), "three_of_a_kind", (1, 2, 4, 4, 4)),
    ],
)
def test_counted_dice_are_shown(rules: Ruleset, faces: tuple[int, ...], box: str, counted: tuple[int, ...]):
    given = offers(rules, sheet_of(rules, {}), tuple(sorted(faces)))
    scored = given[[other.id for other in rules.boxes].index(box)]
    assert scored is not None
    assert scored.counted == counted


@clause("box order")
def test_box_order():
    assert [box.id for box in YATZY.boxes] == YATZY_BOXES
    assert [box.id for box in SWEDISH.boxes] == YATZY_BOXES
    assert [box.id for box in DOUBLE.boxes] == [*YATZY_BOXES, "extra"]
    assert [box.id for box in YUM.boxes] == YUM_BOXES
    assert [box.id for box in TRIPLE.boxes] == YUM_BOXES


@clause("options")
def test_options():
    yatzy = {
        "scoring": ("printed", "scandinavian", "international"),
        "yatzy": ("flat", "plus_sum"),
        "strike": ("free", "last_resort"),
    }
    swedish = {"two_pairs": ("distinct", "four_alike"), "strike": ("free", "last_resort")}
    yum = {"kinds": ("all_dice", "matching"), "joker_upper": ("sum", "none")}
    assert YATZY.choices == yatzy
    assert SWEDISH.choices == swedish
    assert DOUBLE.choices == yatzy | {"extra": ("chance", "negative", "free_strike")}
    assert YUM.choices == TRIPLE.choices == yum
    assert game("yahtzee").choices == {"joker": ("free", "forced", "none")}
    for rules in GAMES:
        assert rules.options == {name: values[0] for name, values in rules.choices.items()}


# yatzy


@clause("yatzy lines")
def test_yatzy_lines():
    assert YATZY.lines == (*UPPER, "upper_sum", "bonus", *YATZY_BOXES[6:], "grand_total")
    course.never_takes_dice(YATZY, "upper_sum", "bonus", "grand_total")
    course.never_takes_dice(DOUBLE, "upper_sum", "bonus", "grand_total", "final_score")


@pytest.mark.parametrize(
    ("dice", "box", "expected"),
    [
        clause.case("scoring scandinavian", "4 4 4 4 2", "two_pairs", 0),
        clause.case("scoring scandinavian", "4 4 4 4 4", "two_pairs", 0),
        clause.case("scoring scandinavian", "4 4 2 2 1", "two_pairs", 12),
        clause.case("scoring scandinavian", "3 3 3 3 3", "full_house", 0),
        clause.case("scoring scandinavian", "3 3 3 4 4", "full_house", 17),
        clause.case("scoring scandinavian", "4 4 4 4 2", "four_of_a_kind", 16),
        clause.case("scoring scandinavian", "1 2 3 4 5", "low_straight", 15),
        clause.case("scoring scandinavian", "3 3 3 3 3", "yatzy", 50),
    ],
)
def test_scandinavian(dice: str, box: str, expected: int):
    assert points(game("yatzy", scoring="scandinavian"), dice, box) == expected


@pytest.mark.parametrize(
    ("dice", "box", "expected"),
    [
        clause.case("scoring international", "2 2 2 5 6", "three_of_a_kind", 17),
        clause.case("scoring international", "2 2 5 5 6", "three_of_a_kind", 0),
        clause.case("scoring international", "4 4 4 4 1", "four_of_a_kind", 17),
        clause.case("scoring international", "4 4 4 1 1", "four_of_a_kind", 0),
        clause.case("scoring international", "3 3 3 4 4", "full_house", 25),
        clause.case("scoring international", "3 3 3 3 3", "full_house", 0),
        clause.case("scoring international", "1 2 3 4 6", "low_straight", 30),
        clause.case("scoring international", "3 4 5 6 6", "low_straight", 30),
        clause.case("scoring international", "2 3 4 5 6", "low_straight", 30),
        clause.case("scoring international", "1 2 3 5 6", "low_straight", 0),
        clause.case("scoring international", "1 2 3 4 5", "high_straight", 40),
        clause.case("scoring international", "2 3 4 5 6", "high_straight", 40),
        clause.case("scoring international", "3 4 5 6 6", "high_straight", 0),
        clause.case("scoring international", "3 3 3 3 3", "yatzy", 50),
        clause.case("scoring international", "5 5 2 2 1", "pair", 10),
        clause.case("scoring international", "5 5 2 2 1", "two_pairs", 14),
        clause.case("scoring international", "4 4 4 4 2", "two_pairs", 0),
    ],
)
def test_international(dice: str, box: str, expected: int):
    assert points(game("yatzy", scoring="international"), dice, box) == expected


@clause("scoring international")
def test_international_bonus():
    for name in ("yatzy", "dice-in-dice"):
        rules = game(name, scoring="international")
        assert lines(rules, basic.UPPER_63)["bonus"] == 35
        assert lines(rules, basic.UPPER_63 | {"ones": 2})["bonus"] == 0
        assert lines(game(name, scoring="scandinavian"), basic.UPPER_63)["bonus"] == 50


@clause("yatzy plus_sum")
def test_plus_sum_under_every_scoring():
    for scoring in ("printed", "scandinavian", "international"):
        rules = game("yatzy", scoring=scoring, yatzy="plus_sum")
        assert points(rules, "2 2 2 2 2", "yatzy") == 60
        assert (
            inner_points(game("dice-in-dice", scoring=scoring, yatzy="plus_sum"), "2 2 2 2 2 2", "yatzy")
            == 60
        )


@clause("strike last_resort")
def test_last_resort():
    """As long as an open box scores, only scoring boxes may be filled."""
    rules = game("yatzy", strike="last_resort")
    state = decision(rules, "1 1 2 3 6", {"chance": 20})
    assert boxes_allowed(rules, state) == {"ones", "twos", "threes", "sixes", "pair"}
    struck = course.placements(rules, "yatzy", strike=True)
    assert refused(rules, state, struck) == "strike_not_last_resort"
    assert refused(rules, state, course.placements(rules, "pair", strike=True)) == "strike_not_last_resort"
    nothing = {box: 0 for box in YATZY_BOXES if box not in ("fives", "yatzy")}
    state = decision(rules, "1 1 2 3 6", nothing)
    assert boxes_allowed(rules, state) == {"fives", "yatzy"}


@clause("strike last_resort")
def test_last_resort_of_double_dice():
    """Each layer considers its open boxes; a free strike is always allowed, and minus points are not a 0."""
    rules = game("dice-in-dice", strike="last_resort")
    closed = {box: 0 for box in YATZY_BOXES if box not in ("sixes", "fives", "yatzy")} | {"extra": 0}
    state = decision(rules, "5-6 1-1 1-1 1-1 2-2 2-2", closed | {"yatzy": 0})
    assert refused(rules, state, course.placements(rules, "fives", "sixes")) == "strike_not_last_resort"
    assert refused(rules, state, course.placements(rules, "sixes", "fives")) == ""
    for extra in ("free_strike", "negative"):
        rules = game("dice-in-dice", strike="last_resort", extra=extra)
        state = decision(rules, "6-6 6-6 6-6 6-6 6-6 6-6")
        assert refused(rules, state, course.placements(rules, "extra", "sixes")) == ""
        assert refused(rules, state, course.placements(rules, "ones", "sixes")) == "strike_not_last_resort"


# yatzy-sv


@clause("swedish full house")
def test_swedish_full_house():
    assert points(SWEDISH, "2 2 6 6 6", "full_house") == 22
    assert points(SWEDISH, "6 6 6 6 6", "full_house") == 0


@clause("swedish chance")
def test_swedish_chance():
    assert points(SWEDISH, "1 5 4 3 3", "chance") == 16


@clause("swedish two pairs")
def test_swedish_two_pairs():
    four_alike = game("yatzy-sv", two_pairs="four_alike")
    assert points(SWEDISH, "4 4 4 4 2", "two_pairs") == 0
    assert points(four_alike, "4 4 4 4 2", "two_pairs") == 16
    assert points(SWEDISH, "4 4 2 2 1", "two_pairs") == 12
    assert points(four_alike, "4 4 2 2 1", "two_pairs") == 12
    assert points(four_alike, "4 4 4 4 4", "full_house") == 0


@clause("swedish yatzy")
def test_swedish_yatzy():
    assert [points(SWEDISH, " ".join([face] * 5), "yatzy") for face in "123456"] == [50] * 6


# dice-in-dice


@clause("double dice")
def test_double_dice():
    basic.dice_are_double(DOUBLE)
    basic.dice_are_kept_whole(DOUBLE)
    assert parse_die("6-5", 6, 2) == (6, 5)
    assert format_die((6, 5)) == "6-5"


@clause("eight turns")
def test_eight_turns():
    assert DOUBLE.turns == 8
    course.every_turn_fills(DOUBLE, 2)
    basic.inner_is_scored_then_outer(DOUBLE)


@clause("five of six")
def test_five_of_six():
    basic.unused_dice_are_free(DOUBLE)
    assert inner_points(DOUBLE, "6 6 6 6 6 6", "sixes") == 30
    assert inner_points(DOUBLE, "1 2 3 4 5 6", "chance") == 20


@clause("six dice hold more")
def test_six_dice_hold_more():
    assert outer_points(DOUBLE, "6 6 6 6 5 5", "two_pairs") == 24
    assert outer_points(game("dice-in-dice", scoring="scandinavian"), "6 6 6 6 5 5", "two_pairs") == 22


@clause("extra")
def test_extra():
    basic.extra_as_chance(DOUBLE)
    basic.extra_negative(game("dice-in-dice", extra="negative"))
    basic.extra_free_strike(game("dice-in-dice", extra="free_strike"))
    basic.extra_follows_the_grand_total(DOUBLE, 20)


@clause("negative extra")
def test_negative_extra():
    rules = game("dice-in-dice", extra="negative")
    basic.extra_cannot_be_crossed_out(rules)
    assert inner_points(rules, "1 2 3 4 5 6", "extra") == -15
    assert inner_points(rules, "6 6 6 6 6 1", "extra") == -25


@clause("worked example")
def test_worked_example():
    basic.worked_example(DOUBLE)


# yum-plus


@clause("yum bonus")
def test_yum_bonus():
    tiers = [(62, 0), (63, 35), (70, 35), (71, 55), (77, 55), (78, 75), (105, 75)]
    for total, bonus in tiers:
        found = lines(YUM, {"sixes": total - 25, "fives": 25})
        assert (found["bonus"], found["upper_total"]) == (bonus, total + bonus)


@clause("yum kinds")
def test_yum_kinds():
    matching = game("yum-plus", kinds="matching")
    assert points(YUM, "4 4 4 2 1", "three_of_a_kind") == 15
    assert points(matching, "4 4 4 2 1", "three_of_a_kind") == 12
    assert points(YUM, "5 5 5 5 2", "four_of_a_kind") == 22
    assert points(matching, "5 5 5 5 2", "four_of_a_kind") == 20
    assert points(YUM, "5 5 5 5 2", "pair") == points(matching, "5 5 5 5 2", "pair") == 10
    assert points(YUM, "4 4 4 4 2", "two_pairs") == points(matching, "4 4 4 4 2", "two_pairs") == 0


@clause("yum straights")
def test_yum_straights():
    straights = ("short_straight", "long_straight", "low_straight", "high_straight")
    expected = {
        **{"1 2 3 4 5": [30, 40, 15, 0], "2 3 4 5 6": [30, 40, 0, 20]},
        **{"1 2 3 4 6": [30, 0, 0, 0], "1 2 3 5 6": [0, 0, 0, 0]},
    }
    for dice, worth in expected.items():
        assert [points(YUM, dice, box) for box in straights] == worth


@pytest.mark.parametrize(
    ("written", "dice", "box", "expected"),
    [
        clause.case("yum low and high", {}, "6 6 6 2 1", "low_score", 21),
        clause.case("yum low and high", {}, "6 6 5 2 1", "low_score", 0),
        clause.case("yum low and high", {}, "6 6 6 3 1", "high_score", 22),
        clause.case("yum low and high", {}, "6 6 6 2 1", "high_score", 0),
        clause.case("yum low and high", {"low_score": 24}, "6 6 6 4 3", "high_score", 25),
        clause.case("yum low and high", {"low_score": 24}, "6 6 6 3 3", "high_score", 0),
        clause.case("yum low and high", {"low_score": 30}, "6 6 6 6 6", "high_score", 0),
        clause.case("yum low and high", {"low_score": 0}, "6 6 6 3 1", "high_score", 22),
        clause.case("yum low and high", {"low_score": 0}, "6 6 6 2 1", "high_score", 0),
        clause.case("yum low and high", {"high_score": 25}, "6 6 6 3 3", "low_score", 24),
        clause.case("yum low and high", {"high_score": 25}, "6 6 6 4 3", "low_score", 0),
        clause.case("yum low and high", {"high_score": 25}, "6 6 6 5 5", "low_score", 0),
        clause.case("yum low and high", {"high_score": 22}, "6 6 6 2 1", "low_score", 21),
        clause.case("yum low and high", {"high_score": 0}, "6 6 6 6 6", "low_score", 30),
    ],
)
def test_yum_low_and_high(written: dict[str, int], dice: str, box: str, expected: int):
    assert points(YUM, dice, box, written) == expected


@clause("yum low and high")
def test_yum_low_or_high_first():
    for first, then in (("low_score", "high_score"), ("high_score", "low_score")):
        assert points(YUM, "6 6 6 3 3", first) == 24
        assert points(YUM, "6 6 6 3 3", then, {first: 24}) == 0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        clause.case("yum order", {}, [50, 0, 0]),
        clause.case("yum order", {"yum": 50}, [None, 100, 0]),
        clause.case("yum order", {"yum": 0}, [None, 100, 0]),
        clause.case("yum order", {"yum": 50, "second_yum": 100}, [None, None, 100]),
        clause.case("yum order", {"yum": 0, "second_yum": 0}, [None, None, 100]),
        clause.case("yum order", {"second_yum": 0}, [50, None, 0]),
        clause.case("yum order", {"third_yum": 0}, [50, 0, None]),
        clause.case("yum order", {"second_yum": 0, "third_yum": 0}, [50, None, None]),
        clause.case("yum order", {"yum": 50, "third_yum": 0}, [None, 100, None]),
    ],
)
@pytest.mark.parametrize(("rules", "column"), [(YUM, ""), (TRIPLE, "x1."), (TRIPLE, "x3.")])
def test_yum_order(rules: Ruleset, column: str, written: dict[str, int], expected: list[int | None]):
    """Five alike in the three Yum boxes; None if the box is filled."""
    sheet = {column + box: held for box, held in written.items()}
    found = [
        points(rules, "6 6 6 6 6", column + box, sheet) if box not in written else None
        for box in ("yum", "second_yum", "third_yum")
    ]
    assert found == expected


@clause("yum order")
def test_any_yum_box_may_be_struck_at_any_time():
    for dice in ("6 6 6 6 6", "1 2 3 4 6"):
        for box in ("yum", "second_yum", "third_yum"):
            after = apply(YUM, decision(YUM, dice), course.placements(YUM, box, strike=True))
            assert written_on(YUM, after.sheets[0]) == {box: 0}


@clause("yum joker")
def test_yum_joker():
    """Five sixes as a joker: full house 25, the straights, two pairs of four dice, the rest as usual."""
    filled = YUMS | {"sixes": 18}
    expected = {
        **{"ones": 30, "twos": 30, "threes": 30, "fours": 30, "fives": 30},
        **{"pair": 12, "two_pairs": 24, "three_of_a_kind": 30, "four_of_a_kind": 30},
        **{"short_straight": 30, "long_straight": 40, "low_straight": 15, "high_straight": 20},
        **{"low_score": 30, "high_score": 30, "full_house": 25, "chance": 30, "minus": 6},
    }
    assert {box: points(YUM, "6 6 6 6 6", box, filled) for box in expected} == expected
    matching = game("yum-plus", kinds="matching")
    assert points(matching, "6 6 6 6 6", "three_of_a_kind", filled) == 18
    assert points(matching, "6 6 6 6 6", "four_of_a_kind", filled) == 24


@clause("yum joker")
def test_yum_joker_respects_low_and_high():
    assert points(YUM, "6 6 6 6 6", "low_score", YUMS | {"sixes": 18, "high_score": 30}) == 0
    assert points(YUM, "5 5 5 5 5", "high_score", YUMS | {"fives": 18, "low_score": 25}) == 0


@clause("yum joker_upper")
def test_joker_upper_none():
    rules = game("yum-plus", joker_upper="none")
    filled = YUMS | {"sixes": 18}
    assert [points(rules, "6 6 6 6 6", box, filled) for box in UPPER[:5]] == [0] * 5
    assert points(rules, "6 6 6 6 6", "full_house", filled) == 25
    assert points(rules, "6 6 6 6 6", "long_straight", filled) == 40


# triple-yum-plus


def in_every_column(written: dict[str, int]) -> dict[str, int]:
    return {f"{column}.{box}": held for column in ("x1", "x2", "x3") for box, held in written.items()}


@clause("triple columns")
def test_triple_columns():
    assert TRIPLE.turns == 66
    assert [(column.id, column.multiplier) for column in TRIPLE.columns] == [("x1", 1), ("x2", 2), ("x3", 3)]
    assert play_out(TRIPLE, start(TRIPLE), "1 2 3 4 5").finished
    state = decision(TRIPLE, "1 2 3 4 5")
    for box in YUM_BOXES:
        for column in ("x1", "x2", "x3"):
            assert refused(TRIPLE, state, Score((Placement(box, column),))) == ""
        assert refused(TRIPLE, state, Score((Placement(box),))) == "column_missing"


@clause("triple columns")
def test_triple_totals_with_bonus():
    """63 and 35 in the third column are 294; 62 in the first stays 62; upper sections are separate."""
    upper = {"sixes": 30, "fives": 25, "fours": 8}
    third = {f"x3.{box}": held for box, held in upper.items()}
    assert course.placed(TRIPLE, third) == [(1, 0, 294)]
    assert lines(TRIPLE, third, 2)["weighted_total"] == 294
    first = {"x1.sixes": 30, "x1.fives": 25, "x1.fours": 4, "x1.threes": 3}
    assert course.placed(TRIPLE, first | third) == [(1, 0, 356)]
    assert course.placed(TRIPLE, {"x1.sixes": 30, "x2.sixes": 30, "x3.sixes": 30}) == [(1, 0, 180)]


@clause("triple columns")
def test_triple_low_high_and_yum_order_per_column():
    assert points(TRIPLE, "6 6 6 3 3", "x2.high_score", {"x1.low_score": 24}) == 24
    assert points(TRIPLE, "6 6 6 3 3", "x1.high_score", {"x1.low_score": 24}) == 0
    assert points(TRIPLE, "6 6 6 6 6", "x2.second_yum", {"x1.yum": 50}) == 0
    assert points(TRIPLE, "6 6 6 6 6", "x1.second_yum", {"x1.yum": 50}) == 100
    assert points(TRIPLE, "6 6 6 6 6", "x2.yum", {"x1.yum": 50}) == 50


@clause("triple joker")
def test_triple_joker():
    """All nine Yum boxes and all three boxes of the face must be filled, otherwise there is no joker."""
    filled = in_every_column(YUMS | {"sixes": 18})
    assert len(filled) == 12
    for column in ("x1", "x2", "x3"):
        assert points(TRIPLE, "6 6 6 6 6", f"{column}.full_house", filled) == 25
        assert points(TRIPLE, "6 6 6 6 6", f"{column}.fives", filled) == 30
    for left_open in filled:
        others = {box: held for box, held in filled.items() if box != left_open}
        assert points(TRIPLE, "6 6 6 6 6", "x1.full_house", others) == 0
        assert points(TRIPLE, "6 6 6 6 6", "x1.fives", others) == 0


# The table of checks.

YUMS_AND_SIXES = YUMS | {"sixes": 18}


@pytest.mark.parametrize(
    ("name", "options", "written", "dice", "box", "expected"),
    [
        clause.case("checks", "yatzy", {}, {}, "3 3 3 6 6", "threes", 9),
        clause.case("checks", "yatzy", {}, {}, "3 3 3 6 6", "sixes", 12),
        clause.case("checks", "yatzy", {}, {}, "5 5 6 6 1", "two_pairs", 22),
        clause.case("checks", "yatzy", {}, {}, "4 4 4 4 2", "two_pairs", 16),
        clause.case("checks", "yatzy", {}, {}, "4 4 4 4 2", "four_of_a_kind", 16),
        clause.case("checks", "yatzy", {"scoring": "scandinavian"}, {}, "4 4 4 4 2", "two_pairs", 0),
        clause.case("checks", "yatzy", {}, {}, "3 3 3 3 3", "full_house", 15),
        clause.case("checks", "yatzy", {}, {}, "3 3 3 3 3", "yatzy", 50),
        clause.case("checks", "yatzy", {"yatzy": "plus_sum"}, {}, "3 3 3 3 3", "yatzy", 65),
        clause.case("checks", "yatzy", {}, {}, "3 3 3 4 4", "full_house", 17),
        clause.case("checks", "yatzy", {}, {}, "1 5 4 3 3", "chance", 16),
        clause.case("checks", "yatzy-sv", {}, {}, "2 2 6 6 6", "full_house", 22),
        clause.case("checks", "yatzy-sv", {}, {}, "6 6 6 6 6", "full_house", 0),
        clause.case("checks", "yum-plus", {}, {}, "6 6 6 5 5", "low_score", 28),
        clause.case("checks", "yum-plus", {}, {}, "6 6 6 5 5", "high_score", 28),
        clause.case("checks", "yum-plus", {}, {}, "6 6 6 5 5", "minus", 8),
        clause.case("checks", "yum-plus", {}, {"low_score": 24}, "6 6 6 3 3", "high_score", 0),
        clause.case("checks", "yum-plus", {}, YUMS_AND_SIXES, "6 6 6 6 6", "fives", 30),
        clause.case("checks", "yum-plus", {}, YUMS_AND_SIXES, "6 6 6 6 6", "full_house", 25),
        clause.case("checks", "yum-plus", {}, YUMS_AND_SIXES, "6 6 6 6 6", "long_straight", 40),
    ],
)
def test_checks(
    name: str, options: dict[str, str], written: dict[str, int], dice: str, box: str, expected: int
):
    assert points(game(name, **options), dice, box, written) == expected


@pytest.mark.parametrize(
    ("options", "box", "expected"),
    [
        clause.case("checks", {"extra": "negative"}, "extra", -15),
        clause.case("checks", {}, "chance", 20),
        clause.case("checks", {}, "low_straight", 15),
        clause.case("checks", {}, "high_straight", 20),
    ],
)
def test_checks_of_inner_dice(options: dict[str, str], box: str, expected: int):
    assert inner_points(game("dice-in-dice", **options), "1 2 3 4 5 6", box) == expected
