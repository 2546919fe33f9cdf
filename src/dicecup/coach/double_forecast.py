"""Where a turn with double dice ends: sampled, since two throws of six double dice have 10^13 outcomes.

The sample is always the same for the same question, so that an answer does not change when it is asked again.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from dicecup.coach.double_games import numbers_of, rules_of
from dicecup.coach.double_kernel import Played, play_turn
from dicecup.coach.double_kernel import Values as TurnValues
from dicecup.coach.games_kernel import OPEN
from dicecup.coach.values import Values
from dicecup.dice import Dice
from dicecup.engine.moves import Keep, Placement
from dicecup.engine.state import Sheet, State
from dicecup.solver.double.solution import Solution

if TYPE_CHECKING:
    from dicecup.coach.reasons import Ending

SAMPLES = 4000
SEED = 1


def sample_endings(
    values: Values, state: State, move: Keep
) -> tuple[list[tuple[float, list[Ending]]], float]:
    """Endings with their chances, and the largest standard error of a chance."""
    solution = solution_of(values)
    played = play_rest_of_turn(solution, state.sheet, move.dice, state.throws_left, SAMPLES, np.uint64(SEED))
    names = [box.id for box in solution.rules.boxes]
    endings: list[tuple[float, list[Ending]]] = [
        (1 / SAMPLES, [(Placement(names[box]), int(row[box])) for box in np.flatnonzero(row != OPEN)])
        for row in played.cells
    ]
    return endings, 0.5 / sqrt(SAMPLES)


def solution_of(values: Values) -> Solution:
    assert isinstance(values.source, Solution)
    return values.source


def play_rest_of_turn(
    solution: Solution, sheet: Sheet, kept: Dice, throws_left: int, times: int, chance: np.uint64
) -> Played:
    """The rest of a turn, played many times; the cells hold what it wrote and nothing else."""
    turn = solution.turn(sheet)
    played = Played(
        masks=np.full(times, turn.mask, dtype=np.int64),
        totals=np.full(times, turn.total, dtype=np.int64),
        cells=np.full((times, len(solution.rules.boxes)), OPEN, dtype=np.int16),
    )
    play_turn(
        rules_of(solution.solver),
        lane_of(solution, turn.mask, turn.total),
        np.zeros(times, dtype=np.int64),
        np.arange(times, dtype=np.int64),
        np.array(numbers_of(solution.rules, kept), dtype=np.int64),
        throws_left,
        chance,
        0,
        played,
    )
    return played


def lane_of(solution: Solution, mask: int, total: int) -> TurnValues:
    """The values of one turn, which the solution remembers, as the kernel reads them."""
    found = solution.decisions(mask, total)
    after = np.asarray(solution.table.levels[mask.bit_count() + len(solution.rules.scored)], dtype=np.float32)
    keeps = [rows for by_size in found.keeps for rows in by_size] or [np.zeros((1, 1), dtype=np.float32)]
    layers = tuple(layer[np.newaxis] for layer in found.layers)
    rows = tuple(size.row_of_rank for size in solution.solver.lattice.keeps)
    return TurnValues(layers, tuple(keeps), rows, after)
