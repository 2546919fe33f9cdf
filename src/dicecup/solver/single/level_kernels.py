"""One turn on several neighbouring sheets at once, a vector lane each; and the CPU backend, which solves
whole levels with it, their groups distributed over the cores.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dicecup.dice import LatticeArrays
from dicecup.solver.arrays import Array, empty_level
from dicecup.solver.compiled import (
    fill,
    is_compiled,
    kernel,
    lanes,
    larger,
    load,
    plus,
    shared_kernel,
    store,
    times,
    times_plus,
)
from dicecup.solver.single.index import Index, Level
from dicecup.solver.single.kernel_tables import BARRING, NEUTRAL, YIELDING, KernelTables
from dicecup.solver.solution import OnBatch

NONE = -np.inf


class Options(Protocol):
    """Options by [state, column]; see `KernelTables` and `ChoiceTables`."""

    @property
    def option_start(self) -> Any: ...
    @property
    def option_points(self) -> Any: ...
    @property
    def option_target(self) -> Any: ...
    @property
    def option_precedence(self) -> Any: ...
    @property
    def option_endurance(self) -> Any: ...


@kernel()
def gather_lower(
    program: KernelTables,
    lower: int,
    above: int,
    first: int,
    below: Any,
    starts: Any,
    ahead: Any,
    states: Any,
) -> int:
    """Load the values after each target of each lower box into `ahead`, and note the states; return the rows
    used.

    `below` is the level below, `starts` where the groups of its lower classes begin, `above` the open upper
    boxes of this group and `first` the position of the first lane.
    """
    kind, width = program.kinds[lower], lanes(ahead)
    size = program.group_size[kind, above]
    rows = 0
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[part, 0] = state
        states[part, 1] = rows
        for target in range(program.target_start[state], program.target_start[state + 1]):
            after = lower + (program.target_class[target] - digit) * program.stride[part]
            if program.kinds[after] == kind:
                store(ahead, rows * width, load(below, starts[after] + first))
            else:
                promote = program.promote_first[above]
                for lane in range(width):
                    position = program.promote[promote + min(first + lane, size - 1)]
                    ahead[rows * width + lane] = below[starts[after] + position]
            rows += 1
    return rows


@kernel()
def gather_upper(
    program: KernelTables,
    lower: int,
    above: int,
    first: int,
    below: Any,
    start: int,
    ahead: Any,
    states: Any,
    used: int,
) -> int:
    """Load the same for the upper boxes that are open in some lane; return how many states are
    noted in all.
    """
    kind, width = program.kinds[lower], lanes(ahead)
    size = program.group_size[kind, above]
    members = program.group_first[kind, above]
    moves = program.move_first[kind, above]
    noted = program.stride.size
    for number in range(program.upper_states.shape[0]):
        state, part = program.upper_states[number]
        present = False
        for lane in range(min(width, size - first)):
            present |= program.member_state[program.member[members + first + lane], part] == state
        if not present:
            continue
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            for lane in range(width):
                position = program.move[moves + target * size + min(first + lane, size - 1)]
                ahead[used * width + lane] = below[start + position] if position >= 0 else NONE
            used += 1
    return noted


@kernel()
def score_throws(
    program: KernelTables, ahead: Any, states: Any, noted: int, final: Any, yielding: Any
) -> None:
    """Compute the value of the best box for every throw, jokers and repeats aside.

    Without jokers there are only two ranks, so entries come sorted by them, and strikes, which any dice have,
    only once; `yielding` has as many rows as `final`. `best_option`, which compares the ranks of single
    options, processes a lane at a time.
    """
    throws, width = program.weights.size, lanes(final)
    strike = fill(final, NONE)
    for number in range(noted):
        state, row = states[number]
        for place in range(program.strike_start[state], program.strike_start[state + 1]):
            strike = larger(strike, load(ahead, (row + program.strike_target[place]) * width))
    strikes_yield = program.settings[2] != 0
    start = fill(final, NONE) if strikes_yield else strike
    for throw in range(throws):
        store(final, throw * width, start)
    if not strikes_yield:
        for number in range(noted):
            offer(program, ahead, states[number, 0], states[number, 1], BARRING, NEUTRAL + 1, final)
        return
    for throw in range(throws):
        store(yielding, throw * width, strike)
    for number in range(noted):
        offer(program, ahead, states[number, 0], states[number, 1], BARRING, YIELDING, final)
        offer(program, ahead, states[number, 0], states[number, 1], YIELDING, NEUTRAL, yielding)
    for place in range(throws * width):
        if final[place] == NONE:
            final[place] = yielding[place]
    for number in range(noted):
        offer(program, ahead, states[number, 0], states[number, 1], NEUTRAL, NEUTRAL + 1, final)


@kernel()
def offer(program: KernelTables, ahead: Any, state: int, row: int, first: int, end: int, best: Any) -> None:
    """Improve every throw by the entries of one state, from the class `first` to the one before `end`."""
    width = lanes(best)
    for entry in range(program.entry_bounds[state, first], program.entry_bounds[state, end]):
        throw = program.entry_dice[entry] * width
        points = fill(best, program.entry_points[entry])
        value = plus(points, load(ahead, (row + program.entry_target[entry]) * width))
        store(best, throw, larger(value, load(best, throw)))


@kernel()
def score_jokers(
    program: KernelTables, lower: int, above: int, first: int, ahead: Any, states: Any, noted: int, final: Any
) -> None:
    """Score again the throws that can be a joker, lane by lane: they are few."""
    kind, width = program.kinds[lower], lanes(final)
    members = program.group_first[kind, above] + first
    jokers = program.joker_dice.size
    for lane in range(min(width, program.group_size[kind, above] - first)):
        member = program.member[members + lane]
        if not program.upper_ready[member]:
            continue
        for number in range(jokers):
            column = joker_column(program, member, number)
            best, _, _ = best_option(program, 2 * jokers, column, lane, ahead, states, noted)
            final[program.joker_dice[number] * width + lane] = best


@kernel(inline="always")
def joker_column(program: KernelTables, member: int, joker: int) -> Any:
    """Return the column of dice that can be a joker, and are one if the upper box of their face is filled."""
    return 2 * joker + ((program.closed[member] >> program.joker_face[joker]) & 1)


@kernel()
def highest_precedence(
    options: Options, columns: int, column: int, ahead: Any, width: int, lane: int, states: Any, noted: int
) -> Any:
    """Return the highest precedence of all options for certain dice: it bars those of less endurance.

    `ahead` has `width` numbers for each target: `NONE` where an option leads nowhere. States that only other
    lanes have are noted, too.
    """
    highest = 0
    for place in range(noted):
        row = states[place, 0] * columns + column
        for option in range(options.option_start[row], options.option_start[row + 1]):
            if ahead[(states[place, 1] + options.option_target[option]) * width + lane] > NONE:
                highest = max(highest, options.option_precedence[option])
    return highest


@kernel()
def best_option(
    options: Options, columns: int, column: int, lane: int, ahead: Any, states: Any, noted: int
) -> Any:
    """Return the best option that is not barred, for certain dice on the sheet of one lane: its value, its
    number, and the place of its state among the noted ones.
    """
    width = lanes(ahead)
    highest = highest_precedence(options, columns, column, ahead, width, lane, states, noted)
    best, found, found_place = NONE, -1, -1
    for place in range(noted):
        row = states[place, 0] * columns + column
        for option in range(options.option_start[row], options.option_start[row + 1]):
            if options.option_endurance[option] < highest:
                continue
            follows = ahead[(states[place, 1] + options.option_target[option]) * width + lane]
            value = follows + options.option_points[option]
            if value > best:
                best, found, found_place = value, option, place
    return best, found, found_place


@kernel()
def pay_repeats(program: KernelTables, lower: int, above: int, first: int, final: Any) -> None:
    """Add the points of a repeat to the throws that are one, in the lanes where the box holds points."""
    kind, width = program.kinds[lower], lanes(final)
    members = program.group_first[kind, above] + first
    for lane in range(min(width, program.group_size[kind, above] - first)):
        if program.holding[lower] or program.upper_holding[program.member[members + lane]]:
            for throw in program.repeat_dice:
                final[throw * width + lane] += program.settings[1]


BLOCK = 16


@kernel()
def expect(program: LatticeArrays, work: Any) -> None:
    """Set every keep to the mean of the keeps with one die more, largest keeps first."""
    add = program.add
    faces, width = add.shape[1], lanes(work)
    # In 32 bits 1/6 is wrong by a part in 67 million, always the same way: over a game that is 0.0001 points.
    # The missing part is added before the product is rounded.
    share = fill(work, 1.0 / faces)
    work[0] = 1.0 / faces
    rest = fill(work, 1.0 / faces - work[0])
    for keep in range(add.shape[0] - 1, -1, -1):
        total = load(work, add[keep, 0] * width)
        for face in range(1, faces):
            total = plus(total, load(work, add[keep, face] * width))
        store(work, keep * width, times_plus(total, share, times(total, rest)))


@kernel()
def choose(program: LatticeArrays, work: Any, final: Any) -> None:
    """Set every multiset to the best keep inside it, and every full throw to the better of
    that and scoring.
    """
    take, starts = program.take, program.take_starts
    keeps, width = program.add.shape[0], lanes(work)
    for row in range(1, starts.size - 1):
        best = load(work, row * width) if row < keeps else load(final, (row - keeps) * width)
        for neighbour in range(starts[row], starts[row + 1]):
            best = larger(best, load(work, take[neighbour] * width))
        store(work, row * width, best)


@kernel()
def first_throw(program: LatticeArrays, work: Any) -> Any:
    """Return the mean over the first throw of a turn, summed block by block: in one long sum of 252 terms the
    32-bit rounding error was 0.0003 points a turn.
    """
    keeps, throws, width = program.add.shape[0], program.weights.size, lanes(work)
    total = fill(work, 0.0)
    for start in range(0, throws, BLOCK):
        part = fill(work, 0.0)
        for throw in range(start, min(start + BLOCK, throws)):
            chance = fill(work, program.weights[throw])
            part = times_plus(chance, load(work, (keeps + throw) * width), part)
        total = plus(total, part)
    return total


@kernel()
def turn(program: KernelTables, work: Any, final: Any) -> Any:
    """Return the value of a turn before its first throw."""
    keeps, width = program.add.shape[0], lanes(work)
    for throw in range(program.weights.size):
        store(work, (keeps + throw) * width, load(final, throw * width))
    for _ in range(program.settings[0] - 1):
        expect(program, work)
        choose(program, work, final)
    return first_throw(program, work)


# States between two checks of the clock and of Ctrl-C: an eighth of a second on two cores.
BATCH = 1 << 19


@kernel()
def solve_group(
    program: KernelTables, lower: int, above: int, below: Any, starts: Any, level: Any, start: int
) -> None:
    """The values of all states of one group."""
    size = program.group_size[program.kinds[lower], above]
    rows = program.take_starts.size - 1
    throws, width = program.weights.size, lanes(below)
    work = np.empty(rows * width, below.dtype)
    final = np.empty(throws * width, below.dtype)
    ahead = np.empty(program.target_class.size * width, below.dtype)
    states = np.empty((program.stride.size + program.upper_states.shape[0], 2), np.int64)
    result = np.empty(width, below.dtype)
    jokers = program.joker_dice.size > 0 and program.ready[lower]
    for first in range(0, size, width):
        used = gather_lower(program, lower, above, first, below, starts, ahead, states)
        noted = gather_upper(program, lower, above, first, below, starts[lower], ahead, states, used)
        score_throws(program, ahead, states, noted, final, work)
        if jokers:
            score_jokers(program, lower, above, first, ahead, states, noted, final)
        if program.repeat_dice.size:
            pay_repeats(program, lower, above, first, final)
        store(result, 0, turn(program, work, final))
        for lane in range(min(width, size - first)):
            level[start + first + lane] = result[lane]


@shared_kernel()
def solve_groups(
    begin: int,
    end: int,
    program: KernelTables,
    lowers: Any,
    open_boxes: int,
    below: Any,
    below_starts: Any,
    level: Any,
    starts: Any,
) -> None:
    for number in range(begin, end):
        lower = lowers[number]
        above = open_boxes - program.opens[lower]
        solve_group(program, lower, above, below, below_starts, level, starts[lower])


class CpuBackend:
    """Solves with all cores that Numba is given."""

    def __init__(self, index: Index, program: KernelTables, precision: int) -> None:
        self.index = index
        self.program = program
        self.precision = precision

    def compiled(self, below: Array) -> bool:
        starts = np.zeros(1, dtype=np.int64)
        return is_compiled(solve_groups, 0, 0, self.program, starts, 1, below, starts, below, starts)

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        result = empty_level(level.size, self.precision)
        ends = np.append(level.starts[level.lowers[1:]], level.size)
        first = 0
        while first < len(level.lowers):
            reached = level.starts[level.lowers[first]]
            last = int(np.searchsorted(ends, reached + BATCH)) + 1
            lowers = level.lowers[first:last]
            solve_groups(
                len(lowers),
                self.program,
                lowers,
                level.open_boxes,
                values,
                below.starts,
                result,
                level.starts,
            )
            on_batch(int(ends[min(last, len(ends)) - 1] - reached))
            first = last
        return result
