"""Playing many games at once, each turn by the values of a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from dicecup.solver.choice_tables import ChoiceTables
from dicecup.solver.compiled import kernel
from dicecup.solver.index import Array
from dicecup.solver.program import Program
from dicecup.solver.turn_values import box_values, repeat_points, turn_values
from dicecup.solver.vector import lanes


class Games(NamedTuple):
    """Where every game stands."""

    lower: Array
    position: Array
    points: Array
    chance: Array  # the state of each game's own random numbers


class Parts(NamedTuple):
    """What can be kept of each throw, all dice excepted."""

    starts: Array
    keeps: Array


@kernel()
def random_face(games: Any, game: int, faces: int) -> Any:
    """One die; each game has its own sequence (splitmix64), so the number of threads changes nothing."""
    games.chance[game] += np.uint64(0x9E3779B97F4A7C15)
    mixed = games.chance[game]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.int64(((mixed >> np.uint64(32)) * np.uint64(faces)) >> np.uint64(32))


@kernel()
def throw_rest(program: Program, games: Any, game: int, kept: int) -> Any:
    """Throw all dice but the kept ones; the result is the number of the throw."""
    keeps, faces = program.add.shape
    row = kept
    while row < keeps:
        row = program.add[row, random_face(games, game, faces)]
    return row - keeps


@kernel()
def play_turn(program: Program, parts: Parts, games: Any, game: int, kept: Any, thrown: Any) -> Any:
    """Throw and keep for the best; the result is the throw to score."""
    throw = throw_rest(program, games, game, 0)
    for left in range(program.settings[0] - 1, 0, -1):
        best, value = -1, thrown[0, throw]
        for place in range(parts.starts[throw], parts.starts[throw + 1]):
            keep = parts.keeps[place]
            if kept[left - 1, keep] > value:
                best, value = keep, kept[left - 1, keep]
        if best < 0:
            break
        throw = throw_rest(program, games, game, best)
    return throw


@kernel()
def best_box(
    program: Program, choices: ChoiceTables, states: Any, throw: int, joker: bool, values: Any
) -> Any:
    """The option of the best box: its group of boxes and its number."""
    columns = choices.joker_column.size + program.joker_dice.size
    column = choices.joker_column[throw] if joker else throw
    part_found, found, best = -1, -1, -np.inf
    for part in range(states.size):
        row = (choices.first_state[part] + states[part]) * columns + column
        for option in range(choices.start[row], choices.start[row + 1]):
            value = values[choices.box[option], choices.struck[option]]
            if value > best:
                part_found, found, best = part, option, value
    return part_found, found


@kernel()
def own_states(program: Program, choices: ChoiceTables, lower: int, member: int, states: Any) -> None:
    """The sheets that stand for the classes of all groups of boxes, upper ones first."""
    uppers = program.member_state.shape[1]
    for part in range(uppers):
        states[part] = program.member_state[member, part] - choices.first_state[part]
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[uppers + part] = state - choices.first_state[uppers + part]


@kernel()
def move_on(program: Program, games: Any, game: int, above: int, part: int, target: int, points: int) -> None:
    """Bring a game to the sheet that filling a box leads to, with so many points more.

    Not in the parallel loop itself: there `+=` on a row of a tuple would be taken for a sum over all games.
    """
    games.points[game] += points
    uppers = program.member_state.shape[1]
    lower, position = games.lower[game], games.position[game]
    kind = program.kinds[lower]
    if part < uppers:
        row = program.move_first[kind, above] + target * program.group_size[kind, above]
        games.position[game] = program.move[row + position]
        return
    part -= uppers
    digit = (lower // program.stride[part]) % program.digits[part]
    after = lower + (program.target_class[target] - digit) * program.stride[part]
    if program.kinds[after] != kind:
        games.position[game] = program.promote[program.promote_first[above] + position]
    games.lower[game] = after


@kernel(parallel=True, nogil=True)
def play_level(
    program: Program,
    choices: ChoiceTables,
    parts: Parts,
    source: Any,
    open_boxes: int,
    games: Any,
    order: Any,
    runs: Any,
    like: Any,
) -> None:
    """One turn of every game. `order` sorts the games by sheet, `runs` says where a new sheet begins: the
    values of a turn are worked out once for all games that stand at it. `like` gives the precision."""
    for run in numba.prange(runs.size - 1):
        first = order[runs[run]]
        lower, position = games.lower[first], games.position[first]
        above = open_boxes - program.opens[lower]
        rows = program.take_starts.size - 1 + program.weights.size + program.target_class.size
        room = np.empty(rows * lanes(like), like.dtype)
        kept = np.empty((max(program.settings[0] - 1, 1), program.add.shape[0]), like.dtype)
        thrown = np.empty((program.settings[0], program.weights.size), like.dtype)
        turn_values(program, source, lower, above, position, room, kept, thrown)
        member = program.member[program.group_first[program.kinds[lower], above] + position]
        states = np.empty(choices.first_state.size, np.int64)
        own_states(program, choices, lower, member, states)
        values = np.empty((choices.upper.size, 2))
        points = np.empty((choices.upper.size, 2), np.int64)
        for place in range(runs[run], runs[run + 1]):
            game = order[place]
            throw = play_turn(program, parts, games, game, kept, thrown)
            box_values(program, choices, source, lower, above, position, states, throw, values, points)
            joker = choices.joker_column[throw] - choices.joker_column.size
            is_joker = (
                joker >= 0
                and program.ready[lower]
                and program.upper_ready[member]
                and (program.closed[member] >> program.joker_face[joker]) & 1 != 0
            )
            part, option = best_box(program, choices, states, throw, is_joker, values)
            repeats = repeat_points(program, lower, member, throw)
            state = choices.first_state[part] + states[part]
            target = program.target_start[state] + choices.target[option]
            move_on(program, games, game, above, part, target, choices.points[option] + repeats)
