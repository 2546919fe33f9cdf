"""One way in for all games: those of one layer and those of double dice are solved by code of their own."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Protocol

from dicecup.dice import Dice
from dicecup.engine.state import Sheet
from dicecup.rules.model import Ruleset
from dicecup.solver import lookup
from dicecup.solver.lookup import Tell, say_nothing
from dicecup.solver.solution import BoxValue
from dicecup.solver.solve import Watch, ignore
from dicecup.solver.solve import solve as solve_one_layer
from dicecup.solver.tables import Header


class Table(Protocol):
    """The values of a solved game."""

    @property
    def path(self) -> Path | Traversable: ...

    @property
    def header(self) -> Header: ...


class Turn(Protocol):
    """All values of one turn on one sheet; see `solution.Turn`."""

    value: float

    def keep(self, dice: Dice, throws_left: int) -> float: ...

    def throw(self, dice: Dice, throws_left: int) -> float: ...

    def boxes(self, dice: Dice) -> list[BoxValue]: ...


class Solved(Protocol):
    """A solved game; see `solution.Solution`."""

    rules: Ruleset

    def turn(self, sheet: Sheet) -> Turn: ...


def find_table(rules: Ruleset, precision: int, folder: Path, tell: Tell = say_nothing) -> Table | None:
    """The table, if there is a good one. A bad one is told about, and does not count."""
    if rules.has_layers:
        from dicecup.solver.double.lookup import find_good_table

        return find_good_table(rules, folder, tell)
    return lookup.find_table(rules, precision, folder, tell)


def solve(rules: Ruleset, *, precision: int, backend: str, watch: Watch = ignore) -> Table:
    """Solve the game and keep its table. Double dice are always solved in 32 bits."""
    if rules.has_layers:
        from dicecup.solver.double.solve import solve as solve_double

        return solve_double(rules, backend=backend, watch=watch)
    return solve_one_layer(rules, precision=precision, backend=backend, watch=watch)


def find_solution(
    rules: Ruleset, *, folder: Path | None = None, watch: Watch = ignore, tell: Tell = say_nothing
) -> Solved:
    """The solution out of a table; solved first where there is none and that takes seconds."""
    if rules.has_layers:
        from dicecup.solver.double.lookup import find_solution as find_double

        return find_double(rules, folder=folder, watch=watch, tell=tell)
    return lookup.find_solution(rules, folder=folder, watch=watch, tell=tell)
