"""Limits that hold for every request: rates on every path, and nothing that grows with what clients send."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from starlette.testclient import TestClient
from tests.web.coaching import record_of
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient

from dicecup.errors import StorageError
from dicecup.storage.store import Store
from dicecup.web import guard
from dicecup.web.app import create_app
from dicecup.web.service import matches
from dicecup.web.service.live_match import BYTES_OF_ENTRY, BYTES_OF_MATCH
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database

ON_THE_SERVER = ("dice", "engine", "i18n", "match", "rules", "storage", "web")


def stop_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time passes: nothing that is used up comes back, so requests may take as long as they do."""
    monkeypatch.setattr(guard, "monotonic", lambda: 0.0)
    monkeypatch.setattr(guard, "LOOP_BURST", 1e9)


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server that counts requests, and for which no time passes."""
    stop_time(monkeypatch)
    monkeypatch.setattr(guard, "BURST", 3)
    monkeypatch.setattr(guard, "REFUSED_AFTER", 0.0)
    with DirectClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/static/icon.svg", "/static/nothing", "/api/openapi.json", "/api/nothing", "/nothing", "/"]
)
def test_every_path_is_limited(counted: TestClient, path: str) -> None:
    statuses = [counted.get(path).status_code for _ in range(5)]
    assert statuses[0] in (200, 404)
    assert statuses[3:] == [429, 429]


def test_promises_are_limited_since_each_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_time(monkeypatch)
    with DirectClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        statuses = [client.get("/new/yatzy").status_code for _ in range(99)]
        statuses += [client.post("/api/promises").status_code for _ in range(2)]
        assert client.get("/").status_code == 200
        store = client.app.state.matches.store  # type: ignore[attr-defined]
        assert store.database.rows("SELECT COUNT(*) FROM promises") == [(100,)]
    assert statuses == [*[200] * 99, 201, 429]


@pytest.mark.parametrize("path", ["/static/icon.svg", "/api/nothing", "/nothing"])
def test_every_body_is_bounded(counted: TestClient, path: str) -> None:
    assert counted.post(path, content=b"x" * 100_000).status_code == 413


def modules_of_the_server() -> Iterator[ModuleType]:
    for name in ON_THE_SERVER:
        module = importlib.import_module(f"dicecup.{name}")
        yield module
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
            yield importlib.import_module(found.name)


def test_no_cache_grows_without_end() -> None:
    """What is remembered by its arguments is bounded, since arguments may come from a client."""
    found = {
        f"{module.__name__}.{name}": function
        for module in modules_of_the_server()
        for name, function in vars(module).items()
        if hasattr(function, "cache_parameters") and function.__module__ == module.__name__
    }
    assert len(found) > 10
    endless = [
        name
        for name, function in found.items()
        if function.cache_parameters()["maxsize"] is None
        and inspect.signature(function.__wrapped__).parameters
    ]
    assert endless == []


def test_caches_of_throws_are_small() -> None:
    """There are millions of throws of six double dice, and a player chooses which dice to type."""
    from dicecup.dice import parts
    from dicecup.engine.play import keeps

    assert parts.cache_parameters()["maxsize"] <= 5_000
    assert keeps.cache_parameters()["maxsize"] <= 5_000


@pytest.mark.parametrize("path", ["/api/matches/{}", "/t/{}"])
def test_storage_errors_name_nothing_of_the_server(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def broken(*_: object) -> None:
        raise StorageError("database_unusable", database="/srv/secret/games.db", problem="disk I/O error")

    monkeypatch.setattr(Store, "match_and_entries", broken)
    answer = client.get(path.format("abcdefghjkmn"))
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert "storage_unavailable" in answer.text
    assert not any(word in answer.text for word in ("secret", "games.db", "disk"))


def test_long_matches_are_forgotten_before_they_fill_the_memory(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "MOST_BYTES", 3 * BYTES_OF_MATCH + 20 * BYTES_OF_ENTRY)
    ann, found = Player(client), client.app.state.matches  # type: ignore[attr-defined]
    first = ann.play(ann.open(), {"throw": True})
    held = next(iter(found.live.values())).size
    assert held == BYTES_OF_MATCH + BYTES_OF_ENTRY
    for _ in range(8):
        upload = ann.post("/records", {"record": record_of("yatzy", 1, 2)}).json()["id"]
        assert list(found.live)[-1] == upload
        assert sum(live.size for live in found.live.values()) <= matches.MOST_BYTES
    assert first["id"] not in found.live
    ann.play(first, {"box": "chance"})
