"""Complete games on the CPU with the shipped weights."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.learned.conftest import learned

from dicecup.dice import parts
from dicecup.engine import Keep, Move, State, Throw, apply, dice_to_throw, final_score, start
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned import LearnedTurn
from dicecup.solver.learned.training.self_play import Dealer, SelfPlayed, play


def played(rules: Ruleset, games: int, seed: int) -> SelfPlayed:
    value = learned(rules)
    return play(value.tables, value.network, Dealer(value.tables, seed), np.zeros(games))


# Mean and standard deviation were measured over 100,000 games. The tolerance is four standard errors;
# maximising points alone has a mean of 2,642 (triple-yum-plus), far below that.
@pytest.mark.parametrize(
    ("game", "games", "mean", "sd"), [("yum-plus", 200, 465.2, 81.4), ("triple-yum-plus", 32, 3278.9, 328.9)]
)
def test_the_mean_of_some_games_is_the_measured_one(game, games, mean, sd):
    found = played(load_ruleset(game), games, 1)
    assert found.scores.mean() == pytest.approx(mean, abs=4 * sd / games**0.5)
    assert found.sheets.shape[:2] == (load_ruleset(game).cells, games)


def test_the_same_seed_gives_the_same_games():
    rules = load_ruleset("yum-plus")
    first, second, other = (played(rules, 10, seed).scores for seed in (3, 3, 4))
    assert (first == second).all()
    assert (first != other).any()


def decide(turn: LearnedTurn, state: State) -> Move:
    """Return the best move with the dice on the table."""
    choices: dict[Move, float] = {box.move: box.value for box in turn.boxes(state.dice)}
    if state.throws_left:
        kept = (part for part in parts(state.dice) if len(part) < len(state.dice))
        choices |= {Keep(part): turn.keep(part, state.throws_left) for part in kept}
    best = max(choices, key=lambda move: choices[move])
    assert choices[best] == pytest.approx(turn.throw(state.dice, state.throws_left), abs=1e-9)
    return best


@pytest.mark.parametrize(("game", "least"), [("yum-plus", 220), ("triple-yum-plus", 2300)])
def test_a_game_through_the_engine_is_legal_and_strong(game, least):
    """The engine rejects illegal moves. The minimum is about three standard deviations below the mean."""
    rules = load_ruleset(game)
    value, random, state = learned(rules), Random(5), start(rules)
    turn = value._unchecked_turn(state.sheet)
    while not state.finished:
        if state.throw_due:
            state = apply(
                rules, state, Throw(tuple(random.choices(range(1, 7), k=dice_to_throw(rules, state))))
            )
        else:
            turn = value._unchecked_turn(state.sheet) if state.throws_left == 2 else turn
            state = apply(rules, state, decide(turn, state))
    assert final_score(rules, state.sheet) >= least
    assert value.turn(state.sheet).value == final_score(rules, state.sheet)


def test_what_the_batch_writes_down_agrees_with_the_single_turn():
    """The backed-up value of the first turn equals the turn's value, and scores are integers."""
    rules = load_ruleset("yum-plus")
    found = played(rules, 5, 6)
    assert found.backed_up[0] == pytest.approx(learned(rules).turn(start(rules).sheet).value, abs=1e-2)
    assert (found.scores == found.scores.round()).all()
