"""Make the puzzles of a game: see `dicecup.bots.puzzle_making`.

PYTHONPATH=src python tools/make_puzzles.py yatzy --seed 1 --out src/dicecup/coach/data
PYTHONPATH=src python tools/make_puzzles.py yatzy --seed 1 --cluster tcp://192.168.1.5:8786
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext
from pathlib import Path

from dicecup.bots.puzzle_making import make_puzzles
from dicecup.coach.advice import find_values
from dicecup.coach.puzzles import puzzles_text
from dicecup.executors import cluster
from dicecup.rules import load_ruleset


def show(share: float) -> None:
    print(f"\r{share:.0%} of the candidates", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--candidates", type=int, default=300, help="puzzles to pick these from")
    parser.add_argument("--every", type=int, default=3, help="look at every so manieth decision")
    parser.add_argument("--cluster", help="the address of a Dask scheduler whose workers make them")
    parser.add_argument("--out", type=Path, default=Path("puzzles"))
    arguments = parser.parse_args()
    rules = load_ruleset(arguments.game)
    find_values(rules)
    with cluster(arguments.cluster) if arguments.cluster else nullcontext() as executor:
        header, puzzles = make_puzzles(
            rules,
            seed=arguments.seed,
            count=arguments.count,
            candidates=arguments.candidates,
            every=arguments.every,
            executor=executor,
            on_progress=show,
        )
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / f"puzzles-{rules.id}.jsonl").write_text(puzzles_text(header, puzzles), "utf-8")
    print(json.dumps(header | {"puzzles": len(puzzles)}), flush=True)


if __name__ == "__main__":
    main()
