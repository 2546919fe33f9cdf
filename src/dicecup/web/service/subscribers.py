"""Server-sent events: who subscribes to a match, and the stream that each of them gets.

Subscribers are only notified that something changed; each stream renders what the match looks like now, once
for all subscribers that see the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import randint
from typing import TYPE_CHECKING

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from dicecup.errors import UsageError
from dicecup.web.addresses import network_of
from dicecup.web.service.live_match import LiveMatch

if TYPE_CHECKING:
    from dicecup.web.service.matches import Matches

MOST_WATCHERS = 200  # spectators of one match
MOST_OF_ADDRESS = 100  # a class behind one address; nobody can take all places alone
MOST_OF_PLAYER = 20  # matches and devices of somebody who has a seat
MOST_WATCHERS_IN_ALL = 5000
RESERVE = 2000  # places beyond those, for players in their own matches
MOST_PLAYERS_OF_ADDRESS = 300  # streams of seated players behind one address: seats cost nothing
RETRY = (1_000, 5_000)  # milliseconds; not all clients come back at the same moment when the server restarts
HEARTBEAT = 20.0  # seconds; keeps the connection open through proxies


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


class Subscribers:
    def __init__(self, limits: bool = True) -> None:
        self.events: dict[str, set[asyncio.Event]] = {}  # by match
        self.limits = limits  # whether those of one address are counted
        self.taken: Counter[tuple[str, str]] = Counter()
        self.closed = False

    @contextmanager
    def subscribe(self, match: str, subscriber: Subscriber) -> Iterator[asyncio.Event]:
        """An event that is set at each change of the match; clear it before looking."""
        self.check_capacity(match, subscriber)
        here = self.events.setdefault(match, set())
        event = asyncio.Event()
        here.add(event)
        counted = subscriber.limits(match)
        self.taken.update(counted.keys())
        try:
            yield event
        finally:
            here.discard(event)
            self.taken.subtract(counted.keys())
            self.taken = +self.taken  # drops the counts that are 0
            if not here and self.events.get(match) is here:
                del self.events[match]

    def check_capacity(self, match: str, subscriber: Subscriber) -> None:
        for what, most in subscriber.limits(match).items():
            if self.taken[what] >= most and (self.limits or not what[0].startswith("address")):
                raise UsageError("too_many_watchers")

    def notify(self, live: LiveMatch) -> None:
        for event in self.events.get(live.id, ()):
            event.set()

    def has(self, match: str) -> bool:
        return bool(self.events.get(match))

    def close(self) -> None:
        """End all streams: the server stops."""
        self.closed = True
        for events in self.events.values():
            for event in events:
                event.set()


def stream(
    request: Request,
    matches: Matches,
    live: LiveMatch,
    player: str,
    name: str,
    audience: Callable[[LiveMatch], tuple[Hashable, ...]],
    render: Callable[[LiveMatch], str],
) -> EventStream:
    """Events called `name`, rendered once for each audience.

    `player` holds a seat in the match, or is empty for a spectator.
    """
    subscribers = matches.subscribers
    subscriber = Subscriber(network_of(request.client.host if request.client else None), player)

    async def events() -> AsyncIterator[bytes]:
        shown = -1
        while not subscribers.closed and not await request.is_disconnected():
            current = matches.live.get(live.id, live)  # it stays in memory while it has subscribers
            if current.gone:
                return
            if current.revision != shown:
                shown = current.revision
                yield rendered(current, name, audience(current), render)
            changed.clear()
            if current.revision == shown and not await notified(changed):
                yield b": still here\n\n"
        if subscribers.closed:
            yield f"retry: {randint(*RETRY)}\n\n".encode()

    # Before the response begins: after that no status can be sent any more.
    subscription = ExitStack()
    changed = subscription.enter_context(subscribers.subscribe(live.id, subscriber))
    return EventStream(events(), subscription)


class EventStream(StreamingResponse):
    """A stream that subscribed before it begins, and unsubscribes however it ends."""

    def __init__(self, events: AsyncIterator[bytes], subscription: ExitStack) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self.subscription = subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.subscription:
            await super().__call__(scope, receive, send)


async def notified(changed: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(changed.wait(), HEARTBEAT)
    except TimeoutError:
        return False
    return True


def rendered(
    live: LiveMatch, name: str, audience: tuple[Hashable, ...], render: Callable[[LiveMatch], str]
) -> bytes:
    """The event for one audience, rendered once per revision."""
    if audience not in live.rendered:
        live.rendered[audience] = event(name, f"{live.version}.{live.revision}", render(live)).encode()
    return live.rendered[audience]


def event(name: str, stamp: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\nid: {stamp}\n{lines}\n"
