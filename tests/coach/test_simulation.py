"""Simulated games: the mean is the solved value, every sheet is reachable, and seeds are reproducible."""

from __future__ import annotations

from random import Random

import numba
import numpy as np
import pytest
from tests.coach.conftest import SMALL_GAMES
from tests.double.small_games import small_game

from dicecup.bots import BOTS
from dicecup.bots.head_to_head import Team, play_team
from dicecup.bots.simulation import play_piece, simulate
from dicecup.bots.summary import Summary, win_shares, won_at_once
from dicecup.bots.workers import Player
from dicecup.engine import Sheet, State, empty_sheet, final_score
from dicecup.engine.sheet_data import check_sheet
from dicecup.playout.games import FinalSheets, Scores, play_games
from dicecup.playout.single import group_equal
from dicecup.rules import Ruleset, load_ruleset

GREEDY = Player(BOTS["greedy"], "greedy")


def check_sheets(rules: Ruleset, sheets: FinalSheets, count: int = 100) -> None:
    """Check with the engine that the sheets are reachable, and their totals."""
    for number in range(count):
        sheet = Sheet(tuple(map(int, sheets.cells[number])), int(sheets.repeats[number]))
        check_sheet(rules, sheet)
        assert final_score(rules, sheet) == sheets.scores[number]


def check_mean(scores: Scores, expected: float, errors: float = 4) -> None:
    assert scores.mean() == pytest.approx(expected, abs=errors * scores.std() / len(scores) ** 0.5)


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_games_come_to_their_value(small, name):
    values = small(name)
    sheets = play_games(values.source, 40_000, 1)
    check_sheets(values.rules, sheets)
    check_mean(sheets.scores, values.turn(empty_sheet(values.rules)).value)


@pytest.mark.parametrize(("game", "options"), [("yatzy-sv", {}), ("yahtzee", {"joker": "forced"})])
def test_large_games_come_to_their_value(known, game, options):
    values = known(game, **options)
    sheets = play_games(values.source, 100_000, 1)
    check_sheets(values.rules, sheets)
    check_mean(sheets.scores, values.turn(empty_sheet(values.rules)).value, errors=3)


@pytest.mark.parametrize("name", ["three dice", "last resort", "four throws", "two throws", "negative"])
def test_double_dice_come_to_their_value(folder, tmp_path, name):
    from dicecup.coach.advice import find_values

    rules = small_game(name, tmp_path)
    values = find_values(rules, folder=folder)
    sheets = play_games(values.source, 4000, 1)
    check_sheets(rules, sheets)
    check_mean(sheets.scores, values.turn(empty_sheet(rules)).value)


def test_games_begin_at_the_given_state(known):
    values = known("yatzy-sv")
    rules = values.rules
    filled = {box.id: 0 for box in rules.boxes if box.id not in ("yatzy", "chance")}
    sheet = Sheet(tuple(filled.get(box.id) for box in rules.boxes))
    state = State((sheet,), 0, (1, 6, 6, 6, 6), (6, 6, 6, 6), 1)
    sheets = play_games(values.source, 20_000, 1, state=state)
    check_mean(sheets.scores, values.turn(sheet).keep((6, 6, 6, 6), 1))
    state = State((sheet,), 0, (1, 6, 6, 6, 6), None, 2)
    check_mean(
        play_games(values.source, 20_000, 1, state=state).scores, values.turn(sheet).throw(state.dice, 2)
    )


def test_a_seed_repeats_the_games_and_another_does_not(small):
    source = small("joker free").source
    first = play_games(source, 500, 3).cells
    assert (first == play_games(source, 500, 3).cells).all()
    assert (first != play_games(source, 500, 4).cells).any()
    assert (first != play_games(source, 500, 3, first_game=500).cells).any()


def test_the_number_of_threads_changes_nothing(known):
    source = known("yahtzee", joker="forced").source
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        alone = play_games(source, 2000, 5).cells
    finally:
        numba.set_num_threads(threads)
    assert (alone == play_games(source, 2000, 5).cells).all()


def test_the_number_of_cores_changes_nothing():
    rules = load_ruleset("yatzy-sv")
    results = [simulate(rules, ["greedy", "random"], 60, 9, cores=cores) for cores in (1, 2)]
    assert results[0] == results[1]


@pytest.mark.parametrize("highest", [0, 1, 2047, 2048, 10**6, 2**32 - 1])
def test_groups_match_a_plain_sort(highest):
    keys = np.random.default_rng(highest).integers(0, highest, 5000, endpoint=True)
    order, bounds = group_equal(keys)
    assert (order == np.argsort(keys, kind="stable")).all()
    assert (bounds[:-1] == np.unique(keys[order], return_index=True)[1]).all()
    assert bounds[-1] == len(keys)


def test_head_to_head_shares_ties(small):
    values = small("order free")
    rules = values.rules
    found = simulate(rules, ["greedy", "greedy", "random"], 40, 2, cores=1)
    wins = [result.wins or 0.0 for result in found]
    assert sum(wins) == pytest.approx(1)
    assert wins[2] < wins[0]
    assert win_shares([pair.scores for pair in (play_piece(GREEDY, rules, 0, 5, 1),) * 2]) == [0.5, 0.5]


def test_statistics_of_a_few_games():
    rules = load_ruleset("yatzy-sv")
    sheets = play_piece(GREEDY, rules, 0, 20, 1)
    scores = sorted(sheets.scores.tolist())
    summary = Summary(rules)
    summary.add(sheets)
    result = summary.result("greedy")
    assert (result.games, result.lowest, result.highest) == (20, scores[0], scores[-1])
    assert result.mean == pytest.approx(sum(scores) / 20)
    assert result.sd == pytest.approx(sheets.scores.std(ddof=1))
    assert result.percentiles[50] == scores[9]
    assert result.percentiles[95] == scores[18]
    bonus = sum(score * share for score, share in ((50, result.bonus_share or 0),))
    assert sum(result.boxes.values()) + bonus == pytest.approx(result.mean)
    assert sum(result.histogram.values()) == 20


def test_columns_count_as_often_as_they_say():
    rules = load_ruleset("triple-yum-plus")
    check_sheets(rules, play_piece(GREEDY, rules, 0, 2, 1), 2)


def first_roll(seed: str) -> set[int]:
    chance = Random(seed)
    return {chance.choice((1, 2, 3, 4, 5, 6)) for _ in range(5)}


def test_a_game_that_is_won_at_once_is_won_whatever_the_scores_are():
    """Five alike in the first roll of Generala."""
    rules = load_ruleset("generala")
    seed = next(seed for seed in range(10_000) if len(first_roll(f"{2 * seed} 0")) == 1)
    alone = simulate(rules, ["random", "greedy"], games=1, seed=seed)
    assert alone.mean[0] == 0 < alone.mean[1]
    assert alone.wins == (1.0, 0.0)
    team = Player(Team([GREEDY, GREEDY]), "both")
    for number, expected in ((0, [True, False]), (1, [False, True])):
        seed = next(seed for seed in range(10_000) if len(first_roll(f"{seed} {number}")) == 1)
        played = play_team(team, rules, number, number + 1, seed)
        assert [won_at_once(sheets).tolist() for sheets in played] == [[won] for won in expected]
