"""The server: uvicorn with the limits of connections that it lacks.

uvicorn has a timeout between two requests only. Here are deadlines for the head of a request, for its
body, and for a client that does not read its response, and limits for the number of connections, in total
and per address. `H11Connection` here and `connections_httptools` join them with the two HTTP parsers of
uvicorn. `dicecup serve` loads this module by name: cli does not import web.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from importlib import import_module
from typing import Any, ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from dicecup.installation import is_there
from dicecup.web.addresses import is_among, network_of
from dicecup.web.logs import configure_logs
from dicecup.web.service.subscribers import announce_stop
from dicecup.web.settings import CONNECTION, METRICS_FOLDER, ConnectionLimits, settings_of_process

MOST_HEAD = 32_000  # bytes of a request line and its headers
WANTED_DESCRIPTORS = 65_536
OTHER_DESCRIPTORS = 100  # database connections, pipes of worker processes, files, listening sockets
CONNECTIONS = 20_000  # where the limit of open files allows it
END_OF_HEAD = b"\r\n\r\n"
EVENTS = "/events"  # the end of the paths of event streams
MOST_UNREAD = 16_384  # bytes of events that wait in memory for a client, and one event more


def resource_limits() -> Any:
    """Return the module that counts open files, or None: Windows has none."""
    try:
        return import_module("resource")
    except ImportError:
        return None


def raise_descriptor_limit() -> None:
    """Raise the limit of open files as far as the system allows. Child processes inherit it."""
    resource = resource_limits()
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, WANTED_DESCRIPTORS)
    while wanted > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS grants less than its limit says
            wanted //= 2
        else:
            return


def connection_capacity() -> int:
    """Return how many connections this process can hold within its limit of open files."""
    resource = resource_limits()
    if resource is None:
        return CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return CONNECTIONS
    return max(1, min(CONNECTIONS, int(soft) - OTHER_DESCRIPTORS))


class OpenConnections:
    """The connections of this process, counted in total and by network."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.most = limits.most or connection_capacity()
        self.count = 0
        self.by_network: Counter[str] = Counter()

    def enter(self, address: str | None) -> bool:
        """Count a connection if the limits allow it. A proxy serves many clients: only the total applies."""
        network = network_of(address)
        full = self.by_network[network] >= self.limits.most_of_address
        if self.count >= self.most or (full and not is_among(address, self.limits.proxies)):
            return False
        self.count += 1
        self.by_network[network] += 1
        return True

    def leave(self, address: str | None) -> None:
        network = network_of(address)
        self.count -= 1
        self.by_network[network] -= 1
        if not self.by_network[network]:
            del self.by_network[network]


class ConnectionBounds(asyncio.Protocol):
    """A connection. A deadline runs while a request is received, and while a response cannot be sent.

    It stands before a protocol of uvicorn among the bases of a class.
    """

    opened: ClassVar[OpenConnections | None] = None  # created with the first connection of the process

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    cycle: Any  # of the last request, None before the first
    scope: Any  # … as ASGI gets it
    when_writable: Callable[[], None] | None = None  # see `dicecup.web.service.subscribers.Connection`

    @classmethod
    def connections_of_process(cls) -> OpenConnections:
        if cls.opened is None:
            cls.opened = OpenConnections(settings_of_process().connections)
        return cls.opened

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.open = self.connections_of_process()
        self.limits = self.open.limits
        self.address = self.client[0] if self.client else None
        self.deadline: asyncio.TimerHandle | None = None
        self.stalled: asyncio.TimerHandle | None = None
        self.used = False  # whether any byte was received
        self.counted = self.open.enter(self.address)
        if self.counted:
            self.set_deadline(self.limits.header_seconds)
        else:
            self.turn_away(HTTPStatus.SERVICE_UNAVAILABLE, retry=True)

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_deadline()
        self.resume_writing()
        if self.counted:
            self.open.leave(self.address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.used = True
        if self.deadline is None:  # empty lines count too: they do not begin a request
            self.set_deadline(self.limits.header_seconds)
        super().data_received(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.stalled is None:
            self.stalled = self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None
            if self.when_writable:
                self.when_writable()

    def can_write(self) -> bool:
        return self.stalled is None and not self.transport.is_closing()

    def give_to_stream(self) -> None:
        """Let an event stream write here: through ASGI and all middleware an event would cost much more."""
        if self.scope.get("path", "").endswith(EVENTS):
            self.transport.set_write_buffer_limits(MOST_UNREAD)
            self.scope[CONNECTION] = self

    def shutdown(self) -> None:
        announce_stop()
        super().shutdown()  # type: ignore[misc]

    def set_deadline(self, seconds: float) -> None:
        self.stop_deadline()
        self.deadline = self.loop.call_later(seconds, self.expire)

    def stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def expire(self) -> None:
        if not self.used:
            self.transport.close()  # browsers open speculative connections
        elif self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.turn_away(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.abort()  # another status line would be read as part of the response

    def turn_away(self, status: HTTPStatus, *, retry: bool = False) -> None:
        """Send an error status and close the connection."""
        head = [f"HTTP/1.1 {status.value} {status.phrase}", "content-length: 0", "connection: close"]
        head += ["retry-after: 5"] if retry else []
        self.transport.write("\r\n".join([*head, "", ""]).encode())
        self.transport.close()


class H11Connection(ConnectionBounds, H11Protocol):
    """h11 limits heads that are incomplete (`h11_max_incomplete_event_size`), but not complete ones."""

    reading: object = h11.IDLE  # what of the request is received, as h11 calls it

    def data_received(self, data: bytes) -> None:
        if self.reading is h11.IDLE and len(data) > MOST_HEAD and END_OF_HEAD not in data[:MOST_HEAD]:
            self.turn_away(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        """Set the deadline for what the client has to send next."""
        known = self.cycle
        super().handle_events()
        if self.cycle is not known:
            self.give_to_stream()
        now = self.conn.their_state
        if now is h11.SEND_BODY and self.reading is not h11.SEND_BODY:
            self.set_deadline(self.limits.body_seconds)
        elif now is not h11.SEND_BODY and now is not h11.IDLE:
            self.stop_deadline()
        self.reading = now

    def write_body(self, body: bytes) -> None:
        self.transport.write(self.conn.send(h11.Data(data=body)) or b"")


def run(listener: socket.socket, workers: int = 1) -> None:
    """Serve until a signal. Application and protocol are given by name, so that workers import them."""
    configure_logs(settings_of_process().logs)
    raise_descriptor_limit()
    config = uvicorn.Config(
        "dicecup.web.app:create_app",
        factory=True,
        http=protocol(),
        h11_max_incomplete_event_size=MOST_HEAD,
        forwarded_allow_ips=settings_of_process().connections.proxies,
        log_config=None,  # they are configured here, and by the application in each worker
        access_log=False,  # the addresses of matches are secret
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=60,  # players pause between two moves
        workers=workers,
    )
    if workers == 1:
        gc.disable()  # until the application has started: what it imports is no garbage
        uvicorn.Server(config).run(sockets=[listener])
        return
    with shared_metrics():
        Multiprocess(config, [listener]).run()


@contextmanager
def shared_metrics() -> Iterator[None]:
    """Let worker processes share their metrics in a temporary folder, if there are any metrics."""
    if not settings_of_process().metrics.on or METRICS_FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="dicecup-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[METRICS_FOLDER] = folder  # read by prometheus-client when it is imported
        yield


def protocol() -> str:
    if is_there("httptools"):
        return "dicecup.web.connections_httptools:HttpToolsConnection"
    return "dicecup.web.connections:H11Connection"
