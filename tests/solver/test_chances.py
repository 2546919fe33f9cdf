"""Chances of final scores and of targets, against an oracle that shares no code with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.solver.conftest import random_sheet
from tests.solver.test_small_games import random_game

from dicecup.dice import parts
from dicecup.engine.play import keeps, legal_scores, score_sheet
from dicecup.engine.state import Sheet, State, bonus, empty_sheet, final_score, start, turn_start
from dicecup.errors import UsageError
from dicecup.playout.games import play_games
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.single import chances
from dicecup.solver.single.chance_turn import Aims
from dicecup.solver.single.chances import (
    AimSolution,
    GameChances,
    UtilitySolution,
    find_chances,
    solve_chances,
)
from dicecup.solver.single.solution import SingleSolution, upper_sum
from dicecup.solver.single.solve import solve_single
from dicecup.solver.solution import Play
from reference_solver import Moves, Reference

pytestmark = pytest.mark.kernels
PLAYS: tuple[Play, ...] = ("points", "target")


class WorthReference(Reference):
    """The highest mean of a function of the final score."""

    def __init__(self, rules: Ruleset, worth, moves: Moves | None = None) -> None:
        super().__init__(rules, moves)
        self.worth = worth

    def turn(self, sheet: Sheet) -> float:
        return float(self.worth(final_score(self.rules, sheet))) if sheet.full else super().turn(sheet)


class BonusReference(Reference):
    """The best chance of a bonus."""

    def turn(self, sheet: Sheet) -> float:
        return (
            float(bonus(self.rules, upper_sum(self.rules, sheet)) > 0) if sheet.full else super().turn(sheet)
        )


def reaches(target: int):
    return lambda score: score >= target


class PointsPlay:
    """The chance of every final score when every decision has the highest expected score, in plain Python."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.expected = Reference(rules)
        self.known: dict[Sheet, Counter[int]] = {}

    def scores(self, sheet: Sheet) -> Counter[int]:
        if sheet not in self.known:
            self.known[sheet] = self.turn(sheet)
        return self.known[sheet]

    def turn(self, sheet: Sheet) -> Counter[int]:
        if sheet.full:
            return Counter({final_score(self.rules, sheet): 1.0})
        throws = [dice for dice, _ in self.expected.throws[self.rules.dice.count]]
        scored, worth = {}, {}
        for dice, after in zip(throws, self.expected.moves.after(sheet).by_throw(), strict=True):
            best = max(after, key=self.expected.expected)
            scored[dice], worth[dice] = self.scores(best), self.expected.expected(best)
        values, found = dict(worth), dict(scored)
        for _ in range(self.rules.throws - 1):
            kept = self.expected.keeps(values)
            mixed = {
                part: mixture((found[dice], chance) for dice, chance in self.expected.follows[part])
                for part in kept
            }
            best_keep = {dice: max(parts(dice), key=kept.__getitem__) for dice in throws}
            found = {
                dice: scored[dice] if worth[dice] >= kept[best_keep[dice]] else mixed[best_keep[dice]]
                for dice in throws
            }
            values = {dice: max(worth[dice], kept[best_keep[dice]]) for dice in throws}
        return mixture((found[dice], chance) for dice, chance in self.expected.throws[self.rules.dice.count])


def mixture(weighted) -> Counter[int]:
    total: Counter[int] = Counter()
    for scores, weight in weighted:
        for score, chance in scores.items():
            total[score] += chance * weight
    return total


def small(tmp_path: Path, seed: int) -> SingleSolution:
    path = tmp_path / "small.toml"
    path.write_text(random_game(Random(seed)))
    rules = load_ruleset(str(path))
    return SingleSolution(rules, solve_single(rules, folder=tmp_path))


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 7, 8])
def test_small_games(seed: int, tmp_path: Path) -> None:
    """Targets of the whole game and of a sheet: the best chances, the mean, the chance of a bonus."""
    solution = small(tmp_path, seed)
    rules, random = solution.rules, Random(seed)
    chances, moves = GameChances(solution, tmp_path), Moves(rules)
    for sheet in (empty_sheet(rules), random_sheet(rules, 2, random)):
        state = turn_start(rules, (sheet,), 0)
        best = chances.final_scores(state, "target")
        targets = range(best.least, best.least + len(best.curve))
        for target in (targets[0], *random.sample(targets, min(3, len(targets))), targets[-1] + 1):
            oracle = WorthReference(rules, reaches(target), moves).expected(sheet)
            assert best.at_least(target) == pytest.approx(oracle, abs=2e-6)
        oracle = BonusReference(rules, moves).expected(sheet)
        assert best.bonus == pytest.approx(oracle, abs=2e-6)
        by_points = chances.final_scores(state, "points")
        assert by_points.mean == pytest.approx(solution.turn(sheet).value, abs=1e-6)
        assert all(
            by_points.at_least(score) <= best.at_least(score) + 2e-6
            for score in range(best.least, best.least + len(best.curve))
        )


def test_waiting_players(tmp_path: Path) -> None:
    """What is known of one is kept while others fill boxes, and differs from the rest by nothing."""
    solution = small(tmp_path, 3)
    rules, chances = solution.rules, GameChances(solution, tmp_path)
    one, two, three = (random_sheet(rules, left, Random(left)) for left in (2, 1, 0))
    for sheets in ([one, two], [one, two], [two, three, two], [one]):
        found = chances.final_scores_of_waiting(sheets)
        for sheet, scores in zip(sheets, found, strict=True):
            alone = GameChances(solution, tmp_path).final_scores(turn_start(rules, (sheet,), 0))
            assert scores == (alone if sheet.full else replace(alone, bonus=None))
    assert list(chances.waiting) == [one]


@pytest.mark.parametrize("seed", [3, 7, 11])
def test_points_play_of_small_games(seed: int, tmp_path: Path) -> None:
    """Decisions that are worth the same may differ, so only the mean and the bounds are the same."""
    solution = small(tmp_path, seed)
    oracle = PointsPlay(solution.rules).scores(empty_sheet(solution.rules))
    found = GameChances(solution, tmp_path).final_scores(start(solution.rules), "points")
    assert sum(score * chance for score, chance in oracle.items()) == pytest.approx(found.mean, abs=1e-9)
    assert sum(found.chances) == pytest.approx(1.0)
    assert found.least <= min(score for score, chance in oracle.items() if chance > 1e-12)


@pytest.mark.parametrize("game", ["yatzy-sv", "yatzy", "yahtzee"])
def test_the_last_boxes_of_large_games(game: str, solved, tmp_path: Path) -> None:
    """Every choice of some positions, and some targets, against the oracle."""
    solution = solved(game)
    rules, random = solution.rules, Random(5)
    chances = GameChances(solution, tmp_path)
    for _ in range(2):
        sheet = random_sheet(rules, 2, random)
        best = chances.final_scores(turn_start(rules, (sheet,), 0), "target")
        middle = best.least + next(n for n, chance in enumerate(best.curve) if chance < 0.5)
        oracle = WorthReference(rules, reaches(middle))
        turn = AimSolution(chances, Aims.at_least(middle)).turn(sheet)
        assert turn.value == pytest.approx(oracle.expected(sheet), abs=2e-6)
        dice = tuple(sorted(random.choices(range(1, 7), k=rules.dice.count)))
        for left in range(rules.throws):
            assert turn.throw(dice, left) == pytest.approx(oracle.after_throw(sheet, left)[dice], abs=2e-6)
        values = oracle.after_throw(sheet, 0)
        kept = oracle.keeps(values)
        for keep in keeps(dice):
            assert turn.keep(keep.dice, 1) == pytest.approx(kept[keep.dice], abs=2e-6)
        for box in turn.boxes(dice):
            after = score_sheet(rules, sheet, dice, box.move.placements)[0]
            assert box.value == pytest.approx(oracle.expected(after), abs=2e-6)
        assert {box.move for box in turn.boxes(dice)} == set(legal_scores(rules, sheet, dice))


def test_any_worth_of_the_final_score(solved) -> None:
    solution = solved("yatzy-sv")
    rules, random = solution.rules, Random(2)
    sheet = random_sheet(rules, 2, random)

    def worth(score: int) -> float:
        return (score * 37 % 101) / 100  # neither rising nor falling

    turn = UtilitySolution(solution, sheet, worth).turn(sheet)
    oracle = WorthReference(rules, worth)
    assert turn.value == pytest.approx(oracle.expected(sheet), abs=2e-6)
    dice = (1, 3, 3, 6, 6)
    assert turn.throw(dice, 1) == pytest.approx(oracle.after_throw(sheet, 1)[dice], abs=2e-6)


@pytest.mark.parametrize("game", ["yatzy-sv", "yahtzee"])
def test_simulated_games_agree(game: str, solved) -> None:
    """Within three standard errors: the mean and some chances, from the middle of a turn on."""
    solution = solved(game)
    rules, games = solution.rules, 40_000
    sheet = random_sheet(rules, 6, Random(9))
    state = State((sheet,), 0, (1, 3, 4, 4, 6), None, 2)
    found = solution.final_scores(state)
    played = play_games(solution, games, 4, state=state)
    scores = played.scores
    assert found.mean == pytest.approx(solution.value(state), abs=1e-6)
    assert abs(found.mean - scores.mean()) < 3 * scores.std() / np.sqrt(games)
    for share in (10, 50, 90):
        target = int(np.percentile(scores, share))
        chance = found.at_least(target)
        error = max(np.sqrt(chance * (1 - chance) / games), 1 / games)
        assert abs(chance - (scores >= target).mean()) < 3 * error


def test_the_table_of_a_whole_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table gives what is computed without one, also if it was interrupted; a damaged one is
    not used, and worked out again.
    """
    solution = small(tmp_path, 1)
    rules = solution.rules
    state = start(rules)
    asked = {play: GameChances(solution, tmp_path).final_scores(state, play) for play in PLAYS}
    for play, known in asked.items():

        class KilledError(Exception):
            pass

        def stop(progress, after=[3]):  # noqa: B006
            after[0] -= 1
            if not after[0]:
                raise KilledError

        with pytest.raises(KilledError):
            solve_chances(solution, play, folder=tmp_path, on_progress=stop)
        assert find_chances(solution, play, tmp_path) is None
        table = solve_chances(solution, play, folder=tmp_path)
        assert table.table.header.expected == pytest.approx(known.mean, abs=1e-6)
    monkeypatch.setattr("dicecup.solver.single.chances.MOST_ASKED", 0)
    stored = GameChances(solution, tmp_path)
    for play, known in asked.items():
        assert stored.final_scores(state, play).curve == pytest.approx(known.curve, abs=1e-6)
        sheet = random_sheet(rules, 2, Random(1))
        later = turn_start(rules, (sheet,), 0)
        monkeypatch.setattr("dicecup.solver.single.chances.MOST_ASKED", 9)
        exact = GameChances(solution, tmp_path).final_scores(later, play)
        monkeypatch.setattr("dicecup.solver.single.chances.MOST_ASKED", 0)
        rounded = stored.final_scores(later, play)
        for score in range(exact.least, exact.least + len(exact.curve)):
            assert rounded.at_least(score) == pytest.approx(exact.at_least(score), abs=2e-5)
        assert rounded.bonus == pytest.approx(exact.bonus, abs=2e-5)
    path = chances.chances_path(tmp_path, rules, "target")
    data = bytearray(path.read_bytes())
    data[-70] ^= 1
    path.write_bytes(data)
    assert find_chances(solution, "target", tmp_path) is None
    with pytest.raises(UsageError) as caught:
        GameChances(solution, tmp_path).final_scores(state, "target")
    assert caught.value.code == "chances_take_long"  # and says what to run, which works it out again
    solve_chances(solution, "target", folder=tmp_path, wait=True)
    again = GameChances(solution, tmp_path).final_scores(state, "target")
    assert again.curve == pytest.approx(asked["target"].curve, abs=1e-6)


def test_a_large_game_without_a_table_says_what_to_run(solved, tmp_path: Path) -> None:
    solution = solved("yatzy-sv")
    with pytest.raises(UsageError) as caught:
        GameChances(solution, tmp_path).final_scores(start(solution.rules), "target")
    assert caught.value.code == "chances_take_long"
    assert "dicecup chance yatzy-sv --play target" in str(caught.value.values["command"])
