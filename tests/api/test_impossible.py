"""What no game can have has no value: neither as data nor as objects that a program makes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import dicecup


def sheet_of(rules: dicecup.Rules, points: Mapping[str, int], repeats: int = 0) -> dicecup.Sheet:
    return dicecup.Sheet(tuple(points.get(box.id) for box in rules.boxes), repeats)


@pytest.mark.parametrize(
    ("game", "points"),
    [
        ("yatzy-sv", {"pair": 11}),
        ("yatzy-sv", {"ones": -3, "twos": 4}),
        ("yatzy-sv", {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 31}),
        ("dice-in-dice", {"pair": 12, "two_pairs": 999}),
        ("dice-in-dice", {"pair": 12}),  # a turn fills two boxes
    ],
)
def test_a_sheet_that_is_impossible(game, points):
    rules = dicecup.Rules(game)
    solution, sheet = rules.solve(), sheet_of(rules, points)
    begun = dicecup.State((sheet,), 0, (), (), rules.throws)
    for given in (sheet, points):
        with pytest.raises(dicecup.DicecupError):
            solution.turn(given)
    for value in (solution.value, solution.final_scores):
        with pytest.raises(dicecup.DicecupError):
            value(begun)


def test_repeats_without_what_they_repeat():
    rules = dicecup.Rules("yahtzee")
    with pytest.raises(dicecup.PositionError):
        rules.solve().turn(sheet_of(rules, {"ones": 3, "twos": 6, "threes": 9}, repeats=3))


@pytest.mark.parametrize("left", [1, 2])
def test_a_turn_begins_with_all_its_rolls(left):
    solution = dicecup.Rules("yatzy-sv").solve()
    state = dicecup.State((dicecup.engine.empty_sheet(solution.rules),), 0, (), (), left)
    for value in (solution.value, solution.final_scores):
        with pytest.raises(dicecup.PositionError):
            value(state)


def test_an_array_is_no_way_to_play(refused):
    with refused("argument_wrong", argument="play"):
        dicecup.Rules("yatzy-sv").solve().final_scores(None, np.array([1, 2]))  # type: ignore[arg-type]
