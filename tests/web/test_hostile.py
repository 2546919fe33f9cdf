"""Whatever strangers send: refused with a code, nothing changed, no traceback, no secret told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, best_score

from dicecup.web.app import create_app
from dicecup.web.guard import MOST_UPLOAD
from dicecup.web.settings import Settings


@pytest.fixture
def database(tmp_path: Path) -> str:
    """What is refused before the database does not need both of them."""
    return str(tmp_path / "games.db")


def code(answer) -> str:
    found: str = answer.json()["error"]["code"]
    return found


def test_rubbish(ann: Player, client: TestClient) -> None:
    state = ann.open()
    path = f"/api/matches/{state['id']}/moves"
    for body in (
        b"{",
        b"[]",
        b"\xff\xfe",
        b"null",
        b'"x"',
        b"9" * 5000,
        b'{"version": 1e999}',
        b"[" * 20_000,
    ):
        answer = client.post(path, content=body, headers=ann.headers | {"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), body[:20]
        assert code(answer) == "request_wrong"
    for version in (-1, "0", 1.5, None, True, 10**30):
        answer = ann.post(f"/matches/{state['id']}/moves", {"version": version, "move": {"throw": True}})
        assert answer.status_code == 422
    assert ann.look(state) == state


def test_a_huge_body(ann: Player, client: TestClient) -> None:
    state = ann.open()
    path = f"/api/matches/{state['id']}/moves"
    told = client.post(path, content=b"x" * 100_000, headers=ann.headers)
    assert (told.status_code, code(told)) == (413, "body_too_large")

    def endless() -> Iterator[bytes]:
        for _part in range(100):
            yield b" " * 10_000

    untold = client.post(path, content=endless(), headers=ann.headers | {"Content-Type": "application/json"})
    assert (untold.status_code, code(untold)) == (413, "body_too_large")
    large = client.post("/api/reviews", content=b"x" * (MOST_UPLOAD + 1))
    assert large.status_code == 413
    assert ann.look(state) == state


def test_unknown_places(client: TestClient) -> None:
    for path in ("/api/matches/nothing", "/api/nothing"):
        assert client.get(path).status_code == 404
        assert "error" in client.get(path).json()
    for path in (
        "/t/nothing",
        "/nothing",
        "/rules/..%2f..%2fsecret",
        "/static/app.py",
        "/static/..%2fapp.py",
        "/new/x",
    ):
        answer = client.get(path)
        assert answer.status_code in (404, 422)
        assert "Traceback" not in answer.text
    assert client.put("/api/games").status_code == 405


def test_uploads_name_no_file_of_this_machine(client: TestClient, tmp_path: Path, ann: Player) -> None:
    """A record names its rules; a path in it must not be opened."""
    from dicecup.engine.record_text import RecordWriter

    rules = tmp_path / "mine.toml"
    rules.write_text("secret words")
    writer = RecordWriter()
    lines = ["dicecup record 1", f"game {rules}", f"identity {'0' * 64}", "player A", "dice typed", "begin"]
    text = "".join(writer.line(line) for line in lines)
    answer = ann.post("/reviews", {"record": text})
    assert (answer.status_code, code(answer)) == (422, "ruleset_unknown")
    assert "secret words" not in answer.text
    for record in ("", "dicecup record 1\n", "x" * 1000, "\x00"):
        assert ann.post("/reviews", {"record": record}).status_code == 422


def test_forms_need_the_token_of_this_browser(client: TestClient) -> None:
    page = client.get("/new/yatzy").text
    token = re.search(r'name="csrf" value="(\w+)"', page)
    promise = re.search(r'name="promise" value="(\w+)"', page)
    assert token
    assert promise
    form = {"promise": promise[1], "kind": "person", "name": "Ann", "action": "play"}
    for wrong in ({}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": "é"}):
        refused = client.post("/new/yatzy", data=form | wrong, follow_redirects=False)
        assert refused.status_code == 403
        assert "[form_expired]" in refused.text
    other = TestClient(client.app)
    assert other.post("/new/yatzy", data=form | {"csrf": token[1]}, follow_redirects=False).status_code == 403
    opened = client.post("/new/yatzy", data=form | {"csrf": token[1]}, follow_redirects=False)
    assert opened.status_code == 303
    table = opened.headers["location"]
    assert client.cookies["dicecup"] not in client.get(table).text
    assert (
        client.get(table)
        .headers["content-security-policy"]
        .startswith("default-src 'none'; script-src 'self'")
    )
    stranger = other.post(f"{table}/throw", data={"csrf": token[1], "version": 0}, follow_redirects=False)
    assert stranger.status_code == 403


def test_spectators_learn_no_secret(ann: Player, client: TestClient) -> None:
    state = ann.open()
    watcher = Player(client)
    seen = watcher.get(f"/matches/{state['id']}")
    assert ann.key not in seen.text
    assert seen.json()["secret"] is None
    assert not seen.json()["seats"][0]["yours"]
    page = client.get(f"/t/{state['id']}").text
    assert ann.key not in page
    assert "seat#" not in page
    state = ann.play(state, {"throw": True})
    assert watcher.move(state, best_score(state)).status_code == 403


def test_too_much_at_once(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        ann = Player(client)
        state = ann.open()
        answers = [ann.move(state, {"throw": True}).status_code for _ in range(120)]
        assert answers[0] == 200
        assert 429 in answers
        assert ann.look(state)["version"] == 1


def test_preferences_lead_nowhere_else(client: TestClient) -> None:
    token = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
    assert token
    for back in ("https://elsewhere.example", "//elsewhere.example", "javascript:alert(1)"):
        sent = client.post("/preferences", data={"csrf": token[1], "back": back}, follow_redirects=False)
        assert sent.headers["location"] == "/"


def test_names_are_shown_as_they_are(client: TestClient, ann: Player) -> None:
    state = ann.open("yatzy", {"kind": "person", "name": "<script>alert(1)</script>"})
    page = client.get(f"/t/{state['id']}").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_text_that_is_none(ann: Player, client: TestClient) -> None:
    """Half a character and NUL: neither an answer nor a database could hold them."""
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
def test_names_of_no_table_are_never_looked_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from dicecup.storage.store import Store

    monkeypatch.setattr(Store, "match", lambda _store, _name: pytest.fail("it was looked up"))
    for path in (f"/api/matches/{name}", f"/t/{name}", f"/t/{name}/hint", f"/t/{name}/events"):
        assert client.get(path).status_code == 404, path


def test_fields_that_are_none(client: TestClient, ann: Player) -> None:
    token = re.search(r'name="csrf" value="(\w+)"', client.get("/new/yatzy").text)
    assert token
    seated = {"csrf": token[1], "kind": "person", "name": "Ann"}
    table = client.post("/new/yatzy", data=seated | {"action": "play"}, follow_redirects=False).headers[
        "location"
    ]
    for seat in ("xx", "²", "", "-1", "99", "٣"):
        answer = client.post(f"{table}/link", data={"csrf": token[1], "seat": seat})
        assert 400 <= answer.status_code < 500, seat
    assert client.post("/new/yatzy", data=seated | {"action": "remove-²"}).status_code == 200
    assert client.post("/new/yatzy", data=seated | {"name": "a\0b"}).status_code == 422
    for back in ("/a\r\nX-Evil: 1", "/\\elsewhere.example", "/é", "//elsewhere.example", "/ü\ud7ff"):
        answer = client.post(
            "/preferences", data={"csrf": token[1], "back": back}, headers={"HX-Request": "true"}
        )
        assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/")
    kept = client.post("/preferences", data={"csrf": token[1], "back": table}, headers={"HX-Request": "true"})
    assert kept.headers["hx-redirect"] == table


def test_whatever_nobody_thought_of(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from dicecup.storage.store import Store

    def fail(_store: Store, name: str) -> None:
        raise ZeroDivisionError(f"known to few: {name}")

    monkeypatch.setattr(Store, "match", fail)
    name = "abcdefghjkmn"
    for path in (f"/t/{name}", f"/api/matches/{name}"):
        answer = client.get(path)
        assert answer.status_code == 500
        assert "server_failed" in answer.text
        assert "known to few" not in answer.text
        assert answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
    assert "ZeroDivisionError" in caplog.text
    assert name not in caplog.text


@pytest.mark.parametrize("header", ["Authorization", "Cookie"])
@pytest.mark.parametrize("path", ["/api/matches/abcdefghjkmn/moves", "/t/abcdefghjkmn/throw"])
def test_changing_keys_do_not_escape_the_count(tmp_path: Path, header: str, path: str) -> None:
    with TestClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        answers = [
            client.post(path, headers={header: f"dicecup={number:040}"}).status_code for number in range(600)
        ]
        assert answers[0] != 429
        assert answers.count(429) > 100
