"""The relatives of the games, clause by clause from their published rules: see docs/rule-decisions.md."""

from __future__ import annotations

import pytest
from tests.rulebook.support import boxes_allowed, decision, game, points, read, refused, sheet_of

from dicecup.engine import (
    Announce,
    Keep,
    Score,
    State,
    Throw,
    apply,
    column_lines,
    final_score,
    legal_moves,
    overall_lines,
    score,
    standings,
    start,
)
from dicecup.engine.serialize import Position
from dicecup.rules import Ruleset

KNIFFEL = game("kniffel")
YACHT = game("yacht")
MAXI = game("maxi-yatzy")
TRIPLE = game("triple-yahtzee")
BALUT = game("balut")
GENERALA = game("generala")
JAMB = game("jamb")


@pytest.mark.parametrize(
    ("rules", "dice", "box", "expected"),
    [
        (KNIFFEL, "4 4 1 2 3", "fours", 8),
        (KNIFFEL, "4 4 4 2 1", "three_of_a_kind", 15),
        (KNIFFEL, "4 4 2 2 1", "three_of_a_kind", 0),
        (KNIFFEL, "5 5 5 5 2", "four_of_a_kind", 22),
        (KNIFFEL, "5 5 5 2 2", "full_house", 25),
        (KNIFFEL, "5 5 5 5 5", "full_house", 0),
        (KNIFFEL, "1 2 3 4 4", "small_straight", 30),
        (KNIFFEL, "1 2 3 5 6", "small_straight", 0),
        (KNIFFEL, "2 3 4 5 6", "large_straight", 40),
        (KNIFFEL, "5 5 5 5 5", "kniffel", 50),
        (KNIFFEL, "1 2 2 4 6", "chance", 15),
        (YACHT, "3 3 5 5 5", "full_house", 21),
        (YACHT, "5 5 5 5 5", "full_house", 0),
        (YACHT, "5 5 5 5 2", "four_of_a_kind", 20),
        (YACHT, "5 5 5 5 5", "four_of_a_kind", 20),
        (YACHT, "1 2 3 4 5", "little_straight", 30),
        (YACHT, "2 3 4 5 6", "little_straight", 0),
        (YACHT, "2 3 4 5 6", "big_straight", 30),
        (YACHT, "1 2 2 4 6", "choice", 15),
        (YACHT, "2 2 2 2 2", "yacht", 50),
        (MAXI, "1 1 1 3 4 6", "ones", 3),
        (MAXI, "1 2 4 5 6 6", "pair", 12),
        (MAXI, "1 2 3 3 5 5", "two_pairs", 16),
        (MAXI, "3 3 3 3 5 6", "two_pairs", 0),
        (MAXI, "2 2 5 5 6 6", "three_pairs", 26),
        (MAXI, "2 2 2 2 6 6", "three_pairs", 0),
        (MAXI, "3 4 4 5 5 5", "three_of_a_kind", 15),
        (MAXI, "2 2 2 2 4 5", "four_of_a_kind", 8),
        (MAXI, "2 3 3 3 3 3", "five_of_a_kind", 15),
        (MAXI, "1 2 3 3 4 5", "low_straight", 15),
        (MAXI, "2 3 4 5 6 6", "high_straight", 20),
        (MAXI, "1 2 3 4 5 6", "full_straight", 21),
        (MAXI, "1 2 3 4 5 5", "full_straight", 0),
        (MAXI, "3 4 4 6 6 6", "full_house", 26),
        (MAXI, "2 2 2 5 5 5", "full_house", 19),
        (MAXI, "2 2 2 5 5 5", "villa", 21),
        (MAXI, "3 3 6 6 6 6", "tower", 30),
        (MAXI, "2 3 4 4 5 6", "chance", 24),
        (MAXI, "4 4 4 4 4 4", "maxi_yatzy", 100),
        (MAXI, "4 4 4 4 4 5", "maxi_yatzy", 0),
        (BALUT, "4 4 4 1 2", "c1.fours", 12),
        (BALUT, "6 6 1 1 2", "c4.sixes", 12),
        (BALUT, "1 2 3 4 5", "c2.straight", 15),
        (BALUT, "2 3 4 5 6", "c2.straight", 20),
        (BALUT, "1 3 4 5 6", "c2.straight", 0),
        (BALUT, "3 3 3 6 6", "c3.full_house", 21),
        (BALUT, "1 2 2 4 6", "c1.choice", 15),
        (BALUT, "3 3 3 3 3", "c1.balut", 35),
        (GENERALA, "3 3 3 6 6", "sixes", 12),
        (GENERALA, "1 2 3 4 5", "straight", 20),
        (GENERALA, "1 3 4 5 6", "straight", 20),
        (GENERALA, "1 2 4 5 6", "straight", 0),
        (GENERALA, "3 3 3 6 6", "full_house", 30),
        (GENERALA, "3 3 3 3 6", "poker", 40),
        (GENERALA, "3 3 3 3 3", "generala", 50),
        (JAMB, "1 1 1 4 4", "free.ones", 3),
        (JAMB, "6 6 6 5 4", "free.maximum", 27),
        (JAMB, "1 1 2 1 1", "free.minimum", 6),
        (JAMB, "1 2 3 4 5", "free.straight", 46),
        (JAMB, "3 3 3 6 6", "free.full_house", 51),
        (JAMB, "5 5 5 5 1", "free.poker", 60),
        (JAMB, "5 5 5 5 5", "free.poker", 60),
        (JAMB, "4 4 4 4 4", "free.jamb", 70),
    ],
)
def test_points(rules: Ruleset, dice: str, box: str, expected: int):
    assert points(rules, dice, box) == expected


@pytest.mark.parametrize(
    ("rules", "upper", "bonus"),
    [
        (KNIFFEL, 62, 0),
        (KNIFFEL, 63, 35),
        (MAXI, 83, 0),
        (MAXI, 84, 100),
        (game("maxi-yatzy", bonus="fifty"), 74, 0),
        (game("maxi-yatzy", bonus="fifty"), 75, 50),
        (JAMB, 59, 0),
        (JAMB, 60, 30),
        (YACHT, 105, 0),
    ],
)
def test_bonus(rules: Ruleset, upper: int, bonus: int):
    first = "free." if rules is JAMB else ""
    sheet = sheet_of(rules, {f"{first}ones": upper % 5, f"{first}fives": upper - upper % 5})
    assert column_lines(rules, sheet, 1 if rules is JAMB else 0)["bonus"] == bonus


def test_turns():
    games = (KNIFFEL, YACHT, MAXI, TRIPLE, BALUT, GENERALA, JAMB)
    assert [rules.turns for rules in games] == [13, 12, 20, 39, 28, 11, 48]
    assert [rules.dice.count for rules in games] == [5, 5, 6, 5, 5, 5, 5]


# Kniffel


def test_further_kniffels_are_nothing_special_unless_agreed_on():
    held = {"kniffel": 50, "fours": 12}
    assert points(KNIFFEL, "4 4 4 4 4", "large_straight", held) == 0
    assert points(game("kniffel", further="bonus"), "4 4 4 4 4", "large_straight", held) == 0
    joker = game("kniffel", further="joker")
    assert points(joker, "4 4 4 4 4", "large_straight", held) == 40
    for option, paid in (("none", 0), ("bonus", 100), ("joker", 100)):
        rules = game("kniffel", further=option)
        after = apply(rules, decision(rules, "4 4 4 4 4", held), score("chance"))
        assert final_score(rules, after.sheets[0]) == 50 + 12 + 20 + paid


# Maxi Yatzy: rolls that are not used are saved.


def test_unused_rolls_are_saved():
    state = apply(MAXI, start(MAXI, 2), Throw(read(MAXI, "6 6 6 6 5 5")))
    state = apply(MAXI, state, score("tower"))
    assert (state.player, state.throws_left, state.sheets[0].saved) == (1, 3, 2)
    state = apply(MAXI, apply(MAXI, state, Throw(read(MAXI, "1 1 1 3 4 6"))), score("ones"))
    assert (state.player, state.throws_left) == (0, 5)
    for kept in (1, 2, 3, 4):
        state = apply(MAXI, state, Throw((6,) * (6 - len(state.kept or ()))))
        state = apply(MAXI, state, Keep((6,) * kept))
    state = apply(MAXI, state, Throw((6, 6)))
    assert refused(MAXI, state, Keep((6,))) == "no_throw_left"
    state = apply(MAXI, state, score("maxi_yatzy"))
    assert state.sheets[0].saved == 0
    assert state.sheets[1].saved == 2


def test_saved_rolls_stand_in_positions():
    line = "maxi-yatzy / ones=3 tower=34 saved_throws=2 / 1 2 3 4 5 6 / 4"
    position = Position.parse(line)
    assert str(position) == line
    assert position.state.sheet.saved == 2
    assert (
        Position.from_data(
            {"ruleset": "maxi-yatzy", "sheet": {"ones": 3, "saved_throws": 2}}
        ).state.throws_left
        == 5
    )


def test_rolls_can_be_played_without_saving():
    rules = game("maxi-yatzy", saved="none")
    state = apply(rules, apply(rules, start(rules), Throw(read(rules, "6 6 6 6 5 5"))), score("tower"))
    assert (state.throws_left, state.sheets[0].saved) == (3, 0)


# Triple Yahtzee


def test_columns_count_once_twice_and_three_times():
    sheet = sheet_of(TRIPLE, {"x1.chance": 20, "x2.chance": 20, "x3.chance": 20})
    assert final_score(TRIPLE, sheet) == 20 + 40 + 60
    upper = {
        f"x3.{box}": 3 * face
        for face, box in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)
    }
    assert final_score(TRIPLE, sheet_of(TRIPLE, upper)) == 3 * (63 + 35)


def test_yahtzee_bonus_needs_all_three_boxes_and_counts_by_column():
    two = {"x1.yahtzee": 50, "x2.yahtzee": 50}
    three = two | {"x3.yahtzee": 50}
    struck = two | {"x3.yahtzee": 0}
    for held, column, paid in ((two, "x3", 0), (three, "x1", 100), (three, "x3", 300), (struck, "x3", 0)):
        before = decision(TRIPLE, "6 6 6 6 6", held)
        after = apply(TRIPLE, before, score("sixes", column)).sheets[0]
        times = int(column[1])
        gained = final_score(TRIPLE, after) - final_score(TRIPLE, before.sheet)
        assert gained == 30 * times + paid
        assert overall_lines(TRIPLE, after)["yahtzee_bonus"] == paid


def test_the_joker_needs_every_column():
    filled = {f"x{column}.{box}": 0 for column in (1, 2, 3) for box in ("yahtzee", "sixes")}
    assert points(TRIPLE, "6 6 6 6 6", "x2.large_straight", filled) == 40
    del filled["x2.sixes"]
    assert points(TRIPLE, "6 6 6 6 6", "x2.large_straight", filled) == 0


# Balut


def balut(**rows: tuple[int, ...]) -> dict[str, int]:
    """The lines of a sheet with these points in the four columns of each row."""
    written = {f"c{column}.{box}": held for box, row in rows.items() for column, held in enumerate(row, 1)}
    return dict(overall_lines(BALUT, sheet_of(BALUT, written)))


@pytest.mark.parametrize(
    ("row", "held", "expected"),
    [
        ("fours", (12, 12, 12, 12), 0),
        ("fours", (16, 12, 12, 12), 2),
        ("fives", (15, 15, 15, 15), 0),
        ("fives", (20, 15, 15, 15), 2),
        ("sixes", (18, 18, 18, 18), 0),
        ("sixes", (24, 18, 18, 18), 2),
        ("straight", (20, 20, 20, 0), 0),
        ("straight", (15, 15, 15, 15), 4),
        ("full_house", (28, 28, 28, 0), 0),
        ("full_house", (7, 8, 9, 10), 3),
        ("choice", (25, 25, 25, 24), 0),
        ("choice", (25, 25, 25, 25), 2),
        ("balut", (25, 0, 50, 0), 4),
        ("balut", (25, 25, 25, 25), 8),
    ],
)
def test_points_for_rows(row: str, held: tuple[int, ...], expected: int):
    assert balut(**{row: held})["across"] == expected


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (0, -2),
        (299, -2),
        (300, -1),
        (350, 0),
        (399, 0),
        (400, 1),
        (450, 2),
        (500, 3),
        (550, 4),
        (600, 5),
        (650, 6),
        (812, 6),
    ],
)
def test_points_for_the_total(total: int, expected: int):
    lines = balut(full_house=(total, 0, 0, 0))
    assert (lines["all_columns"], lines["total_points"]) == (total, expected)
    assert lines["final_score"] == lines["across"] + expected


def test_most_points_are_29():
    lines = balut(
        fours=(20,) * 4,
        fives=(25,) * 4,
        sixes=(30,) * 4,
        straight=(20,) * 4,
        full_house=(28,) * 4,
        choice=(30,) * 4,
        balut=(50,) * 4,
    )
    assert (lines["all_columns"], lines["final_score"]) == (812, 29)


# Generala


@pytest.mark.parametrize(
    ("dice", "box", "by_roll"),
    [
        ("1 2 3 4 5", "straight", (25, 20, 20)),
        ("3 3 3 6 6", "full_house", (35, 30, 30)),
        ("3 3 3 3 6", "poker", (45, 40, 40)),
    ],
)
def test_first_roll_gives_five_more(dice: str, box: str, by_roll: tuple[int, ...]):
    for roll, expected in enumerate(by_roll, start=1):
        state = decision(GENERALA, dice, throws_left=3 - roll)
        after = apply(GENERALA, state, score(box))
        assert final_score(GENERALA, after.sheets[0]) == expected
    struck = apply(GENERALA, decision(GENERALA, dice, throws_left=2), score(box, strike=True))
    assert final_score(GENERALA, struck.sheets[0]) == 0


def test_generala_in_the_first_roll_wins_at_once():
    state = apply(GENERALA, apply(GENERALA, start(GENERALA, 3), Throw((6, 6, 6, 6, 1))), score("poker"))
    state = apply(GENERALA, state, Throw((2, 2, 2, 2, 2)))
    assert (state.winner, state.finished, state.throw_due) == (1, True, False)
    assert legal_moves(GENERALA, state) == ()
    assert refused(GENERALA, state, score("generala")) == "game_over"
    assert standings(GENERALA, state) == ((1, 1, 0), (2, 0, 45), (3, 2, 0))


def test_generala_in_a_later_roll_does_not_win():
    state = apply(GENERALA, start(GENERALA), Throw((2, 2, 2, 2, 1)))
    state = apply(GENERALA, apply(GENERALA, state, Keep((2, 2, 2, 2))), Throw((2,)))
    assert not state.finished
    assert final_score(GENERALA, apply(GENERALA, state, score("generala")).sheets[0]) == 50


def test_a_served_generala_can_be_sixty_points_instead():
    rules = game("generala", served="sixty")
    state = apply(rules, start(rules), Throw((2,) * 5))
    assert not state.finished
    assert final_score(rules, apply(rules, state, score("generala")).sheets[0]) == 60


def test_double_generala_needs_points_in_generala():
    assert points(GENERALA, "3 3 3 3 3", "double_generala", {"generala": 50}) == 100
    assert points(GENERALA, "3 3 3 3 3", "double_generala", {"generala": 0}) == 0
    assert points(GENERALA, "3 3 3 3 3", "double_generala") == 0


def test_straight_around_is_an_option():
    assert points(game("generala", straight="plain"), "1 3 4 5 6", "straight") == 0


# Jamb


def test_straight_by_roll():
    for roll, expected in ((1, 66), (2, 56), (3, 46)):
        state = decision(JAMB, "2 3 4 5 6", throws_left=3 - roll)
        after = apply(JAMB, state, score("straight", "free"))
        assert column_lines(JAMB, after.sheets[0], 1)["grand_total"] == expected


def test_difference_times_ones():
    held = {"free.maximum": 26, "free.minimum": 8, "free.ones": 3}
    lines = column_lines(JAMB, sheet_of(JAMB, held), 1)
    assert (lines["difference"], lines["grand_total"]) == (54, 57)
    for missing in held:
        rest = {cell: value for cell, value in held.items() if cell != missing}
        assert column_lines(JAMB, sheet_of(JAMB, rest), 1)["difference"] == 0
    less = column_lines(JAMB, sheet_of(JAMB, held | {"free.minimum": 28}), 1)
    assert less["difference"] == 0


def test_maximum_and_minimum_cannot_be_crossed_out():
    for box in ("maximum", "minimum"):
        state = decision(JAMB, "1 1 2 4 6")
        assert refused(JAMB, state, score(box, "free", strike=True)) == "box_cannot_be_struck"


def columns_open(state: State) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for move in legal_moves(JAMB, state):
        if isinstance(move, Score):
            (place,) = move.placements
            found.setdefault(place.column, set()).add(place.box)
    return found


def test_order_of_the_columns():
    state = decision(JAMB, "1 1 2 4 6", {"down.ones": 2, "up.jamb": 0})
    free = {box.id for box in JAMB.boxes}
    assert columns_open(state) == {"down": {"twos"}, "free": free, "up": {"poker"}}
    assert refused(JAMB, state, score("threes", "down")) == "box_out_of_order"
    assert refused(JAMB, state, score("full_house", "up")) == "box_out_of_order"
    assert refused(JAMB, state, score("ones", "down")) == "box_filled"
    assert boxes_allowed(JAMB, state) == free


def test_announced_box_must_be_filled():
    state = apply(JAMB, start(JAMB), Throw(read(JAMB, "6 6 1 2 3")))
    assert refused(JAMB, state, score("sixes", "announced")) == "box_not_announced"
    assert refused(JAMB, state, Announce("sixes", "free")) == "column_not_announced"
    said = apply(JAMB, state, Announce("sixes", "announced"))
    assert columns_open(said) == {"announced": {"sixes"}}
    assert refused(JAMB, said, score("ones", "free")) == "box_other_announced"
    assert refused(JAMB, said, Announce("fives", "announced")) == "announce_too_late"
    later = apply(JAMB, apply(JAMB, said, Keep((6, 6))), Throw((6, 1, 1)))
    assert later.announced == said.announced
    after = apply(JAMB, later, score("sixes", "announced"))
    assert final_score(JAMB, after.sheets[0]) == 18
    assert after.announced is None


def test_a_box_can_be_announced_only_after_the_first_roll():
    assert refused(JAMB, start(JAMB), Announce("sixes", "announced")) == "score_before_throw"
    state = apply(JAMB, start(JAMB), Throw(read(JAMB, "6 6 1 2 3")))
    kept = apply(JAMB, state, Keep((6, 6)))
    assert refused(JAMB, kept, Announce("sixes", "announced")) == "throw_first"
    second = apply(JAMB, kept, Throw((6, 1, 1)))
    assert refused(JAMB, second, Announce("sixes", "announced")) == "announce_too_late"
    assert not [move for move in legal_moves(JAMB, second) if isinstance(move, Announce)]


def test_when_only_announced_boxes_are_open_one_must_be_announced():
    held = {f"{column}.{box.id}": 5 for column in ("down", "free", "up") for box in JAMB.boxes}
    held |= {f"announced.{box.id}": 5 for box in JAMB.boxes if box.id not in ("ones", "jamb")}
    state = decision(JAMB, "1 1 2 4 6", held, throws_left=2)
    assert legal_moves(JAMB, state) == (Announce("ones", "announced"), Announce("jamb", "announced"))
    assert refused(JAMB, state, Keep((1, 1))) == "announce_first"
    assert refused(JAMB, state, Announce("twos", "announced")) == "box_filled"
    said = apply(JAMB, state, Announce("ones", "announced"))
    assert Keep((1, 1)) in legal_moves(JAMB, said)
