"""Tells everybody who watches a match that something changed; what it is they look up themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from dicecup.errors import UsageError

MOST_WATCHERS = 200  # of one match
MOST_WATCHERS_IN_ALL = 5000


class Hub:
    def __init__(self) -> None:
        self.watching: dict[str, set[asyncio.Event]] = {}
        self.count = 0
        self.closed = False

    @contextmanager
    def watch(self, match: str) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the match; clear it before looking."""
        here = self.watching.setdefault(match, set())
        if len(here) >= MOST_WATCHERS or self.count >= MOST_WATCHERS_IN_ALL:
            raise UsageError("too_many_watchers")
        event = asyncio.Event()
        here.add(event)
        self.count += 1
        try:
            yield event
        finally:
            here.discard(event)
            self.count -= 1
            if not here and self.watching.get(match) is here:
                del self.watching[match]

    def tell(self, match: str) -> None:
        for event in self.watching.get(match, ()):
            event.set()

    def watched(self, match: str) -> bool:
        return bool(self.watching.get(match))

    def close(self) -> None:
        """Wake everybody to go home: the server stops."""
        self.closed = True
        for match in list(self.watching):
            self.tell(match)
