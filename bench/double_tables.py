"""Solve every variant of Dice in Dice on a GPU, check each by simulation, and write the results.

    python bench/double_tables.py OUT [--games 200000] [--limit 540] [--only chance-flat]
    python bench/double_tables.py OUT --strike last_resort

For every pair of Extra and Yatzy form, writes the values of its three scorings in 32 bits
(`OUT/chance-flat-free.npz`), and `OUT/results.json` with times and simulated means, each as soon as it is
available. Existing results are skipped. `tools/double_pack.py` builds the shipped tables from them.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from pathlib import Path

import cupy
import numpy as np

from dicecup.rules import load_ruleset
from dicecup.solver.double.cuda import CudaTurns
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.solve import make_header, pack
from simulate_double import KERNELS, simulate

GAME = "dice-in-dice"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--limit", type=float, default=540, help="start no variant after this many seconds")
    parser.add_argument("--only", default="", help="one pair of Extra and Yatzy form")
    parser.add_argument("--strike", default="free", help="when a box may be crossed out")
    arguments = parser.parse_args()
    begun = time.monotonic()
    results_file = arguments.out / "results.json"
    results = json.loads(results_file.read_text()) if results_file.exists() else {}
    results["copy_bytes_per_second"] = copy_speed()
    choices = load_ruleset(GAME).choices
    for yatzy in choices["yatzy"]:
        for extra in choices["extra"]:
            for scoring in choices["scoring"]:
                name = f"{scoring}-{yatzy}-{extra}-{arguments.strike}"
                wanted = arguments.only in ("", f"{extra}-{yatzy}") and name not in results
                if not wanted or time.monotonic() - begun > arguments.limit:
                    continue
                options = {"scoring": scoring, "yatzy": yatzy, "extra": extra, "strike": arguments.strike}
                file = arguments.out / f"{extra}-{yatzy}-{arguments.strike}.npz"
                results[name] = solve(options, file, arguments.games)
                print(f"{time.monotonic() - begun:6.1f} s  {name}: {results[name]}", flush=True)
                results_file.write_text(json.dumps(results, indent=1))


def copy_speed() -> float:
    """Return the GPU's memory bandwidth, measured by a large copy: bytes read and written per second."""
    source = cupy.random.random(2**28)
    target = cupy.empty_like(source)
    seconds = []
    for _ in range(5):
        cupy.cuda.Device().synchronize()
        begun = time.perf_counter()
        target[:] = source
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - begun)
    return 2 * source.nbytes / min(seconds)


def solve(options: dict[str, str], file: Path, games: int) -> dict[str, float]:
    begun = time.perf_counter()
    rules = load_ruleset(GAME, options)
    index = SheetIndex(rules)
    turns = CudaTurns(rules, index, more_kernels=KERNELS)
    levels = {index.boxes: np.zeros(1)}
    set_up = time.perf_counter() - begun
    for filled in range(index.boxes - 2, -1, -2):
        levels[filled] = turns.solve_level(index.level(filled), levels[filled + 2], lambda _: None)
    solved = time.perf_counter() - begun
    packed = pack(make_header(rules, index, "cuda"), index, levels)
    done = time.perf_counter() - begun
    save(file, options["scoring"], levels)
    begun = time.perf_counter()
    scores = simulate(turns, levels, games, seed=hash_of(options))
    return {
        "expected": float(levels[0][0]),
        "sheets": sum(len(values) for values in levels.values()),
        "set_up_seconds": set_up,
        "solve_seconds": solved,
        "seconds": done,
        "packed_bytes": len(packed),
        "games": games,
        "mean": float(scores.mean()),
        "sd": float(scores.std()),
        "standard_error": float(scores.std() / games**0.5),
        "percentiles": {
            str(percent): float(np.percentile(scores, percent)) for percent in (1, 5, 25, 50, 75, 95, 99)
        },
        "simulate_seconds": time.perf_counter() - begun,
    }


def hash_of(options: dict[str, str]) -> int:
    """Return a seed that differs between variants but not between runs."""
    return zlib.crc32(json.dumps(options, sort_keys=True).encode())


def save(file: Path, scoring: str, levels: dict[int, np.ndarray]) -> None:
    known = dict(np.load(file)) if file.exists() else {}
    known |= {f"{scoring}-{filled}": values.astype(np.float32) for filled, values in levels.items()}
    np.savez_compressed(file, **known)


if __name__ == "__main__":
    main()
