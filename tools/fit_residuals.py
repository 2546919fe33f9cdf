"""Measure how far final scores of a perfect player end from what was expected, turn by turn: double dice.

    PYTHONPATH=src python tools/fit_residuals.py dice-in-dice --games 5000 --out src/dicecup/coach/data

Writes the file that win chances of games with double dice are drawn from, and says how well they fit: games
of the second half are paired, and the chances that the first half gives are held against who won.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dicecup.coach.double_games import play_games
from dicecup.coach.residuals import GRID, residuals_from, save_residuals
from dicecup.rules import load_ruleset
from dicecup.solver.double.lookup import find_solution

Numbers = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ruleset")
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("residuals"), help="folder")
    arguments = parser.parse_args()
    solution = find_solution(load_ruleset(arguments.ruleset))
    play_games(solution, 20, 0)  # compiles the kernels
    expected: dict[int, Numbers] = {}

    def note(left: int, worth: Numbers) -> None:
        expected[left] = worth

    began, busy = time.perf_counter(), time.process_time()
    scores = play_games(solution, arguments.games, arguments.seed, note=note).scores
    print(
        f"{len(scores)} games in {time.perf_counter() - began:.0f} s "
        f"(cpu {time.process_time() - busy:.0f} s), "
        f"mean {scores.mean():.3f} ± {scores.std() / len(scores) ** 0.5:.3f}, solved "
        f"{expected[solution.rules.turns][0]:.3f}",
        flush=True,
    )
    half = len(scores) // 2
    check(
        residuals_from({left: scores[:half] - worth[:half] for left, worth in expected.items()}),
        {left: worth[half:] for left, worth in expected.items()},
        scores[half:],
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = residuals_from({left: scores - worth for left, worth in expected.items()})
    save_residuals(arguments.out, solution.rules, table, expected[solution.rules.turns][0], len(scores))


def check(table: Numbers, expected: dict[int, Numbers], scores: npt.NDArray[np.int64]) -> None:
    """Chances against what happened, for pairs of games that have come equally far."""
    print("turns left, sd, mean square error of the chance, of knowing nothing, largest gap of five classes")
    pairs = [(one, (one + step) % len(scores)) for step in range(1, 9) for one in range(len(scores))]
    first, second = np.array(pairs).T
    won = (scores[first] > scores[second]) + 0.5 * (scores[first] == scores[second])
    for left, worth in sorted(expected.items()):
        spread = table[left]
        # The chance that the difference of two draws is above the difference of what is expected.
        apart = np.sort((spread[:, None] - spread[None, :]).ravel())
        chance = np.searchsorted(apart, worth[first] - worth[second]) / len(apart)
        gaps = [
            abs(float(won[here].mean() - chance[here].mean()))
            for low in np.arange(0, 1, 0.2)
            if (here := (chance >= low) & (chance <= low + 0.2)).sum() > 100
        ]
        print(
            f"{left:>2} {spread.std():8.2f} {np.mean((won - chance) ** 2):8.4f} "
            f"{np.mean((won - 0.5) ** 2):8.4f} {max(gaps, default=0.0):8.4f}  ({len(GRID)} quantiles)"
        )


if __name__ == "__main__":
    main()
