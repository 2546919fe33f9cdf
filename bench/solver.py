"""Measure the solver on this machine: python bench/solver.py [--large]

Each figure is the best of several runs with compiled kernels. `--large` also solves Yum Plus in 32 bits,
which takes minutes.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from dicecup.dice import throws
from dicecup.engine.play import legal_scores, score_sheet
from dicecup.engine.state import Sheet, empty_sheet
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single


def best(action: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def random_sheet(rules: Ruleset, random: Random) -> Sheet:
    dice = [faces for faces, _ in throws(rules.dice.count, rules.dice.faces)]
    sheet = empty_sheet(rules)
    for _ in range(random.randrange(rules.cells)):
        thrown = random.choice(dice)
        move = random.choice(list(legal_scores(rules, sheet, thrown)))
        sheet, _ = score_sheet(rules, sheet, thrown, move.placements)
    return sheet


def time_turns(solution: SingleSolution) -> tuple[float, float]:
    """Return the microseconds of one turn with all its choices, on random sheets: median and maximum."""
    random = Random(1)
    sheets = [random_sheet(solution.rules, random) for _ in range(100)]
    times = []
    for sheet in sheets:
        times.append(best(lambda sheet=sheet: solution.turn(sheet).boxes((2, 3, 3, 5, 6)), 20))  # type: ignore[misc]
    times.sort()
    return times[len(times) // 2] * 1e6, times[-1] * 1e6


def report(game: str, precision: int, folder: Path, runs: int) -> None:
    rules = load_ruleset(game)
    worked = time.process_time()
    took = best(lambda: solve_single(rules, precision=precision, folder=folder), runs)
    worked = (time.process_time() - worked) / runs
    solution = (
        SingleSolution(rules, solve_single(rules, precision=precision, folder=folder)) if runs > 1 else None
    )
    if solution is None:
        from dicecup.solver.find import find_single_solution

        solution = find_single_solution(rules, folder=folder)
    header = solution.table.header
    middle, slowest = time_turns(solution)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = solution.table.path.stat().st_size / 1e6
    print(
        f"{game} {precision} bits: {took:.2f} s ({worked:.2f} s of processor time), "
        f"{header.states / took / 1e6:.2f} M states/s, "
        f"table {size:.1f} MB, peak memory {memory:.2f} GB, expected {header.expected:.10f}; "
        f"one turn {middle:.0f} µs, slowest {slowest:.0f} µs"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    large = parser.parse_args().large
    with tempfile.TemporaryDirectory() as name:
        for precision in (64, 32):
            # Compile missing kernels first.
            solve_single(load_ruleset("yahtzee"), precision=precision, folder=Path(name))
            report("yatzy-sv", precision, Path(name), 7)
        if large:
            report("yum-plus", 32, Path(name), 1)


if __name__ == "__main__":
    main()
