"""Flat arrays, as kernels read them: rows of different lengths one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
NOWHERE = -1  # an index of nothing


def row_starts(rows: Sequence[Any]) -> Array:
    """Return where each row begins when all are stored one after the other, and the end."""
    return np.cumsum([0, *map(len, rows)], dtype=np.int32)


def column_of(rows: Sequence[Any], column: int) -> Array:
    """Return one column of rows of integers."""
    return np.array([row[column] for row in rows], dtype=np.int32)
