"""Many games played by the quick value, compiled: dice of one layer, any number of columns.

Each game values the sheets that can follow by itself; throws and keeps are computed for a vector of games at
once, by the kernels of the solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dicecup.playout.perfect_kernel import STOP, UNKNOWN, best_part, chance_of, throw_dice
from dicecup.solver.arrays import NOWHERE, Array, by_reference
from dicecup.solver.compiled import VECTOR_BYTES, kernel, lanes, larger, load, shared_kernel, store
from dicecup.solver.learned.layout import CLOSED, Moves
from dicecup.solver.single.level_kernels import choose, expect, first_throw

NONE = np.float32(-np.inf)


@by_reference
class QuickTables(NamedTuple):
    """The lattice of dice, by the names that the kernels of the solver use, and what each box pays.

    A *kind* is a set of throws that a box never distinguishes, on any sheet: all with three sixes, say.
    """

    add: Array
    take: Array
    take_starts: Array
    weights: Array
    inside: Array
    inside_starts: Array
    # By entry: the kinds of throws for which the box gives more than a strike would
    pay_start: Array
    pay_kind: Array
    pay_slot: Array
    pay_points: Array
    kind_start: Array  # by throw: the kinds it is of, one for every box that may pay for it
    kind: Array
    joker_throw: Array  # by joker: its throw


@by_reference
class Course(NamedTuple):
    """By game: the rows of its sheet, its points and its luck so far."""

    rows: Array  # [game, part of the sheet]
    sheet: Array  # its number in the endgame, or NOWHERE
    scores: Array
    luck: Array
    together: Array  # the luck of every two turns, multiplied and summed


@kernel()
def look_ahead(moves: Moves, late: Any, early: Any, rows: Any, share: Any, ahead: Any) -> None:
    """Compute what every slot adds: the growth of value and bonus. `share`: of the boxes still open."""
    for slot in range(ahead.size):
        before, step = rows[moves.slot_place[slot]], moves.slot_step[slot]
        after = moves.after[before, step]
        if after == NOWHERE:
            ahead[slot] = NONE
            continue
        grown = moves.paid[before, step]
        if share > 0:
            grown += late[after] - late[before] + share * (early[after] - early[before])
        ahead[slot] = grown


@kernel()
def joker_column(moves: Moves, rows: Any, throw: int) -> Any:
    """Return the column of a throw in the entries: that of a joker, if it is one on this sheet."""
    joker = moves.joker[throw]
    if joker == NOWHERE:
        return throw
    for part in range(rows.size):
        if not moves.passes[rows[part], joker]:
            return throw
    return moves.joker.size + joker


@kernel()
def best_cell(moves: Moves, rows: Any, ahead: Any, column: int) -> Any:
    """Return the best box for a throw: its value, the slot it leads to and the points it writes."""
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
def offer(moves: Moves, tables: QuickTables, rows: Any, ahead: Any, lane: int, offers: Any) -> Any:
    """Compute the best box for every kind of throw, in its lane; return the value of the best strike."""
    width = lanes(offers)
    strike = NONE
    for cell in range(moves.cell_place.size):
        entry = moves.entry[rows[moves.cell_place[cell]], moves.cell_number[cell]]
        if entry == CLOSED:
            continue
        first, times = moves.cell_slot[cell], moves.multiplier[cell]
        strike = max(strike, ahead[first + moves.entry_zero[entry]])
        for place in range(tables.pay_start[entry], tables.pay_start[entry + 1]):
            value = ahead[first + tables.pay_slot[place]] + tables.pay_points[place] * times
            at = tables.pay_kind[place] * width + lane
            offers[at] = max(offers[at], value)
    return strike


@kernel()
def score_throws(tables: QuickTables, strikes: Any, offers: Any, final: Any) -> None:
    """Compute the value of every throw at the end of the turn, in all lanes at once."""
    width = lanes(final)
    for throw in range(tables.kind_start.size - 1):
        best = load(strikes, 0)
        for place in range(tables.kind_start[throw], tables.kind_start[throw + 1]):
            best = larger(best, load(offers, tables.kind[place] * width))
        store(final, throw * width, best)


@kernel()
def score_jokers(moves: Moves, tables: QuickTables, rows: Any, ahead: Any, lane: int, final: Any) -> None:
    """Score the throws that are jokers on this sheet."""
    for throw in tables.joker_throw:
        column = joker_column(moves, rows, throw)
        if column != throw:
            final[throw * lanes(final) + lane] = best_cell(moves, rows, ahead, column)[0]


@kernel()
def fill_best_cell(moves: Moves, follow: Any, course: Course, game: int, ahead: Any, throw: int) -> None:
    """End the turn in the best box."""
    rows = course.rows[game]
    _, slot, points = best_cell(moves, rows, ahead, joker_column(moves, rows, throw))
    place, step = moves.slot_place[slot], moves.slot_step[slot]
    course.scores[game] += np.int64(points + moves.paid[rows[place], step])
    rows[place] = moves.after[rows[place], step]
    if course.sheet[game] != NOWHERE:
        course.sheet[game] = follow[course.sheet[game], slot]


@kernel()
def value_of_begun(tables: QuickTables, kept: Any, final: Any, lane: int, row: int, left: int) -> Any:
    """Return the value of a turn that has begun: with the dice of `row`, and `left` throws to come."""
    keeps, width = tables.add.shape[0], lanes(kept)
    if row >= keeps:
        stop = final[(row - keeps) * width + lane]
        if left == 0:
            return stop
        again = best_part(tables, kept, stop, lane, (left - 1) * keeps, row - keeps)
        if again == STOP:
            return stop
        row = again
    return kept[((left - 1) * keeps + row) * width + lane]


@kernel()
def note(course: Course, game: int, luck: Any) -> None:
    """Add the luck of a turn."""
    course.together[game] += luck * course.luck[game]
    course.luck[game] += luck


class Space(NamedTuple):
    """The work space in which the turns of a vector of games are computed."""

    offers: Array
    strikes: Array
    final: Array
    work: Array
    kept: Array
    expected: Array


@kernel()
def space_for(tables: QuickTables, throws: int, example: Any) -> Space:
    """Allocate the work space; `example` is an array of the wanted precision."""
    width, keeps, count = lanes(example), tables.add.shape[0], tables.weights.size
    return Space(
        np.empty((tables.pay_kind.max() + 1) * width, example.dtype),
        np.zeros(width, example.dtype),
        np.empty(count * width, example.dtype),
        np.empty((keeps + count) * width, example.dtype),
        np.empty(max(throws - 1, 1) * keeps * width, example.dtype),
        np.empty(width, example.dtype),
    )


@kernel()
def solve_turns(
    moves: Moves, tables: QuickTables, sheets: Any, ahead: Any, throws: int, space: Space
) -> None:
    """Compute the turn on some sheets, a lane each: keeps, throws, and its expected value."""
    keeps, width = tables.add.shape[0], lanes(space.work)
    space.offers[:] = NONE
    for lane in range(sheets.shape[0]):
        space.strikes[lane] = offer(moves, tables, sheets[lane], ahead[lane], lane, space.offers)
    score_throws(tables, space.strikes, space.offers, space.final)
    for lane in range(sheets.shape[0]):
        score_jokers(moves, tables, sheets[lane], ahead[lane], lane, space.final)
    for place in range(space.final.size):
        space.work[keeps * width + place] = space.final[place]
    for before in range(1, throws):
        expect(tables, space.work)
        for place in range(keeps * width):
            space.kept[(before - 1) * keeps * width + place] = space.work[place]
        choose(tables, space.work, space.final)
    store(space.expected, 0, first_throw(tables, space.work))


@shared_kernel(VECTOR_BYTES // 4)
def value_sheets(
    begin: int, end: int, moves: Moves, tables: QuickTables, sheets: Any, ahead: Any, throws: int, values: Any
) -> None:
    """Compute the values of sheets before their turn, from what every slot adds."""
    space, width = space_for(tables, throws, values), lanes(values)
    for first in range(begin, end, width):
        last = min(first + width, end)
        solve_turns(moves, tables, sheets[first:last], ahead[first:last], throws, space)
        values[first:last] = space.expected[: last - first]


@shared_kernel(VECTOR_BYTES // 4)
def play_quick_games(
    begin: int,
    end: int,
    moves: Moves,
    tables: QuickTables,
    late: Any,
    early: Any,
    end_ahead: Any,
    end_follow: Any,
    course: Course,
    throws: int,
    turns: int,
    row: int,
    left: int,
    seed: Any,
) -> None:
    """Play every game to its end. The first turn begins with the dice of `row`, with `left` throws to come.

    The luck of a turn is what it brought, the value of the sheet included, less what was to be expected of
    this player: it is 0 on average, however good the value is.
    """
    space, width = space_for(tables, throws, late), lanes(late)
    ahead = np.empty((width, moves.slot_place.size), late.dtype)
    known = np.empty((throws, tables.weights.size), np.int16)
    for first in range(begin, end, width):
        last = min(first + width, end)
        for turn in range(turns):
            after = turns - 1 - turn
            for game in range(first, last):
                if course.sheet[game] != NOWHERE:
                    ahead[game - first] = end_ahead[course.sheet[game]]
                else:
                    share = after / moves.cell_place.size
                    look_ahead(moves, late, early, course.rows[game], share, ahead[game - first])
            solve_turns(moves, tables, course.rows[first:last], ahead, throws, space)
            whole = turn > 0 or (row == 0 and left == throws)
            for game in range(first, last):
                lane = game - first
                known[:] = UNKNOWN
                chance = chance_of(seed, game, after)
                dice, to_come = (0, throws) if whole else (row, left)
                throw = throw_dice(
                    tables, tables, space.kept, space.final, lane, dice, to_come, chance, known
                )
                worth = space.expected[lane]
                if not whole:
                    worth = value_of_begun(tables, space.kept, space.final, lane, row, left)
                note(course, game, space.final[throw * width + lane] - worth)
                fill_best_cell(moves, end_follow, course, game, ahead[lane], throw)
