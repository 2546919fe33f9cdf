"""Measure the CUDA backend on this machine's GPU, level by level: python bench/solver_cuda.py

Needs CuPy and NumPy, but not Numba. The values of the CPU backend are in docs/solver.md.
"""

from __future__ import annotations

import time

import numpy as np

from dicecup.rules import load_ruleset
from dicecup.solver.single.cuda import CudaBackend
from dicecup.solver.single.index import build_index
from dicecup.solver.single.kernel_tables import build_program
from dicecup.solver.single.solve import last_level

RUNS: list[tuple[str, dict[str, str], int]] = [
    ("yahtzee", {"joker": "forced"}, 64),
    ("yatzy-sv", {}, 64),
    ("yatzy-sv", {}, 32),
    ("yum-plus", {}, 32),
    *(
        ("yum-plus", {"kinds": kinds, "joker_upper": upper}, 64)
        for kinds in ("all_dice", "matching")
        for upper in ("sum", "none")
    ),
]


def solve(game: str, options: dict[str, str], precision: int) -> None:
    index = build_index(load_ruleset(game, options))
    machine = CudaBackend(index, build_program(index), precision)
    below, values = index.level(0), last_level(index, precision)
    began, moved = time.perf_counter(), 0
    for number in range(1, index.levels + 1):
        level = index.level(number)
        values = machine.solve_level(level, below, values, lambda _: None)
        assert not np.isnan(values[: level.size]).any()
        below, moved = level, moved + values.nbytes
    print(
        f"{game} {options} {precision} bits: {float(values[0]):.10f}, {index.states} states, "
        f"{time.perf_counter() - began:.2f} s, {moved / 1e9:.2f} GB back",
        flush=True,
    )


if __name__ == "__main__":
    for run in RUNS:
        solve(*run)
