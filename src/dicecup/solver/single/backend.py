"""What a backend is: it solves one level at a time. Needs neither Numba nor CuPy itself."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from dicecup.solver.arrays import Array
from dicecup.solver.progress import OnBatch
from dicecup.solver.single.index import Level

PADDING = 64  # numbers behind the last state of a level, so that a vector may read beyond it
# The initial value everywhere. A result that came from it would be huge, as every choice is for the most.
POISON = 1e30


class Backend(Protocol):
    """Solves the levels of one game in one precision."""

    def compiled(self, below: Array) -> bool:
        """Return whether work can start without compiling first."""

    def solve_level(self, level: Level, below: Level, values: Array, on_batch: OnBatch) -> Array:
        """Return the values of a level, from those of the level below."""


def number_type(precision: int) -> type[np.floating]:
    return np.float64 if precision == 64 else np.float32


def empty_level(size: int, precision: int) -> Array:
    """Return an array for the values of a level."""
    return np.full(size + PADDING, POISON, dtype=number_type(precision))
