"""Many games of a perfect player on a GPU, to compare the solved value with results.

Games that have come to the same sheet are played together, so that the turn of that sheet is solved once.
Pass `KERNELS` to `CudaTurns(more_kernels=…)`: they are compiled behind those of the solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.solver.double.cuda import CudaTurns, address
from dicecup.solver.double.multisets import rank_weights

KERNELS = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
MOST_THROWS = 3  # each further throw would need another array of keep values


def simulate(
    turns: CudaTurns, values: Mapping[int, npt.NDArray[Any]], games: int, seed: int
) -> npt.NDArray[np.int64]:
    """The final score of every game; `values` are those of each level."""
    assert turns.rules.throws <= MOST_THROWS
    xp, index = turns.xp, turns.index
    tables = turn_tables(turns)
    played = [xp.zeros(games, dtype=xp.int32) for _ in range(3)]  # masks, totals, scores
    for filled in range(0, index.boxes, 2):
        after = np.asarray(values[filled + 2], dtype=np.float32)
        turns.start_level(filled, after)
        level = index.level(filled)
        masks, totals = (turns.to_host(part) for part in played[:2])
        places = index.place[masks] + index.class_of[index.upper_mask[masks], totals]
        order = np.argsort(places, kind="stable").astype(np.int32)
        visited, first_game = np.unique(places[order], return_index=True)
        ends = np.append(first_game, games)
        for first in range(0, len(visited), turns.sheets):
            batch = visited[first : first + turns.sheets]
            turns.solve_batch(level.mask[batch], level.total[batch])
            numbers = order[ends[first] : ends[first + len(batch)]]
            sheets = np.searchsorted(batch, places[numbers]).astype(np.int32)
            blocks = (-(-len(numbers) // turns.threads), 1)
            turns.call(
                "play_turn", blocks, turns.tables, tables[0], xp.asarray(sheets), xp.asarray(numbers),
                len(numbers), xp.asarray(after), turns.rules.throws, np.uint64(seed), *played,
            )  # fmt: skip
    return turns.to_host(played[2]).astype(np.int64)


def turn_tables(turns: CudaTurns) -> list[Any]:
    """`struct Turn` of simulate_double.cu, and behind it everything it points to, to be kept alive."""
    xp, lattice = turns.xp, turns.lattice
    lists = (
        turns.layers,
        turns.keeps,
        [size.row_of_rank for size in lattice.keeps],
    )
    numbers = (
        np.array([size.rows for size in lattice.keeps], dtype=np.int32),
        np.array([lattice.layer_multisets(size) for size in range(lattice.dice + 1)], dtype=np.int32),
        rank_weights(lattice.double_faces, lattice.dice, np),
        rank_weights(lattice.faces, lattice.dice, np),
    )
    parts = [xp.asarray(np.array([address(one) for one in some], dtype=np.uint64)) for some in lists]
    parts += [xp.asarray(part) for part in numbers]
    return [xp.asarray(np.array([address(part) for part in parts], dtype=np.uint64)), *parts]
