"""Games played by the table: their mean is the value, and no number of threads changes them."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from dicecup.solver.simulate import simulate


@pytest.mark.parametrize(("game", "options"), [("yatzy-sv", {}), ("yahtzee", {"joker": "forced"})], ids=str)
def test_mean_of_optimal_games(solved, game, options):
    solution = solved(game, options)
    played = simulate(solution, 100_000, seed=3)
    assert abs(played.mean - solution.table.header.expected) < 3 * played.standard_error


def test_the_same_games_whatever_the_threads(solved):
    solution = solved("yahtzee", {"joker": "forced"})
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    alone = simulate(solution, 2000, seed=5)
    numba.set_num_threads(threads)
    together = simulate(solution, 2000, seed=5)
    assert np.array_equal(alone.scores, together.scores)
    assert not np.array_equal(alone.scores, simulate(solution, 2000, seed=6).scores)
