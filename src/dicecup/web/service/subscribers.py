"""Tells everybody who watches a match that something changed; what it is they look up themselves."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dicecup.errors import UsageError

MOST_WATCHERS = 200  # of one match
MOST_OF_ADDRESS = 100  # a class behind one address; nobody can take all places alone
MOST_OF_PLAYER = 20  # tables and devices of somebody who has a seat
MOST_WATCHERS_IN_ALL = 5000
RESERVE = 2000  # places beyond those, for players at their own tables


@dataclass(frozen=True, slots=True)
class Subscriber:
    address: str
    player: str = ""  # the holder of a seat at this table; empty: somebody who only looks

    def bounds(self, match: str) -> dict[tuple[str, str], int]:
        """What is counted, and how far. Who only looks never takes the place of somebody who plays."""
        if self.player:
            return {("player", self.player): MOST_OF_PLAYER, ("all", ""): MOST_WATCHERS_IN_ALL + RESERVE}
        return {
            ("match", match): MOST_WATCHERS,
            ("address", self.address): MOST_OF_ADDRESS,
            ("all", ""): MOST_WATCHERS_IN_ALL,
        }


class Subscribers:
    def __init__(self, limits: bool = True) -> None:
        self.watching: dict[str, set[asyncio.Event]] = {}
        self.limits = limits  # whether those of one address are counted
        self.taken: Counter[tuple[str, str]] = Counter()
        self.closed = False

    @contextmanager
    def watch(self, match: str, watcher: Subscriber) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the match; clear it before looking."""
        self.check_room(match, watcher)
        here = self.watching.setdefault(match, set())
        event = asyncio.Event()
        here.add(event)
        counted = watcher.bounds(match)
        self.taken.update(counted.keys())
        try:
            yield event
        finally:
            here.discard(event)
            self.taken.subtract(counted.keys())
            self.taken = +self.taken  # who has gone is forgotten
            if not here and self.watching.get(match) is here:
                del self.watching[match]

    def check_room(self, match: str, watcher: Subscriber) -> None:
        for what, most in watcher.bounds(match).items():
            if self.taken[what] >= most and (self.limits or what[0] != "address"):
                raise UsageError("too_many_watchers")

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
