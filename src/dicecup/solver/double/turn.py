"""One turn solved on the CPU, for one sheet or for several side by side; and whole levels of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.rules.model import Ruleset
from dicecup.solver.compiled import is_compiled
from dicecup.solver.double import kernels
from dicecup.solver.double.game_tables import (
    DoubleLevel,
    SheetIndex,
    box_points,
    check_double_solvable,
    game_tables,
    layers_interchangeable,
)
from dicecup.solver.double.kernels import LANES, mean_throw
from dicecup.solver.double.multisets import DoubleLattice, build_lattice
from dicecup.solver.solution import OnBatch

Floats = npt.NDArray[np.float32]
SUM_BLOCKS = 64


@dataclass(frozen=True)
class SheetBatch:
    """Some sheets of one level, and the values of the level after the turn."""

    mask: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    after: npt.NDArray[Any]


@dataclass(frozen=True)
class TurnValues:
    """The value of every decision of one sheet's turn, to the end of the game."""

    # By dice kept, [inner multiset, outer multiset]: one throw follows. All dice: the final throw.
    layers: list[Floats]
    # By throws that follow, from 2 on, and by dice kept: [keep row].
    keeps: list[list[Floats]]


@lru_cache(maxsize=2)
def lattice_of(dice: int, faces: int, mirrored: bool) -> DoubleLattice:
    return build_lattice(dice, faces, mirrored, np)


class TurnSolver:
    """Solves turns of one game. It holds the work space, so only one thread may use it at a time."""

    def __init__(self, rules: Ruleset, index: SheetIndex | None = None) -> None:
        check_double_solvable(rules)
        self.rules = rules
        self.index = index or SheetIndex(rules)
        self.points = box_points(rules)
        self.lattice = lattice_of(rules.dice.count, rules.dice.faces, layers_interchangeable(rules))
        self.tables = game_tables(self.index, self.points)
        self.space: dict[tuple[str, int, int], Floats] = {}

    def work(self, name: str, rows: int, lanes: int) -> Floats:
        """Return an array for intermediate results, kept between turns: allocating it costs more than using
        it.
        """
        key = (name, rows, lanes)
        if key not in self.space:
            self.space[key] = np.zeros((rows, lanes), dtype=np.float32)
        return self.space[key]

    def decisions(self, mask: int, total: int, after: npt.NDArray[Any]) -> TurnValues:
        """Return the values of every decision of one sheet's turn."""
        layers = self.layers(mask, total, after)
        keeps, _ = self.reroll(self.lay_pairs([layers]))
        return TurnValues(layers, [[rows.copy() for rows in by_size] for by_size in keeps])

    def start_values(self, sheets: SheetBatch) -> npt.NDArray[np.float64]:
        """Return the values of the sheets before the first throw."""
        layers = [
            self.layers(int(mask), int(total), sheets.after)
            for mask, total in zip(sheets.mask, sheets.total, strict=True)
        ]
        if self.rules.throws == 1:
            return np.array([float(one[0][0, 0]) for one in layers])
        pairs = self.lay_pairs(layers)
        _, last = self.reroll(pairs)
        throws = self.best_throws(last, pairs[-1])
        sums = np.empty((SUM_BLOCKS, throws.shape[1]))
        kernels.mean_throw(throws, self.lattice.keeps[-1].weight, SUM_BLOCKS, sums)
        return np.asarray(sums.sum(axis=0)[: len(layers)] / self.lattice.orders)

    def layers(self, mask: int, total: int, after: npt.NDArray[Any]) -> list[Floats]:
        """Return final throws and the keeps before the last throw, which depend on inner and outer multisets
        only.
        """
        count = len(self.tables.free)
        final = np.empty((count, count), dtype=np.float32)
        kernels.final_values(self.tables, mask, total, after, final)
        found = [final]
        for grow in reversed(self.lattice.grow):
            out = np.empty((len(grow), len(grow)), dtype=np.float32)
            kernels.expect_layer_dice(found[0], grow, out)
            found.insert(0, out)
        return found

    def lay_pairs(self, layers: list[list[Floats]]) -> list[Floats]:
        """Return the same values as rows, by dice kept: [pair, lane]. Unused lanes hold anything."""
        lattice = self.lattice
        assert len(layers) <= LANES
        lanes = 1 if len(layers) == 1 else LANES
        pairs = []
        for size in range(lattice.dice + 1):
            rows = self.work(f"pairs{size}", lattice.pairs(size), lanes)
            for lane, by_size in enumerate(layers):
                kernels.lay_pairs(by_size[size], lattice.mirrored, lane, rows)
            pairs.append(rows)
        return pairs

    def reroll(self, pairs: list[Floats]) -> tuple[list[list[Floats]], list[Floats]]:
        """Return keeps by throws that follow (from 2 on) and dice kept; and those of the turn's first
        decision.

        They are in the work space, which the next turn overwrites.
        """
        rows, lanes = self.lattice.keeps[:-1], pairs[0].shape[1]
        current = [self.work(f"keeps{size.size}", size.rows, lanes) for size in rows]
        for size in rows:
            kernels.pick_rows(pairs[size.size], size.pair, current[size.size])
        found: list[list[Floats]] = []
        for follow in range(2, self.rules.throws):
            above = self.best_throws(current, pairs[-1])
            current = [self.work(f"keeps{size.size} of {follow}", size.rows, lanes) for size in rows]
            for size in reversed(rows):
                kernels.expect_die(above, size.more, current[size.size])
                above = current[size.size]
            found.append(current)
        return found, current

    def best_throws(self, keeps: list[Floats], final: Floats) -> Floats:
        """Return for every throw the best of ending the turn and of all keeps within it."""
        rows, lanes = self.lattice.keeps, final.shape[1]
        best = keeps[0]
        for size in rows[1:-1]:
            out = self.work(f"best{size.size}", size.rows, lanes)
            kernels.best_keeps(keeps[size.size], size.less, best, out)
            best = out
        throws = self.work("throws", rows[-1].rows, lanes)
        kernels.best_throws(final, rows[-1].pair, rows[-1].less, best, throws)
        return throws


class CpuTurns:
    """The turns of one game, on every core by Numba's kernels."""

    part = 512  # sheets between two saves: some seconds on two cores

    def __init__(self, rules: Ruleset, index: SheetIndex) -> None:
        self.solver = TurnSolver(rules, index)

    def compiled(self) -> bool:
        """Return whether the kernel that is compiled last is compiled."""
        rows = np.empty((0, 0), dtype=np.float32)
        return is_compiled(mean_throw, rows, np.empty(0, dtype=np.int32), SUM_BLOCKS, np.empty((0, 0)))

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of a level's sheets, from those of the level after the turn."""
        values = np.empty(len(level))
        for first in range(0, len(level), LANES):
            end = min(first + LANES, len(level))
            sheets = SheetBatch(level.mask[first:end], level.total[first:end], after)
            values[first:end] = self.solver.start_values(sheets)
            on_batch(end - first)
        return values
