"""How often playing for the win beats playing for points: python -m bench.winner [--games N] [--game ID]

Both players see all sheets and take turns to begin. The one that plays for points maximises the expected
score, as the bot `optimal` does. The other maximises its chance to win: for every choice, the mean over the
opponent's possible final scores of the best chance to beat that score. Both read exact tables (see
`dicecup chance`), which are worked out first if they are missing.
"""

from __future__ import annotations

import argparse
import time
from math import sqrt
from typing import Any, NamedTuple

import numba
import numpy as np

from dicecup.engine.state import empty_sheet
from dicecup.rules import load_ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.compiled import kernel, parallel_kernel
from dicecup.solver.find import find_single_solution
from dicecup.solver.single.chance_tables import find_chances, solve_chances
from dicecup.solver.single.chance_turn import stored
from dicecup.solver.single.kernel_tables import Program
from dicecup.solver.single.level_kernels import NONE
from dicecup.solver.single.points_rows import pick_keeps
from dicecup.solver.single.rows import row_tables
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.state_tables import ChoiceTables
from dicecup.solver.single.turn_values import option_column, repeat_points

GAMES_A_BATCH = 2_000


class DuelTables(NamedTuple):
    """All levels one after the other: expected scores, best chances, chances of points play."""

    starts: Array  # [level, lower class]: the number of its first state
    expected: Array
    best_first: Array
    best_length: Array
    best_base: Array
    best: Array
    points_first: Array
    points_length: Array
    points_base: Array
    points: Array


def duel_tables(solution: SingleSolution) -> DuelTables:
    index = solution.index
    levels = range(index.levels + 1)
    sizes = [index.level(number).size for number in levels]
    begins = np.cumsum([0, *sizes])
    starts = np.stack([index.level(number).starts + begins[number] for number in levels])
    expected = []
    for number in levels:
        source = solution.source(number)
        assert source.values.size >= sizes[number], "solve the game in 64 bits first"
        expected.append(np.asarray(source.values[: sizes[number]]))
    rows: list[Array] = []
    for play in ("target", "points"):
        table = find_chances(solution, play) or solve_chances(solution, play)
        parts = [table.level(number)[0] for number in levels]
        length = np.concatenate([part.length[:size] for part, size in zip(parts, sizes, strict=True)])
        # A table keeps one number more than its rows need.
        values = [part.values[: int(part.length.sum())] for part in parts]
        base = np.concatenate([part.base for part in parts])
        rows += [np.cumsum(length) - length, length, base, np.concatenate(values)]
    return DuelTables(starts, np.concatenate(expected), *rows)


@kernel()
def gather_after(
    program: Program, lower: int, above: int, position: int, lowers: Any, positions: Any, states: Any
) -> Any:
    """Find the sheet after every target: its lower class and its position, or -1."""
    used = noted = 0
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[noted, 0], states[noted, 1] = state, used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            after = lower + (program.target_class[target] - digit) * program.stride[part]
            lowers[used], positions[used] = after, position
            if program.kinds[after] != program.kinds[lower]:
                positions[used] = program.promote[program.promote_first[above] + position]
            used += 1
    kind = program.kinds[lower]
    member = program.member[program.group_first[kind, above] + position]
    for part in range(program.member_state.shape[1]):
        state = program.member_state[member, part]
        states[noted, 0], states[noted, 1] = state, used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            move = program.move_first[kind, above] + target * program.group_size[kind, above] + position
            lowers[used], positions[used] = lower, program.move[move]
            used += 1
    return noted, used


@kernel()
def opponents_weights(tables: DuelTables, state: int, weights: Any) -> Any:
    """Write the weights of the targets that beat the opponent, ties being worth a half; return the points
    still to come that the first belongs to, and how many there are.
    """
    first, length, base = tables.points_first[state], tables.points_length[state], tables.points_base[state]
    # A row falls with the points: its last number belongs to the fewest, one more than what is certain.
    least = -base - length
    count = length + 2
    for place in range(count):
        weights[place] = 0.0
    reached = 1.0
    for step in range(length + 1):
        beyond = tables.points[first + length - 1 - step] / 65535.0 if step < length else 0.0
        exactly = reached - beyond
        weights[step] += exactly / 2
        weights[step + 1] += exactly / 2
        reached = beyond
    return least, count


@kernel()
def chance_to_beat(tables: DuelTables, state: int, needed: int, weights: Any, count: int) -> Any:
    """Return the mean, over the weighted targets from `needed` on, of the best chance to write so many."""
    first, length, base = tables.best_first[state], tables.best_length[state], tables.best_base[state]
    total = 0.0
    for place in range(count):
        column = -(needed + place) - base
        if column >= length:
            total += weights[place]
        elif column >= 0:
            total += weights[place] * tables.best[first + column] / 65535.0
    return total


@kernel()
def decide(
    program: Program,
    choices: ChoiceTables,
    lower: int,
    member: int,
    states: Any,
    noted: int,
    worth: Any,
    expected: Any,
    best: Any,
    boxes: Any,
    keeps: Any,
) -> None:
    """Find the best box of every throw and the best keeps; `worth[target, points]` is what follows."""
    throws, fewer, faces = program.weights.size, program.add.shape[0], program.add.shape[1]
    columns = choices.joker.size + 2 * program.joker_dice.size
    for throw in range(throws):
        column = option_column(program, choices, lower, member, throw)
        more = repeat_points(program, lower, member, throw)
        highest = 0
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(choices.option_start[row], choices.option_start[row + 1]):
                if worth[states[place, 1] + choices.option_target[option], 0] > NONE:
                    highest = max(highest, choices.option_precedence[option])
        found = NONE
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(choices.option_start[row], choices.option_start[row + 1]):
                if choices.option_endurance[option] < highest:
                    continue
                target = states[place, 1] + choices.option_target[option]
                value = worth[target, choices.option_points[option] + more]
                if value > found:
                    found = value
                    boxes[throw, 0], boxes[throw, 1] = target, choices.option_points[option] + more
        best[throw] = found
        expected[fewer + throw] = found
    for left in range(1, program.settings[0]):
        for keep in range(fewer - 1, -1, -1):
            total = 0.0
            for face in range(faces):
                total += expected[program.add[keep, face]]
            expected[keep] = total / faces
        pick_keeps(program, expected, best, keeps[left])


@kernel()
def next_number(random: Any) -> Any:
    """Return the next number of a splitmix generator."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@kernel()
def roll(program: Program, row: int, random: Any) -> int:
    """Add dice to a keep until it is a throw; return its row."""
    faces = program.add.shape[1]
    while row < program.add.shape[0]:
        row = program.add[row, (next_number(random) >> np.uint64(33)) * np.uint64(faces) >> np.uint64(31)]
    return row


@parallel_kernel(nogil=True)
def play_duels(
    program: Program,
    choices: ChoiceTables,
    tables: DuelTables,
    most_points: int,
    levels: int,
    most_open: int,
    first_game: int,
    seed: int,
    scores: Any,
) -> None:
    """Play games; in the odd ones the player who plays for points begins. `scores[game]` are both results."""
    for game in numba.prange(scores.shape[0]):
        play_duel(
            program, choices, tables, most_points, levels, most_open, first_game + game, seed, scores[game]
        )


@kernel()
def play_duel(
    program: Program,
    choices: ChoiceTables,
    tables: DuelTables,
    most_points: int,
    levels: int,
    most_open: int,
    game: int,
    seed: int,
    scores: Any,
) -> None:
    random = np.array([np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(game)], np.uint64)
    next_number(random)
    throws, rows, targets = program.weights.size, program.take_starts.size - 1, program.target_class.size
    lowers, positions = np.empty(targets, np.int64), np.empty(targets, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    worth = np.empty((targets, most_points + 1))
    wanted = np.empty((targets, most_points + 1), np.bool_)
    weights = np.empty(4096)
    expected, best = np.empty(rows), np.empty(throws)
    boxes, keeps = np.empty((throws, 2), np.int64), np.empty((program.settings[0], throws), np.int32)
    sheets = np.zeros((2, 2), np.int64)  # lower class and position of both players
    points = np.zeros(2, np.int64)
    for turn in range(2 * levels):
        player, left = (turn + game) % 2, levels - turn // 2
        lower, position = sheets[player]
        above = left - program.opens[lower]
        member = program.member[program.group_first[program.kinds[lower], above] + position]
        noted, used = gather_after(program, lower, above, position, lowers, positions, states)
        other = sheets[1 - player]
        other_left = left if turn % 2 == 0 else left - 1
        least = count = 0
        for_win = player == 0 and left <= most_open
        if for_win:
            least, count = opponents_weights(tables, tables.starts[other_left, other[0]] + other[1], weights)
            least += points[1] - points[0]
        wanted[:used] = False
        mark_wanted(program, choices, lower, member, states, noted, wanted)
        for target in range(used):
            state = tables.starts[left - 1, lowers[target]] + positions[target]
            for written in range(most_points + 1):
                if positions[target] < 0:
                    worth[target, written] = NONE
                elif not for_win:
                    worth[target, written] = tables.expected[state] + written
                elif wanted[target, written] or written == 0:
                    needed = least - written
                    worth[target, written] = chance_to_beat(tables, state, needed, weights, count)
        decide(program, choices, lower, member, states, noted, worth, expected, best, boxes, keeps)
        row = roll(program, 0, random)
        for rolls in range(program.settings[0] - 1, 0, -1):
            kept = keeps[rolls, row - program.add.shape[0]]
            if kept >= program.add.shape[0]:
                break
            row = roll(program, kept, random)
        throw = row - program.add.shape[0]
        sheets[player, 0], sheets[player, 1] = lowers[boxes[throw, 0]], positions[boxes[throw, 0]]
        points[player] += boxes[throw, 1]
    for player in range(2):
        full = tables.starts[0, sheets[player, 0]] + sheets[player, 1]
        scores[player] = points[player] + tables.expected[full]


@kernel()
def mark_wanted(
    program: Program, choices: ChoiceTables, lower: int, member: int, states: Any, noted: int, wanted: Any
) -> None:
    """Mark which points can lead to which target."""
    columns = choices.joker.size + 2 * program.joker_dice.size
    for throw in range(program.weights.size):
        column = option_column(program, choices, lower, member, throw)
        more = repeat_points(program, lower, member, throw)
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(choices.option_start[row], choices.option_start[row + 1]):
                target = states[place, 1] + choices.option_target[option]
                wanted[target, choices.option_points[option] + more] = True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="yatzy-sv")
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--open", type=int, default=99, help="play for points while more boxes are open")
    chosen = parser.parse_args()
    solution = find_single_solution(load_ruleset(chosen.game))
    tables = duel_tables(solution)
    assert stored(tables.best[:1]).dtype == np.float64
    low, high, _ = row_tables(solution.program).bounds
    assert low >= 0, "games with negative points are not played here"
    assert solution.place(empty_sheet(solution.rules)).position == 0
    wins = ties = 0
    total = np.zeros(2)
    began = time.monotonic()
    for first in range(0, chosen.games, GAMES_A_BATCH):
        scores = np.empty((min(GAMES_A_BATCH, chosen.games - first), 2))
        play_duels(
            solution.program, solution.choices, tables, int(high), solution.index.levels, chosen.open,
            first, chosen.seed, scores,
        )  # fmt: skip
        wins += int((scores[:, 0] > scores[:, 1]).sum())
        ties += int((scores[:, 0] == scores[:, 1]).sum())
        total += scores.sum(axis=0)
    share = (wins + ties / 2) / chosen.games
    error = sqrt(share * (1 - share) / chosen.games)
    print(f"{chosen.game}: {chosen.games} games, seed {chosen.seed}, {time.monotonic() - began:.0f} s")
    print(f"playing for the win: {share:.2%} of the games (± {error:.2%}), {ties} ties shared")
    print(f"mean scores: for the win {total[0] / chosen.games:.2f}, for points {total[1] / chosen.games:.2f}")


if __name__ == "__main__":
    main()
