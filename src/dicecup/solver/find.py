"""Entry point for all games: find the solution of a game, or solve it if that takes seconds.

A table that comes with the package is used first, then one that the user has solved. Games of one layer and
games of double dice have packages of their own.
"""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from dicecup.errors import Phrase, StorageError, UsageError, as_integer
from dicecup.installation import tables_folder
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import SheetIndex, check_double_solvable
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import ValueTable, check_room, find_packed_table, solve_double
from dicecup.solver.double.solve import solve_seconds as double_seconds
from dicecup.solver.files.tables import TableFile, open_table, table_path
from dicecup.solver.limits import PRECISIONS, check_backend, command_line
from dicecup.solver.single.index import check_solvable, solve_seconds
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import solve_single
from dicecup.solver.solution import OnProgress, OnWarning, Solution, no_callback

QUICK = 20.0  # seconds: a longer solve is never started unasked


def find_single_table(
    rules: Ruleset, precision: int, folder: Path, on_warning: OnWarning = no_callback
) -> TableFile | None:
    """Return the table, if there is a valid one; report an invalid one."""
    path = table_path(folder, rules, precision)
    if not path.exists():
        return None
    try:
        return open_table(path, rules, precision)
    except StorageError as error:
        on_warning(error)
        return None


def find_single_solution(
    rules: Ruleset,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    on_warning: OnWarning = no_callback,
) -> SingleSolution:
    """Return the solution from the most exact table; solve the game first if that takes seconds only.

    Where it does, a table of fewer bits is not used: results would depend on what was solved before.
    """
    folder = folder or tables_folder()
    size = check_solvable(rules)
    quick = solve_seconds(size, PRECISIONS[0]) <= QUICK
    for precision in PRECISIONS[:1] if quick else PRECISIONS:
        if table := find_single_table(rules, precision, folder, on_warning):
            return SingleSolution(rules, table)
    if not quick:
        raise takes_long(rules, solve_seconds(size, 32))
    table = solve_single(rules, precision=PRECISIONS[0], folder=folder, on_progress=on_progress, wait=True)
    return SingleSolution(rules, table)


def takes_long(rules: Ruleset, seconds: float) -> UsageError:
    """Return the error that says what to run once to solve a large game."""
    command = command_line("solve", rules, "--precision 32")
    minutes = round(seconds / 60) or 1
    return UsageError("solve_takes_long", ruleset=rules.id, minutes=minutes, command=command)


def find_double_table(
    rules: Ruleset, folder: Path, on_warning: OnWarning = no_callback, index: SheetIndex | None = None
) -> ValueTable | None:
    """Return the table, if there is a valid one; report an invalid one."""
    try:
        return find_packed_table(rules, folder, index)
    except StorageError as error:
        on_warning(error)
        return None


def find_double_solution(
    rules: Ruleset,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    on_warning: OnWarning = no_callback,
) -> DoubleSolution:
    """Return the solution from a table; solve the game first if that takes seconds only."""
    check_double_solvable(rules)
    folder, index = folder or tables_folder(), SheetIndex(rules)
    table = find_double_table(rules, folder, on_warning, index)
    if table is None:
        seconds = double_seconds(rules, index)
        check_room(rules)
        if seconds > QUICK:
            raise takes_long(rules, seconds)
        table = solve_double(rules, folder=folder, on_progress=on_progress, wait=True)
    return DoubleSolution(rules, table, index)


def find_table(
    rules: Ruleset, precision: int, folder: Path, on_warning: OnWarning = no_callback
) -> TableFile | ValueTable | None:
    """Return the table, if there is a valid one; report an invalid one."""
    if rules.has_layers:
        return find_double_table(rules, folder, on_warning)
    return find_single_table(rules, precision, folder, on_warning)


def estimate_seconds(rules: Ruleset, precision: int) -> float:
    """Estimate how long `solve` takes on this machine's processor; raise an error if it cannot be done."""
    if rules.has_layers:
        check_double_solvable(rules)
        return double_seconds(rules, SheetIndex(rules))
    return solve_seconds(check_solvable(rules), precision)


def solve(
    rules: Ruleset,
    *,
    precision: int,
    backend: str,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    executor: Executor | None = None,
) -> TableFile | ValueTable:
    """Solve the game and keep its table. Double dice are always solved in 32 bits.

    With an `executor` its workers compute the values, on their processors; the table is kept here.
    """
    if executor and backend != "cpu":
        raise UsageError("executor_cpu_only")
    if rules.has_layers:
        return solve_double(rules, backend=backend, folder=folder, on_progress=on_progress, executor=executor)
    return solve_single(
        rules,
        precision=precision,
        backend=backend,
        folder=folder,
        on_progress=on_progress,
        executor=executor,
    )


def solution_of(
    rules: Ruleset,
    *,
    precision: int,
    backend: str,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    executor: Executor | None = None,
) -> Solution:
    """Return the solution from the table of this precision; solve the game first if there is none."""
    bits = as_integer(precision)
    if bits not in PRECISIONS:
        known = Phrase("expected_one_of", known=", ".join(map(str, PRECISIONS)))
        raise UsageError("argument_wrong", argument="precision", expected=known)
    check_backend(backend)
    check_double_solvable(rules) if rules.has_layers else check_solvable(rules)
    table = find_table(rules, bits, folder or tables_folder())
    if table is None:
        table = solve(
            rules,
            precision=bits,
            backend=backend,
            folder=folder,
            on_progress=on_progress,
            executor=executor,
        )
    return SingleSolution(rules, table) if isinstance(table, TableFile) else DoubleSolution(rules, table)


def find_solution(
    rules: Ruleset,
    *,
    folder: Path | None = None,
    on_progress: OnProgress = no_callback,
    on_warning: OnWarning = no_callback,
) -> Solution:
    """Return the solution from a table; solve the game first if that takes seconds only."""
    find = find_double_solution if rules.has_layers else find_single_solution
    return find(rules, folder=folder, on_progress=on_progress, on_warning=on_warning)
