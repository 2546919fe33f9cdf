"""Subscribers: who follows a match, how many may, and notifying them of changes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dicecup.errors import UsageError
from dicecup.web.service.live_match import LiveMatch

if TYPE_CHECKING:
    from dicecup.web.service.streams import EventStream, Frame

MOST_WATCHERS = 200  # spectators of one match
MOST_OF_ADDRESS = 100  # a class behind one address; nobody can take all places alone
MOST_OF_PLAYER = 20  # matches and devices of somebody who has a seat
MOST_WATCHERS_IN_ALL = 5000
RESERVE = 2000  # places beyond those, for players in their own matches
MOST_PLAYERS_OF_ADDRESS = 300  # streams of seated players behind one address: seats cost nothing
HEARTBEAT = 20.0  # seconds; keeps the connection open through proxies
BEAT = 1.0  # seconds between two looks for streams that are due for a heartbeat


@dataclass(frozen=True, slots=True)
class Subscriber:
    address: str
    player: str = ""  # the holder of a seat in this match; empty for a spectator

    def limits(self, match: str) -> dict[tuple[str, str], int]:
        """What is counted, and the limit of each. A spectator never takes the place of a player."""
        if self.player:
            return {
                ("player", self.player): MOST_OF_PLAYER,
                ("address of players", self.address): MOST_PLAYERS_OF_ADDRESS,
                ("all", ""): MOST_WATCHERS_IN_ALL + RESERVE,
            }
        return {
            ("match", match): MOST_WATCHERS,
            ("address", self.address): MOST_OF_ADDRESS,
            ("all", ""): MOST_WATCHERS_IN_ALL,
        }


@dataclass(slots=True, eq=False)
class Channel:
    """The streams of one match, and what each audience among them was shown last."""

    subscribed: int = 0  # those that have begun are among the streams
    streams: set[EventStream] = field(default_factory=set)
    frames: dict[Hashable, Frame] = field(default_factory=dict)


class Subscribers:
    def __init__(self, limits: bool = True) -> None:
        self.channels: dict[str, Channel] = {}  # by match
        self.limits = limits  # whether those of one address are counted
        self.taken: Counter[tuple[str, str]] = Counter()
        self.closed = False

    @contextmanager
    def subscribe(self, match: str, subscriber: Subscriber) -> Iterator[Channel]:
        """Count a subscriber as long as the block lasts; raise if there are too many."""
        self.check_capacity(match, subscriber)
        channel = self.channels.setdefault(match, Channel())
        channel.subscribed += 1
        counted = subscriber.limits(match)
        self.taken.update(counted.keys())
        try:
            yield channel
        finally:
            channel.subscribed -= 1
            for what in counted:
                self.taken[what] -= 1
                if not self.taken[what]:
                    del self.taken[what]
            if not channel.subscribed and self.channels.get(match) is channel:
                del self.channels[match]

    def check_capacity(self, match: str, subscriber: Subscriber) -> None:
        for what, most in subscriber.limits(match).items():
            if self.taken[what] >= most and (self.limits or not what[0].startswith("address")):
                raise UsageError("too_many_watchers")

    def notify(self, live: LiveMatch) -> None:
        channel = self.channels.get(live.id)
        for stream in channel.streams if channel else ():
            stream.start_delivery()

    def has(self, match: str) -> bool:
        return match in self.channels

    def close(self) -> None:
        """End all streams: the server stops."""
        self.closed = True
        for stream in self.all_streams():
            stream.start_delivery()

    def all_streams(self) -> Iterator[EventStream]:
        for channel in self.channels.values():
            yield from channel.streams

    async def keep_alive(self) -> None:
        """Let every stream send something now and then. One task for all: timers of their own cost more."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(BEAT)
            late = loop.time() - HEARTBEAT
            for stream in self.all_streams():
                if stream.sent < late:
                    stream.start_delivery()
