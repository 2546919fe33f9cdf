"""The best keep after the first roll of Dice in Dice, for all 4,496,388 rolls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange

from dicecup.solver.compiled import kernel
from dicecup.solver.double.multisets import all_multisets, orderings, rank_weights
from dicecup.solver.double.solution import DoubleSolution

Kept = tuple[tuple[int, int], ...]  # dice as (outer, inner), or mirrored: the greater of the two
Shape = tuple[tuple[int, ...], tuple[int, ...]]  # group sizes of equal dice in one layer, in the other


@dataclass(frozen=True)
class FirstThrow:
    """Shares of all first rolls by number of dice kept, by the dice kept, and by groups of equal dice."""

    by_count: dict[int, float]
    by_kept: Counter[Kept]
    by_shape: Counter[Shape]
    worth: dict[Kept, float]


def first_throw(solution: DoubleSolution) -> FirstThrow:
    """Compute the best keep of every first roll with an empty sheet, in a game with three rolls per turn."""
    lattice, values = solution.solver.lattice, solution.decisions(0, 0)
    sizes = range(lattice.dice)
    # Values of keeps of all sizes, concatenated, by rank; the index after the last one means stopping.
    by_size = [values.keeps[0][size] for size in sizes]
    starts = np.cumsum([0] + [len(part) for part in by_size])
    keeps = np.concatenate(by_size)
    throws = np.ascontiguousarray(all_multisets(lattice.double_faces, lattice.dice, np).T)
    best = np.empty(len(throws), dtype=np.int64)
    weights = rank_weights(lattice.double_faces, lattice.dice, np)
    layer_weights = rank_weights(lattice.faces, lattice.dice, np)
    best_parts(throws, keeps, starts, weights, layer_weights, values.layers[-1], best)
    shares = np.bincount(best, weights=orderings(throws.T, np), minlength=len(keeps) + 1) / lattice.orders
    found = FirstThrow({lattice.dice: float(shares[-1])}, Counter(), Counter(), {})
    for size in sizes:
        part = shares[starts[size] : starts[size + 1]]
        found.by_count[size] = float(part.sum())
        members = all_multisets(lattice.double_faces, size, np).T
        for rank in np.flatnonzero(part):
            kept = name(members[rank].tolist(), lattice.faces)
            found.by_kept[kept] += part[rank]
            found.by_shape[shape(kept)] += part[rank]
            found.worth[kept] = float(by_size[size][rank])
    return found


def name(dice: list[int], faces: int) -> Kept:
    here = tuple(sorted((die // faces + 1, die % faces + 1) for die in dice))
    there = tuple(sorted((second, first) for first, second in here))
    return max(here, there)


def shape(kept: Kept) -> Shape:
    layers = [tuple(sorted(Counter(layer).values(), reverse=True)) for layer in zip(*kept, strict=True)]
    first, second = sorted(layers, reverse=True) if layers else ((), ())
    return first, second


@kernel(parallel=True)
def best_parts(
    throws: Any, keeps: Any, starts: Any, weights: Any, layer_weights: Any, final: Any, best: Any
) -> None:
    """Set best[roll] to the index of its best keep."""
    dice, faces = throws.shape[1], layer_weights.shape[1]
    for row in prange(throws.shape[0]):
        outer = np.sort(throws[row] % faces)
        inner_rank = outer_rank = 0
        for place in range(dice):
            inner_rank += layer_weights[place, throws[row, place] // faces]
            outer_rank += layer_weights[place, outer[place]]
        most = final[inner_rank, outer_rank]
        best[row] = starts[dice]
        for part in range((1 << dice) - 1):
            count = rank = 0
            for die in range(dice):
                if part >> die & 1:
                    rank += weights[count, throws[row, die]]
                    count += 1
            if keeps[starts[count] + rank] > most:
                most = keeps[starts[count] + rank]
                best[row] = starts[count] + rank
