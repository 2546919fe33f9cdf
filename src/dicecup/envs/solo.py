"""The Gymnasium environment: one player against the dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from dicecup.encoding import Numbers
from dicecup.engine.state import final_score
from dicecup.envs.live import ILLEGAL, LiveGame, action_number, checked_settings
from dicecup.envs.picture import picture, text
from dicecup.errors import MoveError
from dicecup.rules.loader import AnyGame, builtin_ids

REWARDS = ("points", "final", "loss")


class SoloEnv(gymnasium.Env[Numbers, np.int64]):
    """A game of one player, a decision a step; the dice are rolled by the environment.

    docs/environments.md describes observations, actions, rewards and what `info` holds.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: AnyGame = "yatzy",
        options: Mapping[str, str] | None = None,
        *,
        reward: str = "points",
        values: bool = False,
        illegal: float | None = ILLEGAL,
        render_mode: str | None = None,
    ) -> None:
        self.live = LiveGame(game, options, checked_settings(reward, values, illegal, REWARDS))
        self.render_mode = render_mode
        seen = self.live.observation
        self.observation_space = spaces.Box(seen.low, seen.high, dtype=np.int16)
        self.action_space = spaces.Discrete(self.live.actions.count)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin a game: the first dice are on the table."""
        super().reset(seed=seed, options=options)
        self.live.begin(self.np_random)
        return self.live.seen(), self._info(self.live.info())

    def step(self, action: Any) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Play an action. One that is illegal changes nothing and costs `illegal`."""
        number = action_number(action, self.live.actions.count)
        if not self.live.state.dice and not self.live.state.finished:
            raise MoveError("game_not_begun")
        outcome = self.live.decide(number, self.np_random)
        reward, over = self.live.reward(outcome, self.live.state.sheet), self.live.state.finished
        return self.live.seen(), reward, over, False, self._info(self.live.info(outcome))

    def _info(self, info: dict[str, Any]) -> dict[str, Any]:
        return info | {"score": final_score(self.live.rules, self.live.state.sheet)}

    def render(self) -> Any:
        """The dice and the sheet as text, or as a picture of red, green and blue."""
        if self.render_mode == "ansi":
            return text(self.live.rules, self.live.state)
        return picture(self.live.rules, self.live.state) if self.render_mode == "rgb_array" else None


def register_solo() -> None:
    """Register every game as `dicecup/yatzy-v0` and so on."""
    for game in builtin_ids():
        name = f"dicecup/{game}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point="dicecup.envs.solo:SoloEnv", kwargs={"game": game})
