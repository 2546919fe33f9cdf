"""Rows of numbers for sheets, compiled: which sheets follow, how far they reach, and every way to end a turn.

The kernels of `level_kernels` compute one number a sheet: what it is worth. Here a sheet has a *row* of
numbers, one for each total, and filling a box with q points leads to the row of another sheet, q further on.
So the totals are the lanes of the vectors, and legality is the same in all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dicecup.solver.arrays import Array, by_reference
from dicecup.solver.compiled import entry_kernel, kernel, lanes
from dicecup.solver.single.kernel_tables import ChoiceTables, KernelTables
from dicecup.solver.single.level_kernels import NONE, highest_precedence
from dicecup.solver.single.solution import gather_one, option_column, repeat_points

BLOCK = 32  # sheets of one piece of work
# Chances below it are treated as 0: a turn would make denormal numbers of them, with which processors are
# many times slower.
NEVER = 1e-20


@by_reference
class RowTables(NamedTuple):
    """What the kernels of rows read beside `KernelTables`: points as whole numbers."""

    entry_points: Array
    option_points: Array
    most: Array  # by target: the most points that lead to it
    least: Array
    bounds: Array  # the fewest and the most points of any box, a repeat included; whether points count


@by_reference
class RowLevel(NamedTuple):
    """The rows of one level, by the number of the state. `base` is the total of the first number of a row."""

    starts: Array  # by lower class: where its group begins among the states of the level
    first: Array  # where the row of a state begins in `values`; -1 if the state is not wanted
    length: Array
    base: Array
    values: Array


@kernel()
def gather_places(
    program: KernelTables, lower: int, above: int, position: int, starts: Any, places: Any, states: Any
) -> Any:
    """Find the state of the level below that each target leads to, or -1, in the order of `gather_one`;
    return how many groups of boxes and how many targets there are.
    """
    used = noted = 0
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            after = lower + (program.target_class[target] - digit) * program.stride[part]
            there = position
            if program.kinds[after] != program.kinds[lower]:
                there = program.promote[program.promote_first[above] + position]
            places[used] = starts[after] + there
            used += 1
    kind = program.kinds[lower]
    member = program.member[program.group_first[kind, above] + position]
    for part in range(program.member_state.shape[1]):
        state = program.member_state[member, part]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            move = program.move_first[kind, above] + target * program.group_size[kind, above] + position
            places[used] = starts[lower] + program.move[move] if program.move[move] >= 0 else -1
            used += 1
    return noted, used


@entry_kernel(nogil=True)
def mark_below(
    program: KernelTables, lowers: Any, positions: Any, open_boxes: int, starts: Any, marked: Any
) -> None:
    """Mark all states of the level below that one turn on these sheets can lead to."""
    places = np.empty(program.target_class.size, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    for number in range(lowers.size):
        above = open_boxes - program.opens[lowers[number]]
        _, used = gather_places(program, lowers[number], above, positions[number], starts, places, states)
        for target in range(used):
            if places[target] >= 0:
                marked[places[target]] = True


@entry_kernel(nogil=True)
def reach_of(
    program: KernelTables,
    tables: RowTables,
    lowers: Any,
    positions: Any,
    open_boxes: int,
    starts: Any,
    below_most: Any,
    below_least: Any,
    most: Any,
    least: Any,
) -> None:
    """Compute the most and the fewest points that can still be written from each sheet on."""
    places = np.empty(program.target_class.size, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    for number in range(lowers.size):
        lower, position = lowers[number], positions[number]
        above = open_boxes - program.opens[lower]
        noted, _ = gather_places(program, lower, above, position, starts, places, states)
        member = program.member[program.group_first[program.kinds[lower], above] + position]
        pays = program.repeat_dice.size and (program.holding[lower] or program.upper_holding[member])
        repeat = program.settings[1] if pays else 0
        high, low, first = 0, 0, True
        for place in range(noted):
            state = states[place, 0]
            for target in range(program.target_start[state], program.target_start[state + 1]):
                there = places[states[place, 1] + target - program.target_start[state]]
                if there >= 0:
                    up = below_most[there] + tables.most[target] + max(repeat, 0)
                    down = below_least[there] + tables.least[target] + min(repeat, 0)
                    high = up if first else max(high, up)
                    low = down if first else min(low, down)
                    first = False
        most[number], least[number] = high, low


@kernel()
def copy_rows(
    below: RowLevel, places: Any, used: int, base: int, room: Any, size: int, low: int, ends: Any
) -> None:
    """Copy the rows after every target side by side, shifted so that the same total is in the same place.

    A copied row begins `low` points from `base`. Beyond the ends of a row is the first or last of `ends`.
    """
    for target in range(used):
        there, start = places[target], target * size
        if there < 0:
            for place in range(size):
                room[start + place] = NONE
            continue
        shift = base + low - below.base[there]
        first, length = below.first[there], below.length[there]
        begin = min(max(-shift, 0), size)
        end = min(max(length - shift, begin), size)
        for place in range(begin):
            room[start + place] = ends[0]
        for place in range(begin, end):
            room[start + place] = below.values[first + shift + place]
        for place in range(end, size):
            room[start + place] = ends[1]


@entry_kernel(nogil=True)
def places_after(
    program: KernelTables, lower: int, above: int, position: int, starts: Any, places: Any, states: Any
) -> Any:
    """As `gather_places`, for callers in Python."""
    return gather_places(program, lower, above, position, starts, places, states)


@entry_kernel(nogil=True)
def expected_after(
    program: KernelTables, source: Any, lower: int, above: int, position: int, found: Any
) -> None:
    """Compute the expected points still to come after every target, in the order of `gather_places`."""
    width = lanes(found)
    ahead = np.empty(program.target_class.size * width)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    gather_one(program, source, lower, above, position, ahead, states)
    for target in range(found.size):
        found[target] = ahead[target * width]


@entry_kernel(nogil=True)
def legal_options(
    program: KernelTables,
    choices: ChoiceTables,
    lower: int,
    member: int,
    states: Any,
    noted: int,
    ahead: Any,
    found: Any,
    starts: Any,
) -> int:
    """List every legal way to end a turn, throw by throw: box, whether it is struck, target, points; return
    how many there are. `ahead` is `NONE` for targets that lead nowhere, `starts` where each throw begins.
    """
    columns, count = choices.joker.size + 2 * program.joker_dice.size, 0
    for throw in range(program.weights.size):
        starts[throw] = count
        column = option_column(program, choices, lower, member, throw)
        more = repeat_points(program, lower, member, throw)
        highest = highest_precedence(choices, columns, column, ahead, 1, 0, states, noted)
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(choices.option_start[row], choices.option_start[row + 1]):
                target = states[place, 1] + choices.option_target[option]
                if ahead[target] > NONE and choices.option_endurance[option] >= highest:
                    found[count, 0] = choices.option_box[option]
                    found[count, 1] = choices.option_struck[option]
                    found[count, 2] = target
                    found[count, 3] = choices.option_points[option] + more
                    found[count, 4] = choices.option_points[option]
                    count += 1
    starts[program.weights.size] = count
    return count
