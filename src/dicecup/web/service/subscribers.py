"""Who follows a match, how many may, and the stream of server-sent events that each of them gets.

A stream begins with the whole match. After that it gets what changed since its last event, where the drawing
has parts and nothing was left out in between. A change is drawn once for all streams that see the same, and
they share its bytes. A stream that is not sending only waits for the client: it has no timer of its own.
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
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dicecup.errors import UsageError
from dicecup.web.addresses import network_of
from dicecup.web.service.company import AWAY_AFTER
from dicecup.web.service.live_match import LiveMatch

if TYPE_CHECKING:
    from dicecup.web.service.matches import Matches

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
        """End all streams: the server stops. Every connection that is closed says so; once is enough."""
        if self.closed:
            return
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


RETRY = (1_000, 5_000)  # milliseconds; not all clients come back at the same moment when the server restarts
STILL_HERE = b": still here\n\n"
MARK = "\0"  # around the ids of parts; no template and no name of a player contains it
log = logging.getLogger("dicecup.web")


@dataclass(slots=True)
class Region:
    """A piece of a drawing, with the parts in it, and everything that it was made from."""

    made_from: object
    text: str
    parts: dict[str, str]


@dataclass(slots=True)
class Drawing:
    """What somebody sees of a match: a text, and the parts of it that are sent alone when they change.

    In the text each part is represented by its id between two marks.
    """

    text: str
    parts: dict[str, str] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)  # what the next drawing may take over, by name

    def whole(self) -> str:
        pieces = self.text.split(MARK)
        pieces[1::2] = [self.parts[part] for part in pieces[1::2]]
        return "".join(pieces)

    def changes_since(self, before: Drawing) -> list[str] | None:
        """Return the parts that are different now; None if that is not the only difference."""
        if not self.parts or self.text != before.text or self.parts.keys() != before.parts.keys():
            return None
        return [text for part, text in self.parts.items() if text != before.parts[part]]


@dataclass(slots=True)
class Frame:
    """One state of a match as one audience sees it, and the event that leads to it from the frame before."""

    stamp: str
    drawing: Drawing
    before: str = ""  # the stamp of the frame before
    change: bytes = b""
    whole: bytes = b""  # the event with everything, where all of the audience need it


Draw = Callable[[LiveMatch, Drawing | None], Drawing]  # given what the same audience saw before
Audience = Callable[[LiveMatch], Hashable]


def stream(
    request: Request,
    matches: Matches,
    live: LiveMatch,
    player: str,
    name: str,
    audience: Audience,
    draw: Draw,
    *,
    with_marks: bool = False,
) -> EventStream:
    """Events called `name` that hold the whole match, and others called `change`.

    `player` holds a seat in the match, or is empty for a spectator. Streams of one audience see the same.
    `with_marks` adds events that are no moves: `marks`, the dice that the player is about to keep;
    `presence`, the seats whose players are here; `reaction`, what somebody says.
    """
    subscriber = Subscriber(network_of(request.client.host if request.client else None), player)
    return EventStream(matches, live, subscriber, name, audience, draw, with_marks)


class EventStream(Response):
    """A stream that subscribed before it begins, when a status can still be sent, until it ends."""

    media_type = "text/event-stream"

    def __init__(
        self,
        matches: Matches,
        live: LiveMatch,
        subscriber: Subscriber,
        name: str,
        audience: Audience,
        draw: Draw,
        with_marks: bool,
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
        self.reacted = live.company.reaction.number  # whoever comes later has missed what was said before
        self.player = subscriber.player
        self.seen: Hashable = None  # the audience this stream belonged to when it was shown something
        self.shown = ""  # the stamp of what it was shown
        self.sent = 0.0  # when, by the clock of the event loop
        self.ended = False
        self.delivery: asyncio.Task[None] | None = None
        self.subscription = ExitStack()
        self.channel: Channel = self.subscription.enter_context(
            matches.subscribers.subscribe(live.id, subscriber)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        with self.subscription:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            self.send = send
            self.channel.streams.add(self)
            self.arrive()
            try:
                self.start_delivery()
                while (await receive())["type"] != "http.disconnect":
                    pass
            finally:
                self.channel.streams.discard(self)
                self.ended = True
                self.leave_audience()
                self.depart()

    @property
    def current(self) -> LiveMatch:
        """The match as this process has it: it stays in memory while it has subscribers."""
        return self.matches.live.get(self.live.id, self.live)

    def arrive(self) -> None:
        live = self.current
        first = len(self.channel.streams) == 1
        if self.player and live.company.arrive(self.player, live.seats_of):
            self.matches.subscribers.notify(live)
        if self.player or first:
            self.matches.tell_who_is_here(live, asking=first)

    def depart(self) -> None:
        """Show others that a player is away, unless the page was only loaded again."""
        if not self.player:
            return
        live = self.current
        live.company.depart(self.player)

        def look_around() -> None:
            if live.company.look_around(live.seats_of):
                self.matches.subscribers.notify(live)
            self.matches.tell_who_is_here(live)

        asyncio.get_running_loop().call_later(AWAY_AFTER, look_around)

    def start_delivery(self) -> None:
        """Send what is to be sent, unless a delivery is under way: it looks again when it has sent."""
        if self.delivery is None and not self.ended:
            self.delivery = asyncio.create_task(self.deliver())

    async def deliver(self) -> None:
        try:
            while not self.ended and ((body := self.next_event()) or self.ended):
                self.sent = asyncio.get_running_loop().time()
                await self.send({"type": "http.response.body", "body": body, "more_body": not self.ended})
        except OSError:
            self.ended = True  # the client is gone
        except Exception:
            log.exception("a stream of events failed")
            self.ended = True
            with suppress(OSError):
                await self.send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self.delivery = None

    def next_event(self) -> bytes:
        """Return what is to be sent now; nothing if the client is up to date."""
        if self.matches.subscribers.closed:
            self.ended = True
            return f"retry: {randint(*RETRY)}\n\n".encode()
        live = self.current
        if live.gone:
            self.ended = True
            return b""
        if live.stamp != self.shown:
            return self.show(live)
        if self.with_marks and (aside := self.next_aside(live)):
            return aside
        overdue = asyncio.get_running_loop().time() - self.sent >= HEARTBEAT
        return STILL_HERE if overdue else b""

    def next_aside(self, live: LiveMatch) -> bytes:
        """Return something to be sent that is no move: marks, who is here, a reaction."""
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

    def show(self, live: LiveMatch) -> bytes:
        audience = self.audience(live)
        frame = self.frame(live, audience)
        follows = frame.change and frame.before == self.shown and audience == self.seen
        if audience != self.seen:
            self.leave_audience()
        self.seen, self.shown = audience, frame.stamp
        if follows:
            return frame.change
        whole = frame.whole or event(self.name, frame.stamp, frame.drawing.whole())
        if not frame.drawing.parts:  # else only newcomers need it, and it would be most of a frame's memory
            frame.whole = whole
        return whole

    def frame(self, live: LiveMatch, audience: Hashable) -> Frame:
        """What the audience sees now, drawn once for all of it."""
        before = self.channel.frames.get(audience)
        if before and before.stamp == live.stamp:
            return before
        frame = Frame(live.stamp, self.draw(live, before.drawing if before else None))
        changes = frame.drawing.changes_since(before.drawing) if before else None
        if before and changes is not None:
            frame.before = before.stamp
            data = json.dumps({"after": before.stamp, "parts": changes})
            frame.change = event("change", frame.stamp, data)
        self.channel.frames[audience] = frame
        return frame

    def leave_audience(self) -> None:
        """Forget what was drawn for an audience that nobody belongs to any more."""
        if not any(other.seen == self.seen for other in self.channel.streams if other is not self):
            self.channel.frames.pop(self.seen, None)


def event(name: str, stamp: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {name}\nid: {stamp}\n{lines}\n".encode()
