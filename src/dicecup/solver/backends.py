"""The backends by name, and the precisions they solve in."""

from __future__ import annotations

from typing import Any

from dicecup.errors import UsageError

BACKENDS = ("cpu", "cuda")
PRECISIONS = (64, 32)


def unknown_backend(name: str) -> UsageError:
    return UsageError("backend_unknown", backend=name, known=", ".join(BACKENDS))


def load_cupy() -> Any:
    """Return CuPy with a GPU behind it, or raise an error that says what is missing."""
    try:
        import cupy
    except ImportError:
        raise UsageError("cupy_missing") from None
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:  # no driver, or one that is too old
        devices = 0
    if not devices:
        raise UsageError("cuda_missing")
    return cupy
