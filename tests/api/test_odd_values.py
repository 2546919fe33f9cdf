"""Values of NumPy and of other kinds: they mean what plain ones mean, or are refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dicecup
from dicecup.engine import score

DOUBLE = "dice-in-dice / / 6-5 6-5 3-3 3-2 4-1 3-2 / 0"
TWO = np.array(["a", "b"])


@pytest.mark.parametrize("points", [3.0, "3", np.array([3, 3]), float("nan")])
def test_points_that_cannot_be_written(points, refused):
    pad = dicecup.Game("yatzy", ["A", "B"], dice="points")
    with refused("argument_wrong", argument="points"):
        pad.write("A", "ones", points)
    assert pad.sheets == ({}, {})


@pytest.mark.parametrize("points", [True, np.int64(1)])
def test_points_that_are_written_as_plain_ones(points, tmp_path):
    pad = dicecup.Game("yatzy", ["A", "B"], dice="points")
    pad.write("A", "ones", points)
    pad.save(tmp_path / "pad.record")
    assert dicecup.Game.load(tmp_path / "pad.record").sheets == ({"ones": 1}, {})
    assert [type(move.points) for move in pad.record.moves if isinstance(move, dicecup.Write)] == [int]


def test_writes_of_other_kinds(refused):
    pad = dicecup.Game("yatzy", ["A", "B"], dice="points")
    odd: Any = np.array([1, 2])
    with refused("box_changed"):
        pad.play(dicecup.Write(0, "ones", 3, was=odd))
    with refused("seat_unknown"):
        pad.play(dicecup.Write(odd, "ones", 3))
    with refused("seat_unknown"):
        pad.write(odd, "ones", 3)
    with refused("box_unknown"):
        pad.write("A", odd, 3)
    with refused("column_unknown"):
        pad.write("A", "ones", 3, odd)
    with refused("column_unknown"):
        pad.values("A", "ones", odd)
    repeats = dicecup.Game("yum-plus", ["A"], dice="points")
    with refused("box_unknown"):
        repeats.values("A", odd)


@pytest.mark.parametrize(
    "strike", ["inner", ["inner"], ("inner",), {"inner"}, {"inner": 1}, np.array(["inner"]), iter(["inner"])]
)
def test_names_of_layers_that_get_0(strike):
    assert dicecup.Game.from_position(DOUBLE).score(inner="yatzy", outer="sixes", strike=strike) == 12


@pytest.mark.parametrize("strike", [7, None, 1.5, np.array("inner"), np.bool_(True)])
def test_what_names_no_layers(strike, refused):
    with refused("argument_wrong", argument="strike"):
        dicecup.Game.from_position(DOUBLE).score(inner="yatzy", outer="sixes", strike=strike)


def test_layers_that_a_game_does_not_have(refused):
    for strike in (["middle"], [["inner"]], [TWO]):
        with refused("move_unreadable"):
            dicecup.Game.from_position(DOUBLE).score(inner="yatzy", outer="sixes", strike=strike)  # type: ignore[arg-type]


@pytest.mark.parametrize("strike", ["no", "False", float("nan"), [], 0, 1, TWO])
def test_a_strike_is_true_or_false(strike, refused):
    game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
    with refused("move_unreadable"):
        game.play(dicecup.Score((dicecup.Placement("pair", strike=strike),)))
    with refused("move_unreadable"):
        dicecup.apply(game.rules, game.state, score("pair", strike=strike))
    with refused("move_unreadable"):
        game.score("pair", strike=strike)


def test_a_throw_is_final_or_not(refused):
    game = dicecup.Game("yatzy", dice="typed")
    final: Any
    for final in (TWO, "no", None):
        with refused("move_unreadable"):
            game.roll(1, 2, 3, 4, 5, final=final)
        with refused("move_unreadable"):
            dicecup.apply(game.rules, game.state, dicecup.Throw((1, 2, 3, 4, 5), final))


def test_boxes_and_columns_that_are_arrays(refused):
    odd: Any = TWO
    game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
    with refused("move_unreadable"):
        game.score(odd)
    with refused("move_unreadable"):
        game.score("pair", odd)
    jamb = dicecup.Game.from_position("jamb / / 1 1 2 3 5 / 2")
    with refused("move_unreadable"):
        jamb.announce("ones", odd)


def test_arrays_without_dimensions_are_no_dice(refused):
    rules: dict[str, Any] = {"yatzy": 5, "dice-in-dice": 7}
    for game, face in rules.items():
        dice: Any
        for dice in (np.array(face), [np.array("x")] * face):
            with refused("die_unreadable"):
                dicecup.Rules(game).score(dice)


@pytest.mark.parametrize(("game", "dice"), [("yatzy", "1 2 3 4 5"), ("dice-in-dice", "6-5 " * 5)])
def test_nothing_of_a_text_is_cut_off(game, dice, refused):
    rules = dicecup.Rules(game)
    with refused("die_unreadable"):
        rules.score(dice + " " * 200 + "6")
    with refused("die_unreadable"):
        rules.score(["6" + " " * 200 + "6"] * rules.dice.count)


@pytest.mark.parametrize("dice", [np.array([1, 2]), 0, False, "", ["typed"]])
def test_where_dice_come_from(dice, refused):
    with refused("argument_wrong", argument="dice"):
        dicecup.Game("yatzy", dice=dice)
    with refused("argument_wrong", argument="dice"):
        dicecup.Game("yatzy", dice=dice, same_dice=True)


@pytest.mark.parametrize("same", [np.array([1, 2]), "no", 1, None])
def test_the_same_dice_or_not(same, refused):
    calls: list[Callable[[], object]] = [
        lambda: dicecup.Game("yatzy", same_dice=same),
        lambda: dicecup.simulate("yatzy", ["random"], 1, same_dice=same),
    ]
    for call in calls:
        with refused("argument_wrong", argument="same_dice"):
            call()


def test_choices_that_are_looked_up(refused):
    keep, other = dicecup.Keep((4, 5)), dicecup.Score((dicecup.Placement("pair"),))
    choices = (dicecup.Choice(keep, 0.5, 0.0), dicecup.Choice(other, 0.25, 0.25))
    hint, win = dicecup.Hint(0.5, True, choices), dicecup.WinHint(0.5, choices, True, 0.0)
    same: Any
    for same in (np.array([5, 4]), [4, 5], (np.int64(4), 5)):
        assert hint.choice(dicecup.Keep(same)).move == keep
        assert win.chance_of(dicecup.Keep(same)) == 0.5
    double = dicecup.Hint(0.5, True, (dicecup.Choice(dicecup.Keep(((6, 5),)), 0.5, 0.0),))
    pairs: Any = np.array([[6, 5]])
    assert double.choice(dicecup.Keep(pairs)) is double.best
    odd: Any
    for odd in (7, np.array(7), (TWO,), None):
        with refused("move_unreadable"):
            hint.choice(dicecup.Keep(odd))
        with refused("move_unreadable"):
            hint.choice(dicecup.Score(odd))


def test_what_is_no_choice(refused):
    keep = dicecup.Keep((4, 5))
    choices = (dicecup.Choice(keep, 0.5, 0.0),)
    hint, win = dicecup.Hint(0.5, True, choices), dicecup.WinHint(0.5, choices, True, 0.0)
    odd: Any
    for odd in (None, {"keep": [6]}, dicecup.Game("yatzy").state, dicecup.Throw((4, 5)), "keep"):
        with refused("move_unreadable"):
            hint.choice(odd)
        with refused("move_unreadable"):
            win.chance_of(odd)
        with refused("argument_wrong", argument="hint"):
            win.parts_from(odd)
    with refused("argument_wrong", argument="hint"):
        dicecup.WinHint(0.5, (), True, 0.0).parts_from(odd)
    assert win.chance_of(dicecup.Keep((1,))) is None


def test_names_of_lines_columns_and_layers_in_known_languages(here, refused):
    for game in dicecup.Rules.ids():
        rules = dicecup.Rules(game)
        for language in ("en", "fr", "de", "sv"):
            lines = ("game", "summary", *rules.lines, "grand_total")
            assert all(rules.name(language, line) for line in lines)
    triple, double = dicecup.Rules("triple-yum-plus"), dicecup.Rules("dice-in-dice")
    assert (triple.name("en", "x2"), double.name("sv", "inner")) == ("× 2", "inre tärningar")
    (here / "bare.toml").write_text(
        'format = 1\nid = "bare"\nthrows = 1\ndice = { count = 1, faces = 2 }\nbox.any_dice.points = "all"\n'
        '[names.it]\nany_dice = "Qualsiasi"\n'
    )
    bare = dicecup.Rules("bare.toml")
    assert (bare.name("sv"), bare.name("it", "any_dice"), bare.name("sv", "any_dice")) == (
        "bare",
        "Qualsiasi",
        "Qualsiasi",
    )
    odd: Any
    for odd in ("full_hose", "inner", "x2", "", 3, None, float("nan"), np.array(["game", "game"]), ["game"]):
        with refused("argument_wrong", argument="line"):
            dicecup.Rules("yum-plus").name("en", odd)
    for odd in ("it", "EN", "", 3, None, TWO, ["sv"]):
        with refused("argument_wrong", argument="language"):
            triple.name(odd)
