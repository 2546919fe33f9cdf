"""A real server under load: concurrent devices, malformed requests, slow and numerous clients."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import BadStatusLine, HTTPResponse
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from tests.databases import quick_folder
from tests.waiting import PATIENCE, eventually
from tests.web.conftest import best_score
from tests.web.serving import Server

from dicecup.web.service.presence import MOST_WATCHERS

SEATS = [{"kind": "person", "name": "Ann"}]
ApiMatch = tuple[str, str]  # the path of a match in the API, and a key to it


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with quick_folder() as folder, Server(str(folder / "games.db")) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        yield client


def open_match(client: httpx.Client) -> ApiMatch:
    opened = client.post("/api/matches", json={"game": "yatzy", "seats": SEATS}).json()
    return f"/api/matches/{opened['state']['id']}", opened["key"]


def move(client: httpx.Client, opened: ApiMatch, version: int, what: dict[str, Any]) -> httpx.Response:
    path, key = opened
    headers = {"Authorization": f"Bearer {key}"}
    return client.post(f"{path}/moves", json={"version": version, "move": what}, headers=headers)


def test_of_concurrent_moves_one_is_accepted(client: httpx.Client) -> None:
    path, key = open_match(client)
    headers = {"Authorization": f"Bearer {key}"}
    token = client.post(f"{path}/links", json={"seat": 0}, headers=headers).json()["token"]
    keys = [client.post(f"{path}/claim", json={"token": token}).json()["key"] for _ in range(5)]
    state = client.get(path).json()
    with ThreadPoolExecutor(len(keys)) as devices:
        for _round in range(12):
            version = state["version"]
            due = state["turn"]["throw_due"]
            what = {"throw": True} if due else best_score(state)
            answers = list(devices.map(lambda key: move(client, (path, key), version, what), keys))  # noqa: B023
            assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
            for answer in answers:
                if answer.status_code == 409:
                    assert answer.json()["error"]["code"] == "version_stale"
            state = client.get(path).json()
            assert state["version"] == version + 1


def talk(server: Server, request: bytes) -> bytes:
    """Send bytes to the server and return its response; nothing if it only closes the connection."""
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
        response = HTTPResponse(line)
        try:
            line.sendall(request)
            response.begin()
            return b"%d %b" % (response.status, response.read())
        except (BadStatusLine, ConnectionError):
            return b""


def request(first: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    return b"\r\n".join([first + b" HTTP/1.1", *headers, b"", body])


def post(*headers: bytes, body: bytes = b"") -> bytes:
    return request(b"POST /api/matches", b"Host: x", *headers, body=body)


def get(*headers: bytes) -> bytes:
    return request(b"GET /", b"Host: x", b"Connection: close", *headers)


STRANGE = {
    "no request": b"\x00\x01\x02\r\n\r\n",
    "no host": request(b"GET /", b"Connection: close"),
    "a strange host": request(b"GET /", b"Host: \xff\xfe<script>", b"Connection: close"),
    "a negative length": post(b"Content-Length: -5"),
    "no number as length": post(b"Content-Length: many"),
    "an endless length": post(b"Content-Length: " + b"9" * 40),
    "two lengths": post(b"Content-Length: 2", b"Content-Length: 9", body=b"{}"),
    "wrong chunks": post(b"Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n"),
    "a long header": get(b"X-Long: " + b"a" * 200_000),
    "a long address": request(b"GET /" + b"a" * 200_000, b"Host: x"),
    "strange cookies": get(b"Cookie: dicecup=\xff\xfe; name=%ff%fe; language=../../x; theme=<b>"),
    "a strange language": get(b"Accept-Language: ;;q=x,\xff,de;q=nan,*"),
    "a strange key": request(b"GET /api/my/matches", b"Host: x", b"Authorization: Bearer \xff\x80 "),
    "another protocol": request(b"GET /", b"Host: x", b"Connection: Upgrade", b"Upgrade: websocket"),
    "an odd method": request(b"BREW /coffee", b"Host: x", b"Connection: close"),
    "a form of rubbish": request(
        b"POST /new/yatzy",
        b"Host: x",
        b"Content-Type: multipart/form-data; boundary=",
        b"Content-Length: 5",
        body=b"--\xff\xfe\x00",
    ),
}


def test_strange_requests(tmp_path: Path) -> None:
    """Each is rejected or answered; nothing changes, and the log has no traceback."""
    server = Server(str(tmp_path / "games.db"))
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        opened = open_match(client)
        before = client.get(opened[0]).json()
        for what, request in STRANGE.items():
            said = talk(server, request)
            assert not said or int(said[:3]) < 500, (what, said[:300])
            assert b"Traceback" not in said, what
            assert client.get(opened[0]).json() == before, what
    assert "Traceback" not in server.stop()


def test_slow_clients_delay_nobody(server: Server, client: httpx.Client) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    lines = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(100)]
    try:
        for number, line in enumerate(lines):  # half of a head, or half of a body
            head = b"POST /api/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            line.sendall(head if number % 2 else head + b'Content-Length: 500\r\n\r\n{"game"')
        opened = open_match(client)
        assert move(client, opened, 0, {"throw": True}).status_code == 200
    finally:
        for line in lines:
            line.close()
    assert client.get(opened[0]).json()["version"] == 1


def test_a_subscriber_that_does_not_read_delays_nobody(server: Server, client: httpx.Client) -> None:
    path, key = open_match(client)
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(f"GET {path.replace('/api/matches', '/t')}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        state = client.get(path).json()
        while state["status"] != "finished":
            what = {"throw": True} if state["turn"]["throw_due"] else best_score(state)
            answer = move(client, (path, key), state["version"], what)
            assert answer.status_code == 200
            state = answer.json()


def test_watchers_have_a_limit_and_make_room_again(server: Server, client: httpx.Client) -> None:
    path, key = open_match(client)
    host, port = server.address.removeprefix("http://").split(":")
    request = f"GET {path}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    lines = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(MOST_WATCHERS)]
    try:
        for line in lines:
            line.sendall(request)
        for line in lines:
            assert b" 200 " in line.recv(100)
        refused = client.get(f"{path}/events")
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_watchers")
        assert move(client, (path, key), 0, {"throw": True}).status_code == 200
    finally:
        for line in lines:
            line.close()

    def is_admitted() -> bool:
        """Ask after a move: the server notices that they are gone when it next sends to them."""
        state = client.get(path).json()
        if state["turn"]:  # it may be over before the server has seen all of them go
            what = {"throw": True} if state["turn"]["throw_due"] else best_score(state)
            assert move(client, (path, key), state["version"], what).status_code == 200
        with client.stream("GET", f"{path}/events") as watching:
            return watching.status_code == 200

    eventually(is_admitted)


def test_unknown_fields_are_refused(client: httpx.Client) -> None:
    path, key = open_match(client)
    headers = {"Authorization": f"Bearer {key}"}
    for part, body in {
        "moves": {"version": 0, "move": {"throw": True}, "seat": 1},
        "undo": {"version": 0, "force": True},
        "leave": {"seat": 0, "who": "Ann"},
        "links": {"seat": 0, "for": "ever"},
    }.items():
        answer = client.post(f"{path}/{part}", json=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "request_wrong"), part
    for twice in ({"throw": True, "box": "ones"}, {"keep": [1], "inner": "pair"}):
        assert move(client, (path, key), 0, twice).status_code == 422
    assert client.get(path).json()["version"] == 0
