"""Many games of a perfect player at once: double dice.

In each turn the games are sorted by their sheets, and the turns of several sheets are solved side by side, so
that the index tables of the 4.5 million throws are read once for all of them.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.dice import Dice
from dicecup.engine.play import scored_layers
from dicecup.engine.state import Keep, Placement, Sheet, State, empty_sheet, turn_start
from dicecup.playout.games import FinalSheets
from dicecup.playout.perfect_kernel import GOLDEN, OPEN, chance_of, mix
from dicecup.playout.single import OnTurns, group_equal, turn_seed
from dicecup.rules.model import Ruleset
from dicecup.solver.compiled import entry_kernel, kernel
from dicecup.solver.double.game_tables import FORBIDDEN, GameTables
from dicecup.solver.double.multisets import rank_weights
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.turn import LANES, TurnSolver, points_of
from dicecup.solver.solution import no_callback

Array = Any
NEVER = np.float32(-1e9)


class DoubleRules(NamedTuple):
    """The game as arrays."""

    game: GameTables
    layer_weights: Array  # [place, face]: what a face adds to the rank of one layer's dice
    double_weights: Array


class DoubleValues(NamedTuple):
    """The values of the keeps of a turn, by lane."""

    layers: Any  # by dice kept, [lane, inner multiset, outer multiset]: one throw follows; final throws last
    keeps: Any  # by throws that follow, from 2 on, and dice kept: [keep row, lane]
    rows: Any  # by dice kept: the row of every multiset
    after: Array  # the values of the sheets after the turn


class DoublePlayed(NamedTuple):
    """By game: the filled boxes, the upper total, the sheet."""

    masks: Array
    totals: Array
    cells: Array  # [game, box]


@kernel(inline="always")
def layer_rank(rules: DoubleRules, dice: Any, count: int, outer: bool) -> int:
    """Return the rank of one layer of the dice."""
    faces = rules.layer_weights.shape[1]
    shown = np.empty(rules.layer_weights.shape[0], np.int64)
    for place in range(count):
        face = dice[place] % faces if outer else dice[place] // faces
        at = place
        while at > 0 and shown[at - 1] > face:
            shown[at] = shown[at - 1]
            at -= 1
        shown[at] = face
    rank = 0
    for place in range(count):
        rank += rules.layer_weights[place, shown[place]]
    return rank


@kernel()
def keep_value(rules: DoubleRules, values: DoubleValues, dice: Any, count: int, left: int, lane: int) -> Any:
    """Return the value of keeping the first `count` of these sorted dice; keeping all ends the turn."""
    every = rules.layer_weights.shape[0]
    if left == 1 or count == every:
        inner, outer = layer_rank(rules, dice, count, False), layer_rank(rules, dice, count, True)
        return values.layers[count][lane, inner, outer]
    rank = 0
    for place in range(count):
        rank += rules.double_weights[place, dice[place]]
    return values.keeps[(left - 2) * every + count][values.rows[count][rank], lane]


@kernel()
def sort_dice(dice: Any) -> None:
    for end in range(1, dice.size):
        at, held = end, dice[end]
        while at > 0 and dice[at - 1] > held:
            dice[at] = dice[at - 1]
            at -= 1
        dice[at] = held


@kernel()
def throw_dice(
    rules: DoubleRules, values: DoubleValues, dice: Any, fixed: int, left: int, lane: int, chance: Any
) -> None:
    """Play a turn up to its last throw; the first `fixed` dice are given, `left` throws follow."""
    count = dice.size
    faces = np.uint64(rules.double_weights.shape[1])
    kept, best_kept = np.empty(count, np.int64), np.empty(count, np.int64)
    while True:
        if fixed < count:
            left -= 1
        for place in range(fixed, count):
            chance += GOLDEN
            dice[place] = np.int64(((mix(chance) >> np.uint64(32)) * faces) >> np.uint64(32))
        sort_dice(dice)
        if left == 0:
            return
        best, fixed = NEVER, count
        for part in range((1 << count) - 1, -1, -1):
            size = 0
            for die in range(count):
                if (part >> die) & 1:
                    kept[size] = dice[die]
                    size += 1
            value = keep_value(rules, values, kept, size, left, lane)
            if value > best:
                best, fixed = value, size
                for die in range(size):
                    best_kept[die] = kept[die]
        if fixed == count:
            return
        for die in range(fixed):
            dice[die] = best_kept[die]


@kernel()
def best_boxes(rules: DoubleRules, after: Any, dice: Any, mask: int, total: int) -> Any:
    """Return the two best boxes with their points, and the upper total after them."""
    count, boxes = dice.size, rules.game.free.shape[1]
    inner, outer = layer_rank(rules, dice, count, False), layer_rank(rules, dice, count, True)
    first_points = points_of(rules.game, inner, mask)
    best = NEVER
    found = (0, 0, 0, 0, total)
    for first in range(boxes):
        if (mask >> first) & 1 or first_points[first] == FORBIDDEN:
            continue
        between = mask | 1 << first
        reached = total + (first_points[first] if rules.game.is_upper[first] else 0)
        points = points_of(rules.game, outer, between)
        for second in range(boxes):
            if (between >> second) & 1 or points[second] == FORBIDDEN:
                continue
            filled, end = (
                between | 1 << second,
                reached + (points[second] if rules.game.is_upper[second] else 0),
            )
            gain = first_points[first] + points[second] + rules.game.bonus[end] - rules.game.bonus[total]
            value = after[
                rules.game.place[filled] + rules.game.class_of[rules.game.upper_mask[filled], end]
            ] + np.float32(gain)
            if value > best:
                best = value
                found = (first, first_points[first], second, points[second], end)
    return found


@entry_kernel()
def play_turn(
    rules: DoubleRules,
    values: DoubleValues,
    lanes: Any,
    games: Any,
    given: Any,
    left: int,
    seed: Any,
    turn: int,
    played: DoublePlayed,
) -> None:
    """Play the turn of some games, each in the lane of its sheet. `given` are dice kept before the first
    throw.

    One core is enough: 10 µs a game are little beside the milliseconds that solving the turn takes.
    """
    for item in range(games.size):
        game = games[item]
        dice = np.zeros(rules.layer_weights.shape[0], np.int64)
        dice[: given.size] = given
        throw_dice(rules, values, dice, given.size, left, lanes[item], chance_of(seed, game, turn))
        mask = played.masks[game]
        first, first_points, second, points, end = best_boxes(
            rules, values.after, dice, mask, played.totals[game]
        )
        played.cells[game, first] = first_points
        played.cells[game, second] = points
        played.masks[game] = mask | 1 << first | 1 << second
        played.totals[game] = end


@lru_cache(maxsize=2)
def rules_of(solver: TurnSolver) -> DoubleRules:
    dice = solver.rules.dice
    return DoubleRules(
        game=solver.tables,
        layer_weights=rank_weights(dice.faces, dice.count, np),
        double_weights=rank_weights(dice.faces**2, dice.count, np),
    )


def numbers_of(rules: Ruleset, dice: Dice) -> list[int]:
    """Return double dice as the kernels number them: the layer that is scored first counts more."""
    first, second = scored_layers(rules)
    pairs = [(die[first] - 1, die[second] - 1) for die in dice if isinstance(die, tuple)]
    return sorted(one * rules.dice.faces + other for one, other in pairs)


def turn_values(solver: TurnSolver, sheets: list[tuple[int, int]], after: Any) -> DoubleValues:
    """Return the values of all keeps, for several sheets side by side."""
    layers = [solver.layers(mask, total, after) for mask, total in sheets]
    keeps: list[Any] = []
    if solver.rules.throws > 2:
        found, _ = solver.reroll(solver.lay_pairs(layers))
        keeps = [rows for by_size in found for rows in by_size]
    stacked = [np.stack([one[size] for one in layers]) for size in range(len(layers[0]))]
    nothing = [np.zeros((1, 1), dtype=np.float32)]
    rows = [size.row_of_rank for size in solver.lattice.keeps]
    return double_values(stacked, keeps or nothing, rows, after)


def double_values(layers: list[Any], keeps: list[Any], rows: list[Any], after: Any) -> DoubleValues:
    """Return values padded to the tuples of six dice, so that games with fewer dice use the same kernels."""
    return DoubleValues(padded(layers, 7), padded(keeps, 6), padded(rows, 7), after)


def padded(arrays: list[Any], length: int) -> tuple[Any, ...]:
    return (*arrays, *arrays[-1:] * (length - len(arrays)))


def places_of(solution: DoubleSolution, played: DoublePlayed) -> npt.NDArray[np.int64]:
    """Return the places of the games' sheets in their level."""
    index = solution.index
    return np.asarray(
        index.place[played.masks] + index.class_of[index.upper_mask[played.masks], played.totals]
    )


def play_double_games(
    solution: DoubleSolution,
    games: int,
    seed: int,
    state: State | None = None,
    first_game: int = 0,
    on_turns: OnTurns = no_callback,
) -> FinalSheets:
    """Play games to their end. `state` is where they begin, for the player whose turn it is."""
    rules, solver = solution.rules, solution.solver
    state = state or turn_start(rules, (empty_sheet(rules),), 0)
    start = solution._unchecked_turn(state.sheet)
    cells = np.array([OPEN if points is None else points for points in state.sheet.cells], dtype=np.int16)
    played = DoublePlayed(
        masks=np.full(games, start.mask, dtype=np.int64),
        totals=np.full(games, start.total, dtype=np.int64),
        cells=np.tile(cells, (games, 1)),
    )
    given = numbers_of(rules, state.dice if state.kept is None else state.kept)
    left, chance = state.throws_left, np.uint64(turn_seed(seed, first_game))
    levels = list(range(start.mask.bit_count(), len(rules.boxes), len(rules.scored)))
    for turn, filled in enumerate(levels):
        after = np.asarray(solution.table.levels[filled + len(rules.scored)], dtype=np.float32)
        order, bounds = group_equal(places_of(solution, played))
        for batch in range(0, len(bounds) - 1, LANES):
            on_turns(turn * games + int(bounds[batch]), len(levels) * games)
            ends = bounds[batch : batch + LANES + 1]
            sheets = [(int(played.masks[game]), int(played.totals[game])) for game in order[ends[:-1]]]
            these = order[ends[0] : ends[-1]]
            lanes = np.repeat(np.arange(len(sheets)), np.diff(ends))
            dice = np.array(given, dtype=np.int64)
            with solution.alone:  # the values are in the work space of the solver
                values = turn_values(solver, sheets, after)
                play_turn(rules_of(solver), values, lanes, these, dice, left, chance, filled, played)
        given, left = [], rules.throws
    on_turns(1, 1)
    return FinalSheets(rules, played.cells, np.zeros(games, dtype=np.int16))


SAMPLES = 4000
SEED = 1

Ending = tuple[Placement, int]  # a box that a turn filled, and the points in it


def sample_endings(
    solution: DoubleSolution, state: State, move: Keep
) -> tuple[list[tuple[float, list[Ending]]], float]:
    """Return all endings with their chances, and the largest standard error of a chance."""
    played = play_rest_of_turn(solution, state.sheet, move.dice, state.throws_left, SAMPLES, np.uint64(SEED))
    names = [box.id for box in solution.rules.boxes]
    different, times = np.unique(played.cells, axis=0, return_counts=True)
    endings: list[tuple[float, list[Ending]]] = [
        (count / SAMPLES, [(Placement(names[box]), int(row[box])) for box in np.flatnonzero(row != OPEN)])
        for row, count in zip(different, times.tolist(), strict=True)
    ]
    return endings, 0.5 / sqrt(SAMPLES)


def play_rest_of_turn(
    solution: DoubleSolution, sheet: Sheet, kept: Dice, throws_left: int, times: int, chance: np.uint64
) -> DoublePlayed:
    """Play the rest of a turn many times; the cells hold only what it wrote."""
    turn = solution._unchecked_turn(sheet)
    played = DoublePlayed(
        masks=np.full(times, turn.mask, dtype=np.int64),
        totals=np.full(times, turn.total, dtype=np.int64),
        cells=np.full((times, len(solution.rules.boxes)), OPEN, dtype=np.int16),
    )
    play_turn(
        rules_of(solution.solver),
        lane_of(solution, turn.mask, turn.total),
        np.zeros(times, dtype=np.int64),
        np.arange(times, dtype=np.int32),
        np.array(numbers_of(solution.rules, kept), dtype=np.int64),
        throws_left,
        chance,
        0,
        played,
    )
    return played


def lane_of(solution: DoubleSolution, mask: int, total: int) -> DoubleValues:
    """Return the values of one turn, which the solution caches, as the kernel reads them."""
    found = solution.decisions(mask, total)
    after = np.asarray(solution.table.levels[mask.bit_count() + len(solution.rules.scored)], dtype=np.float32)
    keeps = [ranks[:, np.newaxis] for by_size in found.keeps for ranks in by_size]
    layers = [layer[np.newaxis] for layer in found.layers]
    rows = [np.arange(len(ranks), dtype=np.int32) for ranks in keeps[: solution.rules.dice.count]]
    if not keeps:
        keeps, rows = [np.zeros((1, 1), dtype=np.float32)], [np.zeros(1, dtype=np.int32)]
    return double_values(layers, keeps, rows, after)
