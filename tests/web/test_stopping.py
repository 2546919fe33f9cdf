"""A server that stops: streams end at once, nothing is logged, and nothing is left behind."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.waiting import PATIENCE
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient
from tests.web.serving import Server

from dicecup.rules.loader import house_reference
from dicecup.web.app import create_app
from dicecup.web.service import house_values
from dicecup.web.settings import Settings

SEATS = [{"kind": "person", "name": "Ann"}]
HOUSE = 'format = 1\nid = "ours"\nbase = "kniffel"\n'


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


@pytest.mark.one_database
def test_only_solves_need_a_temporary_folder(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is killed leaves it behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(house_values, "has_solver", lambda: True)
    before = set(tmp_path.iterdir())

    def new_folders() -> set[Path]:
        return {path for path in tmp_path.iterdir() if path.is_dir()} - before

    with DirectClient(create_app(settings)) as client:
        assert not new_folders()
        values = client.app.state.house_values  # type: ignore[attr-defined]

        async def solve(_rules: object, _base: str, note: Path) -> house_values.HouseValue:
            note.write_text("1 2", "ascii")
            return house_values.HouseValue(250.0, None)

        monkeypatch.setattr(values, "solve", solve)
        Player(client).post("/house-rules/value", {"rules": house_reference(HOUSE)})
        assert len(new_folders()) == 1
    assert not new_folders()
