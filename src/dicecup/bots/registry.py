"""The bots by name, weakest first. docs/coach.md shows how their strength is measured."""

from __future__ import annotations

from random import Random
from typing import Protocol

from dicecup.bots.heuristic import CarelessBot, GreedyBot, RandomBot, SteadyBot
from dicecup.coach.advice import advise, known_values
from dicecup.engine.state import Keep, Score, State
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset


class OptimalBot:
    """A bot that maximises the expected final score. Solves the game first if that takes seconds."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:  # noqa: ARG002
        return advise(known_values(rules), state).choices[0].move


class Bot(Protocol):
    """What a bot is: any object that decides. All chance comes from `chance`, so that a seed repeats a game.

    >>> import dicecup
    >>> class FirstMove:
    ...     def decide(self, rules, state, chance):
    ...         return dicecup.legal_moves(rules, state)[-1]
    >>> game = dicecup.Game("yatzy", [FirstMove()], seed=1)
    >>> moves = game.play_bots()
    >>> game.finished
    True
    """

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        """The decision for the player whose turn it is: dice to keep, or boxes to fill."""
        ...


BOTS: dict[str, Bot] = {
    "random": RandomBot(),
    "greedy": GreedyBot(),
    "careless": CarelessBot(),
    "steady": SteadyBot(),
    "optimal": OptimalBot(),
}
BOT_PREFIX = "bot:"


def bot_called(name: str) -> Bot:
    if name not in BOTS:
        raise UsageError("bot_unknown", bot=name, known=", ".join(BOTS))
    return BOTS[name]


def is_bot(player: str) -> bool:
    """Whether a seat's name says that a bot sits there."""
    return player.startswith(BOT_PREFIX)


def bot_of_player(player: str) -> Bot | None:
    """Return the bot of a seat's name such as `bot:greedy`, or None for a person."""
    return bot_called(player.removeprefix(BOT_PREFIX)) if is_bot(player) else None


NAMES = ("random", "greedy", "careless", "steady", "optimal")
MEANS = {
    "yatzy": (30, 183, 191, 234, 249),
    "yatzy-sv": (30, 184, 191, 232, 248),
    "yahtzee": (27, 197, 212, 237, 255),
    "dice-in-dice": (50, 225, 259, 300, 315),
    "yum-plus": (50, 304, 357, 415, 465),
    "triple-yum-plus": (316, 1973, 2555, 2982, 3279),
}


def usual_score(rules: Ruleset, bot: str) -> int | None:
    """Return a bot's mean score; None for a game or a bot that was not measured."""
    means = dict(zip(NAMES, MEANS.get(rules.id, ()), strict=False))
    return means.get(bot)
