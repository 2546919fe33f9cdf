"""Limits before anything else: sizes and rates of requests, and each client's share of the event loop."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.errors import DicecupError, UsageError
from dicecup.web.addresses import HostNames, network_of
from dicecup.web.lanes import Lanes
from dicecup.web.logs import current_request
from dicecup.web.service.fair_queue import caller_of_request, place_of_request
from dicecup.web.service.keys import key_hash
from dicecup.web.settings import Settings
from dicecup.web.uploads import MOST_RECORD

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


class Buckets:
    """So many at once, so many a second after that; the oldest callers are forgotten first."""

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


Refuse = Callable[[Request, DicecupError], Response]


class Guard:
    """Plain ASGI, so that it costs next to nothing and sees bodies before anybody reads them.

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
            elif message.get("more_body") and (place := place_of_request.get()):
                await place.pause()
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
        """What is wrong with a request, whatever path it is for, before anybody has looked at it."""
        if not self.hosts.include(host := headers.get("host", "")):
            return UsageError("host_unknown", host=host[:80])
        length = headers.get("content-length", "0")
        if not length.isdigit() or len(length) > 15 or int(length) > most:
            return UsageError("body_too_large", most=most)
        if self.limits and not self.may(scope, headers):
            return UsageError("too_many_requests")
        return None

    def may(self, scope: Scope, headers: Headers) -> bool:
        """Changes are counted by key and by address, since keys cost nothing; everything by address."""
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


class CatchAll:
    """Inside the guard, unlike the framework's own: the answer to a failure gets all the headers too."""

    def __init__(self, app: ASGIApp, failed: Callable[[Request, Exception], Response]) -> None:
        self.app = app
        self.failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            return  # there is nobody to answer
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            await self.failed(Request(scope), error)(scope, receive, send)
