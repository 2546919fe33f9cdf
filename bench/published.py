"""Solve games whose value others have published, and print both: python bench/published.py [--large]

`--large` also solves Maxi Yatzy without saved rolls, which takes minutes: too long for the tests.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from dicecup.rules import load_ruleset
from dicecup.solver.single.solve import solve_single

QUICK = [
    ("yatzy-sv", {}, 248.4399893779),
    ("yahtzee", {"joker": "free"}, 254.5896094820),
    ("yahtzee", {"joker": "forced"}, 254.5877287345),
    ("yahtzee", {"joker": "none"}, 245.8707745141),
    ("kniffel", {}, 245.8707745141),
]
LARGE = [("maxi-yatzy", {"saved": "none", "bonus": "fifty"}, 383.3054026849)]


def user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also solve what takes minutes")
    games = [*QUICK, *LARGE] if parser.parse_args().large else QUICK
    print(f"{'game':40} {'solved':>15} {'published':>15} {'difference':>12} {'user s':>8} {'peak MB':>8}")
    for game, options, published in games:
        rules, before = load_ruleset(game, options), user_seconds()
        with tempfile.TemporaryDirectory() as folder:
            found = solve_single(rules, precision=64, folder=Path(folder)).header.expected
        name = " ".join([game, *(f"-o {option}={value}" for option, value in options.items())])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        used = user_seconds() - before
        print(
            f"{name:40} {found:15.10f} {published:15.10f} {found - published:12.1e} {used:8.1f} {peak:8.0f}"
        )


if __name__ == "__main__":
    main()
