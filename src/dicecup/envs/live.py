"""One game that an environment plays on the engine: actions in, dice rolled by NumPy, rewards out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.coach.advice import Hint, Values, advise, values_at_once
from dicecup.dice import all_dice
from dicecup.encoding import Mask, Numbers, actions_of, observation_of
from dicecup.engine.play import apply
from dicecup.engine.state import Sheet, State, Throw, dice_to_throw, final_score, start
from dicecup.errors import MoveError, Phrase, UsageError
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.rules.model import Ruleset

Reward = Literal["points", "final", "loss", "win"]
ILLEGAL = -1.0  # the reward of an action that the rules do not allow
ActionValues = npt.NDArray[np.float64]  # by action: the expected final score, -inf where it is illegal


class EnvironmentSettings(NamedTuple):
    """What the environments of a game have in common."""

    reward: Reward = "points"
    values: bool = False  # whether the value of every action is reported
    illegal: float | None = ILLEGAL  # None: an illegal action raises the engine's error


def checked_settings(
    reward: str, values: bool, illegal: float | None, known: tuple[str, ...]
) -> EnvironmentSettings:
    if reward not in known:
        expected = Phrase("expected_one_of", known=", ".join(known))
        raise UsageError("argument_wrong", argument="reward", expected=expected)
    return EnvironmentSettings(reward, bool(values), illegal)  # type: ignore[arg-type]


def action_number(action: object, count: int) -> int:
    """Return an action as an `int`; anything but a whole number is refused, also what Python takes for one.

    A number that no action has is illegal, like an action that the rules do not allow now.
    """
    try:
        if isinstance(action, bool | np.bool_):
            raise TypeError
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        expected = Phrase("expected_whole_number", low=0, high=count - 1)
        raise UsageError("argument_wrong", argument="action", expected=expected) from None


class Outcome(NamedTuple):
    """What an action did."""

    legal: bool
    gained: int = 0  # how much the final score of the player grew
    loss: float = 0.0  # how much less it is worth than the best action, where values are known
    turn_over: bool = False


class LiveGame:
    """A game of one or several players in which only decisions are asked: the dice roll by themselves."""

    def __init__(
        self,
        game: AnyGame,
        options: Mapping[str, str] | None,
        settings: EnvironmentSettings,
        players: int = 1,
    ) -> None:
        self.rules = as_ruleset(game, options)
        self.settings = settings
        self.actions = actions_of(self.rules)
        self.observation = observation_of(self.rules, players)
        self.sides = all_dice(self.rules.dice.faces, len(self.rules.dice.layers))
        asked = settings.values or settings.reward == "loss"
        self.known: Values | None = values_at_once(self.rules) if asked else None
        self.players = players
        self.state = start(self.rules, players)
        self.hint: Hint | None = None

    def begin(self, chance: np.random.Generator) -> None:
        """Begin a game; one that its first roll wins has no decision, and another one begins."""
        while True:
            self.state = start(self.rules, self.players)
            self.roll(chance)
            if not self.state.finished:
                return

    def roll(self, chance: np.random.Generator) -> None:
        """Roll the dice that are due."""
        count = dice_to_throw(self.rules, self.state)
        faces = chance.integers(len(self.sides), size=count)
        self.state = apply(self.rules, self.state, Throw(tuple(self.sides[face] for face in faces)))
        self.hint = advise(self.known, self.state) if self.known and not self.state.finished else None

    def decide(self, action: int, chance: np.random.Generator, *, wait: bool = False) -> Outcome:
        """Play an action and roll the dice that follow it; with `wait` not those of the next turn."""
        state, seat = self.state, self.state.player
        try:
            move = self.actions.move(state.dice, action)
            after = apply(self.rules, state, move)
        except MoveError:
            if self.settings.illegal is None:
                raise
            return Outcome(legal=False)
        loss = self.hint.choice(move).loss if self.hint else 0.0
        self.state, turn_over = after, not after.dice
        if turn_over:
            self.hint = None
        if after.throw_due and not (turn_over and wait):
            self.roll(chance)
        gained = final_score(self.rules, after.sheets[seat]) - final_score(self.rules, state.sheets[seat])
        return Outcome(True, gained, loss, turn_over)

    def reward(self, outcome: Outcome, sheet: Sheet) -> float:
        """Return the reward of the player whose sheet this is now."""
        if not outcome.legal:
            return float(self.settings.illegal or 0.0)
        match self.settings.reward:
            case "points":
                return float(outcome.gained)
            case "loss":
                return -outcome.loss
            case "final" if sheet.full or self.state.winner is not None:
                return float(final_score(self.rules, sheet))
            case _:
                return 0.0

    def mask(self) -> Mask:
        return self.actions.mask(self.state)

    def seen(self, state: State | None = None) -> Numbers:
        return self.observation.of_state(state or self.state)

    def info(self, outcome: Outcome | None = None) -> dict[str, Any]:
        """What an environment reports beside the observation."""
        found: dict[str, Any] = {"action_mask": self.mask()}
        found["legal"] = outcome is None or outcome.legal
        if self.known is None:
            return found
        found["loss"] = outcome.loss if outcome else 0.0
        found["exact"] = self.known.exact
        found["values"] = self.action_values()
        return found

    def action_values(self) -> ActionValues:
        """Return the expected final score after each action, with perfect play from there on."""
        found = np.full(self.actions.count, -np.inf)
        for choice in self.hint.choices if self.hint else ():
            found[self.actions.number(self.state.dice, choice.move)] = choice.expected
        return found


def win_shares(rules: Ruleset, sheets: Sequence[Sheet], won: Sequence[bool]) -> list[float]:
    """Return 1 for the winner and 0 for the others; those who tie share it.

    Who has `won` at once comes before the others, whatever the scores are.
    """
    ranks = [(first, final_score(rules, sheet)) for first, sheet in zip(won, sheets, strict=True)]
    best = max(ranks)
    return [(rank == best) / ranks.count(best) for rank in ranks]
