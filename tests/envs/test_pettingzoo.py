"""The PettingZoo environments: the library's own tests, turns, waiting, winning."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import dicecup
from dicecup.envs import aec_env, parallel_env
from dicecup.errors import MoveError, UsageError

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


def first_box(mask: np.ndarray) -> int:
    """The first legal action of Yatzy that does not keep dice."""
    return int(31 + np.flatnonzero(mask[31:])[0])


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


@pytest.mark.parametrize("game", ["yatzy", "maxi-yatzy", "jamb", "generala"])
def test_everybody_observes_at_any_time(game: str) -> None:
    """Also when no roll is left, and when the others have saved rolls."""
    env, chance = aec_env(game, players=2), np.random.default_rng(5)
    env.reset(seed=5)
    for _agent in env.agent_iter():
        seen, _, over, _, _ = env.last()
        assert all(
            env.observe(other)["observation"].shape == seen["observation"].shape for other in env.agents
        )
        env.step(None if over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))
    assert env.live.state.finished


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
        actions = {"player_0": first_box(seen["player_0"]["action_mask"])}
        actions["player_1"] = 0 if left else first_box(mask)
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
    assert finals[0] != finals[1]
    won = [float(final == max(finals)) for final in finals]
    assert [*rewards.values()] == (won if reward == "win" else finals)
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


def test_waiting_is_checked_as_strictly_as_playing() -> None:
    env = parallel_env("yatzy", illegal=None)
    env.reset(seed=1)
    env.step({"player_0": 31, "player_1": 0})
    with pytest.raises(MoveError):
        env.step({"player_0": 31, "player_1": 0})


@pytest.mark.parametrize("reward", ["points", "final", "win"])
def test_whoever_wins_at_once_ends_the_game_of_all_side_by_side(reward: str) -> None:
    """Five alike in a first roll win Generala: player 1 has them after the first turn."""
    env = parallel_env("generala", reward=reward)
    env.reset(seed=1)
    env.chance = fixed([1, 2, 3, 4, 4], [5, 5, 5, 5, 5])
    seen, rewards, over, _, infos = env.step({"player_0": upper_box(env, 0), "player_1": 31 + 22 - 1})
    assert over == {"player_0": True, "player_1": True}
    assert not env.agents
    assert not any(one["action_mask"].any() for one in seen.values())
    assert not any(info["action_mask"].any() for info in infos.values())
    scores = {agent: float(info["score"]) for agent, info in infos.items()}
    assert scores["player_0"] > scores["player_1"] == 0
    assert rewards == ({"player_0": 0.0, "player_1": 1.0} if reward == "win" else scores)


@pytest.mark.parametrize("reward", ["points", "final", "win"])
def test_whoever_wins_at_once_ends_the_game_in_turns(reward: str) -> None:
    env = aec_env("generala", players=3, reward=reward)
    env.reset(seed=1)
    env.step(upper_box(env, 0))
    env.chance = fixed([5, 5, 5, 5, 5])
    env.step(31 + 22 - 1)  # the second player crosses out; the third wins
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    gained = {agent: env._cumulative_rewards[agent] for agent in env.possible_agents}
    scores = {agent: float(env.infos[agent]["score"]) for agent in env.possible_agents}
    assert scores["player_0"] > 0
    winners = {"player_0": 0.0, "player_1": 0.0, "player_2": 1.0}
    assert gained == (winners if reward == "win" else scores)


def fixed(*rolls: list[int]) -> Any:
    """Dice that fall as they are told; a face is drawn as a number from 0."""
    following = iter(rolls)
    return SimpleNamespace(integers=lambda _faces, size: [face - 1 for face in next(following)][:size])


def upper_box(env, seat: int) -> int:
    """The action that scores the dice of a seat in the box of one of its faces, which gives points."""
    state = env.live.state if hasattr(env, "live") else env.games[seat].state
    return int(31 + state.dice[0] - 1)


def test_a_game_that_its_first_roll_wins_is_not_begun() -> None:
    env = aec_env("generala")
    env.reset(seed=1)
    env.chance = fixed([5, 5, 5, 5, 5], [6, 6, 6, 6, 6], [1, 2, 3, 4, 6])
    env.reset()
    assert env.live.state.dice == (1, 2, 3, 4, 6)
    assert env.last()[0]["action_mask"].any()


def test_an_announcement_is_seen_by_the_player_who_made_it() -> None:
    env = aec_env("jamb")
    env.reset(seed=1)
    part = env.live.observation.slices["announced"]
    env.step(env.live.actions.count - 1)
    assert env.infos["player_0"]["legal"]
    assert env.observe("player_0")["observation"][part].sum() == 1
    assert env.observe("player_1")["observation"][part].sum() == 0


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


WRONG = [None, 31.0, np.float32(31), True, np.True_, "31", [31], np.array([31]), np.nan]


@pytest.mark.parametrize("action", WRONG)
def test_an_action_that_is_no_whole_number_is_one_sentence(action: Any) -> None:
    turns, side_by_side = aec_env("yatzy"), parallel_env("yatzy")
    turns.reset(seed=1)
    with pytest.raises(UsageError, match=r"“action” isn’t valid\. Give a whole number from 0 to 60"):
        turns.step(action)
    side_by_side.reset(seed=1)
    before = [live.state for live in side_by_side.games]
    with pytest.raises(UsageError, match=r"“action” isn’t valid\. Give a whole number from 0 to 61"):
        side_by_side.step({"player_0": 31, "player_1": action})
    assert [live.state for live in side_by_side.games] == before  # nobody has played


def test_wrong_agents_and_steps_before_and_after_a_game_are_one_sentence() -> None:
    turns, side_by_side = aec_env("yatzy", players=1), parallel_env("yatzy")
    with pytest.raises(MoveError, match="hasn’t started"):
        turns.step(31)
    with pytest.raises(MoveError, match="hasn’t started"):
        side_by_side.step({"player_0": 31, "player_1": 31})
    side_by_side.reset(seed=1)
    for actions in ({"player_0": 31}, {"player_0": 31, "player_2": 31}, [31, 31], None):
        with pytest.raises(UsageError, match="each of these agents: player_0, player_1"):
            side_by_side.step(actions)  # type: ignore[arg-type]
    turns.reset(seed=1)
    for number in range(15):
        assert not turns.last()[2]
        turns.step(31 + number)
    with pytest.raises(ValueError, match="only valid action is None"):  # the library's own sentence
        turns.step(31)
    turns.step(None)
    with pytest.raises(MoveError, match="game is over"):
        turns.step(None)
    for number in range(15):
        side_by_side.step({"player_0": 31 + number, "player_1": 31 + number})
    assert not side_by_side.agents
    with pytest.raises(MoveError, match="game is over"):
        side_by_side.step({"player_0": 31, "player_1": 31})


@pytest.mark.parametrize("action", [-1, 61, np.int64(10**6), 10**30])
def test_an_action_of_no_number_is_illegal(action: int) -> None:
    env = aec_env("yatzy")
    env.reset(seed=1)
    env.step(action)
    assert not env.infos["player_0"]["legal"]
    strict = aec_env("yatzy", illegal=None)
    strict.reset(seed=1)
    with pytest.raises(MoveError, match="Actions are numbered from 0 to 60"):
        strict.step(action)
