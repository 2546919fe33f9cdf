"""The PettingZoo environments: several players in turn (AEC), or all side by side (parallel)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv

from dicecup.encoding import Mask, Numbers
from dicecup.engine.state import MOST_PLAYERS, State, final_score, turn_start
from dicecup.envs.solo import (
    ILLEGAL,
    RENDER_MODES,
    LiveGame,
    Outcome,
    action_number,
    checked_settings,
    picture,
    text,
    win_shares,
)
from dicecup.errors import MoveError, Phrase, UsageError, whole_number
from dicecup.rules.loader import AnyGame

REWARDS = ("points", "final", "loss", "win")
Seen = dict[str, Any]  # "observation" and "action_mask"


def spaces_of(live: LiveGame, actions: int) -> tuple[spaces.Dict, spaces.Discrete]:
    seen = live.observation
    view: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(seen.low, seen.high, dtype=np.int16),
        "action_mask": spaces.Box(0, 1, (actions,), dtype=np.int8),
    }
    return spaces.Dict(view), spaces.Discrete(actions)


def spaces_by_agent(
    live: LiveGame, actions: int, agents: list[str]
) -> tuple[dict[str, spaces.Dict], dict[str, spaces.Discrete]]:
    """Return the spaces of observations and of actions: one for each agent, seeded one by one."""
    made = {agent: spaces_of(live, actions) for agent in agents}
    views = {agent: view for agent, (view, _) in made.items()}
    return views, {agent: choice for agent, (_, choice) in made.items()}


class AecGame(AECEnv[str, Seen, int]):  # type: ignore[misc]  # PettingZoo has no types
    """Players take turns; a step is a decision of the player whose turn it is."""

    metadata = {"render_modes": RENDER_MODES, "name": "dicecup_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        game: AnyGame = "yatzy",
        options: Mapping[str, str] | None = None,
        *,
        players: int = 2,
        reward: str = "points",
        values: bool = False,
        illegal: float | None = ILLEGAL,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        players = whole_number("players", players, 1, MOST_PLAYERS)
        self.live = LiveGame(
            game, options, checked_settings(reward, values, illegal, render_mode, REWARDS), players
        )
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = spaces_by_agent(
            self.live, self.live.actions.count, self.possible_agents
        )
        self.chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game: the first player's dice are on the table."""
        if seed is not None:
            self.chance = seeding.np_random(seed)[0]
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.live.begin(self.chance)
        self.outcomes = dict.fromkeys(self.agents, Outcome(legal=True))
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Seen:
        """What a player sees: dice and legal actions only when it is their turn."""
        state, seat = self.live.state, self.possible_agents.index(agent)
        own = seat == state.player and not state.finished
        viewed = state if own else turn_start(self.live.rules, state.sheets, seat)
        mask = self.live.mask() if own else np.zeros(self.live.actions.count, dtype=np.int8)
        return {"observation": self.live.seen(viewed), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action of the player whose turn it is; an illegal one changes nothing."""
        check_begun(self.agents, self.live.state.finished)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        outcome = self.live.decide(action_number(action, self.live.actions.count), self.chance)
        state = self.live.state
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.rewards[agent] = self.live.reward(outcome, state.sheets[seat])
        if state.finished:
            self.terminations = dict.fromkeys(self.agents, True)
            self._reward_the_end(seat)
        self.outcomes[agent] = outcome
        self.infos[agent] = self._info(agent)
        # After the last turn the others act once more, and learn that the game is over.
        following = (seat + 1) % len(self.possible_agents) if state.finished else state.player
        self.agent_selection = self.possible_agents[following]
        self.infos[self.agent_selection] = self._info(self.agent_selection)
        self._accumulate_rewards()

    def _reward_the_end(self, actor: int) -> None:
        """Give what the end of the game gives to all players."""
        state, rules = self.live.state, self.live.rules
        match self.live.settings.reward:
            case "win":
                won = [seat == state.winner for seat in range(len(state.sheets))]
                shares = win_shares(rules, state.sheets, won)
                self.rewards = dict(zip(self.possible_agents, shares, strict=True))
            case "final":  # players with turns left when somebody won at once
                for seat, sheet in enumerate(state.sheets):
                    if seat != actor and not sheet.full:
                        self.rewards[self.possible_agents[seat]] = float(final_score(rules, sheet))

    def _info(self, agent: str) -> dict[str, Any]:
        """What is reported beside the observation: the agent's last action, and values in its turn."""
        state, seat = self.live.state, self.possible_agents.index(agent)
        outcome = self.outcomes[agent]
        info = self.live.info(outcome) if seat == state.player else {"legal": outcome.legal}
        info.pop("action_mask", None)  # it is in the observation
        return info | {"score": final_score(self.live.rules, state.sheets[seat])}

    def render(self) -> Any:
        """The dice and all sheets as text, or as a picture of red, green and blue."""
        return rendered(self.live, self.live.state, self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to free."""


def check_begun(agents: list[str], over: bool) -> None:
    """Raise an error where no agent plays: before the first game, and after a game."""
    if not agents:
        raise MoveError("game_over" if over else "game_not_begun")


def rendered(live: LiveGame, state: State, mode: str | None) -> Any:
    if mode == "ansi":
        return text(live.rules, state)
    return picture(live.rules, state) if mode == "rgb_array" else None


class ParallelGame(ParallelEnv[str, Seen, int]):  # type: ignore[misc]
    """All players fill their own sheets, turn by turn side by side, each with dice of their own.

    Whoever ends a turn before the others has one legal action, to wait: it is the last one. The next turn of
    all begins when everybody has ended theirs.
    """

    metadata = {"render_modes": RENDER_MODES, "name": "dicecup_parallel_v0"}  # noqa: RUF012

    def __init__(
        self,
        game: AnyGame = "yatzy",
        options: Mapping[str, str] | None = None,
        *,
        players: int = 2,
        reward: str = "points",
        values: bool = False,
        illegal: float | None = ILLEGAL,
        render_mode: str | None = None,
    ) -> None:
        players = whole_number("players", players, 1, MOST_PLAYERS)
        settings = checked_settings(reward, values, illegal, render_mode, REWARDS)
        self.games = [LiveGame(game, options, settings) for _ in range(players)]
        self.whole = LiveGame(game, options, settings._replace(values=False, reward="points"), players)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.wait = self.whole.actions.count
        self.observation_spaces, self.action_spaces = spaces_by_agent(
            self.whole, self.wait + 1, self.possible_agents
        )
        self.chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begin a game: everybody's first dice are on the table."""
        if seed is not None:
            self.chance = seeding.np_random(seed)[0]
        self.agents = list(self.possible_agents)
        for live in self.games:
            live.begin(self.chance)
        outcomes = [Outcome(legal=True)] * len(self.games)
        return self._seen(), self._infos(outcomes)

    def step(self, actions: Mapping[str, int]) -> tuple[Any, ...]:
        """Play an action of every player; an illegal one changes nothing for the player who chose it."""
        check_begun(self.agents, self._over())
        given: object = actions
        if not isinstance(given, Mapping) or set(given) != set(self.agents):
            expected = Phrase("expected_agents", agents=", ".join(self.agents))
            raise UsageError("argument_wrong", argument="actions", expected=expected)
        numbers = [action_number(given[agent], self.wait + 1) for agent in self.agents]
        outcomes = [self._decide(live, number) for live, number in zip(self.games, numbers, strict=True)]
        if all(waiting(live) for live in self.games) and not self._over():
            for live in self.games:
                live.roll(self.chance)
        over = self._over()
        rewards = self._rewards(outcomes)
        seen, infos = self._seen(), self._infos(outcomes)
        found = (
            seen,
            dict(zip(self.possible_agents, rewards, strict=True)),
            dict.fromkeys(self.possible_agents, over),
            dict.fromkeys(self.possible_agents, False),
            infos,
        )
        if over:
            self.agents = []
        return found

    def _over(self) -> bool:
        """Whether all sheets are full, or somebody has won at once."""
        states = [live.state for live in self.games]
        return all(state.finished for state in states) or any(state.winner is not None for state in states)

    def _rewards(self, outcomes: list[Outcome]) -> list[float]:
        over, played = self._over(), list(zip(self.games, outcomes, strict=True))
        match self.games[0].settings.reward:
            case "win" if over:
                won = [live.state.winner is not None for live in self.games]
                return win_shares(self.whole.rules, [live.state.sheet for live in self.games], won)
            case "final":
                return [self._final(live, outcome, over) for live, outcome in played]
            case _:
                return [live.reward(outcome, live.state.sheet) for live, outcome in played]

    def _final(self, live: LiveGame, outcome: Outcome, over: bool) -> float:
        """Return the final score once: when the sheet becomes full, or when somebody else has won at once."""
        sheet = live.state.sheet
        if outcome.turn_over if sheet.full else over:
            return float(final_score(live.rules, sheet))
        return live.reward(outcome, sheet) if not outcome.legal else 0.0

    def _decide(self, live: LiveGame, action: int) -> Outcome:
        if waiting(live) and action == self.wait:
            return Outcome(legal=True)
        return live.decide(action, self.chance, wait=True)

    def _mask(self, live: LiveGame) -> Mask:
        if self._over():
            return np.zeros(self.wait + 1, dtype=np.int8)
        return np.append(live.mask(), np.int8(waiting(live)))

    def _state(self, seat: int) -> State:
        """The game as one player sees it."""
        own = self.games[seat].state
        return replace(own, sheets=tuple(live.state.sheet for live in self.games), player=seat)

    def _view(self, seat: int) -> Numbers:
        own, others = self.games[seat].state, [live.state.sheet for live in self.games]
        due = own.kept is None and not own.finished
        dice = (own.dice, own.throws_left) if due else ((), 0)
        behind = others[seat + 1 :] + others[:seat]
        return self.whole.observation._array(own.sheet, *dice, behind, own.announced)

    def _seen(self) -> dict[str, Seen]:
        return {
            agent: {"observation": self._view(seat), "action_mask": self._mask(self.games[seat])}
            for seat, agent in enumerate(self.possible_agents)
        }

    def _infos(self, outcomes: list[Outcome]) -> dict[str, dict[str, Any]]:
        infos = {}
        for agent, live, outcome in zip(self.possible_agents, self.games, outcomes, strict=True):
            info = live.info(outcome)
            if "values" in info:
                info["values"] = np.append(info["values"], -np.inf)
            info["action_mask"] = self._mask(live)
            infos[agent] = info | {"score": final_score(live.rules, live.state.sheet)}
        return infos

    def render(self) -> Any:
        """The first player's dice and all sheets as text, or as a picture of red, green and blue."""
        return rendered(self.whole, self._state(0), self.render_mode)

    def state(self) -> Numbers:
        """What all players see together."""
        return np.concatenate([self._view(seat) for seat in range(len(self.games))])

    def close(self) -> None:
        """Do nothing: there are no resources to free."""


def waiting(live: LiveGame) -> bool:
    """Whether a player's turn is over and the next has not begun."""
    return not live.state.dice
