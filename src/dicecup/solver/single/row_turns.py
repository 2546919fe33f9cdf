"""Turns on rows of sheets, compiled: decided for each total by itself, or by the highest expected score."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.compiled import fill, kernel, lanes, larger, load, shared_kernel, store
from dicecup.solver.single.kernel_tables import BARRING, NEUTRAL, YIELDING, ChoiceTables, KernelTables
from dicecup.solver.single.level_kernels import (
    NONE,
    best_option,
    expect,
    first_throw,
    highest_precedence,
    joker_column,
    turn,
)
from dicecup.solver.single.row_kernels import BLOCK, NEVER, RowLevel, RowTables, copy_rows, gather_places
from dicecup.solver.single.solution import gather_one, option_column, repeat_points


@kernel()
def choose_by_points(
    program: KernelTables,
    choices: ChoiceTables,
    source: Any,
    lower: int,
    above: int,
    position: int,
    ahead: Any,
    states: Any,
    expected: Any,
    best: Any,
    boxes: Any,
    keeps: Any,
) -> None:
    """Find the decisions that are best for the expected score.

    `boxes[throw]` are the target and the points of its best box. `keeps[left, throw]` is the row of the best
    keep with so many throws left, or that of the throw itself where scoring is best.
    """
    noted = gather_one(program, source, lower, above, position, ahead, states)
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    columns = choices.joker.size + 2 * program.joker_dice.size
    for throw in range(best.size):
        column = option_column(program, choices, lower, member, throw)
        value, option, place = best_option(choices, columns, column, 0, ahead, states, noted)
        more = repeat_points(program, lower, member, throw)
        boxes[throw, 0] = states[place, 1] + choices.option_target[option]
        boxes[throw, 1] = choices.option_points[option] + more
        best[throw] = value + more
    choose_keeps(program, expected, best, keeps)


@kernel()
def choose_keeps(program: KernelTables, expected: Any, best: Any, keeps: Any) -> None:
    """Find the best keeps of a turn whose throws are worth `best` when they are scored.

    `keeps` are as in `choose_by_points`; `expected` is room for a number of each row of the lattice.
    """
    fewer, faces = program.add.shape[0], program.add.shape[1]
    expected[fewer:] = best
    for left in range(1, program.settings[0]):
        for keep in range(fewer - 1, -1, -1):
            total = 0.0
            for face in range(faces):
                total += expected[program.add[keep, face]]
            expected[keep] = total / faces
        pick_keeps(program, expected, best, keeps[left])


@kernel()
def pick_keeps(program: KernelTables, expected: Any, best: Any, picked: Any) -> None:
    """Set `picked` to the row of the best keep inside each throw, and `expected` to its value."""
    fewer, rows = program.add.shape[0], program.take_starts.size - 1
    values = expected.copy()
    inside = np.empty(rows, np.int32)
    for row in range(rows):
        inside[row] = row
        if row >= fewer:
            values[row] = best[row - fewer]
        for neighbour in range(program.take_starts[row], program.take_starts[row + 1]):
            other = program.take[neighbour]
            if values[other] > values[row]:
                values[row], inside[row] = values[other], inside[other]
    for throw in range(best.size):
        picked[throw] = inside[fewer + throw]
        expected[fewer + throw] = values[fewer + throw]


@kernel()
def follow_choices(
    program: KernelTables, room: Any, size: int, first: int, boxes: Any, keeps: Any, work: Any
) -> Any:
    """Return the numbers of a turn before its first throw, for decisions that are already made."""
    fewer, throws, width = program.add.shape[0], program.weights.size, lanes(work)
    final = np.empty(throws * width, work.dtype)
    for throw in range(throws):
        value = load(room, boxes[throw, 0] * size + first + boxes[throw, 1])
        store(final, throw * width, value)
        store(work, (fewer + throw) * width, value)
    for left in range(1, program.settings[0]):
        expect(program, work)
        for throw in range(throws):
            row = keeps[left, throw]
            value = load(final, throw * width) if row >= fewer else load(work, row * width)
            store(work, (fewer + throw) * width, value)
    return first_throw(program, work)


@kernel()
def follow_block(
    begin: int,
    program: KernelTables,
    tables: RowTables,
    choices: ChoiceTables,
    source: Any,
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
    work = np.empty(rows * width, values.dtype)
    room = np.empty(program.target_class.size * most, values.dtype)
    result = np.empty(width, values.dtype)
    ahead = np.empty(program.target_class.size * width, np.float64)
    places = np.empty(program.target_class.size, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    expected, best = np.empty(rows), np.empty(throws)
    boxes = np.empty((throws, 2), np.int64)
    keeps = np.empty((program.settings[0], throws), np.int32)
    for number in range(begin, end):
        lower, position = lowers[number], positions[number]
        above = open_boxes - program.opens[lower]
        choose_by_points(
            program, choices, source, lower, above, position, ahead, states, expected, best, boxes, keeps
        )
        boxes[:, 1] *= tables.bounds[2]
        _, used = gather_places(program, lower, above, position, below.starts, places, states)
        size = (length[number] + width - 1) // width * width + high - low
        copy_rows(below, places, used, base[number], room, size, low, ends)
        for start in range(0, length[number], width):
            store(result, 0, follow_choices(program, room, size, start - low, boxes, keeps, work))
            for lane in range(min(width, length[number] - start)):
                value = result[lane]
                values[first[number] + start + lane] = value if value > NEVER else 0.0


@shared_kernel(BLOCK)
def follow_rows(
    begin: int,
    end: int,
    program: KernelTables,
    tables: RowTables,
    choices: ChoiceTables,
    source: Any,
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
    """Compute the rows of these sheets when every decision is the one with the highest expected score.

    `source` has the expected scores of the level below; the rest is as for `solve_rows`.
    """
    for block in range(begin, end, BLOCK):
        follow_block(
            block, program, tables, choices, source, lowers, positions, open_boxes,
            below, ends, first, length, base, values,
        )  # fmt: skip


@kernel()
def score_rows(
    program: KernelTables,
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
    program: KernelTables, room: Any, size: int, first: int, states: Any, noted: int, final: Any
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
    program: KernelTables,
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
    program: KernelTables,
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
        highest = highest_precedence(program, columns, column, room, size, 0, states, noted)
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
    program: KernelTables,
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
    program: KernelTables,
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
