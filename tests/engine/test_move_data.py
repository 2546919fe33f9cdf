"""Moves as JSON data."""

from __future__ import annotations

import pytest

from dicecup.engine import Keep, Placement, Score, Throw, score
from dicecup.engine.serialize import move_from_data, move_to_data
from dicecup.rules import load_ruleset

YATZY = load_ruleset("yatzy")
DOUBLE = load_ruleset("dice-in-dice")
TRIPLE = load_ruleset("triple-yum-plus")

DOUBLE_COLUMNS = """
format = 1
id = "double-columns"
base = "dice-in-dice"
columns = { a = 1, b = 2 }
"""


@pytest.fixture
def both(tmp_path):
    path = tmp_path / "both.toml"
    path.write_text(DOUBLE_COLUMNS)
    return load_ruleset(str(path))


@pytest.mark.parametrize(
    ("rules", "move", "data"),
    [
        (YATZY, Keep((6, 6)), {"keep": [6, 6]}),
        (YATZY, Keep(()), {"keep": []}),
        (YATZY, Throw((1, 2, 3, 4, 5)), {"throw": [1, 2, 3, 4, 5]}),
        (YATZY, score("sixes"), {"box": "sixes"}),
        (YATZY, score("sixes", strike=True), {"box": "sixes", "strike": True}),
        (DOUBLE, Keep(((6, 4), (6, 5))), {"keep": ["6-4", "6-5"]}),
        (DOUBLE, Score((Placement("pair"), Placement("chance"))), {"inner": "pair", "outer": "chance"}),
        (
            DOUBLE,
            Score((Placement("pair"), Placement("chance", strike=True))),
            {"inner": "pair", "outer": "chance", "strike": ["outer"]},
        ),
        (TRIPLE, score("full_house", "x2"), {"column": "x2", "box": "full_house"}),
        (
            TRIPLE,
            score("full_house", "x2", strike=True),
            {"column": "x2", "box": "full_house", "strike": True},
        ),
    ],
)
def test_moves_round_trip(rules, move, data):
    assert move_to_data(rules, move) == data
    assert move_from_data(rules, data) == move


def test_layers_and_columns_together(both):
    move = Score((Placement("pair", "b"), Placement("pair", "a", strike=True)))
    data = {"inner": "b.pair", "outer": "a.pair", "strike": ["outer"]}
    assert move_to_data(both, move) == data
    assert move_from_data(both, data) == move


def test_order_of_dice_means_nothing():
    assert move_from_data(YATZY, {"keep": [6, 1]}) == Keep((1, 6))


@pytest.mark.parametrize(
    ("rules", "data"),
    [
        (YATZY, {"keep": [6], "box": "sixes"}),
        (YATZY, {"box": 5}),
        (YATZY, {"box": None}),
        (YATZY, {"box": "sixes", "colum": "x"}),
        (YATZY, {"box": "sixes", "column": 5}),
        (YATZY, {"box": "sixes", "strike": "yes"}),
        (YATZY, {"box": "sixes", "strike": 1}),
        (YATZY, {"inner": "pair", "outer": "chance"}),
        (YATZY, {"column": "x1"}),
        (DOUBLE, {"box": "sixes"}),
        (DOUBLE, {"inner": "pair"}),
        (DOUBLE, {"inner": "pair", "outer": 5}),
        (DOUBLE, {"inner": "pair", "outer": "chance", "strike": True}),
        (DOUBLE, {"inner": "pair", "outer": "chance", "strike": "outer"}),
        (DOUBLE, {"inner": "pair", "outer": "chance", "more": "ones"}),
    ],
)
def test_data_that_is_not_a_move(refused, rules, data):
    with refused("move_unreadable"):
        move_from_data(rules, data)


@pytest.mark.parametrize("rules", [YATZY, DOUBLE, TRIPLE])
def test_files_that_are_not_tables_or_empty(refused, rules):
    wrong: list[object] = [None, 5, "sixes", [], ["keep"], {}]
    for data in wrong:
        with refused("move_unreadable"):
            move_from_data(rules, data)


@pytest.mark.parametrize(
    ("rules", "data", "code"),
    [
        (YATZY, {"keep": [7]}, "face_out_of_range"),
        (YATZY, {"keep": ["6"]}, "die_unreadable"),
        (YATZY, {"throw": [1.5]}, "die_unreadable"),
        (DOUBLE, {"keep": ["6_5"]}, "die_unreadable"),
        (DOUBLE, {"keep": [6]}, "die_unreadable"),
    ],
)
def test_wrong_dice_in_a_move(refused, rules, data, code):
    with refused(code):
        move_from_data(rules, data)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"keep": 5}, "keep"),
        ({"keep": None}, "keep"),
        ({"throw": "1 2"}, "throw"),
        ({"keep": [1] * 9}, "keep"),
    ],
)
def test_no_list_of_dice(refused, data, key):
    with refused("position_key_wrong", key=key, expected="expected_dice"):
        move_from_data(YATZY, data)


def test_unknown_layer_to_strike(refused):
    with refused("move_unreadable"):
        move_from_data(DOUBLE, {"inner": "pair", "outer": "chance", "strike": ["middle"]})
