"""Positions as one line of text."""

from __future__ import annotations

import pytest

from dicecup.engine.serialize import (
    EXAMPLE,
    position_from_data,
    position_from_line,
    position_to_data,
    position_to_line,
)

LINES = [
    "yatzy",
    "yatzy / ones=3 pair=12",
    "yatzy scoring=scandinavian / ones=3 pair=12 / 1 3 3 6 6 / 1",
    "yatzy / / 1 2 3 4 5 / 0",
    "yatzy / / 1 2 3 4 5 / 2 /",
    "yatzy / ones=0 / 1 2 3 4 5 / 2 / 1 5",
    "dice-in-dice extra=negative / pair=4 extra=-15 / 3-2 3-2 3-3 4-1 6-4 6-5 / 2 / 3-2 3-3",
    "triple-yum-plus / x1.ones=3 x3.ones=0 x3.chance=30",
    "yahtzee / ones=5 yahtzee=50 yahtzee_bonus=100",
]


@pytest.mark.parametrize("line", [EXAMPLE, *LINES])
def test_lines_round_trip(line):
    assert position_to_line(position_from_line(line)) == line


def test_line_says_what_the_data_says():
    data = {
        "ruleset": "yatzy",
        "options": {"scoring": "scandinavian"},
        "sheet": {"ones": 3, "pair": 12},
        "dice": [1, 3, 3, 6, 6],
        "throws_left": 1,
    }
    assert position_to_line(position_from_data(data)) == LINES[2]
    assert position_to_data(position_from_line(LINES[2])) == data


def test_whitespace_is_ignored():
    assert position_to_line(position_from_line("  yatzy\t/ \n ones=3  ")) == "yatzy / ones=3"


@pytest.mark.parametrize("name", ["my rules.toml", "régler/a=b %2F.toml", "a / b.toml"])
def test_path_of_house_rules(tmp_path, name):
    rules = tmp_path / name
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_text('format = 1\nid = "x"\nbase = "yatzy"\nthrows = 5\n')
    line = position_to_line(position_from_data({"ruleset": str(rules), "sheet": {"ones": 1}}))
    position = position_from_line(line)
    assert (position.reference, position.rules.throws) == (str(rules), 5)
    assert line.endswith(" / ones=1")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "/",
        "/ ones=3",
        "yatzy / ones=3 / 1 2 3 4 5",
        "yatzy / / 1 2 3 4 5 / 1 / 1 / 1",
        "yatzy scoring",
        "yatzy scoring=",
        "yatzy =printed",
        "yatzy strike=free strike=free",
        "yatzy strike=free strike=last_resort",
        "yatzy / ones",
        "yatzy / ones=",
        "yatzy / =3",
        "yatzy / ones=3 ones=3",
        "yatzy / ones=3 ones.x=4",
        "yatzy / ones.x=4 ones=3",
        "yatzy / ones=x ones.x=4",
        "triple-yum-plus / x1.ones=3 x1.ones=3",
        "triple-yum-plus / x1=3 x1.ones=3",
        "yatzy / " + "ones=3 " * 2000,
    ],
)
def test_text_that_is_not_a_position(refused, line):
    with refused("position_text_wrong", text=line[:60], example=EXAMPLE):
        position_from_line(line)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("yazty", "ruleset_unknown"),
        ("yatzy size=big", "option_unknown"),
        ("yatzy / once=3", "box_unknown"),
        ("yatzy / ones=three", "position_key_wrong"),
        ("yatzy / ones=3.0", "position_key_wrong"),
        ("yatzy / ones=9999999", "position_key_wrong"),
        ("yatzy / ones=٣", "position_key_wrong"),
        ("yatzy / ones=7", "position_points_impossible"),
        ("yatzy / .ones=3", "box_unknown"),
        ("yatzy / x1.ones=3", "box_unknown"),
        ("triple-yum-plus / ones=3", "column_unknown"),
        ("triple-yum-plus / .ones=3", "column_unknown"),
        ("yatzy / / 1 2 3 4 / 1", "dice_count_wrong"),
        ("yatzy / / 1 2 3 4 7 / 1", "face_out_of_range"),
        ("yatzy / / 1 2 3 4 x / 1", "die_unreadable"),
        ("yatzy / / 1 2 3 4 5 6 7 / 1", "position_key_wrong"),
        ("yatzy / / 1 2 3 4 5 /", "position_key_wrong"),
        ("yatzy / / 1 2 3 4 5 / 1 2", "position_key_wrong"),
        ("yatzy / / 1 2 3 4 5 / three", "position_key_wrong"),
        ("yatzy / / 1 2 3 4 5 / 0 / 1", "position_key_wrong"),
        ("yatzy / / 1 2 3 4 5 / 1 / 6", "position_key_wrong"),
        ("dice-in-dice / / 6_5 6-5 6-5 6-5 6-5 6-5 / 1", "die_unreadable"),
        ("dice-in-dice / ones=3", "position_turn_unfinished"),
    ],
)
def test_impossible_positions(refused, line, code):
    with refused(code):
        position_from_line(line)
