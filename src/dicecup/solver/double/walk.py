"""One turn of one sheet without index tables: multisets of double dice are walked in the order of their rank.

Multisets that differ only in the lowest die are contiguous, and stay contiguous after another die is removed:
a run of them reads its best keeps, and adds its values to the keeps that lead to it, in a loop over adjacent
numbers. Building the tables of `multisets`, which batches of sheets share, takes longer than several turns.
turn.cpp does the same for WebAssembly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.solver.compiled import entry_kernel
from dicecup.solver.double.multisets import all_multisets, multiset_count, rank_weights, ranks_with_each

Array = Any
Floats = npt.NDArray[np.float32]
NONE = np.empty(0, dtype=np.float32)
NO_SUMS = np.empty(0)  # in 64 bits: a sum of 36 numbers would be off by a ten-thousandth of a point in 32


class WalkTables(NamedTuple):
    """What faces add to ranks, and how multisets of one layer grow."""

    weights: Array  # [place, double face]
    layer_weights: Array  # [place, face]
    grow: Array  # [size, rank, face]: the rank of one layer's multiset with a face more


@lru_cache(maxsize=4)
def walk_tables(dice: int, faces: int) -> WalkTables:
    grow = np.zeros((dice, multiset_count(faces, dice), faces), dtype=np.int32)
    for size in range(dice):
        found = np.stack(ranks_with_each(all_multisets(faces, size, np), faces, np), axis=1)
        grow[size, : len(found)] = found
    return WalkTables(rank_weights(faces * faces, dice, np), rank_weights(faces, dice, np), grow)


@entry_kernel()
def walk(
    tables: WalkTables, size: int, layer: Array, own: Array, below: Array, best: Array, sums: Array
) -> None:
    """Compute the value of every multiset of `size` dice; pass an empty array for what is not needed.

    The values come from `own`, by rank, or else from `layer`, by the ranks of the layers; with `below`, a
    value is at least the best value with one die less. They are written to `best`, by rank, and added to the
    `sums` of the multisets with one die less, once for each distinct die.
    """
    weights, layer_weights, grow = tables
    faces = layer_weights.shape[1]
    last_face = faces * faces - 1
    die = np.zeros(size + 1, np.int64)
    # By place, the sums over the dice from there on: ranks where they are and one place lower; the layers'.
    stay, move = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    inner, outer = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    values = np.empty(last_face + 1, np.float32)
    changed = size - 1
    while True:
        for place in range(changed, 0, -1):
            stay[place] = stay[place + 1] + weights[place, die[place]]
            move[place] = move[place + 1] + weights[place - 1, die[place]]
            inner[place] = inner[place + 1] + layer_weights[place, die[place] // faces]
            outer[place] = grow[size - 1 - place, outer[place + 1], die[place] % faces]
        first, without_lowest = stay[1], move[1]
        length = (die[1] if size > 1 else last_face) + 1
        if own.size:
            for face in range(length):
                values[face] = own[first + face]
        else:
            for face in range(length):
                values[face] = layer[inner[1] + face // faces, grow[size - 1, outer[1], face % faces]]
        if below.size:
            for face in range(length):
                values[face] = max(values[face], below[without_lowest])
            for place in range(1, size):
                start = move[place + 1] + stay[1] - stay[place]
                for face in range(length):
                    values[face] = max(values[face], below[start + face])
        if best.size:
            for face in range(length):
                best[first + face] = values[face]
        if sums.size:
            total = 0.0
            for face in range(length):
                total += np.float64(values[face])
            sums[without_lowest] += total
            for place in range(1, size):
                if place == 1 or die[place] != die[place - 1]:
                    start = move[place + 1] + stay[1] - stay[place]
                    for face in range(length if place > 1 else length - 1):
                        sums[start + face] += np.float64(values[face])
        # The next in the order of ranks: the lowest die that can grow does, and those below it start again.
        changed = 1
        while changed < size and die[changed] == (die[changed + 1] if changed < size - 1 else last_face):
            changed += 1
        if changed >= size:
            return
        die[changed] += 1
        die[1:changed] = 0


def keeps_before(dice: int, faces: int, layers: list[Floats], keeps: list[Floats]) -> list[Floats]:
    """Return the values of keeps, by dice kept, with one throw more to follow than those given.

    `keeps` are by rank; without any, those of `layers`, which one throw follows.
    """
    tables, last = walk_tables(dice, faces), layers[dice]
    best = layers[0].ravel() if not keeps else keeps[0]
    for size in range(1, dice):
        own, below = keeps[size] if keeps else NONE, best
        best = np.empty(multiset_count(faces * faces, size), dtype=np.float32)
        walk(tables, size, layers[size], own, below, best, NO_SUMS)
    found: list[Floats] = []
    for size in range(dice, 0, -1):
        sums = np.zeros(multiset_count(faces * faces, size - 1))
        own, below = (found[0], NONE) if found else (NONE, best)
        walk(tables, size, last, own, below, NONE, sums)
        found.insert(0, (sums / (faces * faces)).astype(np.float32))
    return found
