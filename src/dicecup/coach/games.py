"""Many games of a perfect player at once, from any sheet and any moment of a turn: dice of one layer.

A million games of `yatzy-sv` take some seconds: in each turn, games with equal sheets are sorted together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dicecup.coach.crowds import crowds
from dicecup.coach.games_kernel import OPEN, Played, Sheets, Tables, play_level
from dicecup.coach.sheets import Sheets as FinishedSheets
from dicecup.dice import parts
from dicecup.engine.state import Sheet, State, empty_sheet, turn_start
from dicecup.solver.index import Array
from dicecup.solver.lattice import Lattice
from dicecup.solver.solution import Solution, faces_of

MOST_TOGETHER = 2048  # games of one sheet that are played in one go: more are shared out over the cores
CHUNKS = 64

Watch = Callable[[int, int], None]  # turns done, of how many


def ignore(done: int, total: int) -> None:
    """Nobody is watching."""


def play_games(
    solution: Solution,
    games: int,
    seed: int,
    *,
    state: State | None = None,
    first_game: int = 0,
    watch: Watch = ignore,
) -> FinishedSheets:
    """So many games to their end. `state`: where they begin, of the player whose turn it is."""
    rules = solution.rules
    state = state or turn_start(rules, (empty_sheet(rules),), 0)
    place = solution.place(state.sheet)
    played = Played(
        games=np.arange(games, dtype=np.int32),
        lower=np.full(games, place.lower, dtype=np.int32),
        position=np.full(games, place.position, dtype=np.int32),
        cells=np.tile(written(state.sheet), (games, 1)),
        repeats=np.full(games, state.sheet.repeats, dtype=np.int16),
    )
    dice = state.dice if state.kept is None else state.kept
    row, left = solution.lattice.number[faces_of(dice)], state.throws_left
    for done, open_boxes in enumerate(range(place.level, 0, -1)):
        watch(done, place.level)
        play_level(
            solution.program,
            solution.choices,
            tables_of(solution),
            solution.source(open_boxes - 1),
            group(solution, played, open_boxes),
            played,
            open_boxes,
            row,
            left,
            np.uint64(turn_seed(seed, first_game)),
            solution.room,
            CHUNKS,
        )
        row, left = 0, rules.throws
    watch(place.level, place.level)
    return FinishedSheets(rules, played.cells, played.repeats)


def turn_seed(seed: int, first_game: int) -> int:
    """Games are numbered from 0 in each batch; another batch, like another seed, has other chance."""
    digest = hashlib.sha256(f"dicecup games {seed} {first_game}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def written(sheet: Sheet) -> npt.NDArray[np.int16]:
    return np.array([OPEN if points is None else points for points in sheet.cells], dtype=np.int16)


def group(solution: Solution, played: Played, open_boxes: int) -> Sheets:
    """The games sorted by their sheets, large crowds cut into pieces."""
    starts = solution.index.level(open_boxes).starts
    order, bounds = crowds(starts[played.lower] + played.position)
    played.games[:] = played.games[order]
    first = bounds[:-1]
    pieces = -(-np.diff(bounds) // MOST_TOGETHER)
    if pieces.max() > 1:
        inner = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        first = np.repeat(first, pieces) + inner * MOST_TOGETHER
    chosen = order[first]
    return Sheets(played.lower[chosen], played.position[chosen], np.append(first, len(order)))


def parts_inside(lattice: Lattice) -> tuple[Array, Array]:
    """The rows of the parts of every throw, all dice aside, and where those of each throw begin."""
    rows = [[lattice.number[faces_of(part)] for part in parts(dice)[:-1]] for dice in lattice.throws]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return starts, np.array([row for inside in rows for row in inside], dtype=np.int32)


@lru_cache(maxsize=4)
def tables_of(solution: Solution) -> Tables:
    lattice, index = solution.lattice, solution.index
    part_start, part = parts_inside(lattice)
    stands = [
        (
            sum(1 << box for box, cell in zip(group.boxes, state.cells, strict=True) if cell is None),
            sum(1 << box for box in group.boxes),
        )
        for group in index.components
        for state in group.states
    ]
    open_boxes, group_boxes = zip(*stands, strict=True)
    return Tables(
        part_start=part_start,
        part=part,
        row_size=np.array([len(dice) for dice in lattice.multisets], dtype=np.int32),
        open_boxes=np.array(open_boxes, dtype=np.int64),
        group_boxes=np.array(group_boxes, dtype=np.int64),
    )
