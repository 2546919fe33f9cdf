"""The loops of one turn, compiled for the CPU by Numba.

Rows are keeps or throws (see `multisets`), lanes are sheets solved side by side: every step processes whole
rows, so that the index tables are read once for all lanes. A single sheet has one lane; otherwise there are
LANES, used or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from dicecup.solver.compiled import entry_kernel, kernel, parallel_kernel
from dicecup.solver.double.game_tables import FORBIDDEN, GameTables
from dicecup.solver.vector import ROW_BYTES, fill, larger, load, plus, store, times

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
