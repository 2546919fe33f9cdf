"""Finding the solution of a game: its table, or a solve where that takes seconds."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from dicecup.errors import DicecupError, StorageError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.backends import PRECISIONS
from dicecup.solver.folders import tables_folder
from dicecup.solver.limits import check_solvable, seconds
from dicecup.solver.solution import Solution
from dicecup.solver.solve import Watch, ignore, solve
from dicecup.solver.tables import TableFile, open_table, table_path

QUICK = 20.0  # seconds: a longer solve is never started unasked

Tell = Callable[[DicecupError], None]


def say_nothing(error: DicecupError) -> None:
    """Nobody is told why a table was refused."""


def find_table(rules: Ruleset, precision: int, folder: Path, tell: Tell = say_nothing) -> TableFile | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    path = table_path(folder, rules, precision)
    if not path.exists():
        return None
    try:
        return open_table(path, rules, precision)
    except StorageError as error:
        tell(error)
        return None


def find_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> Solution:
    """The solution out of the most exact table; solved first where there is none and that takes seconds."""
    folder = folder or tables_folder()
    size = check_solvable(rules)
    quick = seconds(size.states, PRECISIONS[0]) <= QUICK
    for precision in PRECISIONS:
        if table := find_table(rules, precision, folder, tell):
            return Solution(rules, table)
        if quick and table_path(folder, rules, precision).exists():
            break  # a bad one, of which the user was told, is made anew
    if not quick:
        minutes = round(seconds(size.states, 32) / 60) or 1
        raise UsageError("solve_takes_long", ruleset=rules.id, minutes=minutes, command=command_of(rules))
    return Solution(rules, solve(rules, precision=PRECISIONS[0], folder=folder, watch=watch, wait=True))


def command_of(rules: Ruleset) -> str:
    """What to type to solve a large game."""
    options = "".join(f" -o {name}={value}" for name, value in rules.non_default_options.items())
    return f"dicecup solve {shlex.quote(rules.reference)}{options} --precision 32"
