"""Health, metrics, and logs that say nothing about people."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, Visitor, turn, two_players
from tests.web.direct_client import DirectClient

from dicecup.errors import StorageError
from dicecup.web.app import create_app
from dicecup.web.logs import LOGGERS, JsonLines, TextLines, configure_logs
from dicecup.web.settings import Logs, MetricsAccess, Settings, settings_of

TOKEN = "a-long-random-token"


def test_the_server_is_healthy_while_the_database_answers(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    matches = client.app.state.matches  # type: ignore[attr-defined]

    def away(*_arguments: object) -> None:
        raise StorageError("database_unusable", database="/secret/path", problem="gone")

    monkeypatch.setattr(matches.store.database, "rows", away)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"status": "database_unavailable"})
    assert client.get("/healthz/live").json() == {"status": "ok"}


def test_every_answer_has_an_id(client: TestClient) -> None:
    paths = ("/", "/healthz", "/nothing", "/static/icon.svg", "/api/games")
    found = {client.get(path).headers["x-request-id"] for path in paths}
    assert len(found) == len(paths)
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in found)


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("access", "address", "headers", "status"),
    [
        (MetricsAccess(), "127.0.0.1", {}, 404),
        (MetricsAccess(local=True), "127.0.0.1", {}, 200),
        (MetricsAccess(local=True), "::1", {}, 200),
        (MetricsAccess(local=True), "192.0.2.7", {}, 404),
        (MetricsAccess(local=True), "127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, 404),
        (MetricsAccess(local=True), "127.0.0.1", {"Forwarded": "for=192.0.2.7"}, 404),
        (MetricsAccess(token=TOKEN), "127.0.0.1", {}, 404),
        (MetricsAccess(token=TOKEN), "192.0.2.7", {"Authorization": "Bearer wrong"}, 404),
        (MetricsAccess(token=TOKEN), "192.0.2.7", {"Authorization": f"Bearer {TOKEN}"}, 200),
        (MetricsAccess(local=True, token=TOKEN), "127.0.0.1", {}, 200),
    ],
)
def test_metrics_are_not_for_strangers(
    settings: Settings, access: MetricsAccess, address: str, headers: dict[str, str], status: int
) -> None:
    app = create_app(replace(settings, metrics=access))
    with DirectClient(app, client=(address, 1)) as client:
        assert client.get("/metrics", headers=headers).status_code == status


def values_of(text: str) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


@pytest.mark.one_database
def test_what_is_counted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(replace(settings, metrics=MetricsAccess(token=TOKEN)))
    with DirectClient(app, raise_server_exceptions=False) as client:
        ann = Player(client)
        state = turn(ann, ann.open())
        client.get("/nothing/at/all")
        client.request("BREW", "/")

        def away(*_arguments: object) -> None:
            raise StorageError("database_unusable", database="x", problem="y")

        with monkeypatch.context() as broken:
            broken.setattr(app.state.matches.store, "matches_of", away)
            assert ann.get("/my/matches").status_code == 503
        text = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    values = values_of(text)
    assert values['dicecup_requests_total{method="POST",route="/api/matches",status="201"}'] == 1
    moves = 'method="POST",route="/api/matches/{match}/moves",status="200"'
    assert values[f"dicecup_requests_total{{{moves}}}"] == 2
    assert values['dicecup_requests_total{method="GET",route="other",status="404"}'] == 1
    assert values['dicecup_request_seconds_count{route="/api/matches/{match}/moves"}'] == 2
    assert values["dicecup_entries_total"] == state["version"] == 2
    assert values['dicecup_database_errors_total{code="database_unusable"}'] == 1
    assert (values["dicecup_matches"], values["dicecup_open_matches"]) == (1, 1)
    assert (values["dicecup_streams"], values["dicecup_worker_queue"]) == (0, 0)
    assert "BREW" not in text
    assert state["id"] not in text


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything that is logged, also what nobody would switch on, as JSON lines and as text."""
    said = io.StringIO()
    handlers = [logging.StreamHandler(said), logging.StreamHandler(said)]
    handlers[0].setFormatter(JsonLines())
    handlers[1].setFormatter(TextLines())
    before = {name: logging.getLogger(name).level for name in LOGGERS}
    for name in before:
        logging.getLogger(name).setLevel(logging.DEBUG)
        for handler in handlers:
            logging.getLogger(name).addHandler(handler)
    yield said
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)
        for handler in handlers:
            logging.getLogger(name).removeHandler(handler)


@pytest.mark.one_database
def test_logs_hold_nothing_about_people(
    settings: Settings, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(replace(settings, logs=Logs(level="info")))
    with DirectClient(app, raise_server_exceptions=False, client=("203.0.113.77", 4711)) as client:
        ann, bo, visitor = Player(client), Player(client), Visitor(client)
        cookie, csrf = client.cookies["dicecup"], visitor.token()
        visitor.send("/new/yatzy", action="play", kind=["person"], name=["Visitorella"])
        state = turn(ann, two_players(ann, bo))
        link = ann.post(f"/matches/{state['id']}/links", {"seat": 0}).json()
        phone = Player(client)
        phone.post(f"/matches/{state['id']}/claim", {"token": link["token"]})
        ann.post("/matches", {"game": "yatzy", "seats": [{"kind": "person", "name": "Nameless,Name"}]})
        ann.post("/records", {"record": "dicecup record 1\nplayer Uploadina"})
        client.get(f"/t/{state['id']}?secret=Queryname", headers={"X-Request-Id": "Forgedname"})

        def fail(*_arguments: object) -> Any:
            raise ValueError(f"{ann.key} {state['id']} Exceptionella")

        async def forgotten() -> None:
            """A task that nobody waits for: asyncio logs its exception when it is collected."""
            task = asyncio.create_task(asyncio.to_thread(fail))
            await asyncio.wait([task])

        assert client.portal
        client.portal.call(forgotten)
        gc.collect()
        with monkeypatch.context() as broken:
            broken.setattr(app.state.matches.store, "matches_of", fail)
            assert ann.get("/my/matches").status_code == 500
            broken.setattr(app.state.matches, "get", fail)
            assert bo.look(state)["error"]["code"] == "server_failed"
    text = logged.getvalue()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    failures = [line for line in lines if line.get("error") == "ValueError"]
    assert [line["message"] for line in failures] == [
        "Task exception was never retrieved",
        "failed",
        "failed",
    ]
    assert all(line["request"] and line["lines"] for line in failures[1:])
    assert {"request", "method", "route", "status", "ms"} <= {key for line in lines for key in line}
    secrets = [ann.key, bo.key, cookie, csrf, state["id"], link["token"], "203.0.113.77", "4711"]
    names = ["Ann", "Bo", "Visitorella", "Nameless", "Uploadina", "Queryname", "Forgedname", "Exceptionella"]
    for secret in secrets + names:
        assert secret
        assert not re.search(rf"\b{re.escape(secret)}\b", text), secret


def test_the_format_of_logs(capsys: pytest.CaptureFixture[str]) -> None:
    kept = {name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate) for name in LOGGERS}
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    try:
        configure_logs(Logs(json=True, level="info"))
        logging.getLogger("dicecup.web").info("hello", extra={"more": {"route": "/"}})
        logging.getLogger("dicecup.web").debug("nothing")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line).items() >= {"level": "info", "message": "hello", "route": "/"}.items()
        configure_logs(Logs())
        logging.getLogger("dicecup.web").info("nothing")
        logging.getLogger("uvicorn.some").warning("hello")  # servers of other tests set up "uvicorn.error"
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith(" WARNING uvicorn.some hello")
    finally:
        for name, (handlers, propagate) in kept.items():
            logging.getLogger(name).handlers = handlers
            logging.getLogger(name).propagate = propagate
            logging.getLogger(name).setLevel(levels[name])


def test_settings_of_logs_and_metrics() -> None:
    found = settings_of(
        {"DICECUP_LOG_FORMAT": "json", "DICECUP_LOG_LEVEL": "INFO", "DICECUP_METRICS": "local"}
    )
    assert (found.logs, found.metrics) == (Logs(json=True, level="info"), MetricsAccess(local=True))
    assert not settings_of({}).metrics.on
