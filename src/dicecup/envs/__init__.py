"""Environments for learning programs: Gymnasium, PettingZoo, and thousands of games at once.

Importing this package registers the Gymnasium environments, if Gymnasium is installed.

>>> import dicecup.envs, gymnasium
>>> env = gymnasium.make("dicecup/yatzy-sv-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum()) > 15
((60,), True)
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dicecup.installation import ensure, is_installed, need
from dicecup.rules.loader import AnyGame

if TYPE_CHECKING:
    from dicecup.encoding import Actions, Observation
    from dicecup.envs.batch import BatchEnv
    from dicecup.envs.players import AecGame, ParallelGame

__all__ = ["Actions", "BatchEnv", "Observation", "aec_env", "parallel_env"]

_HOME = {
    "Actions": "dicecup.encoding",
    "BatchEnv": "dicecup.envs.batch",
    "Observation": "dicecup.encoding",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dicecup.envs' has no attribute {name!r}")
    ensure("solver" if name == "BatchEnv" else "env")  # what it needs may have to be installed first
    return getattr(import_module(_HOME[name]), name)


def aec_env(
    game: AnyGame,
    options: Mapping[str, str] | None = None,
    *,
    players: int = 2,
    reward: str = "points",
    values: bool = False,
    illegal: float | None = -1.0,
    render_mode: str | None = None,
) -> AecGame:
    """Return the PettingZoo environment of a game in which the players take turns.

    docs/environments.md describes the settings.

    >>> env = dicecup.envs.aec_env("yatzy", players=3)
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.last()[0]["action_mask"].shape
    ('player_0', (61,))
    """
    need("env")
    from dicecup.envs.players import AecGame

    return AecGame(
        game,
        options,
        players=players,
        reward=reward,
        values=values,
        illegal=illegal,
        render_mode=render_mode,
    )


def parallel_env(
    game: AnyGame,
    options: Mapping[str, str] | None = None,
    *,
    players: int = 2,
    reward: str = "points",
    values: bool = False,
    illegal: float | None = -1.0,
    render_mode: str | None = None,
) -> ParallelGame:
    """Return the PettingZoo environment of a game in which all players have their turns side by side.

    >>> env = dicecup.envs.parallel_env("yatzy", players=2)
    >>> observations, infos = env.reset(seed=1)
    >>> sorted(observations), env.action_space("player_0").n
    (['player_0', 'player_1'], np.int64(62))
    """
    need("env")
    from dicecup.envs.players import ParallelGame

    return ParallelGame(
        game,
        options,
        players=players,
        reward=reward,
        values=values,
        illegal=illegal,
        render_mode=render_mode,
    )


if is_installed("env"):
    from dicecup.envs.solo import register_solo

    register_solo()
