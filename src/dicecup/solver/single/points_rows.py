"""Rows of sheets when every decision is the one with the highest expected score."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.compiled import kernel, shared_kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import best_option, expect, first_throw
from dicecup.solver.single.row_kernels import BLOCK, NEVER, RowLevel, RowTables, copy_rows, gather_places
from dicecup.solver.single.state_tables import ChoiceTables
from dicecup.solver.single.turn_values import gather_one, option_column, repeat_points
from dicecup.solver.vector import lanes, load, store


@kernel()
def choose_by_points(
    program: Program,
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
def choose_keeps(program: Program, expected: Any, best: Any, keeps: Any) -> None:
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
def pick_keeps(program: Program, expected: Any, best: Any, picked: Any) -> None:
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
    program: Program, room: Any, size: int, first: int, boxes: Any, keeps: Any, work: Any
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
    program: Program,
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
    program: Program,
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
