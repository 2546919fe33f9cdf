"""Many games of several players at once, some of whom play for the win: one column, dice of one layer.

Who plays for the win sees all sheets: for each choice the mean, over the possible final scores of the others,
of the best chance to beat that score. The others play for points. All chances are read from tables (see
`solver.single.chances`). Random numbers are a function of the seed, the game and the turn, so the
result does not depend on the threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dicecup.engine.state import empty_sheet
from dicecup.playout.games import FinalSheets
from dicecup.playout.perfect_kernel import (
    OPEN,
    STOP,
    PartTables,
    PlayedGames,
    chance_of,
    fill_box,
    throw_dice,
)
from dicecup.playout.single import OnTurns, part_tables, play_turns, turn_seed
from dicecup.solver.arrays import Array, by_reference
from dicecup.solver.compiled import kernel, lanes, shared_kernel
from dicecup.solver.single.chances import ChanceTable
from dicecup.solver.single.kernel_tables import ChoiceTables, KernelTables
from dicecup.solver.single.level_kernels import NONE, highest_precedence
from dicecup.solver.single.row_kernels import RowLevel, gather_places
from dicecup.solver.single.row_turns import choose_keeps
from dicecup.solver.single.rows import row_tables
from dicecup.solver.single.solution import SingleSolution, gather_one, option_column, repeat_points
from dicecup.solver.solution import Play, no_callback

WHOLE = 65535.0  # what a stored chance of 1 is
LITTLE = 1e-8  # weight of an expected point against a chance


@by_reference
class Others(NamedTuple):
    """The other players, by game: [player, game]."""

    played: Array  # by player: whether this round's turn is over
    states: Array  # the number of the sheet among those with as many open boxes
    lead: Array  # points on their sheets, less those on one's own
    times: Array  # with `shares` the nodes of an integral that shares ties: see `worth_of_scores`
    shares: Array


@kernel()
def worth_of_scores(rows: RowLevel, later: RowLevel, others: Others, game: int) -> Any:
    """Return the points to come at which the chance to win rises, the first of them and by how much.

    A tie is shared by giving each tied player a random time between 0 and 1, of which the last wins. So the
    chance to win is the mean, over all times, of the product of the chances to beat each of the others.
    """
    lowest, highest = np.int64(1 << 40), np.int64(-(1 << 40))
    for other in range(others.played.size):
        level = later if others.played[other] else rows
        state = others.states[other, game]
        # A row is in descending order of points: its last number is for one point more than is certain.
        least = others.lead[other, game] - level.base[state] - level.length[state]
        lowest, highest = min(lowest, least), max(highest, least + level.length[state])
    count = highest - lowest + 2
    beaten = np.ones((others.times.size, count))
    for other in range(others.played.size):
        level = later if others.played[other] else rows
        state = others.states[other, game]
        first, length = level.first[state], level.length[state]
        least = others.lead[other, game] - level.base[state] - length - lowest
        beaten[:, :least] = 0.0
        reached = 1.0
        for step in range(length + 1):
            beyond = level.values[first + length - 1 - step] / WHOLE if step < length else 0.0
            for node in range(others.times.size):
                beaten[node, least + step] *= 1 - reached + others.times[node] * (reached - beyond)
            reached = beyond
    rises, before = np.empty(count), 0.0
    for place in range(count):
        worth = 0.0
        for node in range(others.times.size):
            worth += others.shares[node] * beaten[node, place]
        rises[place] = worth - before
        before = worth
    return lowest, rises


@kernel()
def chance_to_win(rows: RowLevel, state: int, needed: int, rises: Any) -> Any:
    """Return the mean, over the weighted targets from `needed` on, of the best chance to write so many."""
    first, length, base = rows.first[state], rows.length[state], rows.base[state]
    total = 0.0
    for place in range(rises.size):
        column = -(needed + place) - base
        if column >= length:
            total += rises[place]
        elif column >= 0:
            total += rises[place] * rows.values[first + column] / WHOLE
    return total


@kernel()
def choose_boxes(
    program: KernelTables,
    choices: ChoiceTables,
    lower: int,
    member: int,
    rows: RowLevel,
    places: Any,
    states: Any,
    noted: int,
    ahead: Any,
    needed: int,
    rises: Any,
    worth: Any,
    low: int,
    best: Any,
    boxes: Any,
) -> None:
    """Find the best box of every throw: its option and the place of its state among the noted ones.

    `worth[target, points]` is room for what follows; it is computed where an option leads. `ahead` has the
    expected points after each target, which decide where chances are equal.
    """
    columns = choices.joker.size + 2 * program.joker_dice.size
    worth[:] = NONE
    for throw in range(best.size):
        column = option_column(program, choices, lower, member, throw)
        more = repeat_points(program, lower, member, throw)
        highest = highest_precedence(choices, columns, column, ahead, lanes(ahead), 0, states, noted)
        best[throw] = NONE
        for place in range(noted):
            row = states[place, 0] * columns + column
            for option in range(choices.option_start[row], choices.option_start[row + 1]):
                target = states[place, 1] + choices.option_target[option]
                if choices.option_endurance[option] < highest or places[target] < 0:
                    continue
                points = int(choices.option_points[option] + more)
                if worth[target, points - low] == NONE:
                    chance = chance_to_win(rows, places[target], needed - points, rises)
                    worth[target, points - low] = chance + LITTLE * (ahead[target * lanes(ahead)] + points)
                if worth[target, points - low] > best[throw]:
                    best[throw] = worth[target, points - low]
                    boxes[throw, 0], boxes[throw, 1] = option, place


@shared_kernel()
def play_level_to_win(
    first: int,
    end: int,
    program: KernelTables,
    choices: ChoiceTables,
    tables: PartTables,
    source: Any,
    below: RowLevel,
    rows: RowLevel,
    later: RowLevel,
    others: Others,
    played: PlayedGames,
    open_boxes: int,
    bounds: Any,
    seed: Any,
) -> None:
    """Play one turn of the games from `first` to the one before `end` for the win.

    `source` has the expected points and `below` the best chances of the sheets after the turn; `rows` and
    `later` have the chances of points play, for sheets with as many open boxes as before and after it.
    `bounds`: the fewest and the most points of a box.
    """
    throws, fewer = program.weights.size, program.add.shape[0]
    places = np.empty(program.target_class.size, np.int64)
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    worth = np.empty((program.target_class.size, bounds[1] - bounds[0] + 1))
    expected, best = np.empty(program.take_starts.size - 1), np.empty(throws)
    ahead = np.empty(program.target_class.size * lanes(expected))
    boxes, keeps = np.empty((throws, 2), np.int64), np.empty((program.settings[0], throws), np.int32)
    for game in range(first, end):
        lower, position = played.lower[game], played.position[game]
        above = open_boxes - program.opens[lower]
        member = program.member[program.group_first[program.kinds[lower], above] + position]
        needed, rises = worth_of_scores(rows, later, others, game)
        gather_one(program, source, lower, above, position, ahead, states)
        noted, _ = gather_places(program, lower, above, position, below.starts, places, states)
        choose_boxes(
            program, choices, lower, member, below, places, states, noted, ahead, needed, rises, worth,
            bounds[0], best, boxes,
        )  # fmt: skip
        choose_keeps(program, expected, best, keeps)
        for left in range(1, program.settings[0]):
            for throw in range(throws):
                if keeps[left, throw] >= fewer:
                    keeps[left, throw] = STOP
        chance = chance_of(seed, game, open_boxes)
        throw = throw_dice(program, tables, expected, best, 0, 0, program.settings[0], chance, keeps)
        option, chosen = boxes[throw, 0], boxes[throw, 1]
        part = chosen if chosen < program.stride.size else -1
        if program.repeat_dice.size and repeat_points(program, lower, member, throw) > 0:
            played.repeats[game] += 1
        fill_box(
            program, choices, tables, lower, position, above, states[chosen, 0], part, option, played, game
        )


class HeadToHead:
    """Games of players who go first in turn, some playing for the win and the others for points."""

    def __init__(
        self, solution: SingleSolution, tables: dict[Play, ChanceTable], to_win: Sequence[bool]
    ) -> None:
        self.solution = solution
        self.tables = tables
        self.to_win = to_win
        self.bounds = row_tables(solution.program).bounds
        # Enough Gauss-Legendre nodes for exact sums: the degree is below the number of players.
        places, shares = np.polynomial.legendre.leggauss(len(to_win) // 2 + 1)
        self.times, self.shares = (1 + places) / 2, shares / 2

    def play(
        self, games: int, seed: int, first_game: int = 0, on_turns: OnTurns = no_callback
    ) -> list[FinalSheets]:
        """Return each player's full sheets. Who goes first rotates from game to game."""
        count, rules = len(self.to_win), self.solution.rules
        cells = np.empty((count, games, rules.cells), np.int16)
        repeats = np.empty((count, games), np.int16)
        for begins in range(min(count, games)):
            first = (begins - first_game) % count
            some = len(range(first, games, count))
            if not some:
                continue
            order = [(begins + place) % count for place in range(count)]
            seeds = [turn_seed(seed * count + player, first_game * count + begins) for player in range(count)]
            played = self.play_in_order(order, some, seeds)
            on_turns(begins + 1, count)
            for player, sheets in enumerate(played):
                cells[player, first::count] = sheets.cells
                repeats[player, first::count] = sheets.repeats
        return [FinalSheets(rules, *sheets) for sheets in zip(cells, repeats, strict=True)]

    def play_in_order(self, order: list[int], games: int, seeds: list[int]) -> list[PlayedGames]:
        solution = self.solution
        place = solution.place(empty_sheet(solution.rules))
        played = [
            PlayedGames(
                games=np.arange(games, dtype=np.int32),
                lower=np.full(games, place.lower, dtype=np.int32),
                position=np.full(games, place.position, dtype=np.int32),
                cells=np.full((games, solution.rules.cells), OPEN, dtype=np.int16),
                repeats=np.zeros(games, dtype=np.int16),
            )
            for _ in order
        ]
        for open_boxes in range(place.level, 0, -1):
            for turn, player in enumerate(order):
                seed = np.uint64(seeds[player])
                if self.to_win[player]:
                    self.turn_to_win(played, player, order[:turn], open_boxes, seed)
                else:
                    self.turn_for_points(played[player], open_boxes, seed)
        return played

    def turn_for_points(self, played: PlayedGames, open_boxes: int, seed: np.uint64) -> None:
        play_turns(self.solution, played, open_boxes, 0, self.solution.rules.throws, seed)
        order = np.argsort(played.games, kind="stable")
        for array in (played.lower, played.position, played.games):
            array[:] = array[order]

    def turn_to_win(
        self, played: list[PlayedGames], player: int, before: list[int], open_boxes: int, seed: np.uint64
    ) -> None:
        solution, points = self.solution, self.tables["points"]
        others = [other for other in range(len(played)) if other != player]
        mine = self.points_of(played[player])
        states, lead = [], []
        for other in others:
            level = solution.index.level(open_boxes - (other in before))
            states.append(level.starts[played[other].lower] + played[other].position)
            lead.append(self.points_of(played[other]) - mine)
        play_level_to_win(
            len(mine),
            solution.program,
            solution.choices,
            part_tables(solution),
            solution.source(open_boxes - 1),
            self.tables["target"].level(open_boxes - 1)[0],
            points.level(open_boxes)[0],
            points.level(open_boxes - 1)[0],
            Others(
                np.array([other in before for other in others]),
                np.array(states),
                np.array(lead),
                self.times,
                self.shares,
            ),
            played[player],
            open_boxes,
            self.bounds,
            seed,
        )

    def points_of(self, played: PlayedGames) -> Array:
        """The points on each sheet; the bonus is still to come."""
        repeat = self.solution.rules.repeat
        more = played.repeats.astype(np.int64) * (repeat.points if repeat else 0)
        return np.asarray(np.where(played.cells == OPEN, 0, played.cells).sum(axis=1, dtype=np.int64) + more)
