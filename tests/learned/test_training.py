"""The parts of the training on the CPU: the gradient, the λ-returns, and that it learns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tests.learned.conftest import random_sheet

from dicecup.engine import empty_sheet
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned.layout import Array, layout
from dicecup.solver.learned.network import SCALE, Network, Weights, inputs
from dicecup.solver.learned.training.fitting import Adam, Encoder, Learner, Plan, gradient, start_weights
from dicecup.solver.learned.training.self_play import SelfPlayed, returns


def some_weights(rules: Ruleset, width: int = 8) -> Weights:
    random = np.random.default_rng(1)
    weights = start_weights(rules, width, 1)
    return Weights(*(array + random.normal(0, 0.1, array.shape) for array in weights))


def some_sheets(rules: Ruleset) -> Array:
    filled = (0, 5, 12, rules.cells // 2, rules.cells - 2)
    sheets = [random_sheet(rules, count, seed) for seed, count in enumerate(filled)]
    return np.array([layout(rules).read(sheet).rows for sheet in sheets])


def plain_value(weights: Weights, given: Array) -> Array:
    """Compute the network in the most direct way."""
    one = np.maximum(given @ weights.first, 0)
    two = np.maximum(one @ weights.second + weights.second_bias, 0)
    return (two @ weights.last + given @ weights.straight) * SCALE


def test_sums_of_rows_are_the_network(rules):
    weights, sheets = some_weights(rules), some_sheets(rules)
    given = Encoder(np, rules).encode(sheets)
    assert given.shape == (5, inputs(rules))
    assert Network(np, rules, weights).of(sheets) == pytest.approx(plain_value(weights, given), rel=1e-5)


def test_the_gradient_is_the_slope_of_the_error():
    rules = load_ruleset("yum-plus")
    weights, given = some_weights(rules), Encoder(np, rules).encode(some_sheets(rules)).astype(np.float64)
    target = np.array([300.0, 250.0, 150.0, 170.0, 20.0])

    def error(changed: Weights) -> float:
        return float(((plain_value(changed, given) - target) ** 2).mean() / 2 / SCALE**2)

    found, errors = gradient(np, weights, given, target)
    assert errors == pytest.approx(plain_value(weights, given) - target)
    random, step = np.random.default_rng(2), 1e-6
    for name, array in weights._asdict().items():
        for _ in range(5):
            place = tuple(random.integers(0, size) for size in array.shape)
            more, less = array.copy(), array.copy()
            more[place] += step
            less[place] -= step
            slope = error(weights._replace(**{name: more})) - error(weights._replace(**{name: less}))
            assert getattr(found, name)[place] == pytest.approx(slope / 2 / step, rel=1e-4, abs=1e-8)


def test_adam_minimises_a_quadratic():
    bottom = Weights(*(np.full(shape, 3.0) for shape in ((2, 3), (2,), (3, 3), (3,), (3,))))
    adam = Adam(np, Weights(*(np.zeros_like(array) for array in bottom)))
    for number in range(600):
        slopes = Weights(*(array - low for array, low in zip(adam.weights, bottom, strict=True)))
        adam.step(slopes, 0.1 * 0.99**number, 0.9)
    for array in (*adam.weights, *adam.average):
        assert array == pytest.approx(3, abs=0.02)


def test_returns_propagate_later_corrections():
    def numbers(*values: float) -> Array:
        return np.array(values)[:, None]

    played = SelfPlayed(
        sheets=np.zeros((3, 1, 1)),
        backed_up=numbers(100.0, 60.0, 20.0),
        expected=numbers(58.0, 21.0, 0.0),
        explored=numbers(False, False, False),
        scores=np.zeros(1),
    )
    last, middle = 20.0, 60 + 0.5 * (20 - 21)
    assert returns(np, played, 0.5)[:, 0].tolist() == [100 + 0.5 * (middle - 58), middle, last]
    assert returns(np, played, 0)[:, 0].tolist() == [100, 60, 20]
    strayed = played._replace(explored=numbers(False, True, False))
    assert returns(np, strayed, 0.5)[:, 0].tolist() == [100 + 0.5 * (60 - 58), 60, 20]


def test_a_few_batches_improve_the_network():
    """From zero to most of the points of yum-plus; maximising points alone gives 361."""
    rules = load_ruleset("yum-plus")
    plan = Plan(games=64, fit=256, passes=3, rate=5e-3, warm_up=10)
    learner = Learner(np, rules, start_weights(rules, 32, 1), plan, 1)
    reports = [learner.learn(number / 8) for number in range(8)]
    assert reports[-1].error < reports[0].error / 4
    assert reports[-1].mean > 385
    assert 300 < reports[-1].estimate < 520
    sheets = np.array([layout(rules).read(empty_sheet(rules)).rows])
    assert np.isfinite(learner.network().of(sheets)).all()


def test_learning_needs_no_numba_and_no_cupy():
    """The machine with the GPU may lack Numba, and the one that plays may lack CuPy."""
    modules = ("learned", "learned.training.fitting", "learned.training.self_play")
    blocked = "import sys; sys.modules['numba'] = sys.modules['cupy'] = sys.modules['torch'] = None; "
    code = blocked + "; ".join(f"import dicecup.solver.{module}" for module in modules)
    subprocess.run([sys.executable, "-c", code], check=True)
