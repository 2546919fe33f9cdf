"""Kernels are compiled as rarely as possible, and get sets of arrays by reference."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from tests.waiting import PATIENCE

from dicecup.solver import arrays
from dicecup.solver.arrays import Array, by_reference
from dicecup.solver.compiled import kernel


@kernel()
def doubled(number: int) -> int:
    return number * 2


@numba.njit  # not cached: then nothing would be compiled the next time
def sum_of_doubles(bytes_: np.ndarray, numbers: np.ndarray) -> int:
    return doubled(1) + doubled(2) + doubled(bytes_[0]) + doubled(numbers[0])


def test_constants_and_sizes_of_integers_are_compiled_once() -> None:
    largest = np.iinfo(np.int32).max
    result = sum_of_doubles(np.array([-128], np.int8), np.array([largest], np.int32))
    assert result == 2 * (1 + 2 - 128 + largest)  # nothing overflows
    assert len(doubled.signatures) == 1  # type: ignore[attr-defined]


@by_reference
class Tables(NamedTuple):
    """Arrays of several types and dimensions."""

    bytes: Array
    numbers: Array
    block: Array


class OtherTables(NamedTuple):
    numbers: Array


@kernel()
def read(tables: Tables, x: int, y: int, z: int) -> Any:
    return tables.block[x, y, z] + tables.numbers[x, y] + tables.bytes[z]


@numba.njit
def read_and_write(tables: Tables, other: OtherTables, x: int, y: int, z: int) -> Any:
    """Read a place, write another value there, and read it again."""
    before = read(tables, x, y, z)
    tables.block[x, y, z] = before
    sizes = tables.bytes.size + tables.numbers.shape[1] * 10 + tables.block.shape[2] * 100
    return before + read(tables, x, y, z) + other.numbers[0] + sizes


def some_tables() -> Tables:
    return Tables(
        np.arange(-4, 1, dtype=np.int8),
        np.arange(12, dtype=np.int32).reshape(3, 4),
        np.arange(60, dtype=np.float64).reshape(3, 4, 5),
    )


@pytest.mark.parametrize(
    "copied", [lambda one: one, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_arrays_by_reference(copied) -> None:
    """Also of a copy, after kernels have used what was copied."""
    original = some_tables()
    read_and_write(original, OtherTables(np.zeros(1)), 0, 0, 0)
    tables = copied(original)
    before = tables.block[2, 1, 3] + tables.numbers[2, 1] + tables.bytes[3]
    after = before + tables.numbers[2, 1] + tables.bytes[3]
    sizes = 5 + 4 * 10 + 5 * 100
    assert read_and_write(tables, OtherTables(np.full(1, 0.5)), 2, 1, 3) == before + after + 0.5 + sizes
    assert tables.block[2, 1, 3] == before


def test_tables_with_another_array_are_other_tables() -> None:
    tables = some_tables()
    read_and_write(tables, OtherTables(np.zeros(1)), 0, 0, 0)
    changed = tables._replace(bytes=np.full(5, 100, dtype=np.int8), block=np.zeros((3, 4, 5)))
    assert isinstance(changed, Tables)
    assert read_and_write(changed, OtherTables(np.zeros(1)), 0, 0, 1) == 100 + 200 + 545


def test_threads_get_the_same_addresses(monkeypatch) -> None:
    """Otherwise one would read addresses in memory that was freed when the other replaced them."""
    tables, both = some_tables(), Barrier(2, timeout=PATIENCE)

    def make_together(*arguments: Any, **settings: Any) -> Array:
        both.wait()
        return np.array(*arguments, **settings)

    monkeypatch.setattr(arrays, "np", SimpleNamespace(array=make_together, int64=np.int64))
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(lambda: tables.address) for _ in range(2)]  # type: ignore[attr-defined]
    one, other = (future.result() for future in found)
    assert one == other == tables.table.ctypes.data  # type: ignore[attr-defined]


def test_arrays_by_reference_are_contiguous() -> None:
    tables = some_tables()._replace(numbers=np.zeros((4, 3), dtype=np.int32).T)
    with pytest.raises(TypeError, match="not contiguous: numbers"):
        read_and_write(tables, OtherTables(np.zeros(1)), 0, 0, 0)
