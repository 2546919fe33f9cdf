"""The bots by name, weakest first. How strong they are is measured in docs/coach.md."""

from __future__ import annotations

from random import Random
from typing import Protocol

from dicecup.bots.human import CarelessBot, SteadyBot
from dicecup.bots.optimal import OptimalBot
from dicecup.bots.simple import GreedyBot, RandomBot
from dicecup.engine.moves import Keep, Score
from dicecup.engine.state import State
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset


class Bot(Protocol):
    """Decides when a decision is due; chance is an argument, so that a seed repeats a game."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score: ...


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


def bot_of_player(player: str) -> Bot | None:
    """The bot behind a seat's name such as `bot:greedy`, or None for a person."""
    return bot_called(player.removeprefix(BOT_PREFIX)) if player.startswith(BOT_PREFIX) else None
