"""Every game with every combination of its options."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, settings

from dicecup.dice import all_dice
from dicecup.engine import Announce, Keep, Move, Score, State, Throw, dice_to_throw, legal_moves
from dicecup.rules import Ruleset, builtin_ids, load_ruleset, main_ids

# No deadline per example: games differ in length, and coverage slows everything down.
settings.register_profile(
    "properties", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)

Variant = tuple[str, dict[str, str]]
Step = Callable[[Ruleset, State, Random], Move]


def variants() -> list[Variant]:
    """(game, options) for every combination of option values; of the relatives the default one."""
    found = []
    for game in main_ids():
        choices = load_ruleset(game).choices
        found += [(game, dict(zip(choices, values, strict=True))) for values in product(*choices.values())]
    return found + [(game, dict[str, str]()) for game in builtin_ids() if game not in main_ids()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "variant" in metafunc.fixturenames:
        ids = ["-".join([game, *options.values()]) for game, options in variants()]
        metafunc.parametrize("variant", variants(), ids=ids)


@pytest.fixture(scope="session")
def step() -> Step:
    """step(rules, state, chance) → a random throw or decision; boxes are as likely as all keeps together."""

    def step(rules: Ruleset, state: State, chance: Random) -> Move:
        if state.throw_due:
            sides = all_dice(rules.dice.faces, len(rules.dice.layers))
            if chance.random() < 0.3:  # equal dice, otherwise jokers would hardly occur
                sides = (chance.choice(sides),)
            return Throw(tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state))))
        moves = legal_moves(rules, state)
        keeps = [move for move in moves if isinstance(move, Keep)]
        scores = [move for move in moves if isinstance(move, Score)]
        said = [move for move in moves if isinstance(move, Announce)]
        if said and (not scores or chance.random() < 0.2):
            return chance.choice(said)
        if keeps and chance.random() < 0.4:
            return chance.choice(keeps)
        return chance.choice(scores)

    return step
