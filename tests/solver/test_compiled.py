"""Kernels are compiled as rarely as possible."""

from __future__ import annotations

import numpy as np

from dicecup.solver.compiled import entry_kernel, kernel


@kernel()
def doubled(number: int) -> int:
    return number * 2


@entry_kernel()
def sum_of_doubles(bytes_: np.ndarray, numbers: np.ndarray) -> int:
    return doubled(1) + doubled(2) + doubled(bytes_[0]) + doubled(numbers[0])


def test_constants_and_sizes_of_integers_are_compiled_once() -> None:
    largest = np.iinfo(np.int32).max
    result = sum_of_doubles(np.array([-128], np.int8), np.array([largest], np.int32))
    assert result == 2 * (1 + 2 - 128 + largest)  # nothing overflows
    assert len(doubled.signatures) == 1  # type: ignore[attr-defined]
