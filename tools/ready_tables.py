"""Make the values that come with the package: `python tools/ready_tables.py [GAME[:option=value,…] …]`.

Solves each game exactly where that is not done yet, and writes its values to the package, rounded and
packed. Of games that have a learned value it writes the quick value, row by row. Without arguments it makes
all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.components import memory
from dicecup.solver.files.tables import replace_file
from dicecup.solver.find import find_single_solution
from dicecup.solver.learned.layout import Array, layout
from dicecup.solver.learned.value import from_weights, quick_weights
from dicecup.solver.ready import (
    Numbering,
    ReadyGroup,
    pack_quick,
    pack_table,
    quick_name,
    ready_name,
)
from dicecup.solver.single.solution import SingleSolution

SOLVER = Path(__file__).parent.parent / "src/dicecup/solver"
YUM_OPTIONS = tuple(
    f"kinds={kinds},joker_upper={joker}" for kinds in ("all_dice", "matching") for joker in ("sum", "none")
)
GAMES = (
    "yatzy",
    "yatzy:scoring=scandinavian",
    "yatzy:scoring=international",
    "yatzy-sv",
    "yahtzee",
    "yahtzee:joker=forced",
    "yahtzee:joker=none",
    "kniffel",
    "yacht",
    *(f"{game}:{option}" for game in ("yum-plus", "triple-yum-plus") for option in YUM_OPTIONS),
)


def numbering_of(solution: SingleSolution) -> Numbering:
    """Return how the solver numbers the sheets of a game."""
    index = solution.index
    if index.upper.kinds > 1:
        raise SystemExit(f"{solution.rules.id}: sheets on which jokers score above cannot be packed")
    groups = tuple(
        ReadyGroup(
            part.boxes,
            memory(solution.rules, part.boxes),
            part.upper,
            {state.cells: state.group for state in part.states},
        )
        for part in index.components
    )
    return Numbering(groups, tuple(row.totals for row in index.upper.rows[0]))


def blocks(solution: SingleSolution) -> Iterator[list[list[float]]]:
    """Yield the values of each lower class, by upper class and slot."""
    index = solution.index
    for lower, opens in enumerate(index.opens.tolist()):
        rows = []
        for upper, more in enumerate(index.upper.opens):
            level = opens + more
            source = solution.source(level)
            values = source.values if len(source.values) else source.values_32
            first = int(index.level(level).starts[lower]) + index.row_starts[0][upper]
            rows.append(np.asarray(values)[first:][: len(index.upper.rows[0][upper].totals)].tolist())
        yield rows


def exact_file(rules: Ruleset) -> tuple[Path, bytes]:
    solution = find_single_solution(rules)
    data = pack_table(rules, numbering_of(solution), solution.expected, blocks(solution))
    return SOLVER / "single/data" / ready_name(rules), data


def quick_rows_file(rules: Ruleset, weights: Array) -> tuple[Path, bytes]:
    """The quick value with its inputs added up for every row."""
    place, quick = layout(rules), from_weights(rules, weights)
    groups = [
        ReadyGroup(
            group.boxes,
            memory(rules, group.boxes),
            False,
            {state.cells: state.group for state in group.states},
        )
        for group in place.groups
    ]
    fields = {
        "start": weights[:, -1].tolist(),
        "upper": place.upper,
        "totals": place.totals,
        "firsts": place.first[1:],
    }
    rows = np.concatenate(quick).astype("<f4").tobytes()
    return SOLVER / "learned/data" / quick_name(rules), pack_quick(rules, groups, fields, rows)


def main() -> None:
    for game in sys.argv[1:] or GAMES:
        name, _, chosen = game.partition(":")
        rules = load_ruleset(name, dict(option.split("=") for option in chosen.split(",") if chosen))
        weights = quick_weights(rules)
        path, data = exact_file(rules) if weights is None else quick_rows_file(rules, weights)
        replace_file(path, data)
        print(f"{game}: {len(data):,} bytes in {path.name}")


if __name__ == "__main__":
    main()
