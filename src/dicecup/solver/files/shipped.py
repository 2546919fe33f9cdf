"""Files of solved or learned values that come with the package, found by the identity of the rules."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from dicecup.rules.model import Ruleset

QUICK_PREFIX = "quick-"


def weights_name(rules: Ruleset, *, quick: bool = False) -> str:
    """Return the name under which the weights of a learned value, or of a quick one, are stored."""
    return f"{QUICK_PREFIX if quick else ''}{rules.id}-{rules.identity[:16]}.npz"


def weights_file(rules: Ruleset, *, quick: bool = False) -> Traversable | None:
    """Return the weights of these rules that came with the package, whatever the id of the rules then was."""
    ending = f"-{rules.identity[:16]}.npz"
    for file in files("dicecup.solver.learned").joinpath("data").iterdir():
        if file.name.endswith(ending) and file.name.startswith(QUICK_PREFIX) == quick:
            return file
    return None


def has_weights(rules: Ruleset) -> bool:
    return weights_file(rules) is not None


def double_table_name(rules: Ruleset) -> str:
    return f"double-{rules.identity[:16]}.table"


def double_table_file(rules: Ruleset) -> Traversable:
    """Return where the package has the table of these rules, if it has one; double dice only."""
    return files("dicecup.solver.double").joinpath("data", double_table_name(rules))
