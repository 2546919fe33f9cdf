"""Many games of a perfect player at once: double dice.

In each turn the games are sorted by their sheets, and the turns of several sheets are solved side by side, so
that the index tables of the 4.5 million throws are read once for all of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.coach.crowds import crowds
from dicecup.coach.double_kernel import Played, Rules, Values, play_turn
from dicecup.coach.games import Watch, ignore, turn_seed
from dicecup.coach.games_kernel import OPEN
from dicecup.coach.sheets import Sheets
from dicecup.dice import Dice
from dicecup.engine.play import scored_layers
from dicecup.engine.state import State, empty_sheet, turn_start
from dicecup.rules.model import Ruleset
from dicecup.solver.double.kernels import LANES
from dicecup.solver.double.multisets import rank_weights
from dicecup.solver.double.solution import Solution
from dicecup.solver.double.turn import TurnSolver


@lru_cache(maxsize=2)
def rules_of(solver: TurnSolver) -> Rules:
    dice = solver.rules.dice
    return Rules(
        game=solver.tables,
        layer_weights=rank_weights(dice.faces, dice.count, np),
        double_weights=rank_weights(dice.faces**2, dice.count, np),
    )


def numbers_of(rules: Ruleset, dice: Dice) -> list[int]:
    """Double dice as the kernels number them: the layer that is scored first counts more."""
    first, second = scored_layers(rules)
    pairs = [(die[first] - 1, die[second] - 1) for die in dice if isinstance(die, tuple)]
    return sorted(one * rules.dice.faces + other for one, other in pairs)


def turn_values(solver: TurnSolver, sheets: list[tuple[int, int]], after: Any) -> Values:
    """What all keeps are worth, for several sheets side by side."""
    layers = [solver.layers(mask, total, after) for mask, total in sheets]
    keeps: list[Any] = []
    if solver.rules.throws > 2:
        found, _ = solver.reroll(solver.lay_pairs(layers))
        keeps = [rows for by_size in found for rows in by_size]
    stacked = [np.stack([one[size] for one in layers]) for size in range(len(layers[0]))]
    nothing = [np.zeros((1, 1), dtype=np.float32)]
    rows = [size.row_of_rank for size in solver.lattice.keeps]
    return Values(tuple(stacked), tuple(keeps or nothing), tuple(rows), after)


def places_of(solution: Solution, played: Played) -> npt.NDArray[np.int64]:
    """Where the sheets of the games stand in their level."""
    index = solution.index
    return np.asarray(
        index.place[played.masks] + index.class_of[index.upper_mask[played.masks], played.totals]
    )


def play_games(
    solution: Solution,
    games: int,
    seed: int,
    *,
    state: State | None = None,
    first_game: int = 0,
    watch: Watch = ignore,
) -> Sheets:
    """So many games to their end. `state`: where they begin, of the player whose turn it is."""
    rules, solver = solution.rules, solution.solver
    state = state or turn_start(rules, (empty_sheet(rules),), 0)
    start = solution.turn(state.sheet)
    cells = np.array([OPEN if points is None else points for points in state.sheet.cells], dtype=np.int16)
    played = Played(
        masks=np.full(games, start.mask, dtype=np.int64),
        totals=np.full(games, start.total, dtype=np.int64),
        cells=np.tile(cells, (games, 1)),
    )
    given = numbers_of(rules, state.dice if state.kept is None else state.kept)
    left, chance = state.throws_left, np.uint64(turn_seed(seed, first_game))
    levels = list(range(start.mask.bit_count(), len(rules.boxes), len(rules.scored)))
    for turn, filled in enumerate(levels):
        after = np.asarray(solution.table.levels[filled + len(rules.scored)], dtype=np.float32)
        order, bounds = crowds(places_of(solution, played))
        for batch in range(0, len(bounds) - 1, LANES):
            watch(turn * games + int(bounds[batch]), len(levels) * games)
            ends = bounds[batch : batch + LANES + 1]
            sheets = [(int(played.masks[game]), int(played.totals[game])) for game in order[ends[:-1]]]
            these = order[ends[0] : ends[-1]]
            lanes = np.repeat(np.arange(len(sheets)), np.diff(ends))
            dice = np.array(given, dtype=np.int64)
            with solution.alone:  # the values lie in the work space of the solver
                values = turn_values(solver, sheets, after)
                play_turn(rules_of(solver), values, lanes, these, dice, left, chance, filled, played)
        given, left = [], rules.throws
    watch(1, 1)
    return Sheets(rules, played.cells, np.zeros(games, dtype=np.int16))
