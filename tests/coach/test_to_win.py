"""Playing for the win and for goals, against plain Python that shares no code with it."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.at_once import AtOnce
from tests.double.reference import Reference as DoubleReference
from tests.double.small_games import small_game
from tests.solver.conftest import random_sheet
from tests.solver.test_chances import PLAYS, PointsPlay, WorthReference, reaches, small

from dicecup.bots.head_to_head import batches
from dicecup.bots.simulation import simulate
from dicecup.coach.advice import Choice, Hint, Values, advise, known_values, remembered_values
from dicecup.coach.goals import (
    ScoreWorth,
    as_chances,
    best_chance,
    decide_to_win,
    end_scores,
    final_scores,
    goal,
    scores_of_others,
    win_hint,
)
from dicecup.coach.winning import each_player
from dicecup.dice import all_dice
from dicecup.engine.play import apply, legal_moves, score_sheet
from dicecup.engine.state import Keep, Sheet, State, Throw, final_score, start, turn_start
from dicecup.errors import UsageError
from dicecup.installation import tables_folder
from dicecup.playout.to_win import HeadToHead
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import solve_double
from dicecup.solver.files.tables import table_path
from dicecup.solver.learned import find_learned
from dicecup.solver.single.chances import solve_chances
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single
from dicecup.solver.solution import FinalScores

THREE = """
format = 1
id = "columns"
throws = 2

[dice]
count = 2
faces = 3

[upper]
boxes = { ones = 1, threes = 3 }
bonus = [{ at = 5, points = 4 }]

[box.pair]
needs = { alike = [2] }
points = 7

[columns]
x1 = 1
x2 = 2
"""


def share_of(score: int, *others: int) -> float:
    """What a final score is worth against others: the win, or a share of it."""
    best = max(score, *others)
    return 0.0 if score < best else 1 / (1 + others.count(best))


def test_the_worth_of_scores_against_several_players() -> None:
    """Ties are shared; each of the others has several possible scores, one is finished."""
    curves = [FinalScores(10, (1.0, 0.7, 0.2), None), FinalScores(9, (1.0, 0.5, 0.5, 0.1), None)]
    others = [*curves, FinalScores(11, (1.0,), None)]
    worth = ScoreWorth(others)
    expected = worth_against(others)
    for mine in range(7, 15):
        assert worth(mine) == pytest.approx(expected(mine))
    assert worth.exact


def worth_against(others: list[FinalScores]):
    """What each final score is worth against others, in plain Python.

    Decisions of points play that are worth the same may differ, so their scores are taken as they are found.
    """
    ends = [list(enumerate(other.chances, start=other.least)) for other in others]

    def worth(score: int) -> float:
        return sum(
            float(np.prod([chance for _, chance in one])) * share_of(score, *(end for end, _ in one))
            for one in product(*ends)
        )

    return cache(worth)


@pytest.mark.parametrize(("seed", "players"), [(1, 2), (3, 3)])
def test_choices_of_small_games(seed: int, players: int, tmp_path: Path) -> None:
    """Every choice with the chance to win it leaves, the others playing for points."""
    solution = small(tmp_path, seed)
    rules, random, values = solution.rules, Random(seed), Values(solution)
    sheets = tuple(random_sheet(rules, 2, random) for _ in range(players))
    dice = tuple(sorted(random.choices(range(1, rules.dice.faces + 1), k=rules.dice.count)))
    left = rules.throws - 1
    state = State(sheets, 0, dice, None, left)
    found = win_hint(values, state)
    assert found
    assert found.exact
    oracle = WorthReference(rules, worth_against(scores_of_others(values, state)))
    kept = oracle.keeps(oracle.after_throw(sheets[0], max(left - 1, 0)))
    for choice in found.choices:
        if isinstance(choice.move, Keep):
            wanted = kept[choice.move.dice]
        else:
            after = score_sheet(rules, sheets[0], dice, choice.move.placements)[0]
            wanted = oracle.expected(after)
        assert choice.expected == pytest.approx(wanted, abs=3e-6)
    assert {choice.move for choice in found.choices} == set(legal_moves(rules, state))
    assert found.chance == pytest.approx(max(choice.expected for choice in found.choices))
    by_points = found.chance_of(advise(values, state).best.move)
    assert by_points is not None
    assert by_points <= found.chance + 1e-9


def test_the_bot_in_its_last_turn(tmp_path: Path) -> None:
    """With one box left, its decision is the best one against a finished player; alone it is for points."""
    solution = small(tmp_path, 1)
    rules, random, values = solution.rules, Random(4), Values(solution)
    mine, full = random_sheet(rules, 1, random), random_sheet(rules, 0, random)
    dice = tuple(sorted(random.choices(range(1, rules.dice.faces + 1), k=rules.dice.count)))
    target = final_score(rules, full)
    oracle = WorthReference(rules, lambda score: share_of(score, target))
    left = rules.throws - 1
    state = State((mine, full), 0, dice, None, left)
    move = decide_to_win(values, state)
    best = oracle.after_throw(mine, left)[dice]
    if isinstance(move, Keep):
        assert oracle.keeps(oracle.after_throw(mine, left - 1))[move.dice] == pytest.approx(best)
    else:
        assert oracle.worth(final_score(rules, apply(rules, state, move).sheets[0])) == pytest.approx(best)
    alone = State((mine,), 0, dice, None, left)
    assert decide_to_win(values, alone) == advise(values, alone).best.move
    assert win_hint(values, alone) is None


def test_games_head_to_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled games and games on the engine agree, and playing for the win wins more often."""
    monkeypatch.setenv("DICECUP_CACHE", str(tmp_path))
    solution = small(tmp_path, 1)
    tables = {play: solve_chances(solution, play, folder=tmp_path) for play in PLAYS}
    games = 40_000
    played = HeadToHead(solution, tables, [True, False]).play(games, 3)
    scores = np.stack([sheets.scores for sheets in played])
    again = HeadToHead(solution, tables, [True, False]).play(1000, 3)  # games do not depend on their number
    assert (scores[:, :1000] == np.stack([sheets.scores for sheets in again])).all()
    won = np.where(scores[0] == scores[1], 0.5, scores[0] > scores[1])
    expected = solution.expected
    assert abs(scores[1].mean() - expected) < 3 * scores[1].std() / np.sqrt(games)
    assert scores[0].mean() <= expected + 3 * scores[0].std() / np.sqrt(games)
    error = float(won.std() / np.sqrt(games))
    assert won.mean() > 0.5 + 3 * error
    found = simulate(solution.rules, ["winner", "optimal"], 16, 3, cores=1)  # on the engine
    assert sum(share or 0 for share in found.wins) == pytest.approx(1)
    assert found.wins == simulate(solution.rules, ["winner", "optimal"], 16, 3, cores=2).wins
    assert found == simulate(solution.rules, ["winner", "optimal"], 16, 3, executor=AtOnce())
    monkeypatch.setattr("dicecup.bots.head_to_head.BATCH", 25)
    together = simulate(solution.rules, ["winner", "optimal", "winner"], 60, 3)  # compiled: tables are made
    assert sum(share or 0 for share in together.wins) == pytest.approx(1)
    executor = AtOnce()
    assert simulate(solution.rules, ["winner", "optimal", "winner"], 60, 3, executor=executor) == together
    assert len(executor.sent) == 3  # rules and numbers of games, no tables
    assert max(executor.sent) < 20_000
    assert (
        simulate(
            solution.rules, ["winner", "optimal", "winner"], 60, 3, executor=Elsewhere(tmp_path / "other")
        )
        == together
    )


def test_the_same_games_with_an_empty_and_a_full_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of chances are rounded, and reach further back: they must not change what is simulated."""
    monkeypatch.setenv("DICECUP_CACHE", str(tmp_path))
    monkeypatch.setattr("dicecup.solver.single.chances.MOST_ASKED", 1)  # as if the game were a long one
    rules = small(tmp_path, 1).rules

    def played() -> list[object]:
        remembered_values.cache_clear()
        return [
            simulate(rules, bots, 20, 3, cores=1)
            for bots in (["winner", "optimal"], ["winner", "greedy"], ["winner", "winner", "optimal"])
        ]

    before = played()
    source = known_values(rules).source
    assert isinstance(source, SingleSolution)
    for play in PLAYS:
        solve_chances(source, play)
    assert played() == before
    path = solve_single(rules, precision=32, folder=tables_folder()).path
    table_path(tables_folder(), rules, 64).unlink()
    assert path.exists()
    assert played() == before  # not by the values of 32 bits


class Elsewhere(AtOnce):
    """A worker on another machine, which has a cache folder of its own."""

    def __init__(self, cache: Path) -> None:
        super().__init__()
        self.cache = cache

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        with pytest.MonkeyPatch.context() as changed:
            changed.setenv("DICECUP_CACHE", str(self.cache))
            return super().submit(function, *arguments, **more)


def test_the_first_player_begins_every_batch_of_games() -> None:
    """Otherwise the players who begin a last batch of fewer games than players would be left out."""
    assert batches(20_001, 3) == [(0, 19_998), (19_998, 3)]
    assert batches(40_001, 2) == [(0, 20_000), (20_000, 20_000), (40_000, 1)]


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    path = tmp_path_factory.mktemp("columns") / "columns.toml"
    path.write_text(THREE)
    return load_ruleset(str(path))


def test_the_last_turns_of_several_columns(columns: Ruleset) -> None:
    """Exact without a table: the chance of every score for points play, and the best one of a target."""
    for seed in range(3):
        sheet = random_sheet(columns, 2, Random(seed))
        state = turn_start(columns, (sheet,), 0)
        oracle = PointsPlay(columns)
        found = end_scores(columns, state, "points")
        assert found.exact
        assert found.mean == pytest.approx(oracle.expected.expected(sheet), abs=1e-9)
        best = end_scores(columns, state, "target")
        for target in range(best.least - 1, best.least + len(best.curve) + 1):
            wanted = WorthReference(columns, reaches(target), oracle.expected.moves).expected(sheet)
            assert best.at_least(target) == pytest.approx(wanted, abs=1e-9)
            assert found.at_least(target) <= best.at_least(target) + 1e-9


def test_triple_yum_plus_near_the_end_and_before() -> None:
    """The last two turns are exact and agree with each other; before, chances are sampled and say so."""
    rules = load_ruleset("triple-yum-plus")
    learned = find_learned(rules)
    assert learned
    values = Values(learned)
    random = Random(8)
    late = tuple(random_sheet(rules, 1, random) for _ in range(2))
    dice = (1, 2, 2, 5, 6)
    state = State(late, 0, dice, None, 1)
    found = win_hint(values, state)
    assert found
    assert found.exact
    assert 0 <= found.chance <= 1
    assert decide_to_win(values, state) == found.choices[0].move
    target = final_scores(values, each_player(values, state)[0], "points")
    reached = goal(values, state, target.least + 1)
    assert (reached.best, reached.exact) == (True, True)
    assert reached.chance == pytest.approx(best_chance(values, state, target.least + 1).expected)
    sure = goal(values, state, target.least - 1).choices  # all choices reach it
    assert sure[0].move == advise(values, state).best.move
    assert reached.chance >= target.at_least(target.least + 1) - 1e-9


class DoubleWorth(DoubleReference):
    """The highest mean of a function of the final score, for double dice."""

    def __init__(self, rules: Ruleset, worth) -> None:
        super().__init__(rules)
        self.worth = worth

    def after_score(self, sheet: Sheet) -> float:
        return float(self.worth(final_score(self.rules, sheet)))


@pytest.mark.parametrize("game", ["three faces", "negative", "last resort"])
def test_the_last_turn_of_double_dice(game: str, tmp_path: Path) -> None:
    """Every choice against an oracle; the other player is finished, or has a last turn to play for points."""
    rules = small_game(game, tmp_path)
    values = Values(DoubleSolution(rules, solve_double(rules, folder=tmp_path)))
    random, sides = Random(game), all_dice(rules.dice.faces, 2)
    state = start(rules, 2)
    while sum(sheet.cells.count(None) for sheet in state.sheets) > 2:
        move = random.choice(legal_moves(rules, state)) if not state.throw_due else None
        count = rules.dice.count - len(state.kept or ())
        state = apply(rules, state, move or Throw(tuple(random.choices(sides, k=count))))
    state = apply(rules, state, Throw(tuple(random.choices(sides, k=rules.dice.count))))
    assert state.player == 1
    found = win_hint(values, state)
    assert found
    assert found.exact
    target = final_score(rules, state.sheets[0])
    oracle = DoubleWorth(rules, lambda score: share_of(score, target))
    mine = replace(state, sheets=(state.sheet,), player=0)
    for choice in found.choices:
        assert choice.expected == pytest.approx(oracle.move_value(mine, choice.move), abs=1e-6)
    best = goal(values, mine, target)
    assert best.chance == pytest.approx(
        DoubleWorth(rules, lambda score: score >= target).best(mine), abs=1e-6
    )
    assert decide_to_win(values, state) == found.choices[0].move
    early = turn_start(rules, (state.sheet, state.sheet), 0)
    before = win_hint(values, early)
    assert before
    assert before.exact
    other = final_scores(values, replace(mine, dice=(), kept=(), throws_left=rules.throws))
    ends = list(enumerate(other.chances, start=other.least))
    oracle = DoubleWorth(rules, lambda score: sum(chance * share_of(score, end) for end, chance in ends))
    assert before.chance == pytest.approx(oracle.sheet_value(state.sheet), abs=1e-5)


def value_at(oracle: DoubleWorth, moment: State) -> float:
    if moment.throw_due:
        return oracle.turn_value(moment.sheet, moment.kept or (), moment.throws_left)
    return oracle.best(moment)


@pytest.mark.parametrize("game", ["three faces", "negative", "last resort"])
def test_how_the_last_turn_of_double_dice_may_end(game: str, tmp_path: Path) -> None:
    """Best chances against an oracle; points play against all throws that can follow its choice."""
    rules = small_game(game, tmp_path)
    values = Values(DoubleSolution(rules, solve_double(rules, folder=tmp_path)))
    random, sides = Random(game), all_dice(rules.dice.faces, 2)
    state = start(rules)
    while state.sheet.cells.count(None) > 2:
        move = random.choice(legal_moves(rules, state)) if not state.throw_due else None
        count = rules.dice.count - len(state.kept or ())
        state = apply(rules, state, move or Throw(tuple(random.choices(sides, k=count))))
    thrown = apply(rules, state, Throw(tuple(random.choices(sides, k=rules.dice.count))))
    moments = [state, thrown, replace(thrown, throws_left=1), replace(thrown, throws_left=0)]
    moments += [apply(rules, one, Keep(one.dice[:1])) for one in moments[1:3]]
    for moment in moments:
        best, points = (final_scores(values, moment, play) for play in ("target", "points"))
        assert (best.exact, points.exact) == (True, True)
        # Values before the first throw are stored as multiples of 1/1024.
        expected = advise(values, moment).expected
        assert points.mean == pytest.approx(expected, abs=1e-5 if moment.dice else 1e-3)
        for score in range(best.least - 1, best.least + len(best.curve) + 1):
            oracle = DoubleWorth(rules, lambda final, score=score: final >= score)
            assert best.at_least(score) == pytest.approx(value_at(oracle, moment), abs=1e-6)
            assert points.at_least(score) <= best.at_least(score) + 1e-6
    last = moments[2]
    choice = advise(values, last).choices[0].move
    following = apply(rules, last, choice)
    count = rules.dice.count - len(following.kept or ())
    throws = list(product(sides, repeat=count)) if isinstance(choice, Keep) else []
    ends = [apply(rules, following, Throw(throw)) for throw in throws]
    scores = [round(advise(values, end).expected) for end in ends] or [final_score(rules, following.sheet)]
    found = final_scores(values, last)
    for score in set(scores):
        share = sum(other >= score for other in scores) / len(scores)
        assert found.at_least(score) == pytest.approx(share, abs=1e-5)


def test_before_the_last_turns_chances_are_sampled(columns: Ruleset, tmp_path: Path) -> None:
    """A goal of a game of double dice, before its last turn: what points play gives, with its error."""
    rules = small_game("six boxes", tmp_path)
    values = Values(DoubleSolution(rules, solve_double(rules, folder=tmp_path)))
    found = goal(values, start(rules), 5)
    assert (found.best, found.exact, found.choices) == (False, False, ())
    assert 0 < found.standard_error < 0.1
    with pytest.raises(UsageError) as caught:
        final_scores(values, start(rules), "target")
    assert caught.value.code == "chances_unknown"
    assert win_hint(values, start(rules, 2)) is None
    scores = final_scores(values, start(rules))
    assert scores.games
    assert scores.standard_error(5) == found.standard_error


def test_no_chance_exceeds_one() -> None:
    """Sums of many chances may, by a rounding error."""
    over = 1 + 2**-52
    found = as_chances(Hint(over, True, (Choice(Keep(()), over, 0.0), Choice(Keep((1,)), 0.5, 0.5))))
    assert (found.expected, [choice.expected for choice in found.choices]) == (1.0, [1.0, 0.5])
