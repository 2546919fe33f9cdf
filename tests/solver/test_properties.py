"""Invariants of every state: no uninitialised memory is read, and more points are never worse."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.solver.conftest import all_rulesets, random_sheet

from dicecup.engine.state import Sheet
from dicecup.rules import load_ruleset
from dicecup.solver.arrays import POISON
from dicecup.solver.single.index import build_index, size_of
from dicecup.solver.single.solution import SingleSolution

GAMES = [("yatzy-sv", {}), ("yatzy-sv", {"strike": "last_resort"}), ("yahtzee", {"joker": "forced"})]


@pytest.mark.parametrize(("game", "options"), GAMES, ids=str)
def test_every_slot_is_written_and_rows_rise(solved, game, options):
    """The buffer of a level is filled with a huge number: reading or leaving one would show in the values."""
    solution = solved(game, options)
    index = solution.index
    for number in range(index.levels + 1):
        level, values = index.level(number), solution.table.arrays(number)["values"]
        assert np.isfinite(values).all()
        assert np.abs(values).max() < 10_000 < POISON
        for lower in level.lowers[::5]:
            group = index.groups[int(index.kinds[lower])][number - int(index.opens[lower])]
            start = int(level.starts[lower])
            for begin, end in zip(group.starts[:-1], group.starts[1:], strict=True):
                assert (np.diff(values[start + begin : start + end]) >= -1e-9).all()


def check_more_points(solution: SingleSolution, random: Random, most_open: int) -> None:
    for _ in range(60):
        sheet = random_sheet(solution.rules, random.randint(1, most_open), random)
        filled = [box for box in solution.rules.upper if sheet.cells[box] is not None]
        if not filled:
            continue
        box = random.choice(filled)
        face = box + 1
        more = (sheet.cells[box] or 0) + face
        if more > 5 * face:
            continue
        better = Sheet(sheet.cells[:box] + (more,) + sheet.cells[box + 1 :], sheet.repeats)
        gain = solution._unchecked_turn(better).value - solution._unchecked_turn(sheet).value
        assert gain >= face - 1e-9


@pytest.mark.parametrize(("game", "options"), GAMES, ids=str)
def test_more_points_are_never_worse(solved, game, options):
    check_more_points(solved(game, options), Random(game), 9)


@pytest.mark.parametrize("options", [{}, {"kinds": "matching", "joker_upper": "none"}], ids=str)
def test_more_points_are_never_worse_at_the_end_of_yum_plus(solved_end, options):
    check_more_points(solved_end(load_ruleset("yum-plus", options), 3), Random(1), 3)


@pytest.mark.parametrize(("game", "options"), all_rulesets(), ids=str)
def test_counting_states_without_placing_them(game, options):
    rules = load_ruleset(game, options)
    assert size_of(rules).states == build_index(rules).states


def test_which_states_are_merged(solved):
    """The Swedish game has 1,430,528 reachable pairs of filled boxes and total; merging leaves fewer."""
    index = solved("yatzy-sv").index
    reachable = sum(int((row.slot >= 0).sum()) for row in index.upper.rows[0])
    assert reachable * len(index.opens) == 1_430_528
    assert index.states == 839_680


def test_classes_of_yum_plus():
    """Low and high score: 22 classes. The three Yums: 6, as it does not matter which later one was struck."""
    index = build_index(load_ruleset("yum-plus"))
    classes = {
        tuple(index.rules.boxes[box].id for box in part.boxes): len(part.classes) for part in index.components
    }
    assert classes["low_score", "high_score"] == 22
    assert classes["yum", "second_yum", "third_yum"] == 6
    assert index.states == 678_633_472
