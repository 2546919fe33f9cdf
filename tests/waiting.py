"""Waiting in tests: for a condition, however long it takes on a busy machine, never for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any, TypeVar

PATIENCE = 120.0  # seconds: only what is broken takes as long
READY = 600.0  # the same where kernels may have to be compiled first
Seen = TypeVar("Seen")


def eventually(
    look: Callable[[], Seen], wanted: Callable[[Seen], object] = bool, seconds: float = PATIENCE
) -> Seen:
    """Look again and again until what is seen is as wanted, and return it."""
    end = monotonic() + seconds
    while not wanted(seen := look()):
        assert monotonic() < end, f"still {seen!r}"
        sleep(0.02)
    return seen


def awaited(work: Coroutine[Any, Any, Seen]) -> Seen:
    """Await work in a thread: in the main one the event loop of browser tests may be running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
