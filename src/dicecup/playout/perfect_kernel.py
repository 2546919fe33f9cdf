"""One turn of many games of a perfect player, compiled: dice of one layer.

Games that have come to the same sheet are played together. Several sheets share the vector lanes of a
turn. `level_kernels` scores sheets that are neighbours in the table, a vector of them at once; the sheets
of games in play are anywhere, so each is scored by itself into its lane, from the same tables. Keeps and
throws are computed for all lanes at once. Random numbers are a function of the seed, the game and the
turn, so the result does not depend on the threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from dicecup.dice import LatticeArrays
from dicecup.solver.arrays import Array, by_reference
from dicecup.solver.compiled import kernel, lanes, shared_kernel
from dicecup.solver.single.kernel_tables import BARRING, NEUTRAL, YIELDING, ChoiceTables, KernelTables
from dicecup.solver.single.level_kernels import NONE, best_option, choose, expect, joker_column
from dicecup.solver.single.solution import gather_one, option_column, repeat_points


@kernel()
def best_box_values(
    program: KernelTables, ahead: Any, states: Any, noted: int, best: Any, yielding: Any
) -> None:
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
def offer(program: KernelTables, ahead: Any, state: int, row: int, first: int, end: int, best: Any) -> None:
    """Improve every throw by the entries of one state, from the class `first` to the one before `end`."""
    width = lanes(ahead)
    for entry in range(program.entry_bounds[state, first], program.entry_bounds[state, end]):
        throw = program.entry_dice[entry]
        value = ahead[(row + program.entry_target[entry]) * width] + program.entry_points[entry]
        best[throw] = max(best[throw], value)


@kernel()
def prepare(
    program: KernelTables,
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
    best_box_values(program, ahead, states, noted, best, yielding)
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
    program: KernelTables,
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


OPEN = -(2**15)  # a cell that is not filled yet
STOP, UNKNOWN = -1, -2  # instead of the row of the dice to keep
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class KeepsInside(Protocol):
    """The parts of every throw that can be kept, as rows of the lattice; see `Lattice`."""

    @property
    def inside(self) -> Any: ...
    @property
    def inside_starts(self) -> Any: ...


@by_reference
class PartTables(NamedTuple):
    """The tables that playing needs in addition to those of solving."""

    inside: Array  # the keeps inside every throw, as rows of the lattice
    inside_starts: Array
    row_size: Array  # dice in each row of the lattice
    open_boxes: Array  # by state: which boxes it leaves open, as bits
    group_boxes: Array  # by state: the boxes of its group, as bits


@by_reference
class SheetGroups(NamedTuple):
    """The different sheets of a level, and where the games on each of them begin, and the end."""

    lower: Array
    position: Array
    first: Array


@by_reference
class PlayedGames(NamedTuple):
    """Games in the order of their sheets, so that most memory is accessed sequentially."""

    games: Array  # the numbers of the games
    lower: Array  # where the sheet of each is in the next level
    position: Array
    cells: Array  # [number of the game, box]
    repeats: Array  # by number of the game


@kernel(inline="always")
def mix(value: Any) -> Any:
    """The finaliser of SplitMix64: every bit of the input changes half of the bits of the output."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel(inline="always")
def chance_of(seed: Any, game: int, turn: int) -> Any:
    """Return the state of the random generator at the start of a game's turn."""
    return mix(mix(np.uint64(seed) + GOLDEN * np.uint64(game + 1)) ^ (np.uint64(turn + 1) << np.uint64(32)))


@kernel(inline="always")
def best_part(tables: KeepsInside, kept: Any, stop: Any, lane: int, base: int, throw: int) -> Any:
    """Return the row of the best dice to keep of a throw, or STOP. Branch-free, which takes half the time."""
    width = lanes(kept)
    best, again = stop, STOP
    for place in range(tables.inside_starts[throw], tables.inside_starts[throw + 1]):
        row = tables.inside[place]
        value = kept[(base + row) * width + lane]
        better = value > best
        best = value if better else best
        again = row if better else again
    return again


@kernel(inline="always")
def throw_dice(
    program: LatticeArrays,
    tables: KeepsInside,
    kept: Any,
    final: Any,
    lane: int,
    row: int,
    left: int,
    chance: Any,
    known: Any,
) -> Any:
    """Play a turn on from these dice; return the throw that ends it. `known` caches the best keeps."""
    keeps, faces = program.add.shape[0], np.uint64(program.add.shape[1])
    throw = 0
    while True:
        if row < keeps:
            left -= 1
        while row < keeps:
            chance += GOLDEN
            row = program.add[row, ((mix(chance) >> np.uint64(32)) * faces) >> np.uint64(32)]
        throw = row - keeps
        if left == 0:
            break
        again = known[left, throw]
        if again == UNKNOWN:
            stop = final[throw * lanes(final) + lane]
            again = best_part(tables, kept, stop, lane, (left - 1) * keeps, throw)
            known[left, throw] = again
        if again == STOP:
            break
        row = again
    return throw


@kernel(inline="always")
def real_box(cells: Any, game: int, box: int, stands_open: int, group: int) -> int:
    """Return the box of a real sheet that corresponds to a box of the sheet that represents its class.

    Boxes open on both are the same; the others correspond in the order of the sheet.
    """
    if cells[game, box] == OPEN:
        return box
    before = 0
    for other in range(box):
        before += (stands_open >> other) & 1 and cells[game, other] != OPEN
    for other in range(cells.shape[1]):
        if (group >> other) & 1 and cells[game, other] == OPEN and not (stands_open >> other) & 1:
            if before == 0:
                return other
            before -= 1
    return -1


@kernel(inline="always")
def fill_box(
    program: KernelTables,
    choices: ChoiceTables,
    tables: PartTables,
    lower: int,
    position: int,
    above: int,
    state: int,
    part: int,
    option: int,
    played: PlayedGames,
    place: int,
) -> None:
    """Write the points and move a game to the following sheet. `part`: of the lower boxes, else -1."""
    game = played.games[place]
    box = real_box(
        played.cells, game, choices.option_box[option], tables.open_boxes[state], tables.group_boxes[state]
    )
    played.cells[game, box] = choices.option_points[option]
    target = program.target_start[state] + choices.option_target[option]
    kind = program.kinds[lower]
    if part < 0:
        size = program.group_size[kind, above]
        played.lower[place] = lower
        played.position[place] = program.move[program.move_first[kind, above] + target * size + position]
        return
    digit = (lower // program.stride[part]) % program.digits[part]
    after = lower + (program.target_class[target] - digit) * program.stride[part]
    played.lower[place] = after
    if program.kinds[after] != kind:
        position = program.promote[program.promote_first[above] + position]
    played.position[place] = position


@shared_kernel()
def play_level(
    begin: int,
    end: int,
    program: KernelTables,
    choices: ChoiceTables,
    tables: PartTables,
    source: Any,
    sheets: SheetGroups,
    played: PlayedGames,
    open_boxes: int,
    row: int,
    left: int,
    seed: Any,
    example: Any,
) -> None:
    """Play one turn of every game. It begins with the dice of `row`, with `left` throws to come.

    `example` is an array of the type to compute with.
    """
    width = lanes(example)
    rows, throws, keeps = program.take_starts.size - 1, program.weights.size, program.add.shape[0]
    work = np.empty(rows * width, example.dtype)
    final = np.empty(throws * width, example.dtype)
    ahead = np.empty(program.target_class.size * width, example.dtype)
    kept = np.empty(max(program.settings[0] - 1, 1) * keeps * width, example.dtype)
    best, yielding = np.empty(throws, example.dtype), np.empty(throws, example.dtype)
    noted = np.zeros(width, np.int64)
    known = np.empty((program.settings[0], throws), np.int16)
    boxes = np.empty((throws, 2), np.int32)
    states = np.empty((width, program.stride.size + program.member_state.shape[1], 2), np.int64)
    for first in range(begin, end, width):
        used = min(width, end - first)
        for lane in range(used):
            lower = sheets.lower[first + lane]
            noted[lane] = prepare(
                program, source, lower, open_boxes - program.opens[lower], sheets.position[first + lane],
                ahead[lane:], states[lane], best, yielding,
            )  # fmt: skip
            for throw in range(throws):
                final[throw * width + lane] = best[throw]
        for place in range(throws * width):
            work[keeps * width + place] = final[place]
        for before in range(1, program.settings[0]):
            expect(program, work)
            for place in range(keeps * width):
                kept[(before - 1) * keeps * width + place] = work[place]
            if before + 1 < program.settings[0]:
                choose(program, work, final)
        for lane in range(used):
            play_sheet(
                program, choices, tables, sheets, first + lane, played, open_boxes, row, left, seed,
                kept, final, lane, ahead[lane:], states[lane], noted[lane], known, boxes,
            )  # fmt: skip


@kernel()
def play_sheet(
    program: KernelTables,
    choices: ChoiceTables,
    tables: PartTables,
    sheets: SheetGroups,
    number: int,
    played: PlayedGames,
    open_boxes: int,
    row: int,
    left: int,
    seed: Any,
    kept: Any,
    final: Any,
    lane: int,
    ahead: Any,
    states: Any,
    noted: int,
    known: Any,
    boxes: Any,
) -> None:
    """Play the turn of all games on one sheet."""
    lower, position = sheets.lower[number], sheets.position[number]
    above = open_boxes - program.opens[lower]
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    known[:] = UNKNOWN
    for place in range(sheets.first[number], sheets.first[number + 1]):
        chance = chance_of(seed, played.games[place], open_boxes)
        throw = throw_dice(program, tables, kept, final, lane, row, left, chance, known)
        if known[0, throw] == UNKNOWN:
            boxes[throw] = choose_box(program, choices, ahead, states, noted, lower, member, throw)
            known[0, throw] = 0
        option, chosen = boxes[throw, 0], boxes[throw, 1]
        part = chosen if chosen < program.stride.size else -1
        if program.repeat_dice.size and repeat_points(program, lower, member, throw) > 0:
            played.repeats[played.games[place]] += 1
        fill_box(
            program, choices, tables, lower, position, above, states[chosen, 0], part, option, played, place
        )
