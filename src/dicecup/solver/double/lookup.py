"""Finding the solution of a game of double dice: a shipped table, the user's own, or a solve of seconds."""

from __future__ import annotations

from pathlib import Path

from dicecup.errors import StorageError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.double.multisets import multiset_count
from dicecup.solver.double.packed import ValueTable
from dicecup.solver.double.points import check_solvable, layers_interchangeable
from dicecup.solver.double.sheets import SheetIndex
from dicecup.solver.double.solution import Solution
from dicecup.solver.double.solve import solve
from dicecup.solver.double.tables import find_table
from dicecup.solver.folders import tables_folder
from dicecup.solver.limits import cores
from dicecup.solver.lookup import QUICK, Tell, command_of, say_nothing
from dicecup.solver.solve import Watch, ignore

THROWS_PER_SECOND = 60_000_000  # of one core, by sheet; measured: docs/dice-in-dice-solved.md


def find_good_table(
    rules: Ruleset, folder: Path, tell: Tell = say_nothing, index: SheetIndex | None = None
) -> ValueTable | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    try:
        return find_table(rules, folder, index)
    except StorageError as error:
        tell(error)
        return None


def find_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> Solution:
    """The solution out of a table; solved first where there is none and that takes seconds."""
    check_solvable(rules)
    folder, index = folder or tables_folder(), SheetIndex(rules)
    table = find_good_table(rules, folder, tell, index)
    if table is None:
        needed = seconds(rules, index)
        if needed > QUICK:
            minutes = round(needed / 60) or 1
            raise UsageError("solve_takes_long", ruleset=rules.id, minutes=minutes, command=command_of(rules))
        table = solve(rules, folder=folder, watch=watch)
    return Solution(rules, table, index)


def seconds(rules: Ruleset, index: SheetIndex) -> float:
    """About how long a solve takes on this machine's processor."""
    throws = multiset_count(rules.dice.faces**2, rules.dice.count)
    if layers_interchangeable(rules):
        throws //= 2
    return sum(index.level_sizes[::2]) * throws / THROWS_PER_SECOND / cores()
