"""Metrics for Prometheus. Imported only where they are switched on."""

from __future__ import annotations

import os
from time import monotonic

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from dicecup.web.connections import METRICS_FOLDER
from dicecup.web.service.matches import Matches, Observer

SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics(Observer):
    """What this process counts. Labels are routes, methods, statuses and codes: nothing about people."""

    def __init__(self) -> None:
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
        if METRICS_FOLDER not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call,unused-ignore]
        return generate_latest(together)
