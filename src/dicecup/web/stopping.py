"""Announce that the server stops, before it waits for connections: event streams do not end by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

callbacks: list[Callable[[], None]] = []


@contextmanager
def when_server_stops(callback: Callable[[], None]) -> Iterator[None]:
    """Call back as soon as the server of this process begins to stop."""
    callbacks.append(callback)
    try:
        yield
    finally:
        callbacks.remove(callback)


def announce_stop() -> None:
    for callback in list(callbacks):
        callback()
