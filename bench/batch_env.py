"""Decisions a second of `BatchEnv` with observations and masks, and of the engine's environment beside it.

    python bench/batch_env.py [--games 8192] [--seconds 3] [GAME …]

All games are played by random legal actions; choosing them is not part of the time. "cpu" is per decision, by
the clock of the process: on a busy machine it says what an idle one would do.
"""

from __future__ import annotations

import argparse
import os
import time

import numba
import numpy as np

import dicecup
from dicecup.envs.batch import BatchEnv
from dicecup.envs.solo import SoloEnv
from dicecup.rules import main_ids


@numba.njit(nogil=True)
def choose(masks, seed, chosen):  # type: ignore[no-untyped-def]
    """A random legal action of every game."""
    state = np.uint64(seed)
    for game in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[game, action]
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        left = np.int64((state >> np.uint64(33)) % np.uint64(legal))
        for action in range(masks.shape[1]):
            if masks[game, action]:
                if left == 0:
                    chosen[game] = action
                    break
                left -= 1


def batch(game: str, games: int, seconds: float, copy: bool) -> tuple[float, float]:
    """Decisions a second, and nanoseconds of the processor for each."""
    env = BatchEnv(game, games, copy=copy)
    _, info = env.reset(seed=1)
    chosen = np.zeros(games, dtype=np.int64)
    choose(info["action_mask"], 1, chosen)
    *_, info = env.step(chosen)
    wall = cpu = 0.0
    steps = 0
    while wall < seconds:
        choose(info["action_mask"], steps, chosen)
        began, used = time.perf_counter(), time.process_time()
        *_, info = env.step(chosen)
        wall += time.perf_counter() - began
        cpu += time.process_time() - used
        steps += 1
    return steps * games / wall, cpu / steps / games * 1e9


def engine(game: str, seconds: float) -> float:
    env, chance = SoloEnv(game), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    wall, steps = 0.0, 0
    while wall < seconds:
        legal = np.flatnonzero(info["action_mask"])
        action = legal[chance.integers(len(legal))]
        began = time.perf_counter()
        _, _, over, _, info = env.step(action)
        if over:
            _, info = env.reset()
        wall += time.perf_counter() - began
        steps += 1
    return steps / wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(main_ids()))
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=3.0)
    given = parser.parse_args()
    print(f"{given.games} games, {numba.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}")
    print(f"{'game':16} {'batch':>12} {'cpu ns':>7} {'no copies':>12} {'cpu ns':>7} {'engine':>9}")
    for game in given.names:
        games = given.games // 8 if dicecup.Rules(game).has_layers else given.games
        copied, aside = batch(game, games, given.seconds, True), batch(game, games, given.seconds, False)
        plain = engine(game, given.seconds)
        row = (f"{speed:12,.0f} {cpu:7,.0f}" for speed, cpu in (copied, aside))
        print(f"{game:16}", *row, f"{plain:9,.0f}", flush=True)


if __name__ == "__main__":
    main()
