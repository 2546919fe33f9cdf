"""Who follows a match, and the stream of server-sent events that each of them gets.

A stream begins with the whole match. After that it gets what changed since its last event, where the drawing
has parts and nothing was left out in between. A change is drawn once for all streams that see the same, and
written to all of them in one go; they share its bytes. A stream has no task and no timer of its own: it only
waits for the client to leave.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from random import randint
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dicecup.errors import UsageError
from dicecup.web.addresses import network_of
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.presence import AWAY_AFTER, Subscriber
from dicecup.web.service.snapshot import Drawing, Frame, Seen
from dicecup.web.settings import CONNECTION

if TYPE_CHECKING:
    from dicecup.web.service.matches import Matches

HEARTBEAT = 20.0  # seconds; keeps the connection open through proxies
IDLE = 0.000_1  # seconds; a shorter iteration of the event loop counts as idle
MOST_DELAY = 0.05  # seconds that spectators wait while the loop is busy
BEAT = 1.0  # seconds between two looks for streams that are due for a heartbeat

stop_callbacks: list[Callable[[], None]] = []


@contextmanager
def when_server_stops(callback: Callable[[], None]) -> Iterator[None]:
    """Call back as soon as the server of this process begins to stop."""
    stop_callbacks.append(callback)
    try:
        yield
    finally:
        stop_callbacks.remove(callback)


def announce_stop() -> None:
    """Event streams do not end by themselves: their owners end them before the server waits."""
    for callback in list(stop_callbacks):
        callback()


@dataclass(slots=True, eq=False)
class Channel:
    """The streams of one match, and what each audience among them was shown last."""

    subscribed: int = 0  # those that have begun are among the streams
    streams: set[EventStream] = field(default_factory=set)
    frames: dict[Hashable, Frame] = field(default_factory=dict)

    def deliver(self) -> None:
        """Let every stream send what is new."""
        for stream in list(self.streams):
            stream.deliver()
        for frame in self.frames.values():  # a stream that could not send now gets the whole match later
            frame.change = b""

    def forget_wholes(self) -> None:
        """Drop the cached events for new subscribers: they would be most of a match's memory."""
        for frame in self.frames.values():
            frame.whole = b""


class Deliveries:
    """The channels whose streams are to be looked at, those that wait longest first.

    Moves are answered before spectators see others: while the event loop is busy channels wait, for a moment.
    They are looked at one at a time, one per iteration of the loop, and several changes may become one event.
    """

    def __init__(self) -> None:
        self.due: dict[Channel, float] = {}  # since when
        self.left = 0.0  # when a round of the event loop ended for this object

    def add(self, channel: Channel) -> None:
        if not self.due:
            self.look_soon()
        self.due.setdefault(channel, perf_counter())

    def look_soon(self) -> None:
        self.left = perf_counter()
        asyncio.get_running_loop().call_soon(self.deliver_next)

    def deliver_next(self) -> None:
        now = perf_counter()
        channel, since = next(iter(self.due.items()))
        if now - self.left < IDLE or now - since > MOST_DELAY:
            del self.due[channel]
            channel.deliver()
        if self.due:
            self.look_soon()


class Subscribers:
    def __init__(self, limits: bool = True) -> None:
        self.channels: dict[str, Channel] = {}  # by match
        self.deliveries = Deliveries()
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
        if channel := self.channels.get(live.id):
            self.deliveries.add(channel)

    def has(self, match: str) -> bool:
        return match in self.channels

    def close(self) -> None:
        """End all streams: the server stops. Called for every closed connection; later calls do nothing."""
        if self.closed:
            return
        self.closed = True
        for stream in list(self.all_streams()):
            stream.deliver()

    def all_streams(self) -> Iterator[EventStream]:
        for channel in self.channels.values():
            yield from channel.streams

    async def keep_alive(self) -> None:
        """Let every stream send something now and then. One task for all: timers of their own cost more."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(BEAT)
            late = loop.time() - HEARTBEAT
            for channel in self.channels.values():
                channel.forget_wholes()
            for stream in list(self.all_streams()):
                if stream.sent < late:
                    stream.deliver()


RETRY = (1_000, 5_000)  # milliseconds; not all clients come back at the same moment when the server restarts
STILL_HERE = b": still here\n\n"
log = logging.getLogger("dicecup.web")

Draw = Callable[[LiveMatch, Seen | None], Drawing]  # given what the same audience saw before
Audience = Callable[[LiveMatch], Hashable]


class Connection(Protocol):
    """The connection that the events of a stream are written to."""

    when_writable: Callable[[], None] | None  # called once the client has read what `can_write` waits for

    def can_write(self) -> bool:
        """Whether the client has read nearly everything."""

    def write_body(self, body: bytes) -> None:
        """Send more of the body of the response, which has begun."""


class SentBody:
    """The connection of a server that has nothing but `send`, which waits for the client."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.when_writable: Callable[[], None] | None = None
        self.sending: asyncio.Task[None] | None = None

    def can_write(self) -> bool:
        return self.sending is None

    def write_body(self, body: bytes) -> None:
        self.sending = asyncio.create_task(self.send_and_go_on(body))

    async def send_and_go_on(self, body: bytes) -> None:
        with suppress(OSError):  # the client is gone
            await self.send({"type": "http.response.body", "body": body, "more_body": True})
        self.sending = None
        if self.when_writable:
            self.when_writable()


class EventStream(Response):
    """Events called `name` that hold the whole match, and others called `change`.

    `player` holds a seat in the match, or is empty for a spectator. Streams of one audience see the same.
    `with_marks` adds events that are no moves: `marks`, the dice that the player is about to keep;
    `presence`, the seats whose players are here; `reaction`, what somebody says. It subscribes before it
    begins, when a status can still be sent, until it ends.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        request: Request,
        matches: Matches,
        live: LiveMatch,
        player: str,
        name: str,
        audience: Audience,
        draw: Draw,
        *,
        with_marks: bool = False,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self.matches = matches
        self.live = live
        self.name = name
        self.audience = audience
        self.draw = draw
        self.with_marks = with_marks
        self.marks = ""  # those that were sent last
        self.presence = ""
        self.reacted = live.company.reaction.number  # new subscribers get no earlier reactions
        self.player = player
        self.seen: Hashable = None  # the audience this stream belonged to when it was shown something
        self.shown = ""  # the stamp of what it was shown
        self.sent = 0.0  # when, by the clock of the event loop
        self.ended = False
        self.connection: Connection | None = None
        self.last: asyncio.Task[None] | None = None  # sends the end of the response
        self.subscription = ExitStack()
        subscriber = Subscriber(network_of(request.client.host if request.client else None), player)
        self.channel: Channel = self.subscription.enter_context(
            matches.subscribers.subscribe(live.id, subscriber)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.subscription:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            self.send = send
            self.connection = connection = scope.pop(CONNECTION, None) or SentBody(send)
            connection.when_writable = self.deliver
            self.channel.streams.add(self)
            self.arrive()
            try:
                self.deliver()
                while (await receive())["type"] != "http.disconnect":
                    pass
            finally:
                connection.when_writable = None
                self.channel.streams.discard(self)
                self.ended = True
                self.leave_audience()
                self.depart()

    @property
    def current(self) -> LiveMatch:
        """The match in memory, where it stays while it has subscribers."""
        return self.matches.live.get(self.live.id, self.live)

    def arrive(self) -> None:
        live = self.current
        first = len(self.channel.streams) == 1
        if self.player and live.company.arrive(self.player, live.seats_of):
            self.matches.subscribers.notify(live)
        if self.player or first:
            self.matches.publish_presence(live, asking=first)

    def depart(self) -> None:
        """Show others that a player is away, unless the page was only loaded again."""
        if not self.player:
            return
        live = self.current
        live.company.depart(self.player)

        def update_presence() -> None:
            if live.company.update_presence(live.seats_of):
                self.matches.subscribers.notify(live)
            self.matches.publish_presence(live)

        asyncio.get_running_loop().call_later(AWAY_AFTER, update_presence)

    def deliver(self) -> None:
        """Send what is to be sent. If the client has not read enough yet, this is called again."""
        connection = self.connection
        while connection and not self.ended and connection.can_write():
            try:
                body = self.next_event()
            except Exception:
                log.exception("a stream of events failed")
                self.ended, body = True, b""
            if self.ended:
                self.last = asyncio.create_task(self.end(body))
            elif body:
                self.sent = asyncio.get_running_loop().time()
                connection.write_body(body)
            else:
                return

    async def end(self, body: bytes) -> None:
        with suppress(OSError):  # the client is gone
            await self.send({"type": "http.response.body", "body": body, "more_body": False})

    def next_event(self) -> bytes:
        """Return what is to be sent now; nothing if the client is up to date."""
        if self.matches.subscribers.closed:
            self.ended = True
            return f"retry: {randint(*RETRY)}\n\n".encode()
        live = self.current
        if live.gone:
            self.ended = True
            return b""
        stamp = live.stamp
        if stamp != self.shown:
            return self.show(live, stamp)
        if self.with_marks and (aside := self.next_aside(live)):
            return aside
        overdue = asyncio.get_running_loop().time() - self.sent >= HEARTBEAT
        return STILL_HERE if overdue else b""

    def next_aside(self, live: LiveMatch) -> bytes:
        """Return something to be sent that is no move: marks, presence, a reaction."""
        company = live.company
        if live.marks and live.marks != self.marks:
            self.marks = live.marks
            return f"event: marks\ndata: {self.marks}\n\n".encode()
        if company.presence != self.presence:
            self.presence = company.presence
            return f"event: presence\ndata: {self.presence}\n\n".encode()
        if company.reaction.number != self.reacted:
            self.reacted = company.reaction.number
            return f"event: reaction\ndata: {company.reaction.seat} {company.reaction.id}\n\n".encode()
        return b""

    def show(self, live: LiveMatch, stamp: str) -> bytes:
        audience = self.audience(live)
        frame = self.channel.frames.get(audience)
        if frame is None or frame.stamp != stamp:
            frame = self.next_frame(live, stamp, frame)
            self.channel.frames[audience] = frame
        follows = frame.change and frame.before == self.shown and audience == self.seen
        if audience != self.seen:
            self.leave_audience()
        self.seen, self.shown = audience, stamp
        if follows:
            return frame.change
        if not frame.whole:
            frame.whole = event(self.name, stamp, self.draw(live, None).whole())
        return frame.whole

    def next_frame(self, live: LiveMatch, stamp: str, before: Frame | None) -> Frame:
        """What an audience sees now, drawn once for all of it."""
        drawing = self.draw(live, before.seen if before else None)
        changes = drawing.changes_since(before.seen) if before else None
        if before and changes is not None:
            data = json.dumps({"after": before.stamp, "parts": changes})
            return Frame(stamp, drawing.seen(), before.stamp, event("change", stamp, data))
        whole = b"" if before and drawing.as_before else event(self.name, stamp, drawing.whole())
        return Frame(stamp, drawing.seen(), whole=whole)

    def leave_audience(self) -> None:
        """Drop the drawings of audiences without subscribers."""
        if not any(other.seen == self.seen for other in self.channel.streams if other is not self):
            self.channel.frames.pop(self.seen, None)


def event(name: str, stamp: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\nid: {stamp}\n{lines}\n".encode()
