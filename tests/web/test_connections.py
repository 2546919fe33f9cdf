"""Connections over real sockets: requests that never end, heads without end, more than there is room for."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import pytest
import uvicorn
from tests.waiting import PATIENCE, eventually

from dicecup.web.connections import (
    MOST_HEAD,
    OTHER_DESCRIPTORS,
    H11Connection,
    OpenConnections,
    connection_capacity,
)
from dicecup.web.connections_httptools import HttpToolsConnection
from dicecup.web.settings import ConnectionLimits

pytestmark = pytest.mark.one_database

NEVER, AT_ONCE = 600.0, 0.01  # seconds
PATIENT = ConnectionLimits(header_seconds=NEVER, body_seconds=NEVER, send_seconds=NEVER)
HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\n"
WHOLE = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


async def count_body(scope, receive, send) -> None:
    """Answer with the size of the body; `/large` with more than any buffer holds."""
    assert scope["type"] == "http"
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    body = b"x" * 50_000_000 if scope["path"] == "/large" else str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Connect:
    """Opens connections to a server."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
        self.opened: list[socket.socket] = []
        self.lost = threading.Event()  # set when the server has closed one

    def __call__(self) -> socket.socket:
        self.opened.append(socket.create_connection(self.address, timeout=PATIENCE))
        return self.opened[-1]


Serving = Callable[[ConnectionLimits], AbstractContextManager[Connect]]


@pytest.fixture(params=[HttpToolsConnection, H11Connection])
def serving(request: pytest.FixtureRequest) -> Serving:
    """Serve with both parsers."""
    return partial(serve, request.param)


@contextmanager
def serve(base: type, limits: ConnectionLimits) -> Iterator[Connect]:
    class Protocol(base):  # type: ignore[misc]
        opened = OpenConnections(limits)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            connect.lost.set()

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)
    connect = Connect(listener.getsockname())
    config = uvicorn.Config(
        count_body,
        http=Protocol,
        h11_max_incomplete_event_size=MOST_HEAD,
        lifespan="off",
        log_level="critical",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield connect
    finally:
        for connection in connect.opened:
            connection.close()
        server.should_exit = True
        thread.join()


def rest(connection: socket.socket) -> bytes:
    """Everything until the server closes; a server that does not fails the test by the socket's own limit."""
    data = b""
    try:
        while piece := connection.recv(65_536):
            data += piece
    except ConnectionError:
        pass
    return data


def answer(connection: socket.socket, body: bytes = b"0") -> bytes:
    """An answer with this body, or everything until the server closes."""
    data = b""
    while not data.endswith(b"\r\n\r\n" + body) and (piece := connection.recv(65_536)):
        data += piece
    return data


@pytest.mark.parametrize("sent", [b"GET / HTT", HEAD, HEAD + b"x: ", b"\r\n"])
def test_a_head_that_never_ends_is_given_up(serving: Serving, sent: bytes) -> None:
    with serving(ConnectionLimits(AT_ONCE, NEVER, NEVER)) as connect:
        connection = connect()
        connection.sendall(sent)
        assert rest(connection)[:10] in (b"HTTP/1.1 4", b"")


def test_a_connection_that_is_never_used_is_closed_without_a_word(serving: Serving) -> None:
    with serving(ConnectionLimits(AT_ONCE, NEVER, NEVER)) as connect:
        assert rest(connect()) == b""


@pytest.mark.parametrize(
    "body", [b"content-length: 5\r\n\r\nab", b"transfer-encoding: chunked\r\n\r\n2\r\nab"]
)
def test_a_body_that_never_ends_is_given_up(serving: Serving, body: bytes) -> None:
    with serving(ConnectionLimits(NEVER, AT_ONCE, NEVER)) as connect:
        connection = connect()
        connection.sendall(HEAD + body)
        assert rest(connection).startswith(b"HTTP/1.1 408")


def test_the_next_request_of_a_connection_has_its_own_deadline(serving: Serving) -> None:
    """The pause between two requests has nothing to do with it: that one belongs to the player."""
    with serving(ConnectionLimits(NEVER, AT_ONCE, NEVER)) as connect:
        connection = connect()
        connection.sendall(WHOLE)
        assert answer(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(HEAD + b"content-length: 5\r\n\r\nab")
        assert rest(connection).startswith(b"HTTP/1.1 408")


def test_requests_in_pieces_are_answered_in_time(serving: Serving) -> None:
    with serving(PATIENT) as connect:
        connection = connect()
        for _ in range(2):
            for piece in (HEAD, b"content-", b"length: 5\r\n", b"\r\n", b"ab", b"cde"):
                connection.sendall(piece)
            assert answer(connection, b"5").startswith(b"HTTP/1.1 200")
        connection.sendall(WHOLE + WHOLE)
        both = answer(connection)
        if both.count(b"\r\n\r\n0") < 2:  # the second one came later
            both += answer(connection)
        assert both.count(b"\r\n\r\n0") == 2


def test_a_client_that_reads_nothing_is_given_up(serving: Serving) -> None:
    with serving(ConnectionLimits(NEVER, NEVER, AT_ONCE)) as connect:
        connection = connect()
        connection.sendall(WHOLE.replace(b"/ ", b"/large ", 1))
        assert connect.lost.wait(PATIENCE)
        assert len(rest(connection)) < 50_000_000


@pytest.mark.parametrize(
    "pieces",
    [
        [HEAD + b"x: " + b"a" * MOST_HEAD + b"\r\n\r\n"],
        [HEAD + b"x: ", *[b"a" * 1000] * (MOST_HEAD // 1000)],
        [HEAD, *[b"a: b\r\n" * 100] * (MOST_HEAD // 600 * 2)],
        [b"GET /" + b"a" * MOST_HEAD + b" HTTP/1.1\r\nhost: localhost\r\n\r\n"],
        [HEAD + b"transfer-encoding: chunked\r\n\r\n0\r\n", *[b"a: b\r\n" * 100] * (MOST_HEAD // 200)],
    ],
)
def test_heads_are_bounded(serving: Serving, pieces: list[bytes]) -> None:
    with serving(PATIENT) as connect:
        connection = connect()
        try:
            for piece in pieces:
                connection.sendall(piece)
        except ConnectionError:
            return  # closed before everything was sent
        assert rest(connection)[:10] in (b"HTTP/1.1 4", b"")


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x00\xa5", b"hello\r\n\r\n", b"\x00"])
def test_bytes_that_are_not_http_are_rejected(serving: Serving, sent: bytes) -> None:
    with serving(PATIENT) as connect:
        connection = connect()
        connection.sendall(sent)
        assert rest(connection).startswith(b"HTTP/1.1 400")


def test_large_bodies_are_no_heads(serving: Serving) -> None:
    with serving(PATIENT) as connect:
        connection = connect()
        connection.sendall(HEAD + b"content-length: 300000\r\n\r\n" + b"x" * 300_000)
        assert answer(connection, b"300000").startswith(b"HTTP/1.1 200")


def test_connections_beyond_the_capacity_are_told_to_come_again(serving: Serving) -> None:
    with serving(ConnectionLimits(NEVER, NEVER, NEVER, most=3)) as connect:
        held = [connect() for _ in range(3)]
        for connection in held:
            connection.sendall(WHOLE)
            assert answer(connection).startswith(b"HTTP/1.1 200")
        refused = rest(connect())
        assert refused.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 5" in refused
        held[0].close()

        def is_admitted() -> bool:
            """Ask on a new connection: the server has to see first that one is gone."""
            with connect() as connection:
                try:
                    connection.sendall(WHOLE)
                    return answer(connection).startswith(b"HTTP/1.1 200")
                except ConnectionError:
                    return False

        eventually(is_admitted)


def test_one_address_cannot_take_all_places() -> None:
    limits = ConnectionLimits(most=10, most_of_address=2, proxies="10.0.0.1")
    opened = OpenConnections(limits)
    assert [opened.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert [opened.enter(f"2001:db8::{number}") for number in range(3)] == [True, True, False]
    assert opened.enter("2001:db8:0:1::1")
    assert [opened.enter("10.0.0.1") for _ in range(6)] == [True] * 5 + [False]
    opened.leave("192.0.2.1")
    assert opened.enter("192.0.2.1")
    for address in ("192.0.2.1", "192.0.2.1", "2001:db8::9", "2001:db8::8", "2001:db8:0:1::1"):
        opened.leave(address)
    for _ in range(5):
        opened.leave("10.0.0.1")
    assert (opened.count, dict(opened.by_network)) == (0, {})


def test_capacity_follows_from_the_descriptors_that_the_system_gives() -> None:
    """In a process of its own: a limit that was lowered cannot be raised again."""
    resource = pytest.importorskip("resource", reason="Windows counts no descriptors")
    code = (
        "import resource; from dicecup.web.connections import *\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (300, 700))\n"
        "print(connection_capacity()); raise_descriptor_limit()\n"
        "print(connection_capacity(), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after, soft, hard = map(int, done.stdout.split())
    assert (before, after) == (300 - OTHER_DESCRIPTORS, 700 - OTHER_DESCRIPTORS)
    assert (soft, hard) == (700, 700)
    assert connection_capacity() <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]
