"""The French sheet: Yum Plus and Triple Yum Plus. Its pictures are lost: see `test_decisions.py` too."""

from __future__ import annotations

import pytest
from tests.rulebook import course
from tests.rulebook.clauses import clauses_of
from tests.rulebook.support import decision, game, lines, play_out, points, refused, sheet_of, written_on

from dicecup.engine import Placement, Score, Throw, apply, start

clause = clauses_of("yum-plus.fr")

YUM = game("yum-plus")
TRIPLE = game("triple-yum-plus")
UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"]
YUMS_SCORED = {"yum": 50, "second_yum": 100, "third_yum": 100}
YUMS_STRUCK = {"yum": 0, "second_yum": 0, "third_yum": 0}


@clause("two or more, or alone")
@pytest.mark.parametrize("players", [1, 2, 5])
def test_players(players: int):
    course.seats_take_turns(YUM, players)


@clause("aim")
def test_aim():
    """More points give a better place."""
    assert course.placed(YUM, {"chance": 12}, {"chance": 30}) == [(1, 1, 30), (2, 0, 12)]


@clause("three throws")
def test_three_throws():
    course.three_throws_at_most(YUM)


@clause("one or two throws")
def test_one_or_two_throws():
    """French sheet: "ne les lancer qu'une ou deux fois"."""
    course.may_stop_after_any_throw(YUM)


@clause("first throw")
def test_first_throw():
    course.first_throw_is_of_every_die(YUM)


@clause("second and third throw")
def test_second_and_third_throw():
    """All the dice or any of them can be thrown, also ones kept before."""
    course.any_dice_may_be_kept(YUM)
    course.kept_dice_may_be_thrown_again(YUM)


@clause("no fourth throw")
def test_no_fourth_throw():
    course.three_throws_at_most(YUM)
    state = decision(YUM, "1 2 3 4 6", throws_left=0)
    assert refused(YUM, state, Throw((1,))) == "no_throw_left"


@clause("22 boxes")
def test_22_boxes():
    assert [box.id for box in YUM.boxes if box.section == "upper"] == UPPER
    assert len([box for box in YUM.boxes if box.section == "lower"]) == 16
    assert YUM.turns == len(YUM.boxes) == 22


@clause("any order")
def test_any_order():
    course.boxes_in_any_order(YUM)


@clause("one box a turn")
def test_one_box_a_turn():
    """French sheet: "le joueur doit obligatoirement en remplir une"."""
    course.every_turn_fills(YUM, 1)


@clause("zero in a box of choice")
def test_zero_in_a_box_of_choice():
    """Dice that score nothing in the remaining boxes: the player chooses where to write 0."""
    filled = {box.id: 0 for box in YUM.boxes if box.id not in ("fives", "full_house", "long_straight")}
    for box in ("fives", "full_house", "long_straight"):
        assert points(YUM, "1 1 2 3 6", box, filled) == 0


@clause("after 22 boxes")
def test_after_22_boxes():
    """Each of two players fills 22 boxes; then points and bonuses make the total, and the highest wins."""
    state = play_out(YUM, start(YUM, 2), "1 2 3 4 5")
    assert state.finished
    assert all(len(written_on(YUM, sheet)) == 22 for sheet in state.sheets)
    upper = {"ones": 5, "twos": 10, "threes": 15, "fours": 20, "fives": 25, "sixes": 30}
    assert course.placed(YUM, {"chance": 30}, upper | {"chance": 5}) == [(1, 1, 185), (2, 0, 30)]


@pytest.mark.parametrize(
    ("dice", "box", "expected"),
    [
        clause.case("upper", "1 1 1 5 6", "ones", 3),
        clause.case("upper", "2 2 5 5 6", "twos", 4),
        clause.case("upper", "3 4 4 5 6", "threes", 3),
        clause.case("upper", "4 4 4 4 6", "fours", 16),
        clause.case("upper", "5 5 5 5 5", "fives", 25),
        clause.case("upper", "6 6 5 5 5", "sixes", 12),
        clause.case("upper", "6 6 5 5 5", "twos", 0),
        clause.case("one pair", "5 5 1 2 3", "pair", 10),
        clause.case("one pair", "1 2 3 4 6", "pair", 0),
        clause.case("two pairs", "5 5 6 6 1", "two_pairs", 22),
        clause.case("two pairs", "5 5 5 6 1", "two_pairs", 0),
        clause.case("three of a kind", "4 4 4 2 1", "three_of_a_kind", 15),
        clause.case("three of a kind", "4 4 2 2 1", "three_of_a_kind", 0),
        clause.case("four of a kind", "5 5 5 5 2", "four_of_a_kind", 22),
        clause.case("four of a kind", "5 5 5 2 2", "four_of_a_kind", 0),
        clause.case("short straight", "1 2 3 4 6", "short_straight", 30),
        clause.case("short straight", "2 3 4 5 5", "short_straight", 30),
        clause.case("short straight", "1 3 4 5 6", "short_straight", 30),
        clause.case("short straight", "1 2 3 5 6", "short_straight", 0),
        clause.case("long straight", "1 2 3 4 5", "long_straight", 40),
        clause.case("long straight", "2 3 4 5 6", "long_straight", 40),
        clause.case("long straight", "1 2 3 4 6", "long_straight", 0),
        clause.case("low straight", "1 2 3 4 5", "low_straight", 15),
        clause.case("low straight", "2 3 4 5 6", "low_straight", 0),
        clause.case("high straight", "2 3 4 5 6", "high_straight", 20),
        clause.case("high straight", "1 2 3 4 5", "high_straight", 0),
        clause.case("low score", "6 6 6 2 1", "low_score", 21),
        clause.case("low score", "6 6 5 2 1", "low_score", 0),
        clause.case("low score", "6 6 6 6 6", "low_score", 30),
        clause.case("full house", "2 2 2 3 3", "full_house", 25),
        clause.case("full house", "2 2 3 3 4", "full_house", 0),
        clause.case("chance", "1 2 2 4 6", "chance", 15),
        clause.case("minus", "1 1 1 1 1", "minus", 31),
        clause.case("minus", "6 6 6 6 6", "minus", 6),
        clause.case("minus", "1 2 2 4 6", "minus", 21),
        clause.case("yum", "2 2 2 2 2", "yum", 50),
        clause.case("yum", "2 2 2 2 3", "yum", 0),
    ],
)
def test_boxes(dice: str, box: str, expected: int):
    assert points(YUM, dice, box) == expected


@clause("high score")
def test_high_score_is_above_low_score():
    assert points(YUM, "6 6 6 4 3", "high_score", {"low_score": 24}) == 25
    assert points(YUM, "6 6 6 3 3", "high_score", {"low_score": 24}) == 0
    assert points(YUM, "6 6 6 3 2", "high_score", {"low_score": 24}) == 0


@clause("second yum")
def test_second_yum():
    assert points(YUM, "3 3 3 3 3", "second_yum", {"yum": 50}) == 100
    assert points(YUM, "3 3 3 3 4", "second_yum", {"yum": 50}) == 0


@clause("third yum")
def test_third_yum():
    assert points(YUM, "3 3 3 3 3", "third_yum", {"yum": 50, "second_yum": 100}) == 100
    assert points(YUM, "3 3 3 3 4", "third_yum", {"yum": 50, "second_yum": 100}) == 0


@clause("sub total")
def test_sub_total():
    assert lines(YUM, {"ones": 3, "fives": 15, "chance": 20})["upper_sum"] == 18


@clause("bonus")
@pytest.mark.parametrize(
    ("fours", "threes", "twos", "expected"),
    [
        (4, 3, 0, 0),
        (8, 0, 0, 35),
        (12, 3, 0, 35),
        (16, 0, 0, 55),
        (16, 6, 0, 55),
        (20, 3, 0, 75),
        (20, 15, 10, 75),
    ],
    ids=["62", "63", "70", "71", "77", "78", "100"],
)
def test_bonus(fours: int, threes: int, twos: int, expected: int):
    """55 in sixes and fives and the rest; only one bonus, the highest reached."""
    upper = {"sixes": 30, "fives": 25, "fours": fours, "threes": threes, "twos": twos}
    assert lines(YUM, upper)["bonus"] == expected


@clause("total upper section")
def test_total_upper_section():
    upper = {"sixes": 30, "fives": 25, "fours": 16}
    assert lines(YUM, upper | {"chance": 9})["upper_total"] == 71 + 55


@clause("total lower section")
def test_total_lower_section():
    """The sum of the sixteen lower boxes, without the bonus."""
    lower = {
        **{"pair": 12, "two_pairs": 22, "three_of_a_kind": 20, "four_of_a_kind": 25},
        **{"short_straight": 30, "long_straight": 40, "low_straight": 15, "high_straight": 20},
        **{"low_score": 21, "high_score": 22, "full_house": 25, "chance": 18, "minus": 30},
        **{"yum": 50, "second_yum": 100, "third_yum": 0},
    }
    assert lines(YUM, lower | {"sixes": 30})["lower_total"] == 450


@clause("grand total")
def test_grand_total():
    sheet = {"sixes": 30, "fives": 25, "fours": 16, "chance": 9, "yum": 50}
    assert lines(YUM, sheet)["grand_total"] == 71 + 55 + 59
    course.never_takes_dice(YUM, "upper_sum", "bonus", "upper_total", "lower_total", "grand_total")


@clause("zero option")
def test_zero_option():
    """French sheet: 0 "plutôt que de marquer des points", in any box."""
    course.any_box_may_be_struck(YUM, "6 6 6 6 6")
    course.any_box_may_be_struck(YUM, "1 2 3 4 5")


@clause("joker: Yum boxes")
@pytest.mark.parametrize("yums", [YUMS_SCORED, YUMS_STRUCK, {"yum": 50, "second_yum": 0, "third_yum": 0}])
def test_joker_needs_the_yum_boxes_taken(yums: dict[str, int]):
    """By points or by zeros; while one of them is open, five alike are not a joker."""
    assert points(YUM, "4 4 4 4 4", "full_house", yums | {"fours": 8}) == 25
    for box in yums:
        others = {other: taken for other, taken in yums.items() if other != box}
        assert points(YUM, "4 4 4 4 4", "full_house", others | {"fours": 8}) == 0


@clause("joker: upper box")
def test_joker_needs_the_upper_box_taken():
    """The example of the sheet: a Yum of fours when the Fours are filled."""
    assert points(YUM, "4 4 4 4 4", "long_straight", YUMS_SCORED | {"fours": 0}) == 40
    assert points(YUM, "4 4 4 4 4", "long_straight", YUMS_SCORED) == 0
    assert points(YUM, "4 4 4 4 4", "long_straight", YUMS_SCORED | {"fives": 20, "sixes": 24}) == 0
    assert points(YUM, "4 4 4 4 4", "fours", YUMS_SCORED) == 20


@clause("joker: both conditions")
def test_joker_needs_both():
    assert points(YUM, "4 4 4 4 4", "full_house", {"fours": 8}) == 0
    assert points(YUM, "4 4 4 4 4", "full_house", YUMS_SCORED) == 0
    assert points(YUM, "4 4 4 4 5", "full_house", YUMS_SCORED | {"fours": 8}) == 0
    assert points(YUM, "4 4 4 4 4", "full_house", YUMS_SCORED | {"fours": 8}) == 25


@clause("joker: any open box")
@pytest.mark.parametrize(
    ("box", "expected"),
    [
        *[("ones", 20), ("twos", 20), ("threes", 20), ("fives", 20), ("sixes", 20)],
        *[("pair", 8), ("two_pairs", 16), ("three_of_a_kind", 20), ("four_of_a_kind", 20)],
        *[("short_straight", 30), ("long_straight", 40), ("low_straight", 15), ("high_straight", 20)],
        *[("low_score", 0), ("high_score", 0), ("full_house", 25), ("chance", 20), ("minus", 16)],
    ],
)
def test_joker_in_any_open_box(box: str, expected: int):
    """Five fours score the points of the box in either section, if it is open."""
    assert points(YUM, "4 4 4 4 4", box, YUMS_SCORED | {"fours": 8}) == expected
    taken = decision(YUM, "4 4 4 4 4", YUMS_SCORED | {"fours": 8, box: 0})
    assert refused(YUM, taken, course.placements(YUM, box)) == "box_filled"


@clause("joker: 30 in the fives")
def test_joker_30_in_the_fives():
    assert points(YUM, "6 6 6 6 6", "fives", YUMS_SCORED | {"sixes": 24}) == 30


@clause("joker: 25 in full house")
def test_joker_25_in_full_house():
    assert points(YUM, "6 6 6 6 6", "full_house", YUMS_SCORED | {"sixes": 24}) == 25


@clause("triple: any place")
def test_triple_any_place():
    """The same dice can go in any open box of any column; filling it leaves the other columns' boxes open."""
    state = decision(TRIPLE, "2 2 2 3 3", {"x1.full_house": 25})
    for column in ("x2", "x3"):
        after = apply(TRIPLE, state, Score((Placement("full_house", column),)))
        assert written_on(TRIPLE, after.sheets[0]) == {"x1.full_house": 25, f"{column}.full_house": 25}
    assert refused(TRIPLE, state, Score((Placement("full_house", "x1"),))) == "box_filled"


@clause("triple: columns")
def test_triple_columns():
    """At the end of the game the third column counts three times, the second twice, the first once."""
    sheet = {"x1.chance": 10, "x2.chance": 10, "x3.chance": 10}
    assert written_on(TRIPLE, sheet_of(TRIPLE, sheet)) == sheet
    assert course.placed(TRIPLE, sheet) == [(1, 0, 10 + 20 + 30)]
    assert [lines(TRIPLE, sheet, column)["grand_total"] for column in (0, 1, 2)] == [10, 10, 10]


@clause("triple: low scores first")
def test_triple_low_scores_first():
    """Why the advice holds: 5 and 30 in Chance are worth 95 in that order and 45 in the other."""
    assert course.placed(TRIPLE, {"x1.chance": 5, "x3.chance": 30}) == [(1, 0, 95)]
    assert course.placed(TRIPLE, {"x1.chance": 30, "x3.chance": 5}) == [(1, 0, 45)]


@clause("triple: fixed points third")
def test_triple_fixed_points_third():
    """Full house, straights and Yums write the same points in every column, and count triple in the third."""
    fixed = [("2 2 2 3 3", "full_house", 25), ("1 2 3 4 5", "low_straight", 15), ("5 5 5 5 5", "yum", 50)]
    for dice, box, expected in [*fixed, ("2 3 4 5 6", "high_straight", 20)]:
        for column, times in (("x1", 1), ("x2", 2), ("x3", 3)):
            assert points(TRIPLE, dice, f"{column}.{box}") == expected
            assert course.placed(TRIPLE, {f"{column}.{box}": expected}) == [(1, 0, times * expected)]
