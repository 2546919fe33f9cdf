"""Live changes are pushed to all subscribers, also across processes on one PostgreSQL; their metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.databases import Databases
from tests.waiting import PATIENCE, eventually
from tests.web.serving import Server
from tests.web.test_observing import values_of

from dicecup.web.service.subscribers import HEARTBEAT

SEATS = [{"kind": "person", "name": "Ann"}]


@pytest.fixture(scope="module")
def two_servers(postgres_databases: Databases) -> Iterator[tuple[Server, Server]]:
    with postgres_databases.lent() as address, Server(address) as one, Server(address) as two:
        yield one, two


@pytest.fixture(scope="module")
def two_workers(postgres_databases: Databases) -> Iterator[Server]:
    """One server of two processes."""
    environment = {"DICECUP_METRICS": "local", "DICECUP_LOG_FORMAT": "json"}
    with postgres_databases.lent() as address:
        options = ("--workers", "2", "--database", address)
        with Server(address, *options, **environment) as server:
            yield server


@pytest.fixture
def clients(two_servers: tuple[Server, Server]) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    one, two = (
        httpx.Client(base_url=server.address, timeout=PATIENCE, verify=False) for server in two_servers
    )
    with one, two:
        yield one, two


def events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each event. Heartbeats keep a stream open in which nothing comes."""
    name, data, beats = "", [], 0
    for line in lines:
        if line.startswith(":"):
            beats += 1
            assert beats * HEARTBEAT < PATIENCE, "nothing but heartbeats"
        elif line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            data.append(line[6:])
        elif not line and data:
            yield name, "\n".join(data)
            data, beats = [], 0


def test_watchers_see_every_change(tmp_path: Path) -> None:
    with (
        Server(str(tmp_path / "games.db")) as server,
        httpx.Client(base_url=server.address, timeout=PATIENCE) as client,
    ):
        opened = client.post("/api/matches", json={"game": "yatzy", "seats": SEATS}).json()
        path = f"/api/matches/{opened['state']['id']}"
        with client.stream("GET", f"{path}/events") as watching:
            seen = events(watching.iter_lines())
            assert json.loads(next(seen)[1])["version"] == 0
            move = {"version": 0, "move": {"throw": True}}
            headers = {"Authorization": f"Bearer {opened['key']}"}
            moved = client.post(f"{path}/moves", json=move, headers=headers).json()
            name, text = next(seen)
            assert name == "state"
            assert json.loads(text)["turn"]["dice"] == moved["turn"]["dice"]
            assert json.loads(text)["turn"]["yours"] is False
        with client.stream("GET", f"/t/{opened['state']['id']}/events") as watching:
            name, text = next(events(watching.iter_lines()))
            assert name == "match"
            assert 'data-version="1"' in text
            assert 'name="csrf"' not in text  # shared by all spectators: contains no token


def test_two_processes_on_one_database(clients: tuple[httpx.Client, httpx.Client]) -> None:
    first, second = clients
    opened = first.post("/api/matches", json={"game": "yatzy", "seats": SEATS}).json()
    headers = {"Authorization": f"Bearer {opened['key']}"}
    path = f"/api/matches/{opened['state']['id']}"
    with second.stream("GET", f"{path}/events", headers=headers) as watching:
        seen = events(watching.iter_lines())
        assert json.loads(next(seen)[1])["turn"]["yours"] is True
        move = {"version": 0, "move": {"throw": True}}
        thrown = first.post(f"{path}/moves", json=move, headers=headers).json()
        assert json.loads(next(seen)[1])["turn"]["dice"] == thrown["turn"]["dice"]
    stale = second.post(f"{path}/moves", json=move, headers=headers)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "version_stale")
    box = {"version": 1, "move": {"box": "chance"}}
    filled = second.post(f"{path}/moves", json=box, headers=headers)
    assert filled.status_code == 200
    again = first.post(f"{path}/moves", json=box, headers=headers)
    assert again.status_code == 409
    assert again.json()["state"]["seats"][0]["sheet"] == filled.json()["seats"][0]["sheet"]


def test_people_at_two_processes_see_each_other(clients: tuple[httpx.Client, httpx.Client]) -> None:
    first, second = clients
    seats = [*SEATS, {"kind": "open"}]
    opened = first.post("/api/matches", json={"game": "yatzy", "seats": seats}).json()
    match = opened["state"]["id"]
    joined = second.post(f"/api/matches/{match}/join", json={"name": "Bo"}).json()
    ann, bo = ({"Authorization": f"Bearer {answer['key']}"} for answer in (opened, joined))
    with first.stream("GET", f"/t/{match}/events") as watching:
        seen = events(watching.iter_lines())
        assert next(seen)[0] == "match"
        with second.stream("GET", f"/api/matches/{match}/events", headers=bo):
            assert next(seen) == ("presence", "1")
            with first.stream("GET", f"/t/{match}/events") as late:  # the other process is asked
                others = events(late.iter_lines())
                assert [next(others)[0], next(others)] == ["match", ("presence", "1")]
        reaction = {"reaction": "well-played"}
        assert second.post(f"/api/matches/{match}/reactions", json=reaction, headers=bo).status_code == 204
        heard = [next(seen), next(seen)]  # Bo is away some seconds after the stream has ended
        assert sorted(heard) == [("presence", ""), ("reaction", "1 well-played")]
    assert first.get(f"/api/matches/{match}", headers=ann).json()["seats"][1]["here"] is False


def test_several_workers_serve_one_address(two_workers: Server) -> None:
    with httpx.Client(base_url=two_workers.address, timeout=PATIENCE, verify=False) as client:
        opened = client.post("/api/matches", json={"game": "yahtzee", "seats": SEATS}).json()
        headers = {"Authorization": f"Bearer {opened['key']}", "Connection": "close"}
        path = f"/api/matches/{opened['state']['id']}"
        state = opened["state"]
        for _turn in range(4):
            for move in ({"throw": True}, None):
                if move is None:
                    (choices,) = state["turn"]["choices"].values()
                    move = {"box": choices[0]["box"]}  # noqa: PLW2901
                body = {"version": state["version"], "move": move}
                answer = client.post(f"{path}/moves", json=body, headers=headers)
                assert answer.status_code == 200, answer.text
                state = answer.json()
        assert state["version"] == 8


def test_metrics_of_several_processes_are_added_up(two_workers: Server) -> None:
    def get(path: str) -> str:
        """On a connection of its own, so that either process may get it; no certificates are read."""
        return httpx.get(two_workers.address + path, timeout=PATIENCE, verify=False).text

    for _request in range(10):
        get("/healthz")

    def counted() -> float:
        text = get("/metrics")
        return values_of(text)['dicecup_requests_total{method="GET",route="/healthz",status="200"}']

    assert eventually(counted, lambda count: count == 10)
