"""Train the weights: play games with the running mean of the weights, fit the network to the results, repeat.

The gradient is written by hand; the optimiser is Adam. `QuickPlayer` plays by the quick value, which
`fit_quick` fits to the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import Any

import numpy as np

from dicecup.rules.model import Ruleset
from dicecup.solver.learned.layout import Array, layout
from dicecup.solver.learned.network import (
    SCALE,
    Moved,
    Network,
    NetworkSteps,
    Weights,
    column_inputs,
    inputs,
    of_rows,
    upper_features,
)
from dicecup.solver.learned.training.self_play import Dealer, SelfPlayed, play, returns
from dicecup.solver.learned.value import BatchTurn, QuickValue, TurnSteps

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
    """Encodes sheets, given by the rows of their parts, as inputs of the network."""

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
    """Return the gradient of half the mean square error, in units of the result, and the errors in points."""
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
    """The Adam optimiser, and a running mean of the weights.

    All weights are in one flat array: a GPU then runs ten operations a step instead of fifty.
    """

    def __init__(self, xp: Any, weights: Weights) -> None:
        self.xp = xp
        self.flat = flatten(xp, Weights(*(xp.asarray(array) for array in weights)))
        self.flat_average = self.flat.copy()
        self.weights, self.average = shape_like(self.flat, weights), shape_like(self.flat_average, weights)
        self.mean, self.square = xp.zeros_like(self.flat), xp.zeros_like(self.flat)
        self.steps = 0

    def step(self, gradients: Weights, rate: float, memory: float) -> None:
        """Take one step. `memory`: how much of the running mean of the weights is kept."""
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


@dataclass(frozen=True)
class Plan:
    """The numbers of a training run."""

    games: int = 8192  # a batch
    fit: int = 4096  # sheets in one step of the fit
    passes: int = 2  # how often each sheet is used
    rate: float = 2e-3  # falls along half a cosine
    last_rate: float = 1e-5
    warm_up: int = (
        500  # steps until the rate is reached: Adam's first steps are as long as its rate, right or wrong
    )
    carried: float = 0.9  # λ at the start
    last_carried: float = 0.97
    memory: float = 0.1  # the share of all steps so far that the running mean of the weights goes back


@dataclass(frozen=True)
class Report:
    """The results of a batch of games."""

    mean: float  # of the games that ended no turn at random
    estimate: float  # at the first throw, by the weights that played
    error: float  # root mean square of target less network, in points


class Learner:
    """Weights in training."""

    def __init__(
        self,
        xp: Any,
        rules: Ruleset,
        weights: Weights,
        plan: Plan,
        seed: int,
        steps: tuple[TurnSteps, NetworkSteps] | None = None,
    ) -> None:
        self.xp, self.rules, self.plan = xp, rules, plan
        self.network_steps = steps[1] if steps else None
        self.turn = BatchTurn(xp, rules, steps[0] if steps else None)
        self.adam = Adam(xp, weights)
        self.encoder = Encoder(xp, rules)
        self.dealer = Dealer(self.turn, seed)
        # Half the games play greedily; the others explore at times, to cover worse sheets too.
        self.exploring = xp.zeros(plan.games)
        self.exploring[plan.games // 2 :] = 0.02
        self.exploring[plan.games * 3 // 4 :] = 0.1

    def network(self) -> Network:
        return Network(self.xp, self.rules, self.adam.average, self.network_steps)

    def learn(self, progress: float) -> Report:
        """Train on one batch; `progress` is the share of the run that is done, from 0 to 1."""
        plan = self.plan
        rate = plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * progress)) / 2
        played = play(self.turn, self.network(), self.dealer, self.exploring)
        targets = returns(self.xp, played, plan.carried + (plan.last_carried - plan.carried) * progress)
        error = self.fit(played, targets, rate)
        best = played.scores[: plan.games // 2]
        return Report(float(best.mean()), float(played.backed_up[0, 0]), error)

    def fit(self, played: SelfPlayed, targets: Array, rate: float) -> float:
        xp, plan = self.xp, self.plan
        target = targets.ravel()
        given = self.encoder.encode(played.sheets.reshape(len(target), -1))
        squares = []
        for _ in range(plan.passes):
            order = xp.argsort(self.dealer.uniform(len(target)))
            for first in range(0, len(order), plan.fit):
                chosen = order[first : first + plan.fit]
                slopes, error = gradient(xp, self.adam.weights, given[chosen], target[chosen])
                warmed = rate * min(1.0, (self.adam.steps + 1) / plan.warm_up)
                self.adam.step(slopes, warmed, 1 - 1 / max(1.0, plan.memory * self.adam.steps))
                squares.append((error * error).mean())
        return float(xp.sqrt(xp.stack(squares).mean()))


STIFFNESS = 0.1  # of the fit, in squared points: inputs that hardly occur stay near 0


def fit_quick(turn: BatchTurn, network: Network, sheets: Array) -> tuple[Array, float]:
    """Return the weights ([2, input]), and their root mean square error against the network, in points."""
    known = row_inputs(turn.rules)
    seen = np.ones((len(sheets), inputs(turn.rules)))
    seen[:, :-1] = 0
    for part in range(sheets.shape[1]):
        seen[:, :-1] += known[sheets[:, part]]
    share = turn.open_boxes(sheets)[:, None] / turn.rules.cells
    both = np.concatenate([seen, seen * share], axis=1)
    wanted = network.of(sheets).astype(np.float64)
    found = np.linalg.solve(both.T @ both + STIFFNESS * np.eye(both.shape[1]), both.T @ wanted)
    return found.reshape(2, -1), float(np.sqrt(np.mean((both @ found - wanted) ** 2)))


def row_inputs(rules: Ruleset) -> Array:
    """Return the inputs of every row, without the constant one: [row, input]."""
    return of_rows(np, rules, np.eye(inputs(rules), dtype=np.float64)[:, :-1])


class QuickPlayer:
    """The quick value as a `Value` for games in training."""

    def __init__(self, turn: BatchTurn, value: QuickValue) -> None:
        self.turn = turn
        self.value = value

    def after(self, sheets: Array, moved: Moved) -> Array:
        """Return what the change adds; the rest of a sheet is the same for all its choices."""
        share = (self.turn.open_boxes(sheets)[moved.sheet] - 1) / self.turn.rules.cells
        late, early = self.value
        grown = late[moved.after] - late[moved.before]
        found: Array = grown + share * (early[moved.after] - early[moved.before])
        return found.astype(np.float32)
