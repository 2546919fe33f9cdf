"""Compare means of many optimal games with the solved values.

    python bench/solver_simulation.py GAME [-o NAME=VALUE …]

Without a game: every one-layer game that is solved in seconds, with every combination of its options.
"""

from __future__ import annotations

import argparse
import time
from itertools import product

from dicecup.playout.games import play_games
from dicecup.rules import load_ruleset
from dicecup.solver.find import find_single_solution


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?")
    parser.add_argument("-o", "--option", action="append", default=[])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.game:
        wanted = [(arguments.game, dict(text.split("=") for text in arguments.option))]
    else:
        wanted = [
            (game, dict(zip(choices, values, strict=True)))
            for game in ("yatzy", "yatzy-sv", "yahtzee")
            for choices in [load_ruleset(game).choices]
            for values in product(*choices.values())
        ]
    for game, options in wanted:
        solution = find_single_solution(load_ruleset(game, options))
        began = time.perf_counter()
        scores = play_games(solution, arguments.games, arguments.seed).scores
        expected = solution.table.header.expected
        mean, error = scores.mean(), scores.std(ddof=1) / len(scores) ** 0.5
        print(
            f"{game} {options}: expected {expected:.6f}, mean {mean:.4f} ± {error:.4f}, "
            f"{(mean - expected) / error:+.2f} standard errors, "
            f"{time.perf_counter() - began:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
