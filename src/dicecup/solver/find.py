"""The way in for all games: find the solution of a game, or solve it where that takes seconds.

A table that comes with the package is taken first, then one the user has solved. Games of one layer and
of double dice are solved by packages of their own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Protocol

from dicecup.dice import Dice
from dicecup.engine.state import Sheet
from dicecup.errors import DicecupError, StorageError, UsageError
from dicecup.folders import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import check_double_solvable, layers_interchangeable
from dicecup.solver.double.lattice import multiset_count
from dicecup.solver.double.packed import ValueTable, find_packed_table
from dicecup.solver.double.sheet_index import SheetIndex
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import solve_double
from dicecup.solver.files.tables import TableFile, TableHeader, open_table, table_path
from dicecup.solver.limits import check_solvable, cores, seconds
from dicecup.solver.single.cpu import PRECISIONS
from dicecup.solver.single.solution import BoxValue, SingleSolution
from dicecup.solver.single.solve import Watch, ignore, solve_single
from dicecup.solver.single.solve import solve_single as solve_one_layer

QUICK = 20.0  # seconds: a longer solve is never started unasked

Tell = Callable[[DicecupError], None]


def say_nothing(error: DicecupError) -> None:
    """Nobody is told why a table was refused."""


def find_single_table(
    rules: Ruleset, precision: int, folder: Path, tell: Tell = say_nothing
) -> TableFile | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    path = table_path(folder, rules, precision)
    if not path.exists():
        return None
    try:
        return open_table(path, rules, precision)
    except StorageError as error:
        tell(error)
        return None


def find_single_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> SingleSolution:
    """The solution out of the most exact table; solved first where there is none and that takes seconds."""
    folder = folder or tables_folder()
    size = check_solvable(rules)
    quick = seconds(size.states, PRECISIONS[0]) <= QUICK
    for precision in PRECISIONS:
        if table := find_single_table(rules, precision, folder, tell):
            return SingleSolution(rules, table)
        if quick and table_path(folder, rules, precision).exists():
            break  # a bad one, of which the user was told, is made anew
    if not quick:
        minutes = round(seconds(size.states, 32) / 60) or 1
        raise UsageError("solve_takes_long", ruleset=rules.id, minutes=minutes, command=command_of(rules))
    return SingleSolution(
        rules, solve_single(rules, precision=PRECISIONS[0], folder=folder, watch=watch, wait=True)
    )


def command_of(rules: Ruleset) -> str:
    """What to type to solve a large game."""
    options = "".join(f" -o {name}={value}" for name, value in rules.non_default_options.items())
    return f"dicecup solve {shlex.quote(rules.reference)}{options} --precision 32"


THROWS_PER_SECOND = 60_000_000  # of one core, by sheet; measured: docs/dice-in-dice-solved.md


def find_double_table(
    rules: Ruleset, folder: Path, tell: Tell = say_nothing, index: SheetIndex | None = None
) -> ValueTable | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    try:
        return find_packed_table(rules, folder, index)
    except StorageError as error:
        tell(error)
        return None


def find_double_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> DoubleSolution:
    """The solution out of a table; solved first where there is none and that takes seconds."""
    check_double_solvable(rules)
    folder, index = folder or tables_folder(), SheetIndex(rules)
    table = find_double_table(rules, folder, tell, index)
    if table is None:
        needed = double_seconds(rules, index)
        if needed > QUICK:
            minutes = round(needed / 60) or 1
            raise UsageError("solve_takes_long", ruleset=rules.id, minutes=minutes, command=command_of(rules))
        table = solve_double(rules, folder=folder, watch=watch)
    return DoubleSolution(rules, table, index)


def double_seconds(rules: Ruleset, index: SheetIndex) -> float:
    """About how long a solve takes on this machine's processor."""
    throws = multiset_count(rules.dice.faces**2, rules.dice.count)
    if layers_interchangeable(rules):
        throws //= 2
    return sum(index.level_sizes[::2]) * throws / THROWS_PER_SECOND / cores()


class Table(Protocol):
    """The values of a solved game."""

    @property
    def path(self) -> Path | Traversable: ...

    @property
    def header(self) -> TableHeader: ...


class Turn(Protocol):
    """All values of one turn on one sheet; see `solution.Turn`."""

    value: float

    def keep(self, dice: Dice, throws_left: int) -> float: ...

    def throw(self, dice: Dice, throws_left: int) -> float: ...

    def boxes(self, dice: Dice) -> list[BoxValue]: ...


class Solution(Protocol):
    """A solved game; see `solution.Solution`."""

    rules: Ruleset

    def turn(self, sheet: Sheet) -> Turn: ...


def find_table(rules: Ruleset, precision: int, folder: Path, tell: Tell = say_nothing) -> Table | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    if rules.has_layers:
        pass

        return find_double_table(rules, folder, tell)
    return find_single_table(rules, precision, folder, tell)


def solve(rules: Ruleset, *, precision: int, backend: str, watch: Watch = ignore) -> Table:
    """Solve the game and keep its table. Double dice are always solved in 32 bits."""
    if rules.has_layers:
        from dicecup.solver.double.solve import solve_double

        return solve_double(rules, backend=backend, watch=watch)
    return solve_one_layer(rules, precision=precision, backend=backend, watch=watch)


def find_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> Solution:
    """The solution out of a table; solved first where there is none and that takes seconds."""
    if rules.has_layers:
        pass

        return find_double_solution(rules, folder=folder, watch=watch, tell=tell)
    return find_single_solution(rules, folder=folder, watch=watch, tell=tell)
