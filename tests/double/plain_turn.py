"""One turn of double dice in 64 bits with plain NumPy, to measure the accuracy of the 32-bit solvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.solver.double.turn import TurnSolver


def plain_turn(solver: TurnSolver, mask: int, total: int, after: Any) -> float:
    """Return the value of a sheet before its first throw, with three throws and mirror images merged."""
    keeps = solver.lattice.keeps
    layers = [final_throws(solver, mask, total, np.asarray(after, dtype=np.float64))]
    for grow in reversed(solver.lattice.grow):
        layers.insert(0, layers[0][grow].mean(axis=1)[:, grow].mean(axis=2))
    pairs = [values[np.tril_indices(len(values))] for values in layers]
    stop = pairs[-1][keeps[-1].pair]
    throws = np.maximum(stop, best_keeps(solver, [pairs[size.size][size.pair] for size in keeps[:-1]]))
    expected = [throws]
    for size in reversed(keeps[:-1]):
        expected.insert(0, expected[0][size.more].mean(axis=1))
    throws = np.maximum(stop, best_keeps(solver, expected[:-1]))
    return float((throws * keeps[-1].weight).sum() / solver.lattice.orders)


def best_keeps(solver: TurnSolver, values: list[Any]) -> Any:
    """Return for each throw the best of the keeps within it."""
    best = values[0]
    for size in solver.lattice.keeps[1:-1]:
        best = np.maximum(values[size.size], best[size.less].max(axis=1))
    return best[solver.lattice.keeps[-1].less].max(axis=1)


def final_throws(solver: TurnSolver, mask: int, total: int, after: Any) -> Any:
    """Return [inner, outer]: the best of all pairs of boxes."""
    index, points, bonus = solver.index, solver.tables.free, solver.tables.bonus
    final = np.full((len(points), len(points)), -np.inf)
    for first in open_boxes(solver, mask):
        for given in np.unique(points[:, first]):
            reached = total + (given if first in index.upper else 0)
            between = mask | 1 << first
            best = np.full(len(points), -np.inf)
            for second in open_boxes(solver, between):
                end = reached + (points[:, second] if second in index.upper else 0 * points[:, second])
                filled = between | 1 << second
                rest = after[index.place[filled] + index.class_of[index.upper_mask[filled], end]]
                best = np.maximum(best, points[:, second] + bonus[end] - bonus[total] + rest)
            rows = points[:, first] == given
            final[rows] = np.maximum(final[rows], given + best)
    return final


def open_boxes(solver: TurnSolver, mask: int) -> list[int]:
    return [box for box in range(solver.index.boxes) if not mask >> box & 1]
