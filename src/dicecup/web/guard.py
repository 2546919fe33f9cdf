"""Limits before anything else: sizes and rates of requests, and the event loop's time.

Clients that use much of the event loop's time are throttled; others are not affected.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Generator
from time import monotonic
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.errors import DicecupError, UsageError
from dicecup.web.addresses import HostNames, network_of
from dicecup.web.logs import current_request
from dicecup.web.service.identity import key_hash
from dicecup.web.service.record_work import MOST_RECORD
from dicecup.web.service.worker import caller_of_request, slot_of_request
from dicecup.web.settings import Settings

# Each client network has a lane: its requests run side by side while they have used little of the event
# loop's time, then one after the other, and wait once their share is used up. Time in threads, worker
# processes and the database does not count.
LOOP_SHARE = 0.25  # seconds of the loop's time that a client may use in a second
LOOP_BURST = 0.2  # seconds that it may use at once
MOST_AT_ONCE = 3  # requests of a client that has used little
PATIENCE = 0.25  # seconds; a request that waits longer, for the coach or a thread, holds up no other
MOST_WAITING = 100  # requests of a client; further ones are refused
MOST_LANES = 1000  # from which on idle ones are forgotten

REFUSED_AFTER = 0.5  # seconds that a client over its rate waits: refusing costs something, too
BURST, RATE = 600, 300  # requests of one address: at once, and a second
MOST_BODY = 64_000
MOST_UPLOAD = MOST_RECORD + 20_000  # a record and the form around it
UPLOADS = ("/review", "/api/reviews", "/api/records")
FORM = "application/x-www-form-urlencoded"
PROMISES = ("/new/", "/api/promises")  # what stores a promise for dice
COOKIE = "dicecup"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
# As ASGI sends them, in lower case.
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


# To a client that has too many requests in its lane already; rendering a page would cost too much.
TOO_MANY = Response("too_many_requests", 429, {"Retry-After": "5"}, "text/plain")

thread_time = getattr(time, "thread_time", time.monotonic)  # there are no threads in a browser


class Buckets:
    """Token buckets by caller: `burst` at once, then `rate` a second; the oldest are forgotten first."""

    MOST = 20_000

    def __init__(self, burst: float, rate: float) -> None:
        self.burst = burst
        self.rate = rate
        self.levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> bool:
        now = monotonic()
        level, then = self.levels.pop(caller, (self.burst, now))
        level = min(self.burst, level + (now - then) * self.rate)
        allowed = level >= 1
        self.levels[caller] = (level - 1 if allowed else level, now)
        if len(self.levels) > self.MOST:
            self.levels.popitem(last=False)
        return allowed


class Timed:
    """A coroutine whose steps in the event loop are timed in processor time."""

    def __init__(self, coroutine: Coroutine[Any, Any, None], charge: Callable[[float], None]) -> None:
        self.coroutine = coroutine
        self.charge = charge  # called with the seconds of each step

    def __await__(self) -> Generator[Any, Any, None]:
        error: BaseException | None = None
        while True:
            begun = thread_time()
            try:
                pending = self.coroutine.throw(error) if error else self.coroutine.send(None)
            except StopIteration:
                return
            finally:
                self.charge(thread_time() - begun)
            try:
                yield pending
                error = None
            except BaseException as raised:  # a cancellation, too, is the coroutine's to handle
                error = raised


class Lane:
    """The requests of one client."""

    def __init__(self, now: float) -> None:
        self.level = LOOP_BURST  # seconds it may still use; negative: it has used too much
        self.then = now
        self.running = 0
        self.started = False  # whether a request has started in this iteration of the event loop
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.timer: asyncio.TimerHandle | None = None

    def refill(self, now: float) -> None:
        self.level = min(LOOP_BURST, self.level + (now - self.then) * LOOP_SHARE)
        self.then = now

    def charge(self, seconds: float) -> None:
        self.level -= seconds

    @property
    def seconds_until_free(self) -> float:
        """How long it takes until there is time again, if there is none now."""
        return max(-self.level / LOOP_SHARE, 0) + 0.001

    @property
    def free(self) -> bool:
        """Whether one more request may start now."""
        if self.level <= 0 or self.started:
            return False
        return self.running < (MOST_AT_ONCE if self.level > LOOP_BURST / 2 else 1)

    def start(self) -> None:
        """Count one more request; the next one starts after others had the event loop."""
        self.running += 1
        self.started = True

    @property
    def idle(self) -> bool:
        return not self.running and not self.waiting and self.level >= LOOP_BURST


class LaneSlot:
    """A slot of a client, held by a request until it ends or has waited long for something else."""

    def __init__(self, lane: Lane, lanes: Lanes) -> None:
        self.lane = lane
        self.lanes = lanes
        self.ended = False
        self.take()

    def take(self) -> None:
        """Hold the slot, which is already counted, until the patience timer fires."""
        self.held = True
        self.timer = asyncio.get_running_loop().call_later(PATIENCE, self.leave)

    def leave(self) -> None:
        self.timer.cancel()
        if self.held:
            self.held = False
            self.lane.running -= 1
        self.lanes.let_in(self.lane)

    async def reacquire(self) -> None:
        """Wait for a slot again, after a long wait for something else.

        Otherwise all requests that waited for the same answer would run at once, at any cost.
        """
        if not self.held and not self.ended:  # tasks outlive the request that began them
            await self.lanes.wait(self.lane)
            self.take()

    async def pause(self) -> None:
        """Let others have the loop between two pieces of a long answer, longer if the share is used up."""
        await asyncio.sleep(0)
        self.lane.refill(monotonic())
        while self.lane.level <= 0:
            await asyncio.sleep(self.lane.seconds_until_free)
            self.lane.refill(monotonic())


class Lanes:
    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}

    async def run(self, client: str, work: Coroutine[Any, Any, None]) -> bool:
        """Run a request in its client's lane; return False without running it if too many wait there."""
        now = monotonic()
        lane = self.lanes.get(client)
        if lane is None:
            self.forget_idle(now)
            lane = self.lanes[client] = Lane(now)
        lane.refill(now)
        if lane.waiting or not lane.free:
            if len(lane.waiting) >= MOST_WAITING:
                work.close()
                return False
            try:
                await self.wait(lane)
            except BaseException:
                work.close()
                raise
        else:
            self.start(lane)
        slot = LaneSlot(lane, self)
        slot_of_request.set(slot)
        try:
            await Timed(work, lane.charge)
        finally:
            slot.ended = True
            slot.leave()
        return True

    async def wait(self, lane: Lane) -> None:
        """Wait until a request may start; it counts as running from then on."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(future)
        self.let_in(lane)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it could have started
                lane.running -= 1
                self.let_in(lane)
            raise

    def let_in(self, lane: Lane) -> None:
        """Start the requests that may start now; look again when the lane has time again."""
        lane.refill(monotonic())
        while lane.waiting and (lane.free or lane.waiting[0].done()):
            future = lane.waiting.popleft()
            if not future.done():  # otherwise it was cancelled
                self.start(lane)
                future.set_result(None)
        if lane.waiting and lane.level <= 0 and lane.timer is None:
            loop = asyncio.get_running_loop()
            lane.timer = loop.call_later(lane.seconds_until_free, self.look_again, lane)

    def start(self, lane: Lane) -> None:
        lane.start()
        asyncio.get_running_loop().call_soon(self.others_had_a_turn, lane)

    def others_had_a_turn(self, lane: Lane) -> None:
        lane.started = False
        self.let_in(lane)

    def look_again(self, lane: Lane) -> None:
        lane.timer = None
        self.let_in(lane)

    def forget_idle(self, now: float) -> None:
        """Forget clients that would begin with a full share anyway, once there are many."""
        if len(self.lanes) < MOST_LANES:
            return
        for client, lane in list(self.lanes.items()):
            lane.refill(now)
            if lane.idle:
                del self.lanes[client]


Refuse = Callable[[Request, DicecupError], Response]


class Guard:
    """Plain ASGI middleware: it costs next to nothing, and checks bodies before the application reads them.

    Each request gets an id, for the logs and for the person who reports a failure.
    """

    def __init__(self, app: ASGIApp, settings: Settings, refuse: Refuse) -> None:
        self.app = app
        self.limits = settings.limits
        self.hosts = HostNames(settings.hosts, settings.address)
        self.refuse = refuse
        self.lanes = Lanes()
        self.by_address = Buckets(BURST, RATE)
        self.changes_by_address = Buckets(burst=300, rate=100)
        self.promises_by_address = Buckets(burst=100, rate=1)  # each is stored for a day
        self.by_key = Buckets(burst=80, rate=20)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = secrets.token_hex(8)
        current_request.set(request)
        headers = Headers(scope=scope)
        # A form without a file is decoded at once: 600 kB of it would take 70 ms.
        is_form = headers.get("content-type", "").startswith(FORM)
        most = MOST_UPLOAD if scope["path"] in UPLOADS and not is_form else MOST_BODY
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise UsageError("body_too_large", most=most)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name for name, _ in given}
                given += [(name, value) for name, value in RAW_HEADERS if name not in names]
                given.append((b"x-request-id", request.encode()))
                message["headers"] = given
            elif message.get("more_body") and (slot := slot_of_request.get()):
                await slot.pause()
            await send(message)

        caller_of_request.set(network_of(scope["client"][0] if scope.get("client") else None))
        refused = self.refusal(scope, headers, most)
        answer = self.refuse(Request(scope), refused) if refused else self.app

        if refused and refused.code == "too_many_requests":
            await asyncio.sleep(REFUSED_AFTER)

        async def work() -> None:
            await answer(scope, bounded, with_headers)

        if not self.limits or scope["path"].endswith("/events"):  # streams have limits of their own
            await work()
        elif not await self.lanes.run(caller_of_request.get(), work()):
            await TOO_MANY(scope, receive, with_headers)

    def refusal(self, scope: Scope, headers: Headers, most: int) -> UsageError | None:
        """Return the error of a request that is refused for any path, before it is routed."""
        if not self.hosts.include(host := headers.get("host", "")):
            return UsageError("host_unknown", host=host[:80])
        length = headers.get("content-length", "0")
        if not length.isdigit() or len(length) > 15 or int(length) > most:
            return UsageError("body_too_large", most=most)
        if self.limits and not self.may(scope, headers):
            return UsageError("too_many_requests")
        return None

    def may(self, scope: Scope, headers: Headers) -> bool:
        """Return whether rate limits allow a request; changes count by key too, everything by address."""
        address = caller_of_request.get()
        if not self.by_address.take(address):
            return False
        if scope["path"].startswith(PROMISES) and not self.promises_by_address.take(address):
            return False
        if scope["method"] in ("GET", "HEAD"):
            return True
        if not self.changes_by_address.take(address):
            return False
        if scope["path"].startswith("/api"):
            key = headers.get("authorization")
        else:
            key = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        return self.by_key.take(key_hash(key) if key else address)


class HeadRequests:
    """Answer HEAD as GET without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A stream of events has no end, so that its body would be made forever.
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].endswith("/events"):
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, without_body)
