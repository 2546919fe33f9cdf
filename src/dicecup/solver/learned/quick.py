"""A quick value of sheets: what their parts add, other early in the game than late.

The network weighs all parts of a sheet against each other; that takes milliseconds a turn. Most of it is how
many boxes are still open. So here every part adds a number of its own that changes evenly with the share of
open boxes, fitted to the network on the sheets of its games (`training.quick`). Against it a turn takes
microseconds, and playing on from a position tells how far final scores spread.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from dicecup.errors import StorageError
from dicecup.rules.model import Ruleset
from dicecup.solver.learned.moves import Array
from dicecup.solver.learned.network import inputs, of_rows
from dicecup.solver.learned.weights import file_name

FORMAT = 1


class QuickValue(NamedTuple):
    """By row, counted through the columns: what it adds to the points still to come."""

    late: Array  # when no box is open any more
    early: Array  # how much more when every box is


def quick_file_name(rules: Ruleset) -> str:
    return f"quick-{file_name(rules)}"


def from_weights(rules: Ruleset, weights: Array) -> QuickValue:
    """`weights`: [2, input], as the network's straight way has them."""
    late, early = (of_rows(np, rules, np.asarray(part, dtype=np.float32)) for part in weights)
    return QuickValue(late, early)


def save_quick(stream: IO[bytes], rules: Ruleset, weights: Array, facts: dict[str, Any]) -> None:
    """`facts` say how the weights were made and what they were measured to be worth."""
    header = {"format": FORMAT, "ruleset": rules.id, "identity": rules.identity} | facts
    stamp = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(stream, header=stamp, weights=weights.astype(np.float32))


def load_quick(stream: IO[bytes], rules: Ruleset, name: str) -> QuickValue:
    """Weights of other rules are refused."""
    try:
        with np.load(stream, allow_pickle=False) as file:
            header, weights = json.loads(file["header"].tobytes()), file["weights"]
        identity, ruleset, known = header["identity"], header["ruleset"], header["format"] == FORMAT
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile):
        raise StorageError("weights_damaged", file=name) from None
    if identity != rules.identity:
        raise StorageError("weights_of_other_rules", file=name, ruleset=ruleset)
    if not known or weights.shape != (2, inputs(rules)):
        raise StorageError("weights_damaged", file=name)
    return from_weights(rules, weights)


@lru_cache(maxsize=8)
def find_quick(rules: Ruleset) -> QuickValue | None:
    """The quick value that the package has for these rules."""
    file = resources.files("dicecup.solver.learned").joinpath("data", quick_file_name(rules))
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        return load_quick(stream, rules, file.name)
