"""Observing the server: a log line for each request, metrics for Prometheus, and whether it is healthy."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.errors import DicecupError, UsageError
from dicecup.web.addresses import is_among
from dicecup.web.logs import MORE
from dicecup.web.service.matches import Matches, Observer
from dicecup.web.settings import METRICS_FOLDER, MetricsAccess
from dicecup.web.viewer import MatchesNow

if TYPE_CHECKING:
    from prometheus_client import Gauge


SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics(Observer):
    """What this process counts. Labels are routes, methods, statuses and codes: nothing about people."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self.looked = 0.0
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "dicecup_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "dicecup_request_seconds",
            "Time until a response was sent, event streams left out.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.entries = Counter(
            "dicecup_entries",
            "Rolls, decisions and other entries of games that were stored.",
            registry=self.registry,
        )
        self.database_errors = Counter(
            "dicecup_database_errors",
            "Requests that failed because of the database.",
            ("code",),
            registry=self.registry,
        )
        self.matches = self.gauge("dicecup_matches", "Matches in memory.")
        self.open_matches = self.gauge("dicecup_open_matches", "Matches in memory that are not over.")
        self.streams = self.gauge("dicecup_streams", "Open event streams.")
        self.questions = self.gauge("dicecup_worker_queue", "Questions waiting for the coach's processes.")

    def gauge(self, name: str, text: str) -> Gauge:
        from prometheus_client import Gauge

        return Gauge(name, text, registry=self.registry, multiprocess_mode="livesum")

    def persisted(self, entries: int) -> None:
        self.entries.inc(entries)

    def storage_failed(self, code: str) -> None:
        self.database_errors.labels(code).inc()

    def request(self, method: str, route: str, status: int, seconds: float | None) -> None:
        self.requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self.seconds.labels(route).observe(seconds)

    def look_at(self, matches: Matches, at_most_every: float = 0.0) -> None:
        """Set the gauges to the current state of this process, unless that was done some seconds ago."""
        if monotonic() - self.looked < at_most_every:
            return
        self.looked = monotonic()
        live = matches.live.values()
        self.matches.set(len(live))
        self.open_matches.set(sum(one.match is None or not one.match.state.finished for one in live))
        self.streams.set(sum(1 for _ in matches.subscribers.all_streams()))
        self.questions.set(matches.advising.waiting)

    def text(self) -> bytes:
        """Return the metrics of all processes in Prometheus's format."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        if METRICS_FOLDER not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call,unused-ignore]
        return generate_latest(together)


OTHER = "other"  # the route of a request that has none: unknown paths, and what the guard rejects
LOOPBACK = "127.0.0.0/8,::1"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
log = logging.getLogger("dicecup.requests")
router = APIRouter(include_in_schema=False)


class Observe:
    """The outermost middleware, if metrics or request logs are on: it sees the result of every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics | None = None) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, endless = perf_counter(), 500, False

        async def watched(message: Message) -> None:
            nonlocal status, endless
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = dict(message.get("headers", ()))
                endless = b"event-stream" in headers.get(b"content-type", b"")
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            self.finish(scope, status, None if endless else perf_counter() - begun)

    def finish(self, scope: Scope, status: int, seconds: float | None) -> None:
        """Count and log a request, by its route: the path can hold the address of a match."""
        method = scope["method"] if scope["method"] in METHODS else OTHER
        route = getattr(scope.get("route"), "path", OTHER)
        if self.metrics is not None:
            self.metrics.request(method, route, status, seconds)
            self.metrics.look_at(scope["app"].state.matches, at_most_every=1.0)
        more = {"method": method, "route": route, "status": status}
        if seconds is not None:
            more["ms"] = round(1000 * seconds, 1)
        log.info("request", extra={MORE: more})


@router.get("/healthz/live")
async def live() -> Response:
    """Report that the process answers."""
    return JSONResponse({"status": "ok"})


@router.get("/healthz")
async def ready(matches: MatchesNow) -> Response:
    """Report whether the database answers, too."""
    try:
        await asyncio.to_thread(matches.store.database.rows, "SELECT 1")
    except DicecupError as error:
        matches.observer.storage_failed(error.code)
        return JSONResponse({"status": "database_unavailable"}, 503, {"Retry-After": "1"})
    return JSONResponse({"status": "ok"})


@router.get("/metrics")
async def metrics(request: Request, matches: MatchesNow) -> Response:
    """Return metrics in Prometheus's format to clients that the settings allow; to all others, 404."""
    found: Metrics | None = request.app.state.metrics
    if found is None or not may_see(request, matches.settings.metrics):
        raise UsageError("not_found")
    found.look_at(matches)
    return Response(found.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def may_see(request: Request, access: MetricsAccess) -> bool:
    """Whether a request comes from this machine, or has the token. A proxy passes others' requests on."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if access.token and hmac.compare_digest(given.encode(), access.token.encode()):
        return True
    passed_on = "x-forwarded-for" in request.headers or "forwarded" in request.headers
    return (
        access.local and not passed_on and is_among(request.client.host if request.client else None, LOOPBACK)
    )
