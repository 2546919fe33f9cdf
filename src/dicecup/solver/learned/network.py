"""The network: what the rest of a sheet is worth, in points still to come.

Its first layer sees one row for every part of every column, so it is a sum of vectors, one a row; a sheet
that differs in one part differs in one vector. That makes the hundreds of sheets that can follow a turn
cheap: the sum is made once. What a linear model can say goes past the hidden layers straight to the result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dicecup.rules.model import Ruleset
from dicecup.solver.learned.features import upper_features
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import Array

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
    before: Array  # the row that goes, counted through the columns
    after: Array  # the row that comes


class Rows(NamedTuple):
    """The first layer worked out for every row of every column."""

    vectors: Array  # [column × rows + row, width]
    straight: Array
    start: Array  # [width]: what the constant input gives
    start_straight: Array


def column_inputs(rules: Ruleset) -> int:
    place = layout(rules)
    return int(upper_features(rules).shape[1] + place.rows - place.upper_rows)


def inputs(rules: Ruleset) -> int:
    return column_inputs(rules) * len(rules.columns) + 1


def of_rows(xp: Any, rules: Ruleset, given: Array) -> Array:
    """What the inputs of every row of every column add up to, each times what is given for it."""
    upper, each = xp.asarray(upper_features(rules)), column_inputs(rules)
    found: list[Array] = []
    for column in range(len(rules.columns)):
        block = given[column * each : (column + 1) * each]
        found += [upper @ block[: upper.shape[1]], block[upper.shape[1] :]]
    return xp.concatenate(found)


def work_out_rows(xp: Any, rules: Ruleset, weights: Weights) -> Rows:
    vectors, straight = of_rows(xp, rules, weights.first), of_rows(xp, rules, weights.straight)
    return Rows(vectors, straight, weights.first[-1], weights.straight[-1])


class Steps:
    """The costly steps in plain array operations; a GPU has kernels of its own for them."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def changed(self, sums: Array, vectors: Array, moved: Moved) -> Array:
        """The first hidden layer of sheets that have each changed in one row."""
        hidden = sums[moved.sheet]
        hidden += vectors[moved.after]
        hidden -= vectors[moved.before]
        return self.xp.maximum(hidden, 0, out=hidden)

    def activate(self, hidden: Array, bias: Array) -> Array:
        """Add the bias and cut off what is below 0, in place."""
        hidden += bias
        return self.xp.maximum(hidden, 0, out=hidden)


class Network:
    """A value of sheets out of weights."""

    def __init__(self, xp: Any, rules: Ruleset, weights: Weights, steps: Steps | None = None) -> None:
        self.xp = xp
        self.weights = weights
        self.rows = work_out_rows(xp, rules, weights)
        self.steps = steps or Steps(xp)

    def after(self, sheets: Array, moved: Moved) -> Array:
        """What the sheets are worth after changes in one row each."""
        sums = self.rows.vectors[sheets].sum(axis=1) + self.rows.start
        straight = self.rows.straight[sheets].sum(axis=1) + self.rows.start_straight
        straight = straight[moved.sheet] + self.rows.straight[moved.after] - self.rows.straight[moved.before]
        return self.finish(self.steps.changed(sums, self.rows.vectors, moved), straight)

    def of(self, sheets: Array) -> Array:
        """What the sheets themselves are worth, as far as there are open boxes."""
        straight = self.rows.straight[sheets].sum(axis=1) + self.rows.start_straight
        return self.finish(
            self.steps.activate(self.rows.vectors[sheets].sum(axis=1), self.rows.start), straight
        )

    def finish(self, hidden: Array, straight: Array) -> Array:
        """From the first hidden layer to points."""
        hidden = self.steps.activate(hidden @ self.weights.second, self.weights.second_bias)
        return (hidden @ self.weights.last + straight) * SCALE
