"""Flat arrays, as kernels read them: rows of different lengths one after the other, and values of a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
NOWHERE = -1  # an index of nothing
PADDING = 64  # numbers behind the last state of a level, so that a vector may read beyond it
# The initial value everywhere. A result that came from it would be huge, as every choice is for the most.
POISON = 1e30


def row_starts(rows: Sequence[Any]) -> Array:
    """Return where each row begins when all are stored one after the other, and the end."""
    return np.cumsum([0, *map(len, rows)], dtype=np.int32)


def column_of(rows: Sequence[Any], column: int) -> Array:
    """Return one column of rows of integers."""
    return np.array([row[column] for row in rows], dtype=np.int32)


def number_type(precision: int) -> type[np.floating]:
    return np.float64 if precision == 64 else np.float32


def empty_level(size: int, precision: int) -> Array:
    """Return an array for the values of a level."""
    return np.full(size + PADDING, POISON, dtype=number_type(precision))
