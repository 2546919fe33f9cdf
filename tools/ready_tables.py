"""Make the values that come with the package: `python tools/ready_tables.py [GAME[:option=value,…] …]`.

Solves each game exactly where that is not done yet, and writes its values to the package, rounded and
packed. Without arguments it makes all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dicecup.rules.loader import load_ruleset
from dicecup.solver.components import memory
from dicecup.solver.files.tables import replace_file
from dicecup.solver.find import find_single_solution
from dicecup.solver.single.ready import Numbering, ReadyGroup, pack_table, ready_name
from dicecup.solver.single.solution import SingleSolution

DATA = Path(__file__).parent.parent / "src/dicecup/solver/single/data"
GAMES = (
    "yatzy",
    "yatzy:scoring=scandinavian",
    "yatzy:scoring=international",
    "yatzy-sv",
    "yahtzee",
    "yahtzee:joker=forced",
    "yahtzee:joker=none",
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


def main() -> None:
    DATA.mkdir(exist_ok=True)
    for game in sys.argv[1:] or GAMES:
        name, _, chosen = game.partition(":")
        rules = load_ruleset(name, dict(option.split("=") for option in chosen.split(",") if chosen))
        solution = find_single_solution(rules)
        data = pack_table(rules, numbering_of(solution), solution.expected, blocks(solution))
        replace_file(DATA / ready_name(rules), data)
        print(f"{game}: {len(data):,} bytes, {solution.expected:.6f} points")


if __name__ == "__main__":
    main()
