"""Build the shipped tables of Dice in Dice from the output of `bench/double_tables.py`.

Usage: python tools/double_pack.py OUT
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from dicecup.rules import load_ruleset
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.solve import make_header, pack, packed_table_path
from dicecup.solver.files.tables import replace_file

DATA = Path(__file__).parent.parent / "src/dicecup/solver/double/data"


def main(out: Path) -> None:
    for file in sorted(out.glob("*.npz")):
        extra, yatzy, strike = file.stem.split("-")
        values = np.load(file)
        for scoring in sorted({name.rsplit("-", 1)[0] for name in values.files}):
            options = {"scoring": scoring, "extra": extra, "yatzy": yatzy, "strike": strike}
            rules = load_ruleset("dice-in-dice", options)
            levels = {filled: values[f"{scoring}-{filled}"] for filled in range(0, len(rules.boxes) + 1, 2)}
            index = SheetIndex(rules)
            data = pack(make_header(rules, index, "cuda"), index, levels)
            replace_file(packed_table_path(DATA, rules), data)
            print(
                f"{scoring}-{yatzy}-{extra}-{strike}: {len(data)} bytes, {levels[0][0]:.4f} points",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
