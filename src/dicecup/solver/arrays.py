"""Flat arrays, as kernels read them: rows of different lengths one after the other, and values of a level.

Kernels get a large set of arrays as one address, by `by_reference`: see `dicecup.solver.references`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Arrays = TypeVar("Arrays")
NOWHERE = -1  # no index
PADDING = 64  # numbers behind the last state of a level, so that a vector may read beyond it
# The initial value everywhere. A result computed from it would be huge, because every choice maximises.
POISON = 1e30
TABLE = "table of addresses"  # where a set of arrays keeps it


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


class ByReference:
    """What `by_reference` adds to a named tuple of arrays."""

    @property
    def table(self) -> Array:
        """For each array its address and its lengths, one after the other.

        Threads that ask at the same time get the same table, the one that is kept: kernels read it.
        """
        kept = vars(self)
        if TABLE not in kept:
            arrays = cast("tuple[Array, ...]", self)
            numbers = [number for array in arrays for number in (array.ctypes.data, *array.shape)]
            kept.setdefault(TABLE, np.array(numbers, dtype=np.int64))
        return cast("Array", kept[TABLE])

    @property
    def address(self) -> int:
        return int(self.table.ctypes.data)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the addresses out: a copy has others."""
        return type(self), tuple(cast("tuple[Array, ...]", self))


def by_reference(arrays: type[Arrays]) -> type[Arrays]:
    """Decorate a class of named tuples of contiguous arrays, of which kernels are to get only the address."""
    names = {name: getattr(arrays, name) for name in ("__module__", "__qualname__", "__doc__")}
    return cast("type[Arrays]", type(arrays.__name__, (ByReference, arrays), names))
