"""Win chances: computed by hand where possible, and compared with simulations elsewhere."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from tests.coach.conftest import play_record
from tests.coach.test_choices import random_sheets

from dicecup.bots import bot_called
from dicecup.coach.advice import advise
from dicecup.coach.winning import Comparison, Effort, Sample, each_player, even, play_on, win_chances
from dicecup.engine import Sheet, State, start
from dicecup.engine.state import final_score, turn_start
from dicecup.playout import single
from dicecup.playout.games import play_games


def test_combining_counts_every_combination_and_shares_ties():
    scores = [np.array(part) for part in ([1, 2, 5], [2, 2, 4], [0, 5, 2])]
    weights = [np.array(part) for part in ([1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25], [0.2, 0, 0.8])]
    shares = np.zeros(3)
    for places in product(range(3), repeat=3):
        combination = [part[place] for part, place in zip(scores, places, strict=True)]
        best = [score == max(combination) for score in combination]
        chance = np.prod([part[place] for part, place in zip(weights, places, strict=True)])
        shares += chance * np.array(best) / sum(best)
    samples = [Sample(part, weight) for part, weight in zip(scores, weights, strict=True)]
    assert Comparison(samples).chances() == pytest.approx(shares)


def test_equal_players_have_equal_chances(known):
    values = known("yatzy-sv")
    for players in (2, 3):
        found = win_chances(values, start(values.rules, players))
        assert sum(found.chances) == pytest.approx(1)
        assert found.standard_error <= 0.01
        for chance in found.chances:
            assert chance == pytest.approx(1 / players, abs=4 * found.standard_error)
    found = win_chances(values, start(values.rules, 2))
    play_on.cache_clear()
    assert win_chances(values, start(values.rules, 2)) == found


def test_the_end_of_a_game_by_hand(known):
    """Ann is finished; Bo has four sixes, one throw and only yatzy open: he wins with one six of six.

    With two possible scores, the known mean determines the chance exactly.
    """
    values = known("yatzy-sv")
    rules = values.rules
    zero = Sheet((0,) * 14 + (None,))
    state = State((Sheet((0,) * 13 + (20, 0)), zero), 1, (1, 6, 6, 6, 6), (6, 6, 6, 6), 1)
    found = win_chances(values, state)
    assert found.chances[1] == pytest.approx(1 / 6, abs=1e-9)
    assert found.standard_error == pytest.approx(0, abs=1e-9)
    tied = State((Sheet((0,) * 15), zero), 1, (1, 6, 6, 6, 6), (6, 6, 6, 6), 1)
    assert win_chances(values, tied).chances[0] == pytest.approx(5 / 12, abs=1e-9)
    assert rules.throws == 3


def test_outcomes_missing_from_the_sample_are_not_excluded(known):
    """Bo cannot catch up with Ann, but sampling alone cannot prove that, so the error is not 0."""
    values = known("yatzy-sv")
    ann = Sheet((3, 6, 9, 12, 15, 18, 12, 22, 18, 24, 15, 20, 28, 25, None))
    bo = Sheet((0,) * 14 + (None,))
    found = win_chances(values, turn_start(values.rules, (ann, bo), 1))
    assert found.chances == pytest.approx((1, 0))
    assert found.standard_error == pytest.approx(1 / found.games)


def test_a_rare_large_score_is_sampled(known):
    """Ann, 16 points behind, has large straight open; a second Yahtzee, 2.6% of her turns, scores 100 more.

    A sample without one would attribute the missing mean to the large straight, with a small reported error.
    """
    values = known("yahtzee")
    ann = Sheet((3, 6, 9, 12, 15, 18, 24, 24, 25, 30, None, 50, 6))
    bo = Sheet((3, 6, 9, 12, 15, 18, 26, 24, 25, 30, 40, None, 30))
    state = turn_start(values.rules, (ann, bo), 0)
    assert final_score(values.rules, bo) - final_score(values.rules, ann) == 16
    ends = [
        play_games(values.source, 200_000, seed, state=turn_start(values.rules, (sheet,), 0)).scores
        for seed, sheet in enumerate((ann, bo))
    ]
    true = Comparison([even(part) for part in ends]).chances()
    for seed in range(20):
        found = win_chances(values, state, seed=seed)
        assert found.chances == pytest.approx(true, abs=4 * found.standard_error + 0.002)
        assert 0.0001 < found.standard_error <= 0.01


def test_a_finished_game_is_certain(small):
    values = small("order free")
    record = play_record(values.rules, ("bot:greedy", "bot:random", "bot:random"), 3)
    found = win_chances(values, record.state)
    assert sorted(found.chances)[-1] in (1, 0.5, pytest.approx(1 / 3))
    assert found.standard_error == 0
    assert found.games == 0


def test_double_dice(known):
    """Fewer games and a larger error, within the limit on the number of turns: four are left to each."""
    values = known("dice-in-dice")
    half = Sheet((3, 6, 9, 12, 15, 18, 12, 22) + (None,) * 8)
    state = turn_start(values.rules, (half, half), 0)
    found = win_chances(values, state, effort=Effort(0.04, fewest=8, fewest_turns=8, most_turns=100))
    assert 8 <= found.games <= 13
    assert found.standard_error > 0
    assert found.chances[0] == pytest.approx(0.5, abs=4 * found.standard_error)


def test_the_last_turn_with_double_dice_is_played(known):
    """Ann and Bo have two boxes left each: the chances match games played to the end."""
    values = known("dice-in-dice")
    rules = values.rules
    points = [3, 6, 9, 12, 15, None, 12, 18, 18, 20, 15, 20, 25, 24, 50, None]
    ann, bo = Sheet(tuple(points)), Sheet((4, *points[1:14], None, 24))
    bo = Sheet((*bo.cells[:5], 18, *bo.cells[6:11], None, *bo.cells[12:]))
    state = turn_start(rules, (ann, bo), 0)
    found = win_chances(values, state)
    scores = [
        play_games(values.source, 4000, seed, state=turn_start(rules, (sheet,), 0)).scores
        for seed, sheet in enumerate((ann, bo))
    ]
    sampled = Comparison([even(part) for part in scores]).chances()
    assert found.chances == pytest.approx(sampled, abs=4 * found.standard_error + 0.03)
    assert 0.02 < found.chances[0] < 0.98


@pytest.mark.parametrize("game", ["yum-plus", "triple-yum-plus"])
def test_learned_games_are_played_on(known, game):
    values = known(game)
    found = win_chances(values, start(values.rules, 2))
    assert found.standard_error <= 0.01
    assert found.chances[0] == pytest.approx(0.5, abs=4 * found.standard_error)


@pytest.mark.parametrize("game", ["yum-plus", "triple-yum-plus"])
def test_the_last_turn_of_the_quick_player_is_perfect(known, game):
    """With one box open, a player that computes the turn exactly plays perfectly: jokers, order, bonus."""
    values = known(game)
    rules = values.rules
    for sheet in random_sheets(rules, Random(game), 12, open_boxes=1):
        scores = single.play_on(rules, 8000, 1, turn_start(rules, (sheet,), 0)).scores
        error = max(scores.std(), 0.1) / len(scores) ** 0.5
        assert scores.mean() == pytest.approx(values.turn(sheet).value, abs=4 * error)


@pytest.mark.parametrize("game", ["yum-plus", "triple-yum-plus"])
def test_the_quick_player_is_strong(known, game):
    """Within 2% of the learned value at the start, and with dice on the table."""
    values = known(game)
    state = start(values.rules)
    for position in (state, State(state.sheets, 0, (6, 6, 6, 6, 6), None, 2)):
        scores = single.play_on(values.rules, 1000, 1, position).scores
        expected = advise(values, position).expected
        assert scores.mean() == pytest.approx(expected, abs=0.02 * expected + 4 * scores.std() / 1000**0.5)
    again = single.play_on(values.rules, 1000, 1, state).scores
    assert (again == single.play_on(values.rules, 1000, 1, state).scores).all()
    assert (again != single.play_on(values.rules, 1000, 2, state).scores).any()


@pytest.mark.parametrize("game", ["yum-plus", "triple-yum-plus"])
def test_luck_has_mean_zero(known, game):
    """Sampling relies on it: the expectation of each turn must be that of the policy that plays the turn.

    The luck must also explain most of the score, and the products of two turns' luck the spread of the
    scores.
    """
    rules = known(game).rules
    scores, (luck, together) = single.play_on(rules, 20_000, 1, start(rules))
    for nothing in (luck, together):
        assert nothing.mean() == pytest.approx(0, abs=4 * nothing.std() / len(nothing) ** 0.5)
    assert np.corrcoef(luck, scores)[0, 1] > 0.99
    assert np.corrcoef(together, (scores - scores.mean()) ** 2)[0, 1] > 0.7


@pytest.mark.parametrize(
    ("dice", "kept", "left"),
    [
        ((1, 2, 4, 6, 6), None, 1),
        ((6, 6, 6, 6, 6), None, 2),
        ((1, 2, 4, 6, 6), (6, 6), 2),
        ((1, 2, 3, 4, 6), None, 0),
    ],
)
def test_the_luck_of_a_turn_that_has_begun(known, dice, kept, left):
    """With one box open, luck is the score minus a perfect player's expectation here."""
    values = known("yum-plus")
    (sheet,) = random_sheets(values.rules, Random(1), 1, open_boxes=1)
    state = State((sheet,), 0, dice, kept, left)
    scores, (luck, together) = single.play_on(values.rules, 200, 1, state)
    assert luck == pytest.approx(scores - advise(values, state).expected, abs=1e-3)
    assert (together == 0).all()


@pytest.mark.parametrize("bot", ["careless", "random"])
def test_chances_are_those_of_games_that_are_played(known, bot):
    """This also holds on sheets that no strong player reaches, where the learned value is less accurate."""
    values = known("triple-yum-plus")
    record = play_record(
        values.rules, (f"bot:{bot}", f"bot:{bot} again"), 3, bot_called(bot).decide, moves=160
    )
    found = win_chances(values, record.state)
    games = [
        single.play_on(values.rules, 6000, 7, view, 10**6 * player).scores
        for player, view in enumerate(each_player(values, record.state))
    ]
    played = Comparison([even(scores) for scores in games])
    error = np.hypot(found.standard_error, played.standard_errors()[0])
    assert found.chances[0] == pytest.approx(played.chances()[0], abs=4 * error)
