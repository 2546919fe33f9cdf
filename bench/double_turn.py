"""Measure time and memory of one turn of Dice in Dice on the CPU, with the shipped tables.

    python bench/double_turn.py [--sheets 20] [--solve 64]

Sheets are drawn from all levels; the first is not counted (it loads the compiled kernels). `--solve` also
times the vectorised solve of that many sheets of the middle level, to extrapolate the time of a complete
solve.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import time
from pathlib import Path

import numpy as np

from dicecup.dice import parse_dice
from dicecup.engine.state import Sheet
from dicecup.rules import load_ruleset
from dicecup.solver.double.game_tables import DoubleLevel, SheetIndex
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import find_packed_table
from dicecup.solver.double.turn import CpuTurns

DICE = parse_dice(["6-5", "6-4", "3-3", "3-2", "4-1", "3-2"], 6, 2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sheets", type=int, default=20)
    parser.add_argument("--solve", type=int, default=0)
    arguments = parser.parse_args()
    rules = load_ruleset("dice-in-dice")
    loads = []
    for _ in range(5):
        begun = time.perf_counter()
        index = SheetIndex(rules)
        table = find_packed_table(rules, Path("/nowhere"), index)
        loads.append(time.perf_counter() - begun)
    assert table is not None
    solution = DoubleSolution(rules, table, index)
    begun = time.perf_counter()
    assert solution.solver
    set_up = time.perf_counter() - begun
    firsts, seconds, core = [], [], []
    random = np.random.default_rng(1)
    for number in range(arguments.sheets + 1):
        sheet = random_sheet(index, 2 + 2 * (number % 7), random)
        used = time.process_time()
        for times in (firsts, seconds):
            begun = time.perf_counter()
            turn = solution.turn(sheet)
            turn.throw(DICE, 2)
            turn.boxes(DICE)
            times.append(time.perf_counter() - begun)
        core.append(time.process_time() - used)
    print(
        json.dumps(
            {
                "load_ms": round(min(loads) * 1e3, 1),
                "set_up_s": round(set_up, 2),
                "turn_ms_median": round(statistics.median(firsts[1:]) * 1e3, 1),
                "turn_ms_best": round(min(firsts[1:]) * 1e3, 1),
                "turn_ms_of_one_core": round(statistics.median(core[1:]) * 1e3, 1),
                "second_question_ms_median": round(statistics.median(seconds[1:]) * 1e3, 2),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "cores": os.cpu_count(),
                "load_average": os.getloadavg()[0],
            }
        )
    )
    if arguments.solve:
        time_solve(index, CpuTurns(rules, index), table.levels[10], arguments.solve)


def random_sheet(index: SheetIndex, filled: int, random: np.random.Generator) -> Sheet:
    """Return a sheet with that many boxes filled; only its upper points matter."""
    cells: list[int | None] = [None] * index.boxes
    for box in random.choice(index.boxes, filled, replace=False):
        upper = box in index.upper
        cells[box] = int(random.choice(index.gains[index.upper.index(box)])) if upper else 0
    return Sheet(tuple(cells))


def time_solve(index: SheetIndex, turns: CpuTurns, after: np.ndarray, sheets: int) -> None:
    level = index.level(8)
    part = DoubleLevel(8, level.mask[:sheets], level.total[:sheets])
    turns.solve_level(DoubleLevel(8, level.mask[:16], level.total[:16]), after, lambda _: None)
    begun, used = time.perf_counter(), time.process_time()
    turns.solve_level(part, after, lambda _: None)
    passed, used = time.perf_counter() - begun, time.process_time() - used
    states = sum(index.level_sizes[::2])
    found = {
        "ms": passed / sheets * 1e3,
        "core_ms": used / sheets * 1e3,
        "hours": passed / sheets * states / 3600,
    }
    print(json.dumps({name: round(value, 1) for name, value in found.items()}))


if __name__ == "__main__":
    main()
