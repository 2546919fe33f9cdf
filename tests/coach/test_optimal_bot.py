"""The optimal bot makes the coach's first choice, in a match as in a simulation."""

from __future__ import annotations

from random import Random

import pytest

from dicecup.bots import bot_called
from dicecup.bots.simulation import simulate
from dicecup.coach.advice import advise, known_values, remembered_values
from dicecup.engine import Keep, State, empty_sheet, start
from dicecup.errors import UsageError
from dicecup.rules import load_ruleset


@pytest.fixture
def cache(folder, monkeypatch):
    monkeypatch.setenv("DICECUP_CACHE", str(folder.parent / "cache"))
    remembered_values.cache_clear()


def test_it_takes_the_best_choice(cache):
    rules = load_ruleset("yatzy-sv")
    state = State((empty_sheet(rules),), 0, (1, 2, 6, 6, 6), None, 2)
    assert bot_called("optimal").decide(rules, state, Random(1)) == Keep((6, 6, 6))


def test_it_simulates_by_the_table(cache):
    rules = load_ruleset("yatzy-sv")
    (result,) = simulate(rules, ["optimal"], 3000, 5)
    value = advise(known_values(rules), start(rules)).expected
    assert result.standard_error is not None
    assert result.mean == pytest.approx(value, abs=4 * result.standard_error)
    assert result.wins is None


def test_a_game_that_takes_long_says_what_to_run(cache, monkeypatch):
    monkeypatch.setattr("dicecup.solver.learned.find_learned", lambda _rules: None)
    rules = load_ruleset("yum-plus")
    with pytest.raises(UsageError) as caught:
        bot_called("optimal").decide(rules, start(rules), Random(1))
    assert caught.value.code == "solve_takes_long"
    assert "dicecup solve yum-plus" in str(caught.value)


def test_a_learned_value_answers_without_a_table(cache, monkeypatch, known):
    """A learned value has the same interface as a solved game, but its answers are not exact."""
    monkeypatch.setattr("dicecup.solver.learned.find_learned", lambda _rules: known("yatzy-sv").source)
    values = known_values(load_ruleset("triple-yum-plus"))
    assert not values.exact
    assert not advise(values, start(values.rules)).exact
