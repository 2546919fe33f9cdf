"""The network, the features of a sheet that it reads, and its weights.

Its output is the value of the rest of a sheet, in points still to come. The weights are one small file per
ruleset, stamped with its identity.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from dicecup.errors import StorageError
from dicecup.rules.model import OfFace, Ruleset
from dicecup.solver.files.tables import weights_file
from dicecup.solver.learned.layout import Array, Layout, layout

# Probability that a die ends on the face, from careless to very careful play.
SHARES = (0.45, 0.55, 0.65, 0.75)
RAMP = np.arange(-20, 20, 2)  # distances from par where a ramp begins, each two points wide
RAMP_WIDTH = 2


@lru_cache(maxsize=8)
def upper_features(rules: Ruleset) -> Array:
    """[upper row, feature]"""
    place = layout(rules)
    filled, total = np.divmod(np.arange(place.upper_rows), place.totals)
    bits = filled[:, None] >> np.arange(len(place.upper)) & 1
    found = [1.0 - bits]
    if rules.bonus:
        faces = np.array([face_of(rules, box) for box in place.upper])
        par = rules.bonus[0].at / faces.sum()
        distance = total - bits @ faces * par
        found += [np.clip(distance, -20, 20)[:, None] / 10]
        found += [np.clip((distance[:, None] - RAMP) / RAMP_WIDTH, 0, 1)]
        found += [step_chances(place, share) for share in SHARES]
    return np.concatenate(found, axis=1).astype(np.float32)


def face_of(rules: Ruleset, box: int) -> int:
    needs = rules.boxes[box].needs
    return needs.face if isinstance(needs, OfFace) else 0


def step_chances(place: Layout, share: float) -> Array:
    """Return the chance to reach a bonus step that is not yet reached: [upper row, step]."""
    rules, last = place.rules, place.totals - 1
    dice = rules.dice.counted
    chances = [comb(dice, count) * share**count * (1 - share) ** (dice - count) for count in range(dice + 1)]
    tiers = np.array([tier.at for tier in rules.bonus])
    totals = np.arange(place.totals)
    reached = totals[:, None] >= tiers
    every = (1 << len(place.upper)) - 1
    found = np.zeros((every + 1, place.totals, len(tiers)))
    found[every] = reached
    for filled in reversed(range(every)):
        number = next(bit for bit in range(len(place.upper)) if not filled >> bit & 1)
        face = face_of(rules, place.upper[number])
        found[filled] = sum(
            chance * found[filled | 1 << number][np.minimum(totals + count * face, last)]
            for count, chance in enumerate(chances)
        )
    found -= reached
    return found.reshape(-1, len(tiers))


SCALE = 100.0  # points in one unit of the result


class Weights(NamedTuple):
    """The inputs are the features of all columns, and a last one that is always 1."""

    first: Array  # [input, width]
    straight: Array  # [input]
    second: Array  # [width, width]
    second_bias: Array
    last: Array  # [width]


class Moved(NamedTuple):
    """Sheets that differ in one row from sheets of a batch."""

    sheet: Array  # its number in the batch
    before: Array  # the row before, numbered through the columns
    after: Array  # the row afterwards


class RowVectors(NamedTuple):
    """The first layer computed for every row of every column."""

    vectors: Array  # [column × rows + row, width]
    straight: Array
    start: Array  # [width]: of the constant input
    start_straight: Array


def column_inputs(rules: Ruleset) -> int:
    place = layout(rules)
    return int(upper_features(rules).shape[1] + place.rows - place.upper_rows)


def inputs(rules: Ruleset) -> int:
    return column_inputs(rules) * len(rules.columns) + 1


def of_rows(xp: Any, rules: Ruleset, given: Array) -> Array:
    """Return for every row of every column the sum of its inputs, each times what is given for it."""
    upper, each = xp.asarray(upper_features(rules)), column_inputs(rules)
    found: list[Array] = []
    for column in range(len(rules.columns)):
        block = given[column * each : (column + 1) * each]
        found += [upper @ block[: upper.shape[1]], block[upper.shape[1] :]]
    return xp.concatenate(found)


def compute_rows(xp: Any, rules: Ruleset, weights: Weights) -> RowVectors:
    vectors, straight = of_rows(xp, rules, weights.first), of_rows(xp, rules, weights.straight)
    return RowVectors(vectors, straight, weights.first[-1], weights.straight[-1])


class NetworkSteps:
    """The expensive steps as array operations; a GPU has kernels of its own for them."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def changed(self, sums: Array, vectors: Array, moved: Moved) -> Array:
        """Return the first hidden layer of sheets that have each changed in one row."""
        hidden = sums[moved.sheet]
        hidden += vectors[moved.after]
        hidden -= vectors[moved.before]
        return self.xp.maximum(hidden, 0, out=hidden)

    def activate(self, hidden: Array, bias: Array) -> Array:
        """Add the bias and apply the rectifier, in place."""
        hidden += bias
        return self.xp.maximum(hidden, 0, out=hidden)


class Network:
    """Values of sheets by weights."""

    def __init__(self, xp: Any, rules: Ruleset, weights: Weights, steps: NetworkSteps | None = None) -> None:
        self.xp = xp
        self.weights = weights
        self.rows = compute_rows(xp, rules, weights)
        self.steps = steps or NetworkSteps(xp)

    def after(self, sheets: Array, moved: Moved) -> Array:
        """Return the values of the sheets after changes in one row each."""
        sums = self.rows.vectors[sheets].sum(axis=1) + self.rows.start
        straight = self.rows.straight[sheets].sum(axis=1) + self.rows.start_straight
        straight = straight[moved.sheet] + self.rows.straight[moved.after] - self.rows.straight[moved.before]
        return self.finish(self.steps.changed(sums, self.rows.vectors, moved), straight)

    def of(self, sheets: Array) -> Array:
        """Return the values of the sheets themselves, if they have open boxes."""
        straight = self.rows.straight[sheets].sum(axis=1) + self.rows.start_straight
        return self.finish(
            self.steps.activate(self.rows.vectors[sheets].sum(axis=1), self.rows.start), straight
        )

    def finish(self, hidden: Array, straight: Array) -> Array:
        """Return points from the first hidden layer; `straight` is the skip connection."""
        hidden = self.steps.activate(hidden @ self.weights.second, self.weights.second_bias)
        return (hidden @ self.weights.last + straight) * SCALE


FORMAT = 1


def save_arrays(
    stream: IO[bytes], rules: Ruleset, arrays: Mapping[str, Array], facts: Mapping[str, Any]
) -> None:
    """Save the arrays of a learned value; `facts` say how they were made and measured."""
    header = {"format": FORMAT, "ruleset": rules.id, "identity": rules.identity, **facts}
    stamp = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(stream, header=stamp, **{name: array.astype(np.float32) for name, array in arrays.items()})


def load_arrays(
    stream: IO[bytes], rules: Ruleset, name: str, fields: Sequence[str]
) -> tuple[list[Array], dict[str, Any]]:
    """Return the arrays of a learned value and the facts; an error says so if they are of other rules."""
    try:
        with np.load(stream, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            arrays = [file[field].astype(np.float32) for field in fields]
        identity, ruleset, known = header["identity"], header["ruleset"], header["format"] == FORMAT
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile):
        raise StorageError("weights_damaged", file=name) from None
    if identity != rules.identity:
        raise StorageError("weights_of_other_rules", file=name, ruleset=ruleset)
    if not known:
        raise StorageError("weights_damaged", file=name)
    return arrays, header


def load_weights(stream: IO[bytes], rules: Ruleset, name: str) -> tuple[Weights, dict[str, Any]]:
    """Return the weights of a network and the facts about them."""
    arrays, facts = load_arrays(stream, rules, name, Weights._fields)
    weights = Weights(*arrays)
    if len(weights.first) != inputs(rules):
        raise StorageError("weights_damaged", file=name)
    return weights, facts


def shipped(rules: Ruleset) -> tuple[Weights, dict[str, Any]] | None:
    """Return the weights that came with the package for these rules, if it has any."""
    file = weights_file(rules)
    if file is None:
        return None
    with file.open("rb") as stream:
        return load_weights(stream, rules, file.name)
