"""Malformed requests: invalid text, unknown match ids, fields that are not numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player
from tests.web.direct_client import DirectClient
from tests.web.test_hostile import code

from dicecup.web.app import create_app
from dicecup.web.logs import JsonLines, TextLines
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database


def test_text_that_is_not_valid_unicode(ann: Player, client: TestClient) -> None:
    """Lone surrogates and NUL: neither a response nor a database can hold them."""
    state = ann.open()
    path = f"/api/matches/{state['id']}/moves"
    headers = ann.headers | {"Content-Type": "application/json"}
    for move in (
        b'{"box":"\\ud800"}',
        b'{"box":"\\uDFFFx"}',
        b'{"keep":["\\ud800"]}',
        b'{"box":"\xed\xa0\x80"}',
        b'{"box":"\\u0000"}',
    ):
        answer = client.post(path, content=b'{"version":0,"move":%s}' % move, headers=headers)
        assert (answer.status_code, code(answer)) == (422, "request_wrong")
    for wish in (b'"options":{"\\ud800":"x"}', b'"options":{"a\\u0000":"x"}'):
        body = b'{"game":"yatzy","seats":[{"kind":"person","name":"A"}],%s}' % wish
        answer = client.post("/api/matches", content=body, headers=headers)
        assert (answer.status_code, code(answer)) == (422, "request_wrong")
    whole = b'{"game":"yatzy","seats":[{"kind":"person","name":"\\ud83c\\udfb2"}]}'
    assert client.post("/api/matches", content=whole, headers=headers).status_code == 201


@pytest.mark.parametrize("name", ["%00", "a%00b", "a" * 11 + "%00", "A" * 12, "x" * 13, "%ED%A0%80"])
def test_invalid_match_ids_are_never_looked_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from dicecup.storage.store import Store

    for reading in ("match", "match_and_entries"):
        monkeypatch.setattr(Store, reading, lambda *_: pytest.fail("it was looked up"))
    for path in (f"/api/matches/{name}", f"/t/{name}", f"/t/{name}/hint", f"/t/{name}/events"):
        assert client.get(path).status_code == 404, path


def test_invalid_fields(client: TestClient, ann: Player) -> None:
    token = re.search(r'name="csrf" value="(\w+)"', client.get("/new/yatzy").text)
    assert token
    seated = {"csrf": token[1], "kind": "person", "name": "Ann"}
    path = client.post("/new/yatzy", data=seated | {"action": "play"}, follow_redirects=False).headers[
        "location"
    ]
    for seat in ("xx", "²", "", "-1", "99", "٣"):
        answer = client.post(f"{path}/link", data={"csrf": token[1], "seat": seat})
        assert 400 <= answer.status_code < 500, seat
    assert client.post("/new/yatzy", data=seated | {"action": "remove-²"}).status_code == 200
    assert client.post("/new/yatzy", data=seated | {"name": "a\0b"}).status_code == 422
    for back in ("/a\r\nX-Evil: 1", "/\\elsewhere.example", "/é", "//elsewhere.example", "/ü\ud7ff"):
        answer = client.post(
            "/preferences", data={"csrf": token[1], "back": back}, headers={"HX-Request": "true"}
        )
        assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/")
    kept = client.post("/preferences", data={"csrf": token[1], "back": path}, headers={"HX-Request": "true"})
    assert kept.headers["hx-redirect"] == path


def test_unexpected_errors_are_hidden(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from dicecup.storage.store import Store

    def fail(_store: Store, name: str, *_: object) -> None:
        raise ZeroDivisionError(f"known to few: {name}")

    monkeypatch.setattr(Store, "match_and_entries", fail)
    name = "abcdefghjkmn"
    for path in (f"/t/{name}", f"/api/matches/{name}"):
        answer = client.get(path)
        assert answer.status_code == 500
        assert "server_failed" in answer.text
        assert "known to few" not in answer.text
        assert answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
    for lines in (TextLines(), JsonLines()):
        logged = "\n".join(lines.format(record) for record in caplog.records)
        assert "ZeroDivisionError" in logged
        assert name not in logged


@pytest.mark.parametrize("header", ["Authorization", "Cookie"])
@pytest.mark.parametrize("path", ["/api/matches/abcdefghjkmn/moves", "/t/abcdefghjkmn/throw"])
def test_changing_keys_does_not_escape_the_rate_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str, path: str
) -> None:
    """All within one second of the limiter's clock, however long the machine takes."""
    monkeypatch.setattr("dicecup.web.guard.monotonic", lambda: 0.0)
    monkeypatch.setattr("dicecup.web.guard.LOOP_BURST", 1e9)  # by that clock it would never be refilled
    monkeypatch.setattr("dicecup.web.guard.REFUSED_AFTER", 0.0)
    with DirectClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        answers = [
            client.post(path, headers={header: f"dicecup={number:040}"}).status_code for number in range(400)
        ]
    assert answers[0] != 429
    assert answers.count(429) >= 100
