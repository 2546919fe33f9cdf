"""Scoring on one sheet, compiled: what every throw is worth as the end of a turn, and its best box.

`solver.score_kernel` scores sheets that stand side by side in the table, a vector of them at once. The sheets
of games in play stand anywhere, so each is scored by itself into its lane; looking ahead, jokers and the
rules about forced boxes are the solver's own.
"""

from __future__ import annotations

from typing import Any

from dicecup.solver.compiled import kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import NONE, best_option
from dicecup.solver.single.state_tables import PAYS, ZERO, ChoiceTables
from dicecup.solver.single.turn_values import bars, gather_one
from dicecup.solver.vector import lanes


@kernel()
def score_sheet(program: Program, ahead: Any, states: Any, noted: int, best: Any, zeros: Any) -> None:
    """The best box of one sheet for every throw, jokers and repeats aside."""
    width = lanes(ahead)
    strike = NONE
    for number in range(noted):
        state, row = states[number]
        for place in range(program.strike_start[state], program.strike_start[state + 1]):
            strike = max(strike, ahead[(row + program.strike_target[place]) * width])
    last_resort = program.settings[2] != 0
    best[:] = NONE if last_resort else strike
    zeros[:] = strike
    for number in range(noted):
        state, row = states[number]
        bounds = program.entry_bounds[state]
        if not last_resort:
            offer(program, ahead, row, bounds[0], bounds[3], best)
        else:
            offer(program, ahead, row, bounds[0], bounds[1], best)
            offer(program, ahead, row, bounds[1], bounds[2], zeros)
    if not last_resort:
        return
    for throw in range(best.size):
        if best[throw] == NONE:
            best[throw] = zeros[throw]
    for number in range(noted):
        state, row = states[number]
        offer(program, ahead, row, program.entry_bounds[state, 2], program.entry_bounds[state, 3], best)


@kernel()
def offer(program: Program, ahead: Any, row: int, first: int, end: int, best: Any) -> None:
    width = lanes(ahead)
    for entry in range(first, end):
        throw = program.entry_dice[entry]
        value = ahead[(row + program.entry_target[entry]) * width] + program.entry_points[entry]
        best[throw] = max(best[throw], value)


@kernel()
def prepare(
    program: Program,
    source: Any,
    lower: int,
    above: int,
    position: int,
    ahead: Any,
    states: Any,
    best: Any,
    zeros: Any,
) -> int:
    """What every throw is worth at the end of the turn on one sheet; return how many states are noted."""
    noted = gather_one(program, source, lower, above, position, ahead, states)
    score_sheet(program, ahead, states, noted, best, zeros)
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    if program.joker_dice.size > 0 and program.ready[lower] and program.upper_ready[member]:
        for number in range(program.joker_dice.size):
            closed = (program.closed[member] >> program.joker_face[number]) & 1
            best[program.joker_dice[number]] = best_option(program, number, closed, 0, ahead, states, noted)
    if program.holding[lower] or program.upper_holding[member]:
        for throw in program.repeat_dice:
            best[throw] += program.settings[1]
    return noted


@kernel(inline="always")
def choose_box(
    program: Program,
    choices: ChoiceTables,
    ahead: Any,
    states: Any,
    noted: int,
    lower: int,
    member: int,
    throw: int,
) -> Any:
    """The best way to score a throw on one sheet: its option, and the place of its state among the noted."""
    columns, width = choices.joker_column.size + program.joker_dice.size, lanes(ahead)
    column, forced_box = throw, -1
    joker = choices.joker_column[throw] - choices.joker_column.size
    waiting = joker >= 0 and program.ready[lower] and program.upper_ready[member]
    if waiting:
        if (program.closed[member] >> program.joker_face[joker]) & 1:
            column = choices.joker_column[throw]
        else:
            forced_box = program.joker_box[joker]
    forced = waiting and program.settings[3] != 0
    any_lower = any_pays = False
    if forced:
        for number in range(noted):
            row = states[number, 0] * columns + column
            for option in range(choices.start[row], choices.start[row + 1]):
                any_lower |= not choices.upper[choices.box[option]]
    if program.settings[2] != 0:
        for number in range(noted):
            row = states[number, 0] * columns + column
            for option in range(choices.start[row], choices.start[row + 1]):
                if not (forced and bars(choices, choices.box[option], forced_box, any_lower)):
                    any_pays |= choices.kind[option] == PAYS
    best, found, found_number = NONE, -1, -1
    for number in range(noted):
        row = states[number, 0] * columns + column
        for option in range(choices.start[row], choices.start[row + 1]):
            box = choices.box[option]
            if forced and bars(choices, box, forced_box, any_lower):
                continue
            if any_pays and choices.kind[option] == ZERO:
                continue
            value = ahead[(states[number, 1] + choices.target[option]) * width] + choices.points[option]
            if value > best:
                best, found, found_number = value, option, number
    return found, found_number
