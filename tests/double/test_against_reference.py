"""The fast solver on reduced games, against the engine alone."""

from __future__ import annotations

import random

import pytest
from tests.double.reference import Reference
from tests.double.small_games import GAMES, small_game

from dicecup.dice import throws
from dicecup.engine.play import apply, legal_moves
from dicecup.engine.state import Keep, State, Throw, start
from dicecup.rules.model import Ruleset
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import solve_double

STEP = 0.0006  # tolerance: half a step of a table, and 32-bit arithmetic


@pytest.fixture(scope="module", params=list(GAMES))
def game(request, tmp_path_factory) -> tuple[Ruleset, Reference, DoubleSolution]:
    folder = tmp_path_factory.mktemp("game")
    rules = small_game(request.param, folder)
    return rules, Reference(rules), DoubleSolution(rules, solve_double(rules, folder=folder))


def random_states(rules: Ruleset, games: int) -> list[State]:
    """Return states with dice on the table, from random games."""
    chance = random.Random(1)
    found = []
    for _ in range(games):
        state = start(rules)
        while not state.finished:
            if state.throw_due:
                count = rules.dice.count - len(state.kept or ())
                faces = throws(count, rules.dice.faces, 2)
                state = apply(rules, state, Throw(chance.choice([dice for dice, _ in faces])))
            else:
                found.append(state)
                state = apply(rules, state, chance.choice(legal_moves(rules, state)))
    return found


def test_the_whole_game_has_the_same_value(game):
    rules, reference, solution = game
    sheet = start(rules).sheet
    assert solution.turn(sheet).value == pytest.approx(reference.sheet_value(sheet), abs=STEP)


def test_every_decision_is_worth_the_same(game):
    rules, reference, solution = game
    for state in random_states(rules, 12):
        turn = solution.turn(state.sheet)
        boxes = {entry.move: entry.value for entry in turn.boxes(state.dice)}
        for move in legal_moves(rules, state):
            value = turn.keep(move.dice, state.throws_left) if isinstance(move, Keep) else boxes.pop(move)
            assert value == pytest.approx(reference.move_value(state, move), abs=STEP)
        assert not boxes  # and no move unknown to the engine
        best = turn.throw(state.dice, state.throws_left)
        assert best == pytest.approx(reference.best(state), abs=STEP)
        assert turn.value == pytest.approx(reference.sheet_value(state.sheet), abs=STEP)
