"""The Swedish sheet: Yatzy."""

from __future__ import annotations

import pytest
from tests.rulebook import course
from tests.rulebook.clauses import clauses_of
from tests.rulebook.support import boxes_allowed, decision, game, lines, play_out, points, refused, written_on

from dicecup.engine import Score, Throw, apply, legal_moves, start

clause = clauses_of("yatzy.sv")

YATZY = game("yatzy-sv")
LAST_RESORT = game("yatzy-sv", strike="last_resort")


@clause("contents")
def test_contents():
    """A pad with fifteen boxes, and five dice."""
    assert (YATZY.dice.count, YATZY.dice.faces) == (5, 6)
    assert len(YATZY.boxes) == YATZY.turns == 15
    course.first_throw_is_of_every_die(YATZY)


@clause("any number of players")
@pytest.mark.parametrize("players", [1, 2, 3, 7, 40])
def test_any_number_of_players(players: int):
    course.seats_take_turns(YATZY, players)


@clause("one keeps the sheets")
def test_one_keeps_the_sheets():
    """One state holds the sheets of all players, and a turn writes on its player's sheet only."""
    state = start(YATZY, 3)
    for box in ("ones", "chance", "pair"):
        state = apply(YATZY, state, Throw((1, 1, 2, 3, 4)))
        state = apply(YATZY, state, course.placements(YATZY, box))
    assert [written_on(YATZY, sheet) for sheet in state.sheets] == [{"ones": 2}, {"chance": 11}, {"pair": 2}]


@clause("clockwise")
def test_clockwise():
    state = start(YATZY, 3)
    seen = []
    for _ in range(7):
        seen.append(state.player)
        state = apply(YATZY, state, Throw((1, 1, 2, 3, 4)))
        state = apply(YATZY, state, course.a_score(YATZY, state))
    assert seen == [0, 1, 2, 0, 1, 2, 0]


@clause("fill as many as possible")
def test_fill_as_many_as_possible():
    """Every filled combination adds its points; a struck one adds none."""
    assert lines(YATZY, {"pair": 12, "chance": 20})["grand_total"] == 32
    assert lines(YATZY, {"pair": 12, "chance": 20, "yatzy": 50})["grand_total"] == 82
    assert lines(YATZY, {"pair": 12, "chance": 20, "yatzy": 0})["grand_total"] == 32


@clause("any order")
def test_any_order():
    """Swedish sheet: "i valfri ordning"."""
    course.boxes_in_any_order(YATZY)


@clause("three throws")
def test_three_throws():
    """Swedish sheet: "högst tre kast med valfritt antal tärningar"."""
    course.three_throws_at_most(YATZY)
    course.may_stop_after_any_throw(YATZY)


@clause("own choice of dice")
def test_own_choice_of_dice():
    course.any_dice_may_be_kept(YATZY)
    course.kept_dice_may_be_thrown_again(YATZY)


@clause("winner")
def test_winner():
    """The game ends when the last sheet is full; then the highest sum wins."""
    state = start(YATZY, 2)
    for turn in range(30):
        assert not state.finished
        state = apply(YATZY, state, Throw((2, 2, 6, 6, 6) if turn % 2 else (1, 1, 2, 2, 2)))
        open_box = next(move for move in legal_moves(YATZY, state) if isinstance(move, Score))
        state = apply(YATZY, state, open_box)
    assert state.finished
    low, high = {"chance": 20}, {"chance": 21}
    assert course.placed(YATZY, low, high) == [(1, 1, 21), (2, 0, 20)]
    assert course.placed(YATZY, high, low, high) == [(1, 0, 21), (1, 2, 21), (3, 1, 20)]


@pytest.mark.parametrize(
    ("dice", "box", "expected"),
    [
        clause.case("ones", "1 1 1 4 6", "ones", 3),
        clause.case("ones", "1 1 1 1 1", "ones", 5),
        clause.case("ones", "2 3 4 5 6", "ones", 0),
        clause.case("twos to sixes", "2 2 3 4 5", "twos", 4),
        clause.case("twos to sixes", "3 3 3 4 5", "threes", 9),
        clause.case("twos to sixes", "4 4 4 4 5", "fours", 16),
        clause.case("twos to sixes", "5 5 5 5 5", "fives", 25),
        clause.case("twos to sixes", "6 1 2 3 4", "sixes", 6),
        clause.case("pair", "4 4 1 2 3", "pair", 8),
        clause.case("pair", "4 4 5 5 3", "pair", 10),
        clause.case("pair", "1 2 3 4 5", "pair", 0),
        clause.case("two pairs", "4 4 5 5 3", "two_pairs", 18),
        clause.case("two pairs", "4 4 5 5 5", "two_pairs", 18),
        clause.case("two pairs", "4 4 1 2 3", "two_pairs", 0),
        clause.case("three of a kind", "4 4 4 1 2", "three_of_a_kind", 12),
        clause.case("three of a kind", "4 4 1 1 2", "three_of_a_kind", 0),
        clause.case("four of a kind", "3 3 3 3 6", "four_of_a_kind", 12),
        clause.case("four of a kind", "3 3 3 6 6", "four_of_a_kind", 0),
        clause.case("low straight", "1 2 3 4 5", "low_straight", 15),
        clause.case("low straight", "2 3 4 5 6", "low_straight", 0),
        clause.case("high straight", "2 3 4 5 6", "high_straight", 20),
        clause.case("high straight", "1 2 3 4 5", "high_straight", 0),
        clause.case("full house", "2 2 6 6 6", "full_house", 22),
        clause.case("full house", "2 2 2 6 6", "full_house", 18),
        clause.case("full house", "2 2 6 6 5", "full_house", 0),
        clause.case("full house of two faces", "6 6 6 6 6", "full_house", 0),
        clause.case("sum of the dice", "1 1 2 2 2", "full_house", 8),
        clause.case("sum of the dice", "1 3 4 6 6", "chance", 20),
        clause.case("yatzy", "1 1 1 1 1", "yatzy", 50),
        clause.case("yatzy", "6 6 6 6 6", "yatzy", 50),
        clause.case("yatzy", "6 6 6 6 5", "yatzy", 0),
    ],
)
def test_combinations(dice: str, box: str, expected: int):
    assert points(YATZY, dice, box) == expected


@clause("bonus")
def test_bonus():
    upper = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
    assert lines(YATZY, upper)["bonus"] == 50
    assert lines(YATZY, upper | {"twos": 4})["bonus"] == 0
    assert lines(YATZY, upper | {"twos": 10})["bonus"] == 50
    assert lines(YATZY, upper)["grand_total"] == 113


@clause("every box once")
def test_every_box_once():
    course.a_box_is_used_once(YATZY, "2 2 6 6 6", "full_house", 22)


@clause("strike")
@pytest.mark.parametrize("rules", [YATZY, LAST_RESORT], ids=["free", "last_resort"])
def test_strike(rules):
    """Nothing fits and chance is used: one of the open boxes gets 0."""
    filled = {box.id: 0 for box in rules.boxes if box.id not in ("yatzy", "low_straight", "sixes")}
    state = decision(rules, "1 1 2 3 5", filled)
    assert boxes_allowed(rules, state) == {"yatzy", "low_straight", "sixes"}
    for box in ("yatzy", "low_straight", "sixes"):
        assert points(rules, "1 1 2 3 5", box, filled) == 0


@clause("strike")
def test_strike_read_literally():
    """With chance open, or a box that fits, no box may be struck; by default any may."""
    filled = {box.id: 0 for box in YATZY.boxes if box.id not in ("yatzy", "chance", "sixes")}
    state = decision(LAST_RESORT, "1 1 2 3 5", filled)
    struck = course.placements(LAST_RESORT, "yatzy", strike=True)
    assert refused(LAST_RESORT, state, struck) == "strike_not_last_resort"
    assert refused(LAST_RESORT, state, course.placements(LAST_RESORT, "yatzy")) == "strike_not_last_resort"
    assert boxes_allowed(LAST_RESORT, state) == {"chance"}
    fits = decision(LAST_RESORT, "1 1 2 3 6", filled | {"chance": 12})
    assert boxes_allowed(LAST_RESORT, fits) == {"sixes"}
    assert refused(LAST_RESORT, fits, course.placements(LAST_RESORT, "sixes", strike=True)) != ""
    course.any_box_may_be_struck(YATZY, "6 6 6 6 6")


@clause("strike")
def test_a_whole_game_of_last_resort_ends():
    assert play_out(LAST_RESORT, start(LAST_RESORT, 2), "1 1 2 3 5").finished
