"""The seam between solving and the machine that does it: one level in, the next level out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dicecup.errors import UsageError
from dicecup.solver.index import Array, Index, Level
from dicecup.solver.program import Program

BACKENDS = ("cpu", "cuda")
PRECISIONS = (64, 32)
PADDING = 64  # numbers behind the last state of a level, so that a vector may look beyond it
# Stands where nothing was written. A result that came from it would be huge, as every choice is for the most.
POISON = 1e30

Done = Callable[[int], None]  # told after each batch how many states it had


class Backend(Protocol):
    """A machine made ready for one game in one precision."""

    def compiled(self, below: Array) -> bool:
        """Whether work can start without compiling first."""

    def solve_level(self, level: Level, below: Level, values: Array, done: Done) -> Array:
        """The values of a level, out of those of the level below."""


def number_type(precision: int) -> type[np.floating]:
    return np.float64 if precision == 64 else np.float32


def empty_level(size: int, precision: int) -> Array:
    """Room for a level."""
    return np.full(size + PADDING, POISON, dtype=number_type(precision))


def make_backend(name: str, index: Index, program: Program, precision: int) -> Backend:
    if name == "cpu":
        from dicecup.solver.cpu import CpuBackend

        return CpuBackend(index, program, precision)
    if name == "cuda":
        from dicecup.solver.cuda import CudaBackend

        return CudaBackend(index, program, precision)
    raise UsageError("backend_unknown", backend=name, known=", ".join(BACKENDS))
