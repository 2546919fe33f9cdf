"""Rows of sheets when every decision is the best one for each total by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.compiled import kernel, shared_kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import NONE, joker_column, turn
from dicecup.solver.single.row_kernels import BLOCK, NEVER, RowLevel, RowTables, copy_rows, gather_places
from dicecup.solver.single.state_tables import BARRING, NEUTRAL, YIELDING
from dicecup.solver.vector import fill, lanes, larger, load, store


@kernel()
def score_rows(
    program: Program,
    tables: RowTables,
    room: Any,
    size: int,
    first: int,
    states: Any,
    noted: int,
    repeat: int,
    more: Any,
    final: Any,
    yielding: Any,
) -> None:
    """Compute the best box of every throw, jokers aside; see `level_kernels.score_throws`.

    `first` is where 0 points lead in a row of `room`; `repeat` the points of a repeat on this sheet, or 0,
    and `more` by throw.
    """
    strikes_yield = program.settings[2] != 0
    throws, width = program.weights.size, lanes(final)
    none, strike = fill(final, NONE), strike_rows(program, room, size, first, states, noted, final)
    for throw in range(throws):
        store(final, throw * width, none if strikes_yield else strike)
        store(yielding, throw * width, strike)
    if repeat:
        strike = strike_rows(program, room, size, first + repeat, states, noted, final)
        for throw in program.repeat_dice:
            store(final, throw * width, none if strikes_yield else strike)
            store(yielding, throw * width, strike)
    for number in range(noted):
        state, row = states[number]
        if not strikes_yield:
            offer_rows(program, tables, room, size, first, state, row, BARRING, NEUTRAL + 1, more, final)
        else:
            offer_rows(program, tables, room, size, first, state, row, BARRING, YIELDING, more, final)
            offer_rows(program, tables, room, size, first, state, row, YIELDING, NEUTRAL, more, yielding)
    if not strikes_yield:
        return
    for place in range(throws * width):
        if final[place] == NONE:
            final[place] = yielding[place]
    for number in range(noted):
        state, row = states[number]
        offer_rows(program, tables, room, size, first, state, row, NEUTRAL, NEUTRAL + 1, more, final)


@kernel()
def strike_rows(
    program: Program, room: Any, size: int, first: int, states: Any, noted: int, final: Any
) -> Any:
    """Return the best of all boxes that any dice can cross out."""
    best = fill(final, NONE)
    for number in range(noted):
        state, row = states[number]
        for strike in range(program.strike_start[state], program.strike_start[state + 1]):
            best = larger(best, load(room, (row + program.strike_target[strike]) * size + first))
    return best


@kernel()
def offer_rows(
    program: Program,
    tables: RowTables,
    room: Any,
    size: int,
    first: int,
    state: int,
    row: int,
    begin: int,
    end: int,
    more: Any,
    best: Any,
) -> None:
    """Improve every throw by the entries of one state, from the class `begin` to the one before `end`."""
    width = lanes(best)
    for entry in range(program.entry_bounds[state, begin], program.entry_bounds[state, end]):
        throw = program.entry_dice[entry]
        points = tables.entry_points[entry] + more[throw]
        value = load(room, (row + program.entry_target[entry]) * size + first + points)
        store(best, throw * width, larger(value, load(best, throw * width)))


@kernel()
def score_joker_rows(
    program: Program,
    tables: RowTables,
    room: Any,
    size: int,
    first: int,
    states: Any,
    noted: int,
    member: int,
    more: Any,
    final: Any,
) -> None:
    """Score again the throws that can be a joker."""
    width, columns = lanes(final), 2 * program.joker_dice.size
    for number in range(program.joker_dice.size):
        throw = program.joker_dice[number]
        column = joker_column(program, member, number)
        highest = 0
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(program.option_start[row], program.option_start[row + 1]):
                if room[(states[place, 1] + program.option_target[option]) * size] > NONE:
                    highest = max(highest, program.option_precedence[option])
        for place in range(throw * width, (throw + 1) * width):
            final[place] = NONE
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(program.option_start[row], program.option_start[row + 1]):
                if program.option_endurance[option] >= highest:
                    start = (states[place, 1] + program.option_target[option]) * size
                    value = load(room, start + first + tables.option_points[option] + more[throw])
                    store(final, throw * width, larger(value, load(final, throw * width)))


@kernel()
def solve_block(
    begin: int,
    program: Program,
    tables: RowTables,
    lowers: Any,
    positions: Any,
    open_boxes: int,
    below: RowLevel,
    ends: Any,
    first: Any,
    length: Any,
    base: Any,
    values: Any,
) -> None:
    """Compute the rows of `BLOCK` sheets from `begin` on."""
    width = lanes(values)
    throws, rows = program.weights.size, program.take_starts.size - 1
    end = min(begin + BLOCK, lowers.size)
    longest = 0
    for number in range(begin, end):
        longest = max(longest, length[number])
    low, high = tables.bounds[0], tables.bounds[1]
    most = (longest + width - 1) // width * width + high - low
    work, final = np.empty(rows * width, values.dtype), np.empty(throws * width, values.dtype)
    yielding, more = np.empty(throws * width, values.dtype), np.zeros(throws, np.int64)
    room = np.empty(program.target_class.size * most, values.dtype)
    result = np.empty(width, values.dtype)
    places = np.empty(program.target_class.size, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    for number in range(begin, end):
        lower, position = lowers[number], positions[number]
        above = open_boxes - program.opens[lower]
        member = program.member[program.group_first[program.kinds[lower], above] + position]
        noted, used = gather_places(program, lower, above, position, below.starts, places, states)
        size = (length[number] + width - 1) // width * width + high - low
        copy_rows(below, places, used, base[number], room, size, low, ends)
        pays = program.holding[lower] or program.upper_holding[member]
        repeat = program.settings[1] * tables.bounds[2] if pays else 0
        for throw in program.repeat_dice:
            more[throw] = repeat
        jokers = program.joker_dice.size > 0 and program.ready[lower] and program.upper_ready[member]
        for start in range(0, length[number], width):
            score_rows(
                program, tables, room, size, start - low, states, noted, repeat, more, final, yielding
            )  # fmt: skip
            if jokers:
                score_joker_rows(
                    program, tables, room, size, start - low, states, noted, member, more, final
                )  # fmt: skip
            store(result, 0, turn(program, work, final))
            for lane in range(min(width, length[number] - start)):
                value = result[lane]
                values[first[number] + start + lane] = value if value > NEVER else 0.0


@shared_kernel(BLOCK)
def solve_rows(
    begin: int,
    end: int,
    program: Program,
    tables: RowTables,
    lowers: Any,
    positions: Any,
    open_boxes: int,
    below: RowLevel,
    ends: Any,
    first: Any,
    length: Any,
    base: Any,
    values: Any,
) -> None:
    """Compute the rows of these sheets, choosing what is best for each total by itself.

    `first`, `length` and `base` are those of the sheets' rows in `values`.
    """
    for block in range(begin, end, BLOCK):
        solve_block(
            block, program, tables, lowers, positions, open_boxes,
            below, ends, first, length, base, values,
        )  # fmt: skip
