"""`BatchEnv` plays the same games as the engine, move by move, for the same dice."""

from __future__ import annotations

import doctest
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.double.small_games import GAMES as DOUBLE_GAMES
from tests.double.small_games import small_game
from tests.solver.test_small_games import random_game

import dicecup
from dicecup.encoding import Actions, Observation
from dicecup.engine.play import apply
from dicecup.engine.state import Keep, State, Throw, final_score, start
from dicecup.envs import batch
from dicecup.envs.batch import BatchEnv
from dicecup.envs.solo import SoloEnv
from dicecup.errors import MoveError, UsageError
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset

pytestmark = pytest.mark.kernels

GAMES = [game for game in dicecup.Rules.ids() if not dicecup.Rules(game).extensions]
VARIANTS = [
    (game, {option: value})
    for game in GAMES
    for option, values in dicecup.Rules(game).choices.items()
    for value in values[1:]
]


def thrown(rules: Ruleset, before: State, after: State) -> State:
    """The state of the engine when the dice fall as they did in the batch."""
    dice = Counter(after.dice) - Counter(before.kept or ())
    return apply(rules, before, Throw(tuple(dice.elements())))


def play_beside_the_engine(rules: Ruleset, games: int, seed: int) -> int:
    """Play one game of every row to its end with random legal actions, beside the engine; count decisions."""
    env, chance = BatchEnv(rules, games), np.random.default_rng(seed)
    actions, layout, decisions = Actions(rules), Observation(rules), 0
    seen, info = env.reset(seed=seed)
    states = [thrown(rules, start(rules), env.state(game)) for game in range(games)]
    playing = set(range(games))
    while playing:
        for game in playing:
            assert env.state(game) == states[game]
            assert np.array_equal(info["action_mask"][game], actions.mask(states[game]))
            assert np.array_equal(seen[game], layout.of_state(states[game]))
        ends = info["action_mask"][:, actions.keeps :].any(axis=1) & (chance.random(games) < 0.6)
        legal = np.where(ends[:, None] & (np.arange(actions.count) < actions.keeps), 0, info["action_mask"])
        chosen = (legal * chance.random(legal.shape)).argmax(axis=1)
        before = [final_score(rules, state.sheet) for state in states]
        seen, rewards, ended, _, info = env.step(chosen)
        assert info["legal"].all()
        for game in sorted(playing):
            decisions += 1
            move = actions.move(states[game].dice, int(chosen[game]))
            after = apply(rules, states[game], move)
            assert rewards[game] == final_score(rules, after.sheet) - before[game]
            assert ended[game] == after.finished
            if after.finished:
                assert info["final_score"][game] == final_score(rules, after.sheet)
                playing.remove(game)
                assert isinstance(move, dicecup.Score)
                assert not seen[game][layout.slices["filled"]].any()  # a new game has begun
            else:
                states[game] = thrown(rules, after, env.state(game))
                assert isinstance(move, Keep) == (states[game].throws_left < rules.throws - 1)
    return decisions


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_that_of_the_engine(game: str) -> None:
    rules = dicecup.Rules(game)
    assert play_beside_the_engine(rules, 6, 1) > rules.turns * 6


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_every_option_is_that_of_the_engine(game: str, options: dict[str, str]) -> None:
    play_beside_the_engine(dicecup.Rules(game, options), 2, 2)


@pytest.mark.parametrize("seed", range(12))
def test_random_small_games_with_jokers_links_and_repeats(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(random_game(Random(seed)), encoding="utf-8")
    play_beside_the_engine(load_ruleset(str(path)), 20, seed)


@pytest.mark.parametrize("name", DOUBLE_GAMES)
def test_small_games_of_double_dice(name: str, tmp_path: Path) -> None:
    play_beside_the_engine(small_game(name, tmp_path), 4, 3)


def test_the_same_seed_gives_the_same_games_whatever_the_threads() -> None:
    def played(threads: int, seed: int) -> np.ndarray:
        env = BatchEnv("yatzy", 600, threads=threads)
        _, info = env.reset(seed=seed)
        for _ in range(40):
            seen, *_, info = env.step(info["action_mask"].argmax(axis=1))
        return seen

    assert BatchEnv("yatzy", 600, threads=2).threads == 2
    assert np.array_equal(played(1, 5), played(2, 5))
    assert not np.array_equal(played(1, 5), played(1, 6))


def test_every_face_falls_about_as_often() -> None:
    env = BatchEnv("dice-in-dice", 4000)
    seen, _ = env.reset(seed=1)
    dice = seen[:, env.observation.slices["dice"]].astype(int)
    pairs = np.bincount(dice[:, 0::2].ravel() * 10 + dice[:, 1::2].ravel(), minlength=67)
    shares = np.array([pairs[outer * 10 + inner] for outer in range(1, 7) for inner in range(1, 7)])
    assert abs(shares / shares.sum() - 1 / 36).max() < 0.004


def test_an_illegal_action_changes_nothing_in_its_game() -> None:
    env = BatchEnv("yatzy", 3)
    env.reset(seed=1)
    env.step([31, 31, 31])
    before = [env.state(game) for game in range(3)]
    _, rewards, _, _, info = env.step([31, 61, -1])
    assert rewards.tolist() == [-1.0] * 3
    assert not info["legal"].any()
    assert [env.state(game) for game in range(3)] == before
    strict = BatchEnv("yatzy", 3, illegal=None)
    with pytest.raises(MoveError, match="action 61 of game 1"):
        strict.step([31, 61, 31])


def test_rewards_at_the_end_and_arrays_of_its_own() -> None:
    env = BatchEnv("yatzy", 2, reward="final", copy=False)
    seen, info = env.reset(seed=1)
    kept = seen.copy()
    rewards, ended = np.zeros(2, dtype=np.float32), np.zeros(2, dtype=bool)
    while not ended.any():
        assert not rewards.any()
        again, rewards, ended, _, info = env.step([np.flatnonzero(row)[-1] for row in info["action_mask"]])
    assert again is seen
    assert not np.array_equal(kept, seen)
    assert rewards.tolist() == info["final_score"].tolist()


def test_every_step_returns_arrays_of_its_own_unless_told_otherwise() -> None:
    env = BatchEnv("yatzy", 2)
    env.reset(seed=1)
    first, second = env.step([0, 0]), env.step([0, 0])
    assert not any(np.shares_memory(one, other) for one, other in zip(first[:4], second[:4], strict=True))


def test_wrong_input_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="points, final"):
        BatchEnv("yatzy", reward="loss")
    with pytest.raises(UsageError, match="games"):
        BatchEnv("yatzy", 0)
    for actions in ([1, 2], None, [0.5, 1.0, 31.7, 2.0], ["1", "2", "3", "4"], [10**30, 1, 2, 3]):
        with pytest.raises(UsageError, match="one action for each of 4 games"):
            BatchEnv("yatzy", 4).step(actions)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="thousands of games"):
        BatchEnv("jamb")


def test_scores_that_do_not_fit_in_an_observation_are_refused(tmp_path: Path) -> None:
    """The environment of a single game shows the highest number that fits, and pays what was written."""
    boxes = "".join(f"box.{name}.points = 10000\n" for name in "abcd")
    path = tmp_path / "high.toml"
    path.write_text(f'format = 1\nid = "high"\nthrows = 1\ndice = {{ count = 1, faces = 2 }}\n{boxes}')
    with pytest.raises(UsageError, match="thousands of games"):
        BatchEnv(str(path))
    env, paid = SoloEnv(str(path)), 0.0
    env.reset(seed=1)
    for cell in range(4):
        seen, reward, *_, info = env.step(env.live.actions.keeps + cell)
        paid += float(reward)
    assert (seen[env.live.observation.slices["score"]].tolist(), info["score"]) == ([32767], 40000)
    assert paid == 40000


def test_the_examples_run() -> None:
    found = doctest.testmod(batch, extraglobs={"dicecup": dicecup})
    assert found.attempted > 10
    assert not found.failed
