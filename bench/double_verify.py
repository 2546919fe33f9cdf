"""Compare values from a GPU with the CPU: complete turns of sheets drawn from every level.

    python bench/double_verify.py OUT [--sheets 2000] [--other 200] [--seed 1]

OUT is the output of `bench/double_tables.py`. Each turn is computed completely by the CPU kernels from the
GPU's values of the next level, and must give the GPU's value of the sheet. The first variant is checked with
`--sheets` sheets, each other one with `--other`; small levels are checked completely.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from dicecup.rules import load_ruleset
from dicecup.solver.double.turn import SheetBatch, TurnSolver

LANES = 16


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--sheets", type=int, default=2000)
    parser.add_argument("--other", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    found = {}
    wanted = arguments.sheets
    for file in sorted(arguments.out.glob("*.npz")):
        extra, yatzy = file.stem.split("-")
        values = np.load(file)
        for scoring in sorted({name.rsplit("-", 1)[0] for name in values.files}):
            rules = load_ruleset("dice-in-dice", {"scoring": scoring, "extra": extra, "yatzy": yatzy})
            levels = {filled: values[f"{scoring}-{filled}"] for filled in range(0, len(rules.boxes) + 1, 2)}
            name = f"{scoring}-{yatzy}-{extra}"
            found[name] = compare(TurnSolver(rules), levels, wanted, random)
            wanted = arguments.other
            print(name, found[name], flush=True)
            (arguments.out / "verified.json").write_text(json.dumps(found, indent=1))


def compare(
    solver: TurnSolver, levels: dict[int, np.ndarray], wanted: int, random: np.random.Generator
) -> dict[str, float]:
    """Return the maximum and the mean difference, and the number of sheets compared per level."""
    counts, differences = {}, []
    filled_levels = sorted(filled for filled in levels if filled + 2 in levels)
    for done, filled in enumerate(sorted(filled_levels, key=lambda one: len(levels[one]))):
        level = solver.index.level(filled)
        share = -(-(wanted - sum(counts.values())) // (len(filled_levels) - done))
        chosen = np.sort(random.choice(len(level), min(len(level), share), replace=False))
        counts[filled] = len(chosen)
        for first in range(0, len(chosen), LANES):
            places = chosen[first : first + LANES]
            sheets = SheetBatch(
                level.mask[places], level.total[places], levels[filled + 2].astype(np.float64)
            )
            differences.append(solver.start_values(sheets) - levels[filled][places])
    error = np.concatenate(differences)
    return {
        "sheets": len(error),
        "levels": counts,
        "greatest": float(np.abs(error).max()),
        "mean": float(error.mean()),
    }


if __name__ == "__main__":
    main()
