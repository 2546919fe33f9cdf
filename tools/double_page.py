"""Generate the plots and tables of docs/dice-in-dice-solved.md.

Usage: python tools/double_page.py

Reads the shipped tables and bench/results/double.json. Writes the plots to docs/images and the tables, as
Markdown, to stdout.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dicecup.rules import load_ruleset
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import find_packed_table
from first_throw import FirstThrow, Kept, first_throw
from plots import bars, lines

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs/images"
EXTRAS = {"chance": "Extra as Chance", "free_strike": "free strike", "negative": "negative"}
SCORINGS = ("printed", "scandinavian", "international")
YATZY = {"flat": "Yatzy 50", "plus_sum": "50 plus dice"}


def main() -> None:
    results: dict[str, Any] = json.loads((ROOT / "bench/results/double.json").read_text(encoding="utf-8"))
    groups = {
        f"{label}, {yatzy_label}": {
            scoring: results[f"{scoring}-{yatzy}-{extra}"]["expected"] for scoring in SCORINGS
        }
        for yatzy, yatzy_label in YATZY.items()
        for extra, label in EXTRAS.items()
    }
    write("values", bars("Expected final score of perfect play", groups, start=200))
    table_of_variants(results)
    solution = solve("chance")
    write("upper-total", lines("Value by upper total", "upper total so far", upper_lines(solution)))
    found = first_throw(solution)
    shares = {
        f"{count} {'die' if count == 1 else 'dice'}": {"first rolls": 100 * found.by_count[count]}
        for count in range(7)
    }
    write("first-throw", bars("Dice kept after the first roll", shares, form="{:.1f}%"))
    tables_of_keeps(found)


def solve(extra: str) -> DoubleSolution:
    rules = load_ruleset("dice-in-dice", {"extra": extra})
    table = find_packed_table(rules, Path("/nowhere"))
    assert table is not None
    return DoubleSolution(rules, table)


def write(name: str, picture: str) -> None:
    (IMAGES / f"dice-in-dice-{name}.svg").write_text(picture, encoding="utf-8")


def table_of_variants(results: dict[str, Any]) -> None:
    print("| Extra | Yatzy | scoring | expected | simulated ± standard error | sd | 5% | median | 95% |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    for yatzy in YATZY:
        for extra in EXTRAS:
            for scoring in SCORINGS:
                row = results[f"{scoring}-{yatzy}-{extra}"]
                percent = row["percentiles"]
                print(
                    f"| {extra} | {yatzy} | {scoring} | **{row['expected']:.3f}** "
                    f"| {row['mean']:.3f} ± {row['standard_error']:.3f} | {row['sd']:.1f} "
                    f"| {percent['5']:.0f} | {percent['50']:.0f} | {percent['95']:.0f} |"
                )


def upper_lines(solution: DoubleSolution) -> dict[str, list[tuple[float, float]]]:
    """Return the value of the bonus and the rest of the game by upper total, with few upper boxes open."""
    index = solution.index
    box = solution.rules.box_index
    lower = [name for name in box if box[name] not in index.upper]
    sheets = {
        "fours to sixes open": ["ones", "twos", "threes", *lower[:5]],
        "fives, sixes open": ["ones", "twos", "threes", "fours", *lower[:6]],
        "sixes open": ["ones", "twos", "threes", "fours", "fives", *lower[:7]],
    }
    found = {}
    for name, filled in sheets.items():
        mask = sum(1 << box[one] for one in filled)
        values = solution.table.levels[mask.bit_count()]
        known = index.class_of[index.upper_mask[mask]]
        totals = [total for total in range(len(known)) if known[total] >= 0 and total <= 63]
        found[name] = [
            (float(total), float(index.bonus[total] + values[index.place_of(mask, total)]))
            for total in totals
        ]
    return found


def tables_of_keeps(found: FirstThrow) -> None:
    print("\n| kept: alike in one layer / in the other | share |\n|---|---:|")
    for (one, other), share in found.by_shape.most_common(12):
        print(f"| {groups_of(one)} / {groups_of(other)} | {share:.1%} |")
    print("\n| kept dice | share | value |\n|---|---:|---:|")
    for kept, share in found.by_kept.most_common(16):
        print(f"| {dice_of(kept)} | {share:.2%} | {found.worth[kept]:.2f} |")


def groups_of(shape: tuple[int, ...]) -> str:
    return "+".join(str(count) for count in shape) or "–"


def dice_of(kept: Kept) -> str:
    return " ".join(f"{outer}-{inner}" for outer, inner in kept)


if __name__ == "__main__":
    main()
