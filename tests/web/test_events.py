"""Live changes are pushed to all subscribers, also across processes on one PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
from tests.waiting import PATIENCE
from tests.web.serving import Server

from dicecup.web.service.subscribers import HEARTBEAT

SEATS = [{"kind": "person", "name": "Ann"}]


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


def test_two_processes_on_one_database(postgres_database: str) -> None:
    with (
        Server(postgres_database) as one,
        Server(postgres_database) as two,
        httpx.Client(base_url=one.address, timeout=PATIENCE) as first,
        httpx.Client(base_url=two.address, timeout=PATIENCE) as second,
    ):
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


def test_several_workers_serve_one_address(postgres_database: str) -> None:
    with (
        Server(postgres_database, "--workers", "2", "--database", postgres_database) as server,
        httpx.Client(base_url=server.address, timeout=PATIENCE) as client,
    ):
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


def test_people_at_two_processes_see_each_other(postgres_database: str) -> None:
    with (
        Server(postgres_database) as one,
        Server(postgres_database) as two,
        httpx.Client(base_url=one.address, timeout=PATIENCE) as first,
        httpx.Client(base_url=two.address, timeout=PATIENCE) as second,
    ):
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
            assert (
                second.post(f"/api/matches/{match}/reactions", json=reaction, headers=bo).status_code == 204
            )
            heard = [next(seen), next(seen)]  # Bo is away some seconds after the stream has ended
            assert sorted(heard) == [("presence", ""), ("reaction", "1 well-played")]
        assert first.get(f"/api/matches/{match}", headers=ann).json()["seats"][1]["here"] is False
