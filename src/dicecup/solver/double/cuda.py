"""Whole levels on an NVIDIA GPU, through CuPy.

The kernels are in `turns.cu`. This module allocates the memory and calls them in order, for a batch of
several groups of `lanes` sheets at a time, so that the small steps fill the GPU too.
"""

from __future__ import annotations

from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import (
    DoubleLevel,
    SheetIndex,
    box_points,
    check_double_solvable,
    game_tables,
    layers_interchangeable,
)
from dicecup.solver.double.multisets import KeepRows, build_lattice
from dicecup.solver.limits import load_cupy
from dicecup.solver.solution import OnBatch

INNERS, TILE = 33, 32  # as in turns.cu
MOST_GROUPS = 16  # 512 sheets fill the GPU; 11 GB for six double dice
SUM_ROUNDS = 32  # rows that a thread sums before its block does
SUM_BITS = 42  # of a mean's sum over all throws, per point: leaves room for a million points


class CudaTurns:
    """The turns of one game on a GPU, of which it takes some gigabytes of memory."""

    part = 1 << 17  # sheets between two saves: some seconds

    def __init__(
        self,
        rules: Ruleset,
        index: SheetIndex | None = None,
        *,
        lanes: int = 32,
        groups: int | None = None,
        threads: int = 128,
        array_module: Any = None,
        more_kernels: str = "",
    ) -> None:
        check_double_solvable(rules)
        self.xp = array_module or load_cupy()
        self.rules, self.lanes, self.threads = rules, lanes, threads
        self.more_kernels = more_kernels  # source compiled behind that of turns.cu
        self.index = index or SheetIndex(rules)
        dice = rules.dice
        self.lattice = build_lattice(dice.count, dice.faces, layers_interchangeable(rules), self.xp)
        self.groups = groups or self.fitting_groups()
        self.sheets = lanes * self.groups
        self.game = [self.xp.asarray(table) for table in game_tables(self.index, box_points(rules))]
        self.tables = self.xp.asarray(np.array([address(table) for table in self.game], dtype=np.uint64))
        self.allocate()

    def compiled(self) -> bool:
        """Return True: the CUDA compiler takes only a second."""
        return True

    @cached_property
    def module(self) -> Any:
        dice = self.rules.dice
        sizes = {
            "DICE": dice.count,
            "FACES": dice.faces,
            "BOXES": len(self.rules.boxes),
            "MULTISETS": self.lattice.layer_multisets(dice.count),
            "LANES": self.lanes,
            "TOTALS": len(self.index.bonus),
        }
        source = files("dicecup.solver.double").joinpath("turns.cu").read_text(encoding="utf-8")
        source += self.more_kernels
        source += "".join(f"BEST_KEEPS({size})\n" for size in range(1, dice.count))
        options = tuple(f"-D{name}={value}" for name, value in sizes.items())
        return self.xp.RawModule(code=source, options=("-std=c++17", *options))

    def fitting_groups(self) -> int:
        """Return how many groups half of the GPU's free memory holds."""
        lattice = self.lattice
        values = sum(2 * size.rows + lattice.pairs(size.size) for size in lattice.keeps)
        values += sum(lattice.layer_multisets(size) ** 2 for size in range(lattice.dice + 1))
        free, _ = self.xp.cuda.Device().mem_info
        return max(1, min(MOST_GROUPS, int(free) // 2 // (values * self.lanes * 4)))

    def call(self, name: str, blocks: tuple[int, int], *arguments: Any) -> None:
        passed = tuple(np.int32(one) if isinstance(one, int) else one for one in arguments)
        self.module.get_function(name)(blocks, (self.threads,), passed)

    def allocate(self) -> None:
        xp, lattice = self.xp, self.lattice
        whole = lattice.keeps[-1]
        counts = [lattice.layer_multisets(size) for size in range(lattice.dice + 1)]
        self.layers = [xp.empty((self.sheets, count, count), dtype=xp.float32) for count in counts]
        self.sums = xp.empty(self.sheets, dtype=xp.int64)
        self.pair_place = [self.places_of_pairs(count) for count in counts]
        self.pairs = [self.rows(lattice.pairs(size)) for size in range(lattice.dice + 1)]
        self.keeps = [self.rows(size.rows) for size in lattice.keeps[:-1]]
        self.best = [self.rows(size.rows) for size in lattice.keeps[:-1]]
        self.throws = self.rows(whole.rows)
        links = xp.zeros((whole.rows, (lattice.dice + 2 + 3) // 4 * 4), dtype=xp.int32)
        links[:, : lattice.dice] = whole.less
        links[:, lattice.dice] = whole.pair
        links[:, lattice.dice + 1] = whole.weight
        self.links = links

    def rows(self, count: int) -> Any:
        return self.xp.empty((self.groups, count, self.lanes), dtype=self.xp.float32)

    def places_of_pairs(self, count: int) -> Any:
        """Return the indexes of the values of each pair in [inner, outer]."""
        if not self.lattice.mirrored:
            return self.xp.arange(count * count, dtype=self.xp.int32)
        high, low = np.tril_indices(count)
        return self.xp.asarray((high * count + low).astype(np.int32))

    def solve_level(self, level: DoubleLevel, after: npt.NDArray[Any], on_batch: OnBatch) -> npt.NDArray[Any]:
        """Return the values of a level's sheets, from those of the level after the turn."""
        self.start_level(level.filled, after)
        values = np.empty(len(level))
        waiting: tuple[int, int, Any] | None = None
        for first in range(0, len(level), self.sheets):
            count = min(self.sheets, len(level) - first)
            self.solve_batch(level.mask[first : first + count], level.total[first : first + count])
            begun = first, first + count, self.batch_values()
            # Fetch a batch only when the next has been started, so that the GPU never waits.
            if waiting:
                self.fetch(waiting, values, on_batch)
            waiting = begun
        if waiting:
            self.fetch(waiting, values, on_batch)
        return values

    def fetch(self, batch: tuple[int, int, Any], values: npt.NDArray[Any], on_batch: OnBatch) -> None:
        first, end, found = batch
        values[first:end] = self.to_host(found)[: end - first]
        on_batch(end - first)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        return np.asarray(array.get() if hasattr(array, "get") else array)

    def start_level(self, filled: int, after: npt.NDArray[Any]) -> None:
        """Compute the best placement of the second layer for every sheet with one box more filled."""
        between = self.index.level(filled + 1)
        mask, total = self.xp.asarray(between.mask), self.xp.asarray(between.total)
        multisets = len(self.layers[-1][0])
        self.best_second = self.xp.empty((len(between), multisets), dtype=self.xp.float32)
        values = self.xp.asarray(np.asarray(after, dtype=np.float32))
        blocks = (-(-len(between) * multisets // self.threads), 1)
        self.call("best_placements", blocks, self.tables, mask, total, len(between), values, self.best_second)

    def solve_batch(self, mask: npt.NDArray[np.int32], total: npt.NDArray[np.int32]) -> None:
        """Solve the turns of up to `sheets` sheets of the level; missing ones repeat the last."""
        missing = self.sheets - len(mask)
        self.mask = self.xp.asarray(np.pad(mask, (0, missing), mode="edge"))
        self.total = self.xp.asarray(np.pad(total, (0, missing), mode="edge"))
        self.last_throw()
        if self.rules.throws == 1:
            return
        keeps: list[Any] | None = None
        for _ in range(self.rules.throws - 2):
            self.best_keeps(keeps)
            self.throw_step("best_throws", self.throws)
            self.expect()
            keeps = self.keeps
        self.best_keeps(keeps)

    def last_throw(self) -> None:
        """Compute final throws and the keeps before them, as floats and as rows."""
        count = self.layers[-1].shape[1]
        self.call(
            "final_values", (-(-count // INNERS), self.sheets),
            self.tables, self.mask, self.total, self.best_second, self.layers[-1],
        )  # fmt: skip
        for size in reversed(range(self.lattice.dice)):
            above, out = self.layers[size + 1], self.layers[size]
            self.call(
                "expect_layer_dice", (out.shape[1], self.sheets),
                above, above.shape[1], self.lattice.grow[size], out.shape[1], out,
            )  # fmt: skip
        for size, values in enumerate(self.layers):
            place, rows = self.pair_place[size], self.pairs[size]
            self.call(
                "lay_rows", (-(-len(place) // TILE), self.groups),
                values, values.shape[1], place, len(place), rows,
            )  # fmt: skip

    def best_keeps(self, keeps: list[Any] | None) -> None:
        """Compute `best`, the best part of every keep; keeps have the values of their pairs if `keeps` is
        None.
        """
        self.best[0][:] = self.pairs[0] if keeps is None else keeps[0]
        for size in self.lattice.keeps[1:-1]:
            own = self.pairs[size.size] if keeps is None else keeps[size.size]
            below, out = self.best[size.size - 1], self.best[size.size]
            pair = size.pair if keeps is None else np.uint64(0)
            self.call(
                f"best_keeps_{size.size}", self.row_blocks(size),
                own, own.shape[1], pair, size.less, below, below.shape[1], out, size.rows,
            )  # fmt: skip

    def row_blocks(self, rows: KeepRows, rounds: int = 1) -> tuple[int, int]:
        to_a_block = self.threads // (self.lanes // 4) * rounds
        return -(-rows.rows // to_a_block), self.groups

    def throw_step(self, name: str, out: Any, *more: Any, rounds: int = 1) -> None:
        """Call a kernel that processes all throws."""
        stop, below, whole = self.pairs[-1], self.best[-1], self.lattice.keeps[-1]
        self.call(
            name, self.row_blocks(whole, rounds),
            stop, stop.shape[1], self.links, below, below.shape[1], out, whole.rows, *more,
        )  # fmt: skip

    def expect(self) -> None:
        above = self.throws
        for size in reversed(self.lattice.keeps[:-1]):
            out = self.keeps[size.size]
            self.call("expect_die", self.row_blocks(size), above, above.shape[1], size.more, out, size.rows)
            above = out

    def batch_values(self) -> Any:
        """Return the values of the sheets of the batch before their first throw."""
        if self.rules.throws == 1:
            return self.layers[0][:, 0, 0].copy()  # the next batch overwrites it
        scale = 2.0 ** (SUM_BITS - self.lattice.orders.bit_length())
        self.sums.fill(0)
        self.throw_step("sum_throws", self.sums, SUM_ROUNDS, np.float64(scale), rounds=SUM_ROUNDS)
        return self.sums / (scale * self.lattice.orders)


def address(array: Any) -> int:
    interface = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    return int(interface["data"][0])
