"""Win chances: counted by hand where that can be done, and sampled where it cannot."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.coach.conftest import play_record

from dicecup.coach.winning import combine, win_chances
from dicecup.engine import Sheet, State, start


def test_combining_counts_every_combination_and_shares_ties():
    scores = [np.array(part) for part in ([1, 2, 5], [2, 2, 4], [0, 5, 2])]
    shares = np.zeros(3)
    for combination in product(*scores):
        best = [score == max(combination) for score in combination]
        shares += np.array(best) / sum(best)
    assert combine(scores) == pytest.approx(shares / 27)


def test_equal_players_have_equal_chances(known):
    values = known("yatzy-sv")
    for players in (2, 3):
        found = win_chances(values, start(values.rules, players))
        assert sum(found.chances) == pytest.approx(1)
        assert found.standard_error <= 0.01
        assert found.played
        for chance in found.chances:
            assert chance == pytest.approx(1 / players, abs=4 * found.standard_error)
    assert win_chances(values, start(values.rules, 2)) == win_chances(values, start(values.rules, 2))


def test_the_end_of_a_game_by_hand(known):
    """Ann is full; Bo has four sixes, one throw and only yatzy open: he wins with one six of six."""
    values = known("yatzy-sv")
    rules = values.rules
    zero = Sheet((0,) * 14 + (None,))
    state = State((Sheet((0,) * 13 + (20, 0)), zero), 1, (1, 6, 6, 6, 6), (6, 6, 6, 6), 1)
    found = win_chances(values, state)
    assert found.chances[1] == pytest.approx(1 / 6, abs=4 * found.standard_error)
    tied = State((Sheet((0,) * 15), zero), 1, (1, 6, 6, 6, 6), (6, 6, 6, 6), 1)
    assert win_chances(values, tied).chances[0] == pytest.approx(5 / 12, abs=0.03)
    assert rules.throws == 3


def test_a_finished_game_is_certain(small):
    values = small("order free")
    record = play_record(values.rules, ("bot:greedy", "bot:random", "bot:random"), 3)
    found = win_chances(values, record.state)
    assert sorted(found.chances)[-1] in (1, 0.5, pytest.approx(1 / 3))
    assert found.standard_error == 0


def test_double_dice_are_drawn_around_their_value(known):
    values = known("dice-in-dice")
    found = win_chances(values, start(values.rules, 2))
    assert not found.played
    assert found.chances[0] == pytest.approx(0.5, abs=4 * found.standard_error)
