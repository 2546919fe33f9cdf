"""Playing whole games by a solution: the proof that its values are what perfect play really scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dicecup.dice import parts
from dicecup.engine.state import empty_sheet
from dicecup.solver.index import Array
from dicecup.solver.simulate_kernel import Games, Parts, play_level
from dicecup.solver.solution import Solution
from dicecup.solver.totals import bonus


@dataclass(frozen=True)
class Simulation:
    """Final scores of many games."""

    scores: Array

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores)))


def simulate(solution: Solution, games: int, seed: int) -> Simulation:
    """The final scores of so many games under perfect play; the same for the same seed, always."""
    rules, index = solution.rules, solution.index
    start = index.locate(empty_sheet(rules))
    chances = np.random.default_rng(seed).integers(0, 2**64, games, dtype=np.uint64)
    table = Games(
        lower=np.full(games, start.lower, dtype=np.int64),
        position=np.full(games, start.position, dtype=np.int64),
        points=np.zeros(games, dtype=np.int64),
        chance=chances,
    )
    kept = parts_of_throws(solution)
    for open_boxes in range(index.levels, 0, -1):
        sheet = table.lower * int(index.group_sizes.max()) + table.position
        order = np.argsort(sheet, kind="stable")
        changes = np.flatnonzero(np.diff(sheet[order])) + 1
        runs = np.concatenate([[0], changes, [games]])
        source = solution.source(open_boxes - 1)
        play_level(
            solution.program, solution.choices, kept, source, open_boxes, table, order, runs, solution.room
        )
    return Simulation((table.points + bonuses(solution, table)) * rules.columns[0].multiplier)


def bonuses(solution: Solution, table: Games) -> Array:
    """The bonus of each full sheet."""
    index = solution.index
    kinds = index.kinds[table.lower]
    paid = np.zeros(len(table.lower), dtype=np.int64)
    for kind, rows in enumerate(index.upper.rows):
        totals = [total for member in index.groups[kind][0].members for total in rows[member].totals]
        values = np.array([bonus(index.rules, total) for total in totals])
        paid[kinds == kind] = values[table.position[kinds == kind]]
    return paid


def parts_of_throws(solution: Solution) -> Parts:
    number = solution.lattice.number
    rows = [
        [number[part] for part in parts(throw) if len(part) < solution.lattice.count]  # type: ignore[index]
        for throw in solution.lattice.throws
    ]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Parts(starts, np.array([keep for row in rows for keep in row], dtype=np.int32))
