"""Many games of a perfect player at once, from any sheet and any moment of a turn.

A million games of `yatzy-sv` take some seconds: in each turn, games with equal sheets are grouped by
sorting.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.engine.state import Sheet, State, empty_sheet, turn_start
from dicecup.playout.games import FinalSheets
from dicecup.playout.perfect_kernel import OPEN, PartTables, PlayedGames, SheetGroups, play_level
from dicecup.solver.compiled import entry_kernel
from dicecup.solver.single.solution import SingleSolution, faces_of
from dicecup.solver.solution import no_callback

DIGIT = 11  # bits sorted in one pass: its 2,048 counters fit into the L1 cache

Numbers = npt.NDArray[np.int64]


def group_equal(keys: Numbers) -> tuple[npt.NDArray[np.int32], Numbers]:
    """Return the indexes of equal keys side by side, and where each group begins in them, and the end."""
    small = keys.astype(np.uint32)
    order = sorting(small)
    return order, borders(small, order)


@entry_kernel(nogil=True)
def sorting(keys: Any) -> Any:
    """Return what a stable `argsort` gives, by radix sort: a million keys in 20 ms instead of 90."""
    count = keys.size
    order, other = np.empty(count, np.int32), np.empty(count, np.int32)
    for place in range(count):
        order[place] = place
    highest = keys.max() if count else np.uint32(0)
    shift = np.uint32(0)
    mask = np.uint32((1 << DIGIT) - 1)
    starts = np.empty((1 << DIGIT) + 1, np.int64)
    while shift < 32 and highest >> shift:
        starts[:] = 0
        for place in range(count):
            starts[((keys[place] >> shift) & mask) + 1] += 1
        for digit in range(1, starts.size):
            starts[digit] += starts[digit - 1]
        for place in range(count):
            item = order[place]
            digit = (keys[item] >> shift) & mask
            other[starts[digit]] = item
            starts[digit] += 1
        order, other = other, order
        shift += np.uint32(DIGIT)
    return order


@entry_kernel(nogil=True)
def borders(keys: Any, order: Any) -> Any:
    """Return where the key changes in this order, with the beginning and the end."""
    count = 1
    for place in range(1, order.size):
        count += keys[order[place]] != keys[order[place - 1]]
    found = np.zeros(count + 1, np.int64)
    count = 1
    for place in range(1, order.size):
        if keys[order[place]] != keys[order[place - 1]]:
            found[count] = place
            count += 1
    found[count] = order.size
    return found


MOST_TOGETHER = 2048  # games of one sheet in one piece of work: more are distributed over the cores

OnTurns = Callable[[int, int], None]  # called with the turns done, and how many there are


def play_single_games(
    solution: SingleSolution,
    games: int,
    seed: int,
    state: State | None = None,
    first_game: int = 0,
    on_turns: OnTurns = no_callback,
) -> FinalSheets:
    """Play games to their end. `state` is where they begin, for the player whose turn it is."""
    rules = solution.rules
    state = state or turn_start(rules, (empty_sheet(rules),), 0)
    place = solution.place(state.sheet)
    played = PlayedGames(
        games=np.arange(games, dtype=np.int32),
        lower=np.full(games, place.lower, dtype=np.int32),
        position=np.full(games, place.position, dtype=np.int32),
        cells=np.tile(written(state.sheet), (games, 1)),
        repeats=np.full(games, state.sheet.repeats, dtype=np.int16),
    )
    dice = state.dice if state.kept is None else state.kept
    row, left = solution.lattice.number[faces_of(dice)], state.throws_left
    for done, open_boxes in enumerate(range(place.level, 0, -1)):
        on_turns(done, place.level)
        sheets = group(solution, played, open_boxes)
        play_level(
            len(sheets.lower),
            solution.program,
            solution.choices,
            part_tables(solution),
            solution.source(open_boxes - 1),
            sheets,
            played,
            open_boxes,
            row,
            left,
            np.uint64(turn_seed(seed, first_game)),
            solution.room,
        )
        row, left = 0, rules.throws
    on_turns(place.level, place.level)
    return FinalSheets(rules, played.cells, played.repeats)


def turn_seed(seed: int, first_game: int) -> int:
    """Return the seed of a batch, whose games are numbered from 0: different for each seed and batch."""
    digest = hashlib.sha256(f"dicecup games {seed} {first_game}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def written(sheet: Sheet) -> npt.NDArray[np.int16]:
    return np.array([OPEN if points is None else points for points in sheet.cells], dtype=np.int16)


def group(solution: SingleSolution, played: PlayedGames, open_boxes: int) -> SheetGroups:
    """Return the games sorted by their sheets, large groups cut into pieces."""
    starts = solution.index.level(open_boxes).starts
    order, bounds = group_equal(starts[played.lower] + played.position)
    played.games[:] = played.games[order]
    first = bounds[:-1]
    pieces = -(-np.diff(bounds) // MOST_TOGETHER)
    if pieces.max() > 1:
        inner = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        first = np.repeat(first, pieces) + inner * MOST_TOGETHER
    chosen = order[first]
    return SheetGroups(played.lower[chosen], played.position[chosen], np.append(first, len(order)))


@lru_cache(maxsize=4)
def part_tables(solution: SingleSolution) -> PartTables:
    lattice, index = solution.lattice, solution.index
    stands = [
        (
            sum(1 << box for box, cell in zip(group.boxes, state.cells, strict=True) if cell is None),
            sum(1 << box for box in group.boxes),
        )
        for group in index.components
        for state in group.states
    ]
    open_boxes, group_boxes = zip(*stands, strict=True)
    return PartTables(
        inside=lattice.inside,
        inside_starts=lattice.inside_starts,
        row_size=np.array([len(dice) for dice in lattice.multisets], dtype=np.int32),
        open_boxes=np.array(open_boxes, dtype=np.int64),
        group_boxes=np.array(group_boxes, dtype=np.int64),
    )
