"""Compile the kernels that the tests use into the clone: python tools/kernels.py

Each process that finds no compiled kernels compiles them for itself, and the tests start many processes.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

CACHE = Path(__file__).resolve().parents[1] / ".pytest_cache"
GAMES = ("dice-in-dice", "yatzy", "yum-plus")  # together they use every kernel


def main() -> None:
    # Read when the solver is imported.
    os.environ |= {"NUMBA_CACHE_DIR": str(CACHE / "kernels"), "DICECUP_CACHE": str(CACHE / "coach")}
    import numpy as np

    from dicecup.coach.advice import known_values
    from dicecup.engine.state import Sheet, turn_start
    from dicecup.rules import load_ruleset
    from dicecup.solver.single.index import build_index
    from dicecup.solver.single.packing import pack
    from dicecup.solver.single.solve import solve_single
    from dicecup.web.service.worker_main import prepare

    for game in GAMES:
        prepare(load_ruleset(game))
    rules = load_ruleset("yatzy-sv")
    late = Sheet(tuple(0 if number else None for number in range(len(rules.boxes))))
    for play in ("points", "target"):
        known_values(rules).source.final_scores(turn_start(rules, (late,), 0), play)
    with TemporaryDirectory() as folder:  # the coach uses 64 bits, and no packed tables
        table = solve_single(rules, precision=32, folder=Path(folder))
        index = build_index(rules)
        pack(index, index.level(1), np.array(table.arrays(1)["values"]))


if __name__ == "__main__":
    main()
