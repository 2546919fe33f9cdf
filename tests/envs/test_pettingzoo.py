"""The PettingZoo environments: the library's own tests, turns, waiting, winning."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import dicecup
from dicecup.envs import aec_env, parallel_env
from dicecup.errors import UsageError

GAMES = dicecup.Rules.ids()
VARIANTS = [
    (game, {option: value})
    for game in GAMES
    for option, values in dicecup.Rules(game).choices.items()
    for value in values[1:]
]
# Its tests would rather have arrays than the pair of observation and mask that its own games have.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]


@pytest.mark.parametrize("game", GAMES)
def test_the_tests_of_pettingzoo_pass(game: str) -> None:
    api_test(aec_env(game), num_cycles=4)
    parallel_api_test(parallel_env(game), num_cycles=4)
    seed_test(partial(aec_env, game), num_cycles=4)
    parallel_seed_test(partial(parallel_env, game), num_cycles=4)


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_the_tests_pass_with_every_option(game: str, options: dict[str, str]) -> None:
    api_test(aec_env(game, options), num_cycles=1)
    parallel_api_test(parallel_env(game, options), num_cycles=1)


def last_legal(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("reward", ["points", "final", "win", "loss"])
def test_rewards_of_a_whole_game_in_turns(reward: str) -> None:
    env = aec_env("yatzy-sv", players=3, reward=reward)
    env.reset(seed=1)
    rewards, masks = dict.fromkeys(env.agents, 0.0), []
    for agent in env.agent_iter():
        seen, gained, over, _, _ = env.last()
        rewards[agent] += gained
        masks.append(seen["action_mask"].any() == (not over))
        others = [env.observe(other)["action_mask"].any() for other in env.agents if other != agent]
        assert not any(others)
        env.step(None if over else last_legal(seen["action_mask"]))
    assert all(masks)
    finals = [float(sum(filter(None, sheet.cells))) for sheet in env.live.state.sheets]  # no bonus this way
    match reward:
        case "points" | "final":
            assert [*rewards.values()] == finals
        case "win":
            assert sum(rewards.values()) == 1.0
            assert max(rewards, key=rewards.__getitem__) == f"player_{int(np.argmax(finals))}"
        case _:
            assert all(value < 0 for value in rewards.values())


@pytest.mark.parametrize("reward", ["points", "final", "win"])
def test_turns_side_by_side_wait_for_each_other(reward: str) -> None:
    env = parallel_env("yatzy", players=2, reward=reward)
    seen, _ = env.reset(seed=1)
    slices, waited = env.whole.observation.slices, 0
    rewards = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        # The first ends every turn at once; the second keeps nothing twice.
        left = seen["player_1"]["observation"][slices["throws_left"]][0]
        mask = seen["player_1"]["action_mask"]
        actions = {"player_0": last_legal(seen["player_0"]["action_mask"])}
        actions["player_1"] = 0 if left else last_legal(mask)
        waited += actions["player_0"] == env.wait
        seen, gained, over, _, infos = env.step(actions)
        assert all(info["legal"] for info in infos.values())
        assert len(set(over.values())) == 1
        for agent, reward_now in gained.items():
            rewards[agent] += reward_now
    assert waited == 2 * 15
    assert infos["player_0"]["action_mask"].shape == (62,)
    others = seen["player_0"]["observation"][slices["other1_points"]]
    assert others.tolist() == seen["player_1"]["observation"][slices["points"]].tolist()
    finals = [float(infos[agent]["score"]) for agent in rewards]
    assert [*rewards.values()] == ([0.0, 1.0] if reward == "win" else finals) or finals[0] >= finals[1]
    assert env.state().shape == (2 * env.whole.observation.size,)


def test_an_illegal_action_costs_only_the_player_who_chose_it() -> None:
    env = parallel_env("yatzy")
    env.reset(seed=1)
    _, rewards, _, _, infos = env.step({"player_0": env.wait, "player_1": 0})
    assert rewards == {"player_0": -1.0, "player_1": 0.0}
    assert [info["legal"] for info in infos.values()] == [False, True]
    turns = aec_env("yatzy")
    turns.reset(seed=1)
    turns.step(31)
    turns.step(31)
    assert turns.agent_selection == "player_0"
    turns.step(31)
    assert turns.agent_selection == "player_0"
    assert not turns.infos["player_0"]["legal"]
    assert turns.infos["player_1"]["legal"]


def test_values_in_turns_and_side_by_side() -> None:
    env = aec_env("yatzy-sv", values=True)
    env.reset(seed=1)
    mask = env.last()[0]["action_mask"]
    assert np.array_equal(np.isfinite(env.infos["player_0"]["values"]), mask == 1)
    assert "values" not in env.infos["player_1"]
    beside = parallel_env("yatzy-sv", values=True)
    seen, infos = beside.reset(seed=1)
    for agent, info in infos.items():
        assert np.array_equal(np.isfinite(info["values"]), seen[agent]["action_mask"] == 1)


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_drawing_and_wrong_settings(make) -> None:
    env = make("triple-yum-plus", players=2, render_mode="ansi")
    env.reset(seed=1)
    assert "x3" in env.render()
    env.render_mode = "rgb_array"
    assert env.render().shape[2] == 3
    env.render_mode = None
    assert env.render() is None
    with pytest.raises(UsageError, match="players"):
        make("yatzy", players=0)
    with pytest.raises(UsageError, match="win"):
        make("yatzy", reward="fame")


def test_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicecup.installation.is_installed", lambda _extra: False)
    monkeypatch.setattr("dicecup.installation.is_clone", lambda: False)
    with pytest.raises(UsageError, match=r"pip install 'dicecup\[env\]'"):
        aec_env("yatzy")
