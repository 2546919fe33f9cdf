"""Positions as JSON data: valid positions, and every kind of invalid data."""

from __future__ import annotations

from typing import Any

import pytest

from dicecup.engine import State
from dicecup.engine.serialize import position_from_data, position_to_data
from dicecup.errors import PositionError
from dicecup.rules import load_ruleset

THROWN = {"dice": [1, 2, 3, 4, 5], "throws_left": 1}
DOUBLE = {"dice": ["6-5", "6-4", "3-3", "3-2", "4-1", "3-2"], "throws_left": 1}


def yatzy(**data: Any) -> dict[str, Any]:
    return {"ruleset": "yatzy", **data}


def full_sheet(game: str) -> dict:
    return {box.id: 0 for box in load_ruleset(game).boxes}


def test_the_position_of_the_interface_page():
    data = {
        "ruleset": "dice-in-dice",
        "options": {"extra": "negative"},
        "sheet": {"ones": 3, "pair": 12},
        **DOUBLE,
    }
    position = position_from_data(data)
    assert position.rules is load_ruleset("dice-in-dice", {"extra": "negative"})
    assert position.state.dice == ((3, 2), (3, 2), (3, 3), (4, 1), (6, 4), (6, 5))
    assert (position.state.throws_left, position.state.kept) == (1, None)
    assert position_to_data(position) == data | {"dice": sorted(DOUBLE["dice"])}  # type: ignore[call-overload]


def test_a_ruleset_alone_is_the_start_position():
    position = position_from_data(yatzy())
    assert position.state == State(position.state.sheets, 0, (), (), 3)
    assert position_to_data(position) == yatzy(sheet={})
    assert position_from_data(yatzy(throws_left=3)).state == position.state


def test_default_options_are_left_out():
    position = position_from_data(yatzy(options={"strike": "free", "scoring": "scandinavian"}))
    assert position_to_data(position) == yatzy(options={"scoring": "scandinavian"}, sheet={})


def test_columns():
    data = {"ruleset": "triple-yum-plus", "sheet": {"x1": {"ones": 3}, "x3": {"ones": 0, "chance": 30}}}
    assert position_to_data(position_from_data(data)) == data


def test_kept_dice():
    for kept in ([], [1, 5]):
        data = yatzy(sheet={}, **THROWN, kept=kept)
        position = position_from_data(data)
        assert position.state.kept == tuple(kept)
        assert position.state.throw_due
        assert position_to_data(position) == data


def test_finished_sheet():
    data = yatzy(sheet=full_sheet("yatzy"))
    assert position_from_data(data).state.finished
    assert position_to_data(position_from_data(data)) == data


def test_repeats():
    data = {"ruleset": "yahtzee", "sheet": {"ones": 5, "chance": 30, "yahtzee": 50, "yahtzee_bonus": 200}}
    position = position_from_data(data)
    assert position.state.sheet.repeats == 2
    assert position_to_data(position)["sheet"] == data["sheet"]
    assert position_from_data({"ruleset": "yahtzee", "sheet": {"yahtzee_bonus": 0}}).state.sheet.repeats == 0


@pytest.mark.parametrize(
    ("data", "key", "expected"),
    [
        (None, "JSON", "expected_table"),
        ([], "JSON", "expected_table"),
        ("yatzy", "JSON", "expected_table"),
        (5, "JSON", "expected_table"),
        ({}, "ruleset", "expected_ruleset"),
        ({"ruleset": 5}, "ruleset", "expected_ruleset"),
        ({"ruleset": None}, "ruleset", "expected_ruleset"),
        (yatzy(shet={}), "shet", "expected_one_of_keys"),
        ({5: 1}, "5", "expected_one_of_keys"),
        (yatzy(options=5), "options", "expected_table"),
        (yatzy(options=["strike"]), "options", "expected_table"),
        (yatzy(options={"strike": 5}), "options", "expected_table"),
        (yatzy(options={5: "free"}), "options", "expected_table"),
        (yatzy(sheet=5), "sheet", "expected_table"),
        (yatzy(sheet=[["ones", 3]]), "sheet", "expected_table"),
        (yatzy(sheet=None), "sheet", "expected_table"),
        (yatzy(sheet={"ones": "3"}), "sheet.ones", "expected_points_written"),
        (yatzy(sheet={"ones": 3.0}), "sheet.ones", "expected_points_written"),
        (yatzy(sheet={"ones": True}), "sheet.ones", "expected_points_written"),
        (yatzy(sheet={"ones": None}), "sheet.ones", "expected_points_written"),
        (yatzy(sheet={"ones": {"x": 1}}), "sheet.ones", "expected_points_written"),
        ({"ruleset": "triple-yum-plus", "sheet": {"x1": 5}}, "sheet.x1", "expected_table"),
        (
            {"ruleset": "yahtzee", "sheet": {"yahtzee_bonus": 150}},
            "sheet.yahtzee_bonus",
            "expected_multiple_of",
        ),
        (
            {"ruleset": "yahtzee", "sheet": {"yahtzee_bonus": -100}},
            "sheet.yahtzee_bonus",
            "expected_multiple_of",
        ),
        (
            {"ruleset": "yahtzee", "sheet": {"yahtzee_bonus": "1"}},
            "sheet.yahtzee_bonus",
            "expected_multiple_of",
        ),
        (yatzy(dice=5, throws_left=1), "dice", "expected_dice"),
        (yatzy(dice="1 2 3 4 5", throws_left=1), "dice", "expected_dice"),
        (yatzy(dice=[1, 2, 3, 4, 5, 6], throws_left=1), "dice", "expected_dice"),
        (yatzy(dice=[1] * 7, throws_left=1), "dice", "expected_dice"),
        (yatzy(throws_left=1), "dice", "expected_dice"),
        (yatzy(kept=[1]), "dice", "expected_dice"),
        (yatzy(dice=[1, 2, 3, 4, 5]), "throws_left", "expected_whole_number"),
        (yatzy(dice=[1, 2, 3, 4, 5], throws_left=3), "throws_left", "expected_whole_number"),
        (yatzy(dice=[1, 2, 3, 4, 5], throws_left=-1), "throws_left", "expected_whole_number"),
        (yatzy(dice=[1, 2, 3, 4, 5], throws_left="1"), "throws_left", "expected_whole_number"),
        (yatzy(dice=[1, 2, 3, 4, 5], throws_left=True), "throws_left", "expected_whole_number"),
        (yatzy(**THROWN, kept=[1, 2, 3, 4, 5]), "kept", "expected_kept"),
        (yatzy(**THROWN, kept=[6]), "kept", "expected_kept"),
        (yatzy(dice=[1, 2, 3, 4, 5], throws_left=0, kept=[1]), "kept", "expected_kept"),
        (yatzy(**THROWN, kept="1"), "kept", "expected_dice"),
        (yatzy(**THROWN, kept=[1] * 6), "kept", "expected_dice"),
    ],
)
def test_wrong_key_is_named_with_what_was_expected(refused, data, key, expected):
    with refused("position_key_wrong", key=key, expected=expected):
        position_from_data(data)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"ruleset": "yazty"}, "ruleset_unknown"),
        ({"ruleset": ""}, "ruleset_unknown"),
        (yatzy(options={"size": "big"}), "option_unknown"),
        (yatzy(options={"strike": "never"}), "option_value_unknown"),
        (yatzy(sheet={"once": 1}), "box_unknown"),
        (yatzy(sheet={"grand_total": 1}), "box_unknown"),
        (yatzy(sheet={"x1": {"ones": 1}}), "box_unknown"),
        ({"ruleset": "triple-yum-plus", "sheet": {"x4": {"ones": 1}}}, "column_unknown"),
        ({"ruleset": "triple-yum-plus", "sheet": {"x4": {}}}, "column_unknown"),
        ({"ruleset": "triple-yum-plus", "sheet": {"": {"ones": 1}}}, "column_unknown"),
        (yatzy(dice=[1, 2, 3, 4], throws_left=1), "dice_count_wrong"),
        (yatzy(dice=[], throws_left=1), "dice_count_wrong"),
        (yatzy(dice=[1, 2, 3, 4, 7], throws_left=1), "face_out_of_range"),
        (yatzy(dice=[1, 2, 3, 4, -5], throws_left=1), "face_out_of_range"),
        (yatzy(dice=[1, 2, 3, 4, "5"], throws_left=1), "die_unreadable"),
        (yatzy(dice=[1, 2, 3, 4, True], throws_left=1), "die_unreadable"),
        (yatzy(dice=[1, 2, 3, 4, 5.0], throws_left=1), "die_unreadable"),
        (yatzy(dice=[1, 2, 3, 4, "6-5"], throws_left=1), "die_unreadable"),
        (yatzy(dice=[1, 2, 3, 4, [5]], throws_left=1), "die_unreadable"),
        ({"ruleset": "dice-in-dice", "dice": [1] * 6, "throws_left": 1}, "die_unreadable"),
        ({"ruleset": "dice-in-dice", "dice": ["6_5"] * 6, "throws_left": 1}, "die_unreadable"),
        ({"ruleset": "dice-in-dice", "dice": ["6-5"] * 5, "throws_left": 1}, "dice_count_wrong"),
        (yatzy(sheet=full_sheet("yatzy"), **THROWN), "game_over"),
        ({"ruleset": "dice-in-dice", "sheet": {"ones": 3}}, "position_turn_unfinished"),
        ({"ruleset": "dice-in-dice", "sheet": {"ones": 3, "twos": 2, "pair": 2}}, "position_turn_unfinished"),
    ],
)
def test_other_wrong_data(refused, data, code):
    with refused(code):
        position_from_data(data)


def test_one_box_of_a_turn_of_two_is_said_without_a_wrong_plural():
    with pytest.raises(PositionError) as caught:
        position_from_data({"ruleset": "dice-in-dice", "sheet": {"ones": 3}})
    assert "1 filled boxes" not in str(caught.value)
    assert "filled boxes isn’t possible: 1." in str(caught.value)


@pytest.mark.parametrize("number", [10**19, -(10**30), 10**5000], ids=["long", "negative", "endless"])
def test_very_large_numbers(refused, number):
    with refused("position_key_wrong", key="sheet.ones", expected="expected_points_written"):
        position_from_data(yatzy(sheet={"ones": number}))
    with refused("face_out_of_range"):
        position_from_data(yatzy(dice=[1, 2, 3, 4, number], throws_left=1))
    with refused("die_unreadable"):
        position_from_data({"ruleset": "dice-in-dice", "dice": [number] * 6, "throws_left": 1})
    with refused("die_unreadable"):
        position_from_data(yatzy(dice=[[number]] * 5, throws_left=1))
    with refused("position_key_wrong", key="throws_left"):
        position_from_data(yatzy(dice=[1, 2, 3, 4, 5], throws_left=number))


def yum(**sheet: int) -> dict[str, Any]:
    return {"ruleset": "yum-plus", "sheet": sheet}


FILLED_YUMS = {"yum": 50, "second_yum": 100, "third_yum": 100}


@pytest.mark.parametrize(
    ("data", "box", "points"),
    [
        (yatzy(sheet={"threes": 7}), "threes", 7),
        (yatzy(sheet={"threes": 18}), "threes", 18),
        (yatzy(sheet={"threes": -3}), "threes", -3),
        (yatzy(sheet={"yatzy": 55}), "yatzy", 55),
        (yatzy(sheet={"low_straight": 20}), "low_straight", 20),
        (yatzy(sheet={"chance": 4}), "chance", 4),
        (yatzy(sheet={"full_house": 5 * 7}), "full_house", 35),
        ({"ruleset": "yatzy-sv", "sheet": {"full_house": 30}}, "full_house", 30),
        (
            {
                "ruleset": "dice-in-dice",
                "options": {"extra": "negative"},
                "sheet": {"ones": 0, "extra": 0},
            },
            "extra",
            0,
        ),
        (
            {
                "ruleset": "dice-in-dice",
                "options": {"extra": "free_strike"},
                "sheet": {"ones": 0, "extra": 20},
            },
            "extra",
            20,
        ),
        (yum(second_yum=100), "second_yum", 100),
        (yum(yum=50, third_yum=100), "third_yum", 100),
        (yum(second_yum=100, third_yum=100), "second_yum", 100),
        (yum(low_score=24, high_score=24), "high_score", 24),
        (yum(low_score=28, high_score=24), "high_score", 24),
        (yum(low_score=20), "low_score", 20),
        (yum(high_score=21), "high_score", 21),
        (yum(fives=30), "fives", 30),
        (yum(fives=30, sixes=0, yum=50, second_yum=100), "fives", 30),
        (yum(fives=30, **FILLED_YUMS), "fives", 30),
        (yum(full_house=25, two_pairs=26), "two_pairs", 26),
        ({"ruleset": "yahtzee", "sheet": {"ones": 3, "yahtzee_bonus": 100}}, "yahtzee_bonus", 100),
        (
            {"ruleset": "yahtzee", "sheet": {"ones": 3, "yahtzee": 0, "yahtzee_bonus": 100}},
            "yahtzee_bonus",
            100,
        ),
        (
            {"ruleset": "yahtzee", "sheet": {"ones": 5, "yahtzee": 50, "yahtzee_bonus": 200}},
            "yahtzee_bonus",
            200,
        ),
        *(
            (
                {"ruleset": "yahtzee", "sheet": {"yahtzee": 50, "yahtzee_bonus": 100, **other}},
                "yahtzee_bonus",
                100,
            )
            for other in (
                {"ones": 2},
                {"chance": 7},
                {"small_straight": 30},  # a joker would need its upper box filled
                {"ones": 2, "chance": 7, "three_of_a_kind": 17},
            )
        ),
        (
            {"ruleset": "triple-yum-plus", "sheet": {"x1": {"yum": 50}, "x2": {"second_yum": 100}}},
            "second_yum",
            100,
        ),
    ],
)
def test_impossible_points(refused, data, box, points):
    with refused("position_points_impossible", box=box, points=points):
        position_from_data(data)


def last_resort(game: str, options: dict[str, str] | None = None, /, **sheet: int) -> dict[str, Any]:
    return {"ruleset": game, "options": {"strike": "last_resort"} | (options or {}), "sheet": sheet}


UPPER_SV = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
KINDS_SV = {"pair": 12, "two_pairs": 22, "three_of_a_kind": 18, "four_of_a_kind": 24, "full_house": 28}
FREE_EXTRA = {"extra": "free_strike"}


@pytest.mark.parametrize(
    ("data", "box"),
    [
        (last_resort("yatzy-sv", chance=0), "chance"),
        (last_resort("yatzy-sv", **UPPER_SV, chance=0), "chance"),
        (last_resort("yatzy-sv", ones=0), "ones"),
        (last_resort("yatzy-sv", chance=20, pair=0), "pair"),  # the upper boxes together take any dice
        (
            last_resort("yatzy-sv", chance=20, pair=0, ones=3, twos=6),
            "pair",
        ),  # among dice of 1 and 2 only, two are equal
        (last_resort("dice-in-dice", FREE_EXTRA, ones=0, extra=0), "ones"),
    ],
)
def test_strikes_that_were_not_a_last_resort(refused, data, box):
    with refused("position_strike_impossible", box=box):
        position_from_data(data)


@pytest.mark.parametrize(
    "data",
    [
        last_resort("yatzy-sv", ones=3, twos=6, **KINDS_SV, chance=20, yatzy=0),  # 1 1 1 2 2, say
        last_resort("yatzy-sv", **UPPER_SV, chance=20, yatzy=0),
        last_resort("dice-in-dice", FREE_EXTRA, extra=0, ones=3),
        last_resort("dice-in-dice", {"extra": "negative"}, extra=-5, ones=3),
        yatzy(sheet={"chance": 0, "ones": 0}),
    ],
)
def test_possible_strikes(data):
    assert position_to_data(position_from_data(data))["sheet"] == data["sheet"]


@pytest.mark.parametrize(
    ("base", "options", "sheet"),
    [
        (
            "yum-plus",
            {},
            UPPER_SV | {"pair": 12, "chance": 20, "minus": 20, "low_score": 24, "high_score": 0},
        ),
        ("yahtzee", {"joker": "forced"}, {"yahtzee": 50, "sixes": 30, "small_straight": 0}),
    ],
)
def test_last_resorts_of_boxes_that_look_at_others(tmp_path, base, options, sheet):
    """The high score may have been the lower one; a joker may have had to be written there."""
    house = tmp_path / "house.toml"
    house.write_text(f'format = 1\nid = "house"\nbase = "{base}"\nstrike = "last_resort"\n')
    data = {"ruleset": str(house), "options": options, "sheet": sheet}
    assert position_to_data(position_from_data(data))["sheet"] == sheet


@pytest.mark.parametrize(
    "data",
    [
        yum(**FILLED_YUMS, sixes=30, fives=30),  # five sixes as a joker in the fives
        yum(**FILLED_YUMS, sixes=0, two_pairs=24),
        yum(second_yum=0, third_yum=0),
        yum(low_score=0, high_score=30),
        yum(low_score=29, high_score=0),
        yum(low_score=24, high_score=25),
        yum(minus=31),
        yum(minus=6),
        yum(minus=0),
        {"ruleset": "yahtzee", "sheet": {"yahtzee": 50, "ones": 5, "yahtzee_bonus": 100}},
        *(
            {"ruleset": "yahtzee", "sheet": {"yahtzee": 50, **other, "yahtzee_bonus": 100}}
            for other in ({"ones": 0}, {"chance": 30}, {"ones": 2, "small_straight": 30}, {"full_house": 0})
        ),
        {"ruleset": "yahtzee", "options": {"joker": "none"}, "sheet": {"yahtzee": 50}},
    ],
)
def test_possible_points(data):
    assert position_to_data(position_from_data(data))["sheet"] == data["sheet"]


def test_repeats_need_a_game_that_has_them(refused):
    with refused("box_unknown", box="yahtzee_bonus"):
        position_from_data(
            {
                "ruleset": "yahtzee",
                "options": {"joker": "none"},
                "sheet": {"yahtzee": 50, "yahtzee_bonus": 100},
            }
        )
