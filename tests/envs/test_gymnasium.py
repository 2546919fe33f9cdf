"""The Gymnasium environments: their own checker, the same game as the engine, exact values."""

from __future__ import annotations

import doctest
from itertools import pairwise
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import dicecup
import dicecup.encoding
import dicecup.envs
from dicecup.coach.advice import values_at_once
from dicecup.dice import Dice
from dicecup.encoding import Actions, Observation
from dicecup.engine.play import legal_moves
from dicecup.engine.state import Keep, Placement, Score, empty_sheet, final_score
from dicecup.envs.solo import SoloEnv
from dicecup.errors import MoveError, RulesError, UsageError

GAMES = dicecup.Rules.ids()
VARIANTS = [
    (game, {option: value})
    for game in GAMES
    for option, values in dicecup.Rules(game).choices.items()
    for value in values[1:]
]


def made(game: str, **settings: Any) -> SoloEnv:
    env = gymnasium.make(f"dicecup/{game}-v0", **settings).unwrapped
    assert isinstance(env, SoloEnv)
    return env


@pytest.mark.parametrize("game", GAMES)
def test_the_checker_of_gymnasium_passes(game: str) -> None:
    check_env(made(game))


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_the_checker_passes_with_every_option(game: str, options: dict[str, str]) -> None:
    env = made(game, options=options)
    assert env.live.rules == dicecup.Rules(game, options)
    check_env(env, skip_render_check=True, skip_close_check=True)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_of_legal_actions_ends_with_the_score_of_the_engine(game: str) -> None:
    env = made(game)
    chance = np.random.default_rng(1)
    observation, info = env.reset(seed=1)
    rewards, over, steps = 0.0, False, 0
    seen, slices = [observation], env.live.observation.slices
    while not over:
        state = env.live.state
        legal = {env.live.actions.number(state.dice, move) for move in legal_moves(env.live.rules, state)}
        assert set(np.flatnonzero(info["action_mask"])) == legal
        assert env.observation_space.contains(observation)
        ways = [action for action in legal if action >= env.live.actions.keeps]
        action = chance.choice(ways if steps % 2 else sorted(legal))
        observation, reward, over, cut, info = env.step(action)
        assert info["legal"]
        assert not cut
        rewards += reward
        steps += 1
        seen.append(observation)
    sheet = env.live.state.sheet
    assert sheet.full
    before = final_score(env.live.rules, empty_sheet(env.live.rules))
    assert before + rewards == info["score"] == final_score(env.live.rules, sheet)
    assert info["score"] == observation[slices["score"]][0]
    assert observation[slices["points"]].tolist() == list(sheet.cells)
    assert not info["action_mask"].any()
    filled = [int(one[slices["filled"]].sum()) for one in seen]
    assert all(one <= other for one, other in pairwise(filled))


def test_the_same_seed_gives_the_same_game() -> None:
    def dice(seed: int) -> list[list[int]]:
        env = made("yatzy")
        found = [env.reset(seed=seed)[0]] + [env.step(0)[0] for _ in range(2)]
        return [one[env.live.observation.slices["dice"]].tolist() for one in found]

    assert dice(5) == dice(5) != dice(6)


@pytest.mark.parametrize("game", GAMES)
def test_every_action_has_a_name_of_its_own_and_comes_back(game: str) -> None:
    rules = dicecup.Rules(game)
    actions = Actions(rules)
    faces = range(1, rules.dice.count + 1)
    dice: Dice = tuple((face, face) if rules.has_layers else face for face in faces)
    assert len({actions.name(action) for action in range(actions.count)}) == actions.count
    for action in range(actions.count):
        assert actions.number(dice, actions.move(dice, action)) == action


def test_the_table_of_actions() -> None:
    yatzy = Actions(dicecup.Rules("yatzy"))
    assert (yatzy.keeps, yatzy.count) == (31, 61)
    assert yatzy.move((1, 1, 3, 6, 6), 0b11000) == Keep((6, 6))
    assert yatzy.number((1, 1, 3, 6, 6), Keep((1, 6))) == 0b01001
    assert yatzy.move((1, 1, 3, 6, 6), 31) == Score((Placement("ones"),))
    assert yatzy.move((1, 1, 3, 6, 6), 60) == Score((Placement("yatzy", strike=True),))
    double = Actions(dicecup.Rules("dice-in-dice"))
    assert (double.keeps, double.count) == (63, 63 + 32 * 32)
    assert double.name(63 + 1 * 32 + 16) == "score inner twos, cross out outer ones"
    triple = Actions(dicecup.Rules("triple-yum-plus"))
    assert (triple.count, triple.name(31 + 22)) == (31 + 132, "score x2.ones")
    with pytest.raises(MoveError, match=r"no action 61\. Actions are numbered from 0 to 60"):
        yatzy.move((1, 1, 3, 6, 6), 61)


def test_an_illegal_action_changes_nothing() -> None:
    env = made("yatzy")
    before, info = env.reset(seed=1)
    env.step(31)
    again, _ = env.reset(seed=1)
    assert np.array_equal(before, again)
    after, *_ = env.step(31)
    same, reward, over, _, info = env.step(31)  # the ones are filled
    assert (reward, over, info["legal"]) == (-1.0, False, False)
    assert np.array_equal(same, after)
    strict = made("yatzy", illegal=None)
    strict.reset(seed=1)
    strict.step(31)
    with pytest.raises(MoveError, match="already filled"):
        strict.step(31)


def test_keeping_the_second_of_equal_dice_is_keeping_the_first() -> None:
    env = made("yatzy")
    seeds = (seed for seed in range(100) if env.reset(seed=seed)[0][0] == env.live.state.dice[1])
    _, info = env.reset(seed=next(seeds))
    assert not info["action_mask"][0b00010]
    assert env.step(0b00010)[4]["legal"]


@pytest.mark.parametrize("game", ["yatzy-sv", "yahtzee"])
def test_values_are_those_of_the_solution_so_that_losses_are_exact(game: str) -> None:
    """The losses and the luck of the dice explain the score to the last point."""
    env = made(game, values=True, reward="loss")
    chance = np.random.default_rng(3)
    _, info = env.reset(seed=2)
    worth, luck, lost, over = info["values"].max(), 0.0, 0.0, False
    first = worth
    while not over:
        assert info["exact"]
        assert np.array_equal(np.isfinite(info["values"]), info["action_mask"] == 1)
        check_against_the_solution(env, info["values"])
        action = chance.choice(np.flatnonzero(info["action_mask"]))
        chosen = info["values"][action]
        _, reward, over, _, info = env.step(action)
        assert reward == -info["loss"] == pytest.approx(chosen - worth)
        lost += info["loss"]
        worth = info["score"] if over else info["values"].max()
        luck += worth - chosen
    assert info["score"] == pytest.approx(first + luck - lost)


def check_against_the_solution(env: SoloEnv, values: np.ndarray) -> None:
    state, solution = env.live.state, values_at_once(env.live.rules).source
    turn = solution.turn(state.sheet)
    assert values.max() == turn.throw(state.dice, state.throws_left)
    for box in turn.boxes(state.dice):
        assert values[env.live.actions.number(state.dice, box.move)] == box.value
    if state.throws_left:
        assert values[0] == turn.keep((), state.throws_left)


def test_rewards_at_the_end_only() -> None:
    env = made("yatzy", reward="final")
    _, info = env.reset(seed=1)
    rewards, over = [], False
    while not over:
        _, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[-1])
        rewards.append(reward)
    assert rewards == [0.0] * (len(rewards) - 1) + [float(info["score"])]


def test_wrong_settings_say_what_is_possible() -> None:
    with pytest.raises(UsageError, match="points, final, loss"):
        SoloEnv("yatzy", reward="fame")
    with pytest.raises(RulesError, match="has no option"):
        SoloEnv("yatzy", {"colour": "blue"})


@pytest.mark.parametrize("game", GAMES)
def test_a_position_as_text_and_as_a_picture(game: str) -> None:
    env = made(game, render_mode="ansi")
    env.reset(seed=1)
    env.step(env.live.actions.keeps + 5 if not env.live.rules.has_layers else 63 + 1)
    text = env.render()
    assert text.startswith(f"{game}: dice ")
    assert text.splitlines()[2].split()[0] == env.live.rules.lines[0]
    assert text.splitlines()[-1].split()[0] == "final_score"
    env.render_mode = "rgb_array"
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 3


def test_parts_of_an_observation_have_names() -> None:
    rules = dicecup.Rules("dice-in-dice")
    position = dicecup.Position.parse("dice-in-dice / pair=12 ones=0 / 6-5 6-4 3-3 3-2 4-1 3-2 / 1")
    layout = Observation(rules)
    array = layout.of_state(position.state)
    part = {name: array[place].tolist() for name, place in layout.slices.items()}
    assert sum(map(len, part.values())) == layout.size == len(array)
    assert part["dice"] == [3, 2, 3, 2, 3, 3, 4, 1, 6, 4, 6, 5]
    assert part["counts"] == [0, 0, 3, 1, 0, 2] + [1, 2, 1, 1, 1, 0]
    assert part["throws_left"] == [1]
    inner, outer = part["offers"][:16], part["offers"][16:]
    assert inner[rules.box_index["low_straight"]] == 15
    assert outer[rules.box_index["full_house"]] == 21
    assert outer[rules.box_index["pair"]] == 0  # it is filled
    assert part["score"] == [12]


@pytest.mark.parametrize("module", [dicecup.envs, dicecup.encoding])
def test_the_examples_of_the_package_run(module: ModuleType) -> None:
    found = doctest.testmod(module, extraglobs={"dicecup": dicecup})
    assert found.attempted > 3
    assert not found.failed


@pytest.mark.parametrize("action", [None, 31.0, True, np.True_, "31", np.array([31]), np.nan])
def test_an_action_that_is_no_whole_number_is_one_sentence(action: Any) -> None:
    env = made("yatzy")
    env.reset(seed=1)
    with pytest.raises(UsageError, match=r"“action” isn’t valid\. Give a whole number from 0 to 60"):
        env.step(action)


def test_steps_before_and_after_a_game() -> None:
    env = SoloEnv("yatzy")
    with pytest.raises(MoveError, match="hasn’t started"):
        env.step(0)
    env.reset(seed=1)
    for number in range(15):
        *_, over, _, info = env.step(np.array(31 + number))
    assert over
    again = env.step(31)
    assert again[1:4] == (-1.0, True, False)
    assert not again[4]["legal"]
    assert again[4]["score"] == info["score"]
