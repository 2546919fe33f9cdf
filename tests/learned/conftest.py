"""Fixtures of the learned-value tests: its games, and sheets reached in games."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from dicecup.engine import State, apply, empty_sheet, start
from dicecup.engine.play import legal_scores
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned import LearnedValue, find_learned

GAMES = ("yum-plus", "triple-yum-plus")


def all_rulesets() -> list[Ruleset]:
    """Return the games with a learned value, with all their options."""
    choices = load_ruleset("yum-plus").choices
    options = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    return [load_ruleset(game, chosen) for game in GAMES for chosen in options]


def learned(rules: Ruleset) -> LearnedValue:
    value = find_learned(rules)
    assert value is not None
    return value


def random_sheet(rules: Ruleset, filled: int, seed: int, *, first: tuple[str, ...] = ()):
    """Return a sheet after that many turns of random dice, often alike, in random boxes, `first` first."""
    random, state = Random(seed), start(rules)
    for _ in range(filled):
        dice = tuple(sorted(random.choices(range(1, 7), k=5)))
        if random.random() < 0.4:
            dice = (dice[0],) * 5
        thrown = State(state.sheets, 0, dice, None, 0)
        scores = list(legal_scores(rules, state.sheet, dice))
        preferred = [score for score in scores if score.placements[0].box in first]
        state = apply(rules, thrown, random.choice(preferred or scores))
    return state.sheet


@pytest.fixture(params=GAMES)
def rules(request):
    return load_ruleset(request.param)


@pytest.fixture
def empty(rules):
    return empty_sheet(rules)
