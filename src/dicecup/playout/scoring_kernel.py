"""Scoring on one sheet, compiled: the value of every throw at the end of a turn, and its best box.

`level_kernels` scores sheets that are neighbours in the table, a vector of them at once. The sheets of games
in play are anywhere, so each is scored by itself into its lane. Both read the same tables.
"""

from __future__ import annotations

from typing import Any

from dicecup.solver.compiled import kernel
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import NONE, best_option, joker_column
from dicecup.solver.single.state_tables import BARRING, NEUTRAL, YIELDING, ChoiceTables
from dicecup.solver.single.turn_values import gather_one, option_column
from dicecup.solver.vector import lanes


@kernel()
def score_sheet(program: Program, ahead: Any, states: Any, noted: int, best: Any, yielding: Any) -> None:
    """Compute the value of the best box of one sheet for every throw, jokers and repeats aside."""
    width = lanes(ahead)
    strike = NONE
    for number in range(noted):
        state, row = states[number]
        for place in range(program.strike_start[state], program.strike_start[state + 1]):
            strike = max(strike, ahead[(row + program.strike_target[place]) * width])
    strikes_yield = program.settings[2] != 0
    best[:] = NONE if strikes_yield else strike
    yielding[:] = strike
    for number in range(noted):
        state, row = states[number]
        if not strikes_yield:
            offer(program, ahead, state, row, BARRING, NEUTRAL + 1, best)
        else:
            offer(program, ahead, state, row, BARRING, YIELDING, best)
            offer(program, ahead, state, row, YIELDING, NEUTRAL, yielding)
    if not strikes_yield:
        return
    for throw in range(best.size):
        if best[throw] == NONE:
            best[throw] = yielding[throw]
    for number in range(noted):
        state, row = states[number]
        offer(program, ahead, state, row, NEUTRAL, NEUTRAL + 1, best)


@kernel()
def offer(program: Program, ahead: Any, state: int, row: int, first: int, end: int, best: Any) -> None:
    """Improve every throw by the entries of one state, from the class `first` to the one before `end`."""
    width = lanes(ahead)
    for entry in range(program.entry_bounds[state, first], program.entry_bounds[state, end]):
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
    yielding: Any,
) -> int:
    """Compute the value of every throw at the end of the turn on one sheet; return the number of states."""
    noted = gather_one(program, source, lower, above, position, ahead, states)
    score_sheet(program, ahead, states, noted, best, yielding)
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    jokers = program.joker_dice.size
    if jokers > 0 and program.ready[lower] and program.upper_ready[member]:
        for number in range(jokers):
            column = joker_column(program, member, number)
            value, _, _ = best_option(program, 2 * jokers, column, 0, ahead, states, noted)
            best[program.joker_dice[number]] = value
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
    """Return the best option for a throw on one sheet, and the place of its state among the noted ones."""
    columns = choices.joker.size + 2 * program.joker_dice.size
    column = option_column(program, choices, lower, member, throw)
    _, option, place = best_option(choices, columns, column, 0, ahead, states, noted)
    return option, place
