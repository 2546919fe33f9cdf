"""Weights on disk: one small file a ruleset, stamped with its identity."""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

from dicecup.errors import StorageError
from dicecup.rules.model import Ruleset
from dicecup.solver.learned.network import Weights, inputs

FORMAT = 1


def file_name(rules: Ruleset) -> str:
    return f"{rules.id}-{rules.identity[:16]}.npz"


def save_weights(stream: IO[bytes], rules: Ruleset, weights: Weights, facts: dict[str, Any]) -> None:
    """`facts` say how the weights were made and what they were measured to be worth."""
    header = {"format": FORMAT, "ruleset": rules.id, "identity": rules.identity} | facts
    arrays = {name: array.astype(np.float32) for name, array in weights._asdict().items()}
    np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)


def load_weights(stream: IO[bytes], rules: Ruleset, name: str) -> tuple[Weights, dict[str, Any]]:
    """The weights and the facts; weights of other rules are refused."""
    try:
        with np.load(stream, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            weights = Weights(*(file[field].astype(np.float32) for field in Weights._fields))
        identity, ruleset, known = header["identity"], header["ruleset"], header["format"] == FORMAT
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile):
        raise StorageError("weights_damaged", file=name) from None
    if identity != rules.identity:
        raise StorageError("weights_of_other_rules", file=name, ruleset=ruleset)
    if not known or len(weights.first) != inputs(rules):
        raise StorageError("weights_damaged", file=name)
    return weights, header


def shipped_file(rules: Ruleset) -> Traversable:
    return resources.files("dicecup.solver.learned").joinpath("data", file_name(rules))


def has_shipped(rules: Ruleset) -> bool:
    return shipped_file(rules).is_file()


def shipped(rules: Ruleset) -> tuple[Weights, dict[str, Any]] | None:
    """The weights that came with the package, if it has any for these rules."""
    file = shipped_file(rules)
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        return load_weights(stream, rules, file.name)


def read_weights(path: Path, rules: Ruleset) -> tuple[Weights, dict[str, Any]]:
    with path.open("rb") as stream:
        return load_weights(stream, rules, path.name)
