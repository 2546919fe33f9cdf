"""Kernels for one sheet: all values of a turn, and every box for given dice."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.compiled import kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import (
    NONE,
    choose,
    expect,
    first_throw,
    pay_repeats,
    score_jokers,
    score_throws,
)
from dicecup.solver.single.packing import read
from dicecup.solver.single.state_tables import PAYS, ZERO, ChoiceTables
from dicecup.solver.vector import lanes, load, store


@kernel()
def follows_lower(
    program: Program, source: Any, lower: int, above: int, position: int, part: int, target: int
) -> Any:
    """What comes after filling a lower box."""
    digit = (lower // program.stride[part]) % program.digits[part]
    after = lower + (program.target_class[target] - digit) * program.stride[part]
    if program.kinds[after] != program.kinds[lower]:
        position = program.promote[program.promote_first[above] + position]
    return read(source, after, above, position)


@kernel()
def follows_upper(program: Program, source: Any, lower: int, above: int, position: int, target: int) -> Any:
    """What comes after filling an upper box; -inf where the gain cannot be had."""
    kind = program.kinds[lower]
    move = program.move_first[kind, above] + target * program.group_size[kind, above] + position
    if program.move[move] < 0:
        return NONE
    return read(source, lower, above - 1, program.move[move])


@kernel()
def gather_one(
    program: Program, source: Any, lower: int, above: int, position: int, ahead: Any, states: Any
) -> int:
    """Write what follows each target of one sheet into lane 0 of `ahead`; return the number of states."""
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


@kernel()
def turn_values(
    program: Program, source: Any, lower: int, above: int, position: int, room: Any, kept: Any, thrown: Any
) -> Any:
    """All values of a turn on one sheet; the result is its value before the first throw.

    `kept[n, k]`: keeping multiset k with n + 1 throws left; `thrown[n, d]`: throw d with n throws left. Both
    `room` and the other buffers are of the precision of the table.
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


@kernel()
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
    """Points and values of every box for a throw: [box, 0] as the dice score, [box, 1] struck; or NaN.

    `locals_` are the numbers of the sheets of the groups of boxes, upper ones first.
    """
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    columns = choices.joker_column.size + program.joker_dice.size
    uppers = program.member_state.shape[1]
    column = throw
    forced_box = -1
    joker = choices.joker_column[throw] - choices.joker_column.size
    waiting = joker >= 0 and program.ready[lower] and program.upper_ready[member]
    if waiting:
        if (program.closed[member] >> program.joker_face[joker]) & 1:
            column = choices.joker_column[throw]
        else:
            forced_box = program.joker_box[joker]
    forced = waiting and program.settings[3] != 0
    repeats = repeat_points(program, lower, member, throw)
    any_lower = any_pays = False
    for part in range(locals_.size):
        row = (choices.first_state[part] + locals_[part]) * columns + column
        for option in range(choices.start[row], choices.start[row + 1]):
            any_lower |= not choices.upper[choices.box[option]]
    values[:] = np.nan
    for part in range(locals_.size):
        state = choices.first_state[part] + locals_[part]
        row = state * columns + column
        for option in range(choices.start[row], choices.start[row + 1]):
            box = choices.box[option]
            if forced and bars(choices, box, forced_box, any_lower):
                continue
            target = program.target_start[state] + choices.target[option]
            if part < uppers:
                ahead = follows_upper(program, source, lower, above, position, target)
            else:
                ahead = follows_lower(program, source, lower, above, position, part - uppers, target)
            struck = choices.struck[option]
            points[box, struck] = choices.points[option]
            values[box, struck] = ahead + choices.points[option] + repeats
            any_pays |= choices.kind[option] == PAYS
    if not (any_pays and program.settings[2] != 0):
        return
    for part in range(locals_.size):
        row = (choices.first_state[part] + locals_[part]) * columns + column
        for option in range(choices.start[row], choices.start[row + 1]):
            if choices.kind[option] == ZERO:
                values[choices.box[option], choices.struck[option]] = np.nan


@kernel(inline="always")
def bars(choices: ChoiceTables, box: int, forced_box: int, any_lower: bool) -> bool:
    """Whether a forced joker keeps this box from being used: its own box is open, or else a lower one is."""
    return box != forced_box if forced_box >= 0 else any_lower and choices.upper[box]


@kernel()
def repeat_points(program: Program, lower: int, member: int, throw: int) -> Any:
    """What a repeat adds to this throw, whatever box it goes in."""
    if program.holding[lower] or program.upper_holding[member]:
        for number in program.repeat_dice:
            if number == throw:
                return program.settings[1]
    return 0
