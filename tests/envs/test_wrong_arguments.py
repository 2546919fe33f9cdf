"""What programs hand to environments and encodings: it works, or a sentence says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.conftest import Refused

import dicecup
from dicecup.encoding import Actions, Observation
from dicecup.envs import BatchEnv, aec_env, parallel_env
from dicecup.envs.solo import SoloEnv

DICE = (1, 2, 3, 4, 6)
ACTIONS = Actions(dicecup.Rules("yatzy"))
ENVIRONMENTS: list[Callable[..., Any]] = [SoloEnv, aec_env, parallel_env]


def test_dice_in_any_order_and_form_have_the_same_actions() -> None:
    keep, one = dicecup.Keep((6,)), dicecup.Score((dicecup.Placement("ones"),))
    dice: Any
    for dice in (DICE, DICE[::-1], np.array(DICE), "6 4 3 2 1", [6, 1, 2, 3, 4]):
        assert ACTIONS.number(dice, keep) == 0b10000
        assert ACTIONS.number(dice, one) == 31
        assert ACTIONS.move(dice, np.int64(0b10000)) == keep  # type: ignore[arg-type]
    doubles: Any = np.array([[6, 5]])
    double = Actions(dicecup.Rules("dice-in-dice"))
    assert double.number("6-5 6-4 3-3 3-2 4-1 3-2", dicecup.Keep(doubles)) == 0b100000  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (dicecup.Keep((5,)), "keep_not_there"),
        (dicecup.Keep((6, 6)), "keep_not_there"),
        (dicecup.Keep(DICE), "keep_all"),
        (dicecup.Keep((7,)), "face_out_of_range"),
        (dicecup.Keep("abc"), "die_unreadable"),  # type: ignore[arg-type]
        (dicecup.Keep(None), "die_unreadable"),  # type: ignore[arg-type]
        (dicecup.Score(()), "layers_wrong"),
        (dicecup.Score((dicecup.Placement("ones"),) * 2), "layers_wrong"),
        (dicecup.Score((dicecup.Placement("bonus"),)), "box_unknown"),
        (dicecup.Score((dicecup.Placement("ones", "x"),)), "column_unknown"),
        (dicecup.Score(None), "move_unreadable"),  # type: ignore[arg-type]
        (dicecup.Score((dicecup.Placement(3),)), "move_unreadable"),  # type: ignore[arg-type]
        (dicecup.Announce("ones"), "column_not_announced"),
        (dicecup.Announce(["ones"]), "move_unreadable"),  # type: ignore[arg-type]
        (dicecup.Throw((1,)), "move_unreadable"),
        ({"keep": [6]}, "move_unreadable"),
        (None, "move_unreadable"),
    ],
)
def test_moves_that_have_no_action(move: Any, code: str, refused: Refused) -> None:
    with refused(code):
        ACTIONS.number(DICE, move)


@pytest.mark.parametrize(
    ("dice", "code"),
    [
        (None, "die_unreadable"),
        ("x", "die_unreadable"),
        ((1, 2, 3, 4, 7), "face_out_of_range"),
        ((1, 2), "dice_count_wrong"),
        ((), "dice_count_wrong"),
    ],
)
def test_dice_that_have_no_action(dice: Any, code: str, refused: Refused) -> None:
    with refused(code):
        ACTIONS.number(dice, dicecup.Keep(()))
    with refused(code):
        ACTIONS.move(dice, 3)


def test_numbers_that_are_no_action(refused: Refused) -> None:
    number: Any
    for number in (-5, 61, 10**6):
        with refused("action_unknown", action=number):
            ACTIONS.move(DICE, number)
        with refused("action_unknown", action=number):
            ACTIONS.name(number)
    for number in (None, "x", 3.0, np.array([1, 2])):
        with refused("argument_wrong", argument="action"):
            ACTIONS.move(DICE, number)
        with refused("argument_wrong", argument="action"):
            ACTIONS.name(number)


def test_masks_of_dice_in_any_order() -> None:
    position = dicecup.Position.parse("yatzy / / 1 2 2 6 6 / 1")
    layout = Observation(position.rules)
    odd = dicecup.State(position.state.sheets, 0, (6, 2, 6, 1, 2), None, 1)
    assert (ACTIONS.mask(odd) == ACTIONS.mask(position.state)).all()
    assert (layout.array(odd.sheet, odd.dice, 1) == layout.of_state(position.state)).all()


def test_what_cannot_be_observed(refused: Refused) -> None:
    rules = dicecup.Rules("yatzy")
    one, two = Observation(rules), Observation(rules, 2)
    sheet: Any = dicecup.Game("yatzy").state.sheet
    nothing: Any = None
    wrong: Any
    others: Any
    with refused("sheet_of_other_game"):
        one.array(nothing)
    with refused("die_unreadable"):
        one.array(sheet, nothing)
    with refused("dice_count_wrong"):
        one.array(sheet, (1, 2))
    for wrong in (nothing, 3, "1"):
        with refused("position_key_wrong", key="throws_left"):
            one.array(sheet, DICE, wrong)
    for others in (nothing, (sheet,), 3):
        with refused("argument_wrong", argument="others"):
            one.array(sheet, DICE, 1, others)
    with refused("argument_wrong", argument="others"):
        two.array(sheet)
    others = [3]
    with refused("argument_wrong", argument="state"):
        two.array(sheet, others=others)
    with refused("argument_wrong", argument="announced"):
        one.array(sheet, DICE, 1, (), 99)
    with refused("argument_wrong", argument="sheets"):
        two.of_state(dicecup.Game("yatzy").state)
    with refused("argument_wrong", argument="state"):
        one.of_state(nothing)


@pytest.mark.parametrize("make", [*ENVIRONMENTS, BatchEnv])
def test_the_reward_of_an_illegal_action_is_a_number_or_none(
    make: Callable[..., Any], refused: Refused
) -> None:
    for wrong in (
        "x",
        "-1",
        float("nan"),
        float("inf"),
        10**400,
        object(),
        True,
        [1.0],
        np.ones(2),
    ):
        with refused("argument_wrong", argument="illegal"):
            make("yatzy", illegal=wrong)
    for fine in (None, 0, -2, np.float32(-0.5), np.int64(-1)):
        make("yatzy", illegal=fine)


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_settings_that_do_not_exist(make: Callable[..., Any], refused: Refused) -> None:
    wrong: Any
    for wrong in (3, "human", ["ansi"], np.array(["ansi", "ansi"]), ""):
        with refused("argument_wrong", argument="render_mode"):
            make("yatzy", render_mode=wrong)
        with refused("argument_wrong", argument="reward"):
            make("yatzy", reward=wrong)
    for wrong in (3, "no", None, np.array([1, 2])):
        with refused("argument_wrong", argument="values"):
            make("yatzy", values=wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        make("yatzy", foo=1)
    for mode in (None, "ansi", "rgb_array"):
        make("yatzy", render_mode=mode)


def test_batches_of_games(refused: Refused) -> None:
    with refused("argument_wrong", argument="reward"):
        BatchEnv("yatzy", 2, reward=np.array(["points", "final"]))  # type: ignore[arg-type]
    with refused("argument_wrong", argument="copy"):
        BatchEnv("yatzy", 2, copy="no")  # type: ignore[arg-type]
    env = BatchEnv("yatzy", 2)
    with refused("game_not_begun"):
        env.state(0)
    env.reset(seed=1)
    number: Any
    for number in (-1, 2, "x", None):
        with refused("argument_wrong", argument="game"):
            env.state(number)
    assert len(env.state(np.int64(1)).dice) == 5  # type: ignore[arg-type]


@pytest.mark.parametrize("game", ["yatzy", "maxi-yatzy"])
def test_a_turn_that_has_not_begun_can_be_observed(game: str) -> None:
    state = dicecup.Game(game).state
    layout = Observation(dicecup.Rules(game))
    seen = layout.array(state.sheet, state.dice, state.throws_left)
    assert seen.tolist() == layout.of_state(state).tolist()
