"""The bot that takes the coach's first choice: perfect where the game is solved, else as good as is known."""

from __future__ import annotations

from random import Random

from dicecup.coach.advice import advise
from dicecup.coach.knowledge import known_values
from dicecup.engine.moves import Keep, Score
from dicecup.engine.state import State
from dicecup.rules.model import Ruleset


class OptimalBot:
    """Highest expected final score. Solves the game first where that takes seconds."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:  # noqa: ARG002
        return advise(known_values(rules), state).choices[0].move
