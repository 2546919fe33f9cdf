"""Samples of final scores: their weights and their reported standard errors."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from dicecup.coach.winning import Comparison, Sample, around, balanced, even
from dicecup.playout.games import Endings

TURNS = 12
LUCK = {True: ([-3, 1], [0.25, 0.75]), False: ([-1, 5], [5 / 6, 1 / 6])}  # after good luck, after bad


def all_points() -> Sample:
    """A skewed distribution with ties."""
    return Sample(
        np.array([0, 1, 2, 3, 5, 8, 13, 21, 40]),
        np.array([0.1, 0.1, 0.2, 0.2, 0.15, 0.1, 0.1, 0.03, 0.02]),
    )


def some_points(random: np.random.Generator, games: int) -> Endings:
    points, likely, *_ = all_points()
    return around(random.choice(points, games, p=likely), float(points @ likely))


def some_turns(random: np.random.Generator, games: int) -> Endings:
    """Sample turns whose luck depends on the previous turn: its mean is always 0, its spread varies."""
    luck = np.zeros((games, TURNS), dtype=np.int64)
    good = np.ones(games, dtype=bool)
    uniform = random.random((TURNS, 2, games))
    after = [np.where(uniform[:, n] < likely[0], *points) for n, (points, likely) in enumerate(LUCK.values())]
    for turn in range(TURNS):
        luck[:, turn] = np.where(good, after[0][turn], after[1][turn])
        good = luck[:, turn] > 0
    scores = luck.sum(axis=1)
    together = (scores**2 - (luck**2).sum(axis=1)) / 2
    return Endings(scores, np.stack([scores.astype(float), together]))


def all_turns() -> Sample:
    """Compute the exact distribution of the scores of such turns by enumeration."""
    likely = {(0, True): 1.0}
    for _ in range(TURNS):
        after: dict[tuple[int, bool], float] = defaultdict(float)
        for (score, good), chance in likely.items():
            for points, share in zip(*LUCK[good], strict=True):
                after[score + points, points > 0] += chance * share
        likely = after
    scores, chances = zip(*((score, chance) for (score, _), chance in likely.items()), strict=True)
    return Sample(np.array(scores), np.array(chances))


def only_mean(drawn: Endings) -> Sample:
    return balanced(drawn._replace(zeros=drawn.zeros[:1]))


def nothing(drawn: Endings) -> Sample:
    return even(drawn.scores)


@pytest.mark.parametrize(("players", "games"), [(2, 150), (3, 40), (10, 150)])
@pytest.mark.parametrize(
    ("draw", "whole", "weigh"),
    [
        (some_points, all_points, nothing),
        (some_points, all_points, only_mean),
        (some_turns, all_turns, balanced),
    ],
    ids=["points, nothing known", "points, mean known", "turns, mean and luck known"],
)
def test_the_reported_error_is_the_actual_error(players, games, draw, whole, weigh):
    """Sample repeatedly from the same distributions, with one player ahead."""
    random = np.random.default_rng(players)
    known = whole()
    leads = [2 if player == 0 else 0 for player in range(players)]
    true = Comparison([Sample(known.scores + lead, known.weights) for lead in leads]).chances()
    made, told = [], []
    for _ in range(400):
        drawn = [draw(random, games) for _ in leads]
        samples = [
            weigh(part._replace(scores=part.scores + lead)) for part, lead in zip(drawn, leads, strict=True)
        ]
        found = Comparison(samples)
        made.append(found.chances() - true)
        told.append(found.standard_errors())
    ratio = np.sqrt(np.mean(np.square(made), axis=0) / np.mean(np.square(told), axis=0))
    assert ratio.max() < 1.1  # 400 rounds have a sampling error of 3.5%
    assert ratio.min() > (0.7 if games < 100 else 0.85)  # small samples report more than their actual error


def test_what_is_known_of_luck_makes_the_error_smaller():
    random = np.random.default_rng(1)
    drawn = [some_turns(random, 400) for _ in range(10)]
    mean, luck = (
        Comparison([weigh(part) for part in drawn]).standard_errors().max() for weigh in (only_mean, balanced)
    )
    assert luck < 0.75 * mean


@pytest.mark.parametrize("mean", [0.5, 3.0, 5.0, 20.0, 49.0])
def test_weights_reproduce_the_known_mean(mean):
    scores = np.array([0, 0, 3, 7, 50])
    weighted = balanced(around(scores, mean))
    assert weighted.weights @ scores == pytest.approx(mean)
    assert weighted.weights.sum() == pytest.approx(1)
    assert (weighted.weights > 0).all()
    assert weighted.balanced


def test_weights_satisfy_all_constraints():
    drawn = some_turns(np.random.default_rng(2), 100)
    weighted = balanced(drawn)
    assert drawn.zeros @ weighted.weights == pytest.approx([0, 0], abs=1e-6)
    assert len(weighted.zeros) == 2


def test_an_infeasible_second_constraint_is_dropped():
    """The second quantity is positive in every game, or zero in every game."""
    scores = np.array([0, 0, 3, 7, 50])
    for zeros in ([1.0, 2.0, 1.0, 3.0, 1.0], [0.0] * 5):
        weighted = balanced(Endings(scores, np.stack([scores - 10.0, zeros])))
        assert weighted.weights @ scores == pytest.approx(10)
        assert len(weighted.zeros) == 1
        assert weighted.balanced


@pytest.mark.parametrize(("scores", "mean"), [([5, 5, 5], 6.0), ([0, 50], 60.0), ([0, 50], 0.0)])
def test_without_a_solution_the_weights_stay_equal(scores, mean):
    weighted = balanced(around(np.array(scores), mean))
    assert (weighted.weights == 1 / len(scores)).all()
    assert not weighted.balanced


def test_certain_outcomes_are_balanced():
    assert balanced(around(np.array([7, 7]), 7.0)).balanced
