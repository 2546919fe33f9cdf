"""Kernels for one sheet: all values of a turn, and every box for given dice."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.compiled import entry_kernel, kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import (
    NONE,
    choose,
    expect,
    first_throw,
    joker_column,
    pay_repeats,
    score_jokers,
    score_throws,
)
from dicecup.solver.single.packing import read
from dicecup.solver.single.state_tables import ChoiceTables
from dicecup.solver.vector import lanes, load, store


@kernel()
def follows_lower(
    program: Program, source: Any, lower: int, above: int, position: int, part: int, target: int
) -> Any:
    """Return the value after filling a lower box."""
    digit = (lower // program.stride[part]) % program.digits[part]
    after = lower + (program.target_class[target] - digit) * program.stride[part]
    if program.kinds[after] != program.kinds[lower]:
        position = program.promote[program.promote_first[above] + position]
    return read(source, after, position)


@kernel()
def follows_upper(program: Program, source: Any, lower: int, above: int, position: int, target: int) -> Any:
    """Return the value after filling an upper box; -inf if the gain is impossible."""
    kind = program.kinds[lower]
    move = program.move_first[kind, above] + target * program.group_size[kind, above] + position
    if program.move[move] < 0:
        return NONE
    return read(source, lower, program.move[move])


@kernel()
def gather_one(
    program: Program, source: Any, lower: int, above: int, position: int, ahead: Any, states: Any
) -> int:
    """Load the values after each target of one sheet into lane 0 of `ahead`; return the number of states."""
    used = noted = 0
    width = lanes(ahead)
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            ahead[used * width] = follows_lower(program, source, lower, above, position, part, target)
            used += 1
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    for part in range(program.member_state.shape[1]):
        state = program.member_state[member, part]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            ahead[used * width] = follows_upper(program, source, lower, above, position, target)
            used += 1
    return noted


@entry_kernel()
def turn_values(
    program: Program, source: Any, lower: int, above: int, position: int, room: Any, kept: Any, thrown: Any
) -> Any:
    """Compute all values of a turn on one sheet; return its value before the first throw.

    `kept[n, k]`: keeping multiset k with n + 1 throws left; `thrown[n, d]`: throw d with n throws left.
    All buffers have 64 bits, whatever the precision of the table.
    """
    rows, throws, keeps = program.take_starts.size - 1, program.weights.size, program.add.shape[0]
    width = lanes(room)
    work, final = room[: rows * width], room[rows * width : (rows + throws) * width]
    ahead = room[(rows + throws) * width :]
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    noted = gather_one(program, source, lower, above, position, ahead, states)
    score_throws(program, ahead, states, noted, final, work)
    if program.joker_dice.size > 0 and program.ready[lower]:
        score_jokers(program, lower, above, position, ahead, states, noted, final)
    if program.repeat_dice.size:
        pay_repeats(program, lower, above, position, final)
    for throw in range(throws):
        store(work, (keeps + throw) * width, load(final, throw * width))
        thrown[0, throw] = final[throw * width]
    for left in range(1, program.settings[0]):
        expect(program, work)
        for keep in range(keeps):
            kept[left - 1, keep] = work[keep * width]
        choose(program, work, final)
        for throw in range(throws):
            thrown[left, throw] = work[(keeps + throw) * width]
    store(work, 0, first_throw(program, work))
    return work[0]


@entry_kernel()
def box_values(
    program: Program,
    choices: ChoiceTables,
    source: Any,
    lower: int,
    above: int,
    position: int,
    locals_: Any,
    throw: int,
    values: Any,
    points: Any,
) -> None:
    """Compute points and values of every box for a throw: [box, 0] as the dice score, [box, 1] struck; or
    NaN.

    `locals_` are the numbers of the sheets of the groups of boxes, upper ones first.
    """
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    uppers = program.member_state.shape[1]
    columns = choices.joker.size + 2 * program.joker_dice.size
    column = option_column(program, choices, lower, member, throw)
    repeats = repeat_points(program, lower, member, throw)
    highest = 0
    for part in range(locals_.size):
        row = (choices.first_state[part] + locals_[part]) * columns + column
        for option in range(choices.option_start[row], choices.option_start[row + 1]):
            highest = max(highest, choices.option_precedence[option])
    values[:] = np.nan
    for part in range(locals_.size):
        state = choices.first_state[part] + locals_[part]
        row = state * columns + column
        for option in range(choices.option_start[row], choices.option_start[row + 1]):
            if choices.option_endurance[option] < highest:
                continue
            target = program.target_start[state] + choices.option_target[option]
            if part < uppers:
                ahead = follows_upper(program, source, lower, above, position, target)
            else:
                ahead = follows_lower(program, source, lower, above, position, part - uppers, target)
            box, struck = choices.option_box[option], choices.option_struck[option]
            points[box, struck] = choices.option_points[option]
            values[box, struck] = ahead + choices.option_points[option] + repeats


@kernel(inline="always")
def option_column(program: Program, choices: ChoiceTables, lower: int, member: int, throw: int) -> Any:
    """Return the column of a throw: its own, or that of a joker if the sheet is ready for one."""
    joker = choices.joker[throw]
    if joker < 0 or not (program.ready[lower] and program.upper_ready[member]):
        return throw
    return choices.joker.size + joker_column(program, member, joker)


@kernel()
def repeat_points(program: Program, lower: int, member: int, throw: int) -> Any:
    """Return what a repeat adds to this throw, in any box."""
    if program.holding[lower] or program.upper_holding[member]:
        for number in program.repeat_dice:
            if number == throw:
                return program.settings[1]
    return 0
