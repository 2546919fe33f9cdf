"""One turn of many games played by the quick value, compiled: dice of one layer, any number of columns.

Every game looks ahead and scores by itself; keeps and throws are worked out for a vector of games at once,
by the kernels of the solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from dicecup.coach.games_kernel import UNKNOWN, chance_of, throw_dice
from dicecup.solver.compiled import kernel, parallel_kernel
from dicecup.solver.index import Array
from dicecup.solver.learned.moves import CLOSED, NOWHERE, Moves
from dicecup.solver.turn_kernel import choose, expect
from dicecup.solver.vector import lanes

NONE = np.float32(-np.inf)


class QuickTables(NamedTuple):
    """The dice, by the names that the kernels of the solver know, and what each entry pays."""

    add: Array
    take: Array
    take_starts: Array
    part_start: Array  # by throw: its parts, as rows of the lattice
    part: Array
    # The throws for which a box gives more than a strike would, entry by entry
    pay_start: Array
    pay_throw: Array
    pay_slot: Array
    pay_points: Array
    joker_throw: Array  # by joker: its throw


class Course(NamedTuple):
    """By game: the rows of its sheet, its points so far."""

    rows: Array  # [game, part of the sheet]
    scores: Array


@kernel()
def look_ahead(moves: Moves, late: Any, early: Any, rows: Any, share: Any, ahead: Any) -> None:
    """What every slot adds: the growth of the value, and of the bonus. `share` below 0: nothing follows."""
    for slot in range(ahead.size):
        before, step = rows[moves.slot_place[slot]], moves.slot_step[slot]
        after = moves.after[before, step]
        if after == NOWHERE:
            ahead[slot] = NONE
            continue
        grown = moves.paid[before, step]
        if share >= 0:
            grown += late[after] - late[before] + share * (early[after] - early[before])
        ahead[slot] = grown


@kernel()
def joker_column(moves: Moves, rows: Any, throw: int) -> Any:
    """Where the entries have this throw: as a joker, if it is one on this sheet."""
    joker = moves.joker[throw]
    if joker == NOWHERE:
        return throw
    for part in range(rows.size):
        if not moves.passes[rows[part], joker]:
            return throw
    return moves.joker.size + joker


@kernel()
def best_cell(moves: Moves, rows: Any, ahead: Any, column: int) -> Any:
    """The best box for a throw: what it is worth, the slot it leads to and the points it writes."""
    best, found, written = NONE, 0, np.float32(0)
    for cell in range(moves.cell_place.size):
        entry = moves.entry[rows[moves.cell_place[cell]], moves.cell_number[cell]]
        if entry == CLOSED:
            continue
        slot = moves.cell_slot[cell] + moves.entry_slot[entry, column]
        points = moves.entry_points[entry, column] * moves.multiplier[cell]
        if ahead[slot] + points > best:
            best, found, written = ahead[slot] + points, slot, points
        slot = moves.cell_slot[cell] + moves.entry_zero[entry]
        if ahead[slot] > best:
            best, found, written = ahead[slot], slot, np.float32(0)
    return best, found, written


@kernel()
def score_throws(moves: Moves, tables: QuickTables, rows: Any, ahead: Any, best: Any) -> None:
    """What every throw is worth at the end of the turn."""
    strike = NONE
    for cell in range(moves.cell_place.size):
        entry = moves.entry[rows[moves.cell_place[cell]], moves.cell_number[cell]]
        if entry != CLOSED:
            strike = max(strike, ahead[moves.cell_slot[cell] + moves.entry_zero[entry]])
    best[:] = strike
    for cell in range(moves.cell_place.size):
        entry = moves.entry[rows[moves.cell_place[cell]], moves.cell_number[cell]]
        if entry == CLOSED:
            continue
        first, times = moves.cell_slot[cell], moves.multiplier[cell]
        for place in range(tables.pay_start[entry], tables.pay_start[entry + 1]):
            throw = tables.pay_throw[place]
            value = ahead[first + tables.pay_slot[place]] + tables.pay_points[place] * times
            best[throw] = max(best[throw], value)
    for throw in tables.joker_throw:
        column = joker_column(moves, rows, throw)
        if column != throw:
            best[throw] = best_cell(moves, rows, ahead, column)[0]


@kernel()
def fill_cell(moves: Moves, course: Course, game: int, ahead: Any, throw: int) -> None:
    """End the turn in the best box."""
    rows = course.rows[game]
    _, slot, points = best_cell(moves, rows, ahead, joker_column(moves, rows, throw))
    place, step = moves.slot_place[slot], moves.slot_step[slot]
    course.scores[game] += np.int64(points + moves.paid[rows[place], step])
    rows[place] = moves.after[rows[place], step]


@parallel_kernel(nogil=True)
def play_turn(
    moves: Moves,
    tables: QuickTables,
    late: Any,
    early: Any,
    share: Any,
    course: Course,
    throws: int,
    row: int,
    left: int,
    seed: Any,
    turn: int,
) -> None:
    """One turn of every game. It begins with the dice of `row`, `left` throws still to come."""
    games, width = course.scores.size, lanes(late)
    for chunk in numba.prange((games + width - 1) // width):
        keeps, count = tables.add.shape[0], moves.joker.size
        work = np.empty((keeps + count) * width, late.dtype)
        final = np.zeros(count * width, late.dtype)
        kept = np.empty(max(throws - 1, 1) * keeps * width, late.dtype)
        ahead = np.empty((width, moves.slot_place.size), late.dtype)
        best = np.empty(count, late.dtype)
        known = np.empty((throws, count), np.int16)
        first = chunk * width
        used = min(width, games - first)
        for lane in range(used):
            rows = course.rows[first + lane]
            look_ahead(moves, late, early, rows, share, ahead[lane])
            score_throws(moves, tables, rows, ahead[lane], best)
            for throw in range(count):
                final[throw * width + lane] = best[throw]
        work[keeps * width :] = final
        for before in range(1, throws):
            expect(tables, work)
            kept[(before - 1) * keeps * width : before * keeps * width] = work[: keeps * width]
            if before + 1 < throws:
                choose(tables, work, final)
        for lane in range(used):
            game = first + lane
            known[:] = UNKNOWN
            chance = chance_of(seed, game, turn)
            throw = throw_dice(tables, tables, kept, final, lane, row, left, chance, known)
            fill_cell(moves, course, game, ahead[lane], throw)
