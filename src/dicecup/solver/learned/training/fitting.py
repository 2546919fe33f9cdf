"""Fitting the network to targets: its gradient by hand, and Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicecup.rules.model import Ruleset
from dicecup.solver.learned.features import upper_features
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import Array
from dicecup.solver.learned.network import SCALE, Weights, column_inputs, inputs

MOMENTUM, SPREAD, TINY = 0.9, 0.999, 1e-8


def start_weights(rules: Ruleset, width: int, seed: int) -> Weights:
    random = np.random.default_rng(seed)
    count = inputs(rules)
    parts = layout(rules).parts * len(rules.columns)
    return Weights(
        first=random.normal(0, parts**-0.5, (count, width)).astype(np.float32),
        straight=np.zeros(count, dtype=np.float32),
        second=random.normal(0, (2 / width) ** 0.5, (width, width)).astype(np.float32),
        second_bias=np.zeros(width, dtype=np.float32),
        last=random.normal(0, 0.1 * width**-0.5, width).astype(np.float32),
    )


class Encoder:
    """Sheets, given by the rows of their parts, as inputs of the network."""

    def __init__(self, xp: Any, rules: Ruleset) -> None:
        place = layout(rules)
        self.xp = xp
        self.columns, self.parts, self.each = len(rules.columns), place.parts, column_inputs(rules)
        self.rows = place.rows
        self.upper = xp.asarray(upper_features(rules))
        self.shift = self.upper.shape[1] - place.upper_rows

    def encode(self, sheets: Array) -> Array:
        xp = self.xp
        found = xp.zeros((len(sheets), self.columns * self.each + 1), dtype=xp.float32)
        found[:, -1] = 1
        every = xp.arange(len(sheets))[:, None]
        for column in range(self.columns):
            rows = (
                sheets[:, column * self.parts : (column + 1) * self.parts].astype(xp.int32)
                - column * self.rows
            )
            first = column * self.each
            found[:, first : first + self.upper.shape[1]] = self.upper[rows[:, 0]]
            found[every, first + self.shift + rows[:, 1:]] = 1
        return found


def gradient(xp: Any, weights: Weights, given: Array, target: Array) -> tuple[Weights, Array]:
    """The gradient of half the mean square error, in units of the result, and the errors in points."""
    one = xp.maximum(given @ weights.first, 0)
    two = xp.maximum(one @ weights.second + weights.second_bias, 0)
    error = two @ weights.last + given @ weights.straight - target / SCALE
    share = error / len(given)
    to_two = share[:, None] * weights.last * (two > 0)
    to_one = (to_two @ weights.second.T) * (one > 0)
    return Weights(
        first=given.T @ to_one,
        straight=given.T @ share,
        second=one.T @ to_two,
        second_bias=to_two.sum(axis=0),
        last=two.T @ share,
    ), error * SCALE


class Adam:
    """Steps of the size of the rate, whatever the size of the gradient; and a running mean of the weights.

    All weights stand in one row of numbers: a GPU is then asked for ten things a step, not for fifty.
    """

    def __init__(self, xp: Any, weights: Weights) -> None:
        self.xp = xp
        self.flat = flatten(xp, Weights(*(xp.asarray(array) for array in weights)))
        self.flat_average = self.flat.copy()
        self.weights, self.average = shape_like(self.flat, weights), shape_like(self.flat_average, weights)
        self.mean, self.square = xp.zeros_like(self.flat), xp.zeros_like(self.flat)
        self.steps = 0

    def step(self, gradients: Weights, rate: float, memory: float) -> None:
        """`memory`: how much of the running mean of the weights stays."""
        self.steps += 1
        slope = flatten(self.xp, gradients)
        root = (1 - SPREAD**self.steps) ** 0.5
        self.mean += (1 - MOMENTUM) * (slope - self.mean)
        self.square += (1 - SPREAD) * (slope * slope - self.square)
        change = self.mean / (self.xp.sqrt(self.square) + TINY * root)
        self.flat -= rate * root / (1 - MOMENTUM**self.steps) * change
        self.flat_average += (1 - memory) * (self.flat - self.flat_average)


def flatten(xp: Any, weights: Weights) -> Array:
    return xp.concatenate([array.ravel() for array in weights])


def shape_like(flat: Array, weights: Weights) -> Weights:
    """The parts of a row of numbers, shaped as these weights: views, not copies."""
    ends = np.cumsum([array.size for array in weights])
    return Weights(
        *(flat[end - array.size : end].reshape(array.shape) for end, array in zip(ends, weights, strict=True))
    )
