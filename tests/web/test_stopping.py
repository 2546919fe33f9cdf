"""A server that stops: streams end at once, with a hint when to come back, and nothing is logged."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2 as httpx
from tests.waiting import PATIENCE
from tests.web.serving import Server

SEATS = [{"kind": "person", "name": "Ann"}]


def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    server = Server(str(tmp_path / "games.db"))
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        opened = client.post("/api/matches", json={"game": "yatzy", "seats": SEATS}).json()
        with client.stream("GET", f"/api/matches/{opened['state']['id']}/events") as watching:
            lines = watching.iter_lines()
            assert next(lines) == "event: state"
            server.process.terminate()
            last = [line for line in lines if line][-1]  # a stream that is cut off would raise here
    assert re.fullmatch(r"retry: [1-5]\d\d\d", last)
    assert server.stop() == ""


def test_one_file_has_one_server(tmp_path: Path) -> None:
    from tests.web.test_serve import serve

    database = str(tmp_path / "games.db")
    with Server(database):
        second = serve("--port", "0", "--database", database)
    assert (second.returncode, "[database_in_use]" in second.stderr) == (2, True)
    assert second.stderr.count("\n") == 1
    with Server(database):
        pass
