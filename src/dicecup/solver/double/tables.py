"""Where the tables of double dice are: those that come with the package, then those the user has solved."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from dicecup.errors import StorageError
from dicecup.rules.model import Ruleset
from dicecup.solver.double.packed import ValueTable, unpack
from dicecup.solver.double.sheets import SheetIndex


def table_name(rules: Ruleset) -> str:
    """Tables are found by the meaning of the rules, so a rules file that says the same finds them too."""
    return f"double-{rules.identity[:16]}.table"


def table_path(folder: Path, rules: Ruleset) -> Path:
    return folder / table_name(rules)


def shipped(rules: Ruleset) -> Traversable:
    return files("dicecup.solver.double").joinpath("data", table_name(rules))


def find_table(rules: Ruleset, folder: Path, index: SheetIndex | None = None) -> ValueTable | None:
    """The values of these rules, if they are shipped or solved."""
    for place in (shipped(rules), table_path(folder, rules)):
        if place.is_file():
            return unpack(read_bytes(place), rules, index or SheetIndex(rules), place)
    return None


def read_bytes(place: Traversable) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise StorageError("file_unreadable", file=place, problem=error.strerror or error) from None
