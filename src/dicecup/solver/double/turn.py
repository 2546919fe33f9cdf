"""Turns of double dice solved on the CPU: of one sheet, by `walk`; of several side by side; of whole levels.

Rows are keeps or throws (see `multisets`), lanes are sheets solved side by side: every step processes
whole rows, so that the index tables are read once for all lanes. A single sheet has one lane; otherwise
there are LANES, used or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import prange

from dicecup.rules.model import Ruleset
from dicecup.solver.compiled import (
    ROW_BYTES,
    entry_kernel,
    fill,
    is_compiled,
    kernel,
    larger,
    load,
    parallel_kernel,
    plus,
    store,
    times,
)
from dicecup.solver.double.game_tables import (
    FORBIDDEN,
    DoubleLevel,
    GameTables,
    SheetIndex,
    box_points,
    check_double_solvable,
    game_tables,
    layers_interchangeable,
)
from dicecup.solver.double.multisets import DoubleLattice, build_lattice, multiset_count
from dicecup.solver.double.walk import keeps_before, walk_tables
from dicecup.solver.solution import OnBatch

Array = Any
NEVER = np.float32(-1e9)  # the value of what is illegal
LANES = ROW_BYTES // 4  # a row of 32-bit numbers is one vector


@kernel(inline="always")
def points_of(game: GameTables, dice: int, mask: int) -> Any:
    """Return the points that dice of one layer may write in each box, with the boxes of `mask` filled."""
    return game.barred[dice] if game.barring[dice] & ~mask else game.free[dice]


@entry_kernel()
def final_values(game: GameTables, mask: int, total: int, after: Array, final: Array) -> None:
    """Compute final[i, o]: the value of inner dice i and outer dice o, the rest of the game included.

    The inner dice fill a box first. The value of the outer dice then depends only on that box and on its gain
    in the upper total, so it is computed once for each such pair.
    """
    multisets, boxes = game.free.shape
    best_outer = np.empty((boxes, game.bonus.shape[0], multisets), dtype=np.float32)
    known = np.zeros((boxes, game.bonus.shape[0]), dtype=np.bool_)
    final[:] = NEVER
    for inner in range(multisets):
        points = points_of(game, inner, mask)
        for box in range(boxes):
            if mask >> box & 1 or points[box] == FORBIDDEN:
                continue
            gain = points[box] if game.is_upper[box] else 0
            if not known[box, gain]:
                known[box, gain] = True
                best_placements(game, mask | 1 << box, total + gain, after, best_outer[box, gain])
            worth = np.float32(points[box] + game.bonus[total + gain] - game.bonus[total])
            row, best = final[inner], best_outer[box, gain]
            for outer in range(multisets):
                row[outer] = max(row[outer], worth + best[outer])


@kernel()
def best_placements(game: GameTables, mask: int, total: int, after: Array, best: Array) -> None:
    """Compute best[m]: the value of dice m on this sheet, if they alone are to be scored."""
    multisets, boxes = game.free.shape
    best[:] = NEVER
    for dice in range(multisets):
        points = points_of(game, dice, mask)
        for box in range(boxes):
            if mask >> box & 1 or points[box] == FORBIDDEN:
                continue
            reached = total + (points[box] if game.is_upper[box] else 0)
            filled = mask | 1 << box
            worth = after[game.place[filled] + game.class_of[game.upper_mask[filled], reached]]
            worth += points[box] + game.bonus[reached] - game.bonus[total]
            best[dice] = max(best[dice], np.float32(worth))


@entry_kernel()
def expect_layer_dice(above: Array, grow: Array, out: Array) -> None:
    """Compute out[i, o]: the mean of `above` over one more inner and one more outer die."""
    count, faces = grow.shape
    column = np.empty(above.shape[1], dtype=np.float32)
    share = np.float32(1.0 / (faces * faces))
    for inner in range(count):
        column[:] = 0
        for face in range(faces):
            column += above[grow[inner, face]]
        for outer in range(count):
            total = np.float32(0)
            for face in range(faces):
                total += column[grow[outer, face]]
            out[inner, outer] = total * share


@entry_kernel()
def lay_pairs(values: Array, mirrored: bool, lane: int, rows: Array) -> None:
    """Copy one sheet's [inner, outer] values into its lane of the pair rows."""
    count = values.shape[0]
    for inner in range(count):
        if mirrored:
            first = inner * (inner + 1) // 2
            for outer in range(inner + 1):
                rows[first + outer, lane] = values[inner, outer]
        else:
            for outer in range(count):
                rows[inner * count + outer, lane] = values[inner, outer]


@parallel_kernel()
def pick_rows(pairs: Array, pair: Array, out: Array) -> None:
    if out.shape[1] == 1:
        for row in prange(out.shape[0]):
            out[row, 0] = pairs[pair[row], 0]
        return
    for row in prange(out.shape[0]):
        copy_row(pairs, pair[row], out, row)


@kernel()
def copy_row(rows: Array, which: int, out: Array, row: int) -> None:
    store(out, row, load(rows, which))


@parallel_kernel()
def best_keeps(keeps: Array, less: Array, below: Array, out: Array) -> None:
    """Compute the best part of each keep: all of it, or the best with one die less."""
    if out.shape[1] == 1:
        for row in prange(out.shape[0]):
            out[row, 0] = best_below(keeps[row, 0], less[row], below)
        return
    for row in prange(out.shape[0]):
        best_row(keeps, row, less[row], below, out, row)


@parallel_kernel()
def best_throws(final: Array, pair: Array, less: Array, below: Array, out: Array) -> None:
    """Compute the best of ending the turn with a throw and of keeping a part of it."""
    if out.shape[1] == 1:
        for row in prange(out.shape[0]):
            out[row, 0] = best_below(final[pair[row], 0], less[row], below)
        return
    for row in prange(out.shape[0]):
        best_row(final, pair[row], less[row], below, out, row)


@kernel(inline="always")
def best_below(value: float, less: Array, below: Array) -> float:
    """Return the best for a single lane: half the time of a row of one."""
    for place in range(less.shape[0]):
        value = max(value, below[less[place], 0])
    return value


@kernel()
def best_row(rows: Array, which: int, less: Array, below: Array, out: Array, row: int) -> None:
    best = load(rows, which)
    for place in range(less.shape[0]):
        best = larger(best, load(below, less[place]))
    store(out, row, best)


@parallel_kernel()
def expect_die(above: Array, more: Array, out: Array) -> None:
    """Compute the mean over one more double die."""
    if out.shape[1] == 1:
        share = np.float32(1.0 / more.shape[1])
        for row in prange(out.shape[0]):
            total = np.float32(0)
            for face in range(more.shape[1]):
                total += above[more[row, face], 0]
            out[row, 0] = total * share
        return
    for row in prange(out.shape[0]):
        mean_row(above, more[row], out, row)


@kernel()
def mean_row(rows: Array, which: Array, out: Array, row: int) -> None:
    total = load(rows, which[0])
    for place in range(1, which.size):
        total = plus(total, load(rows, which[place]))
    store(out, row, times(total, fill(out, 1.0 / which.size)))


@parallel_kernel()
def mean_throw(throws: Array, weight: Array, blocks: int, out: Array) -> None:
    """Sum all throws by weight, with one partial sum a block: the same for any number of threads."""
    rows = throws.shape[0]
    for block in prange(blocks):
        out[block] = 0.0
        for row in range(rows * block // blocks, rows * (block + 1) // blocks):
            for lane in range(throws.shape[1]):
                out[block, lane] += weight[row] * np.float64(throws[row, lane])


Floats = npt.NDArray[np.float32]
SUM_BLOCKS = 64


@dataclass(frozen=True)
class SheetBatch:
    """Some sheets of one level, and the values of the level after the turn."""

    mask: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    after: npt.NDArray[Any]


@dataclass(frozen=True)
class TurnValues:
    """The value of every decision of one sheet's turn, to the end of the game."""

    # By dice kept, [inner multiset, outer multiset]: one throw follows. All dice: the final throw.
    layers: list[Floats]
    # By throws that follow, from 2 on, and by dice kept: [rank].
    keeps: list[list[Floats]]

    def layer(self, size: int, inner: int, outer: int) -> float:
        """Return the value of so many dice of these ranks, before the last throw or after it."""
        return float(self.layers[size][inner, outer])

    def keep(self, throws_left: int, size: int, rank: int) -> float:
        """Return the value of keeping so many dice of this rank, with more than one throw left."""
        return float(self.keeps[throws_left - 2][size][rank])


@lru_cache(maxsize=2)
def lattice_of(dice: int, faces: int, mirrored: bool) -> DoubleLattice:
    return build_lattice(dice, faces, mirrored, np)


class TurnSolver:
    """Solves turns of one game. It holds the work space, so only one thread may use it at a time."""

    def __init__(self, rules: Ruleset, index: SheetIndex | None = None) -> None:
        check_double_solvable(rules)
        self.rules = rules
        self.index = index or SheetIndex(rules)
        self.points = box_points(rules)
        self.tables = game_tables(self.index, self.points)
        self.space: dict[tuple[str, int, int], Floats] = {}

    @cached_property
    def lattice(self) -> DoubleLattice:
        """The index tables of batches, made when they are first needed: that takes a second or two."""
        dice = self.rules.dice
        return lattice_of(dice.count, dice.faces, layers_interchangeable(self.rules))

    def work(self, name: str, rows: int, lanes: int) -> Floats:
        """Return an array for intermediate results, kept between turns because allocating is expensive."""
        key = (name, rows, lanes)
        if key not in self.space:
            self.space[key] = np.zeros((rows, lanes), dtype=np.float32)
        return self.space[key]

    def decisions(self, mask: int, total: int, after: npt.NDArray[Any]) -> TurnValues:
        """Return the values of every decision of one sheet's turn."""
        return self.decisions_for(self.layers(mask, total, after))

    def decisions_for(self, layers: list[Floats]) -> TurnValues:
        """The same, given the values of final throws and of the keeps before the last throw."""
        dice, keeps = self.rules.dice, list[list[Floats]]()
        for _ in range(2, self.rules.throws):
            keeps.append(keeps_before(dice.count, dice.faces, layers, keeps[-1] if keeps else []))
        return TurnValues(layers, keeps)

    def start_value(self, values: TurnValues) -> float:
        """Return the value of a sheet before the first throw, from the values of its decisions."""
        if self.rules.throws == 1:
            return values.layer(0, 0, 0)
        dice, last = self.rules.dice, values.keeps[-1] if values.keeps else []
        return float(keeps_before(dice.count, dice.faces, values.layers, last)[0][0])

    def start_values(self, sheets: SheetBatch) -> npt.NDArray[np.float64]:
        """Return the values of the sheets before the first throw."""
        layers = [
            self.layers(int(mask), int(total), sheets.after)
            for mask, total in zip(sheets.mask, sheets.total, strict=True)
        ]
        return self.starts_for(layers)

    def starts_for(self, layers: list[list[Floats]]) -> npt.NDArray[np.float64]:
        """The same, given the values of each sheet's final throws and of the keeps before the last throw."""
        if self.rules.throws == 1:
            return np.array([float(one[0][0, 0]) for one in layers])
        pairs = self.lay_pairs(layers)
        _, last = self.reroll(pairs)
        throws = self.best_throws(last, pairs[-1])
        sums = np.empty((SUM_BLOCKS, throws.shape[1]))
        mean_throw(throws, self.lattice.keeps[-1].weight, SUM_BLOCKS, sums)
        return np.asarray(sums.sum(axis=0)[: len(layers)] / self.lattice.orders)

    def layers(self, mask: int, total: int, after: npt.NDArray[Any]) -> list[Floats]:
        """Return final throws and the keeps before the last throw, by inner and outer multisets alone."""
        count = len(self.tables.free)
        final = np.empty((count, count), dtype=np.float32)
        final_values(self.tables, mask, total, after, final)
        return self.before_last_throw(final)

    def before_last_throw(self, final: Floats) -> list[Floats]:
        """Return the values of keeps before the last throw, by dice kept, and of the final throws."""
        found = [final]
        dice = self.rules.dice
        for size in reversed(range(dice.count)):
            count = multiset_count(dice.faces, size)
            grow = walk_tables(dice.count, dice.faces).grow[size, :count]
            out = np.empty((count, count), dtype=np.float32)
            expect_layer_dice(found[0], grow, out)
            found.insert(0, out)
        return found

    def lay_pairs(self, layers: list[list[Floats]]) -> list[Floats]:
        """Return the same values as rows, by dice kept: [pair, lane]. Unused lanes hold anything."""
        lattice = self.lattice
        assert len(layers) <= LANES
        lanes = 1 if len(layers) == 1 else LANES
        pairs = []
        for size in range(lattice.dice + 1):
            rows = self.work(f"pairs{size}", lattice.pairs(size), lanes)
            for lane, by_size in enumerate(layers):
                lay_pairs(by_size[size], lattice.mirrored, lane, rows)
            pairs.append(rows)
        return pairs

    def reroll(self, pairs: list[Floats]) -> tuple[list[list[Floats]], list[Floats]]:
        """Return keeps by throws that follow (from 2 on) and dice kept; and those of the first decision.

        They are in the work space, which the next turn overwrites.
        """
        rows, lanes = self.lattice.keeps[:-1], pairs[0].shape[1]
        current = [self.work(f"keeps{size.size}", size.rows, lanes) for size in rows]
        for size in rows:
            pick_rows(pairs[size.size], size.pair, current[size.size])
        found: list[list[Floats]] = []
        for follow in range(2, self.rules.throws):
            above = self.best_throws(current, pairs[-1])
            current = [self.work(f"keeps{size.size} of {follow}", size.rows, lanes) for size in rows]
            for size in reversed(rows):
                expect_die(above, size.more, current[size.size])
                above = current[size.size]
            found.append(current)
        return found, current

    def best_throws(self, keeps: list[Floats], final: Floats) -> Floats:
        """Return for every throw the best of ending the turn and of all keeps within it."""
        rows, lanes = self.lattice.keeps, final.shape[1]
        best = keeps[0]
        for size in rows[1:-1]:
            out = self.work(f"best{size.size}", size.rows, lanes)
            best_keeps(keeps[size.size], size.less, best, out)
            best = out
        throws = self.work("throws", rows[-1].rows, lanes)
        best_throws(final, rows[-1].pair, rows[-1].less, best, throws)
        return throws


class CpuTurns:
    """The turns of one game, on every core by Numba's kernels."""

    part = 512  # sheets between two saves: some seconds on two cores

    def __init__(self, rules: Ruleset, index: SheetIndex) -> None:
        self.solver = TurnSolver(rules, index)

    def compiled(self) -> bool:
        """Return whether the last kernel of the compile order is compiled."""
        rows = np.empty((0, 0), dtype=np.float32)
        return is_compiled(mean_throw, rows, np.empty(0, dtype=np.int32), SUM_BLOCKS, np.empty((0, 0)))

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of a level's sheets, from those of the level after the turn."""
        values = np.empty(len(level))
        for first in range(0, len(level), LANES):
            end = min(first + LANES, len(level))
            sheets = SheetBatch(level.mask[first:end], level.total[first:end], after)
            values[first:end] = self.solver.start_values(sheets)
            on_batch(end - first)
        return values
