"""The values of what can be kept in a turn, from those of its final dice, without a solved table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from dicecup.dice import Lattice, lattice

Worth = list[float]  # by row of the lattice
Reader = Callable[[Worth], tuple[float, ...]]


@lru_cache(maxsize=16)
def neighbours(count: int, faces: int) -> tuple[list[Reader], list[Reader]]:
    """Return what reads the rows with a die more, by keep, and each row with those of a die less, by row."""
    rows = lattice(count, faces)
    fewer: list[Reader] = [itemgetter(row, row, *fewer) for row, fewer in enumerate(rows.fewer)]
    return [itemgetter(*more) for more in rows.more], fewer


def mean_after_throw(rows: Lattice, full: Worth) -> Worth:
    """Return the value of each keep when the rest is thrown once; `full` has the values of full rows."""
    worth = [0.0] * rows.keeps + full
    more, faces = neighbours(rows.count, rows.faces)[0], rows.faces
    for keep in range(rows.keeps - 1, -1, -1):
        worth[keep] = sum(more[keep](worth)) / faces
    return worth


def best_within(rows: Lattice, kept: Worth, full: Worth) -> Worth:
    """Return the value of each complete throw when any part or all of it may be kept."""
    best = kept[: rows.keeps] + full
    for row, fewer in enumerate(neighbours(rows.count, rows.faces)[1]):
        best[row] = max(fewer(best))
    return best[rows.keeps :]


def plan(rows: Lattice, full: Worth, throws: int) -> list[Worth]:
    """Return the value of each keep by the number of throws left, from one on."""
    found = [mean_after_throw(rows, full)]
    for _ in range(throws - 1):
        found.append(mean_after_throw(rows, best_within(rows, found[-1], full)))
    return found
