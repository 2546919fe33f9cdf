"""Hostile requests are rejected with a code; nothing changes, no traceback, no secret is disclosed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, best_score
from tests.web.direct_client import DirectClient
from tests.web.test_limits import stop_time

from dicecup.web import guard
from dicecup.web.app import create_app
from dicecup.web.guard import MOST_UPLOAD
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database  # requests are rejected before the database is used: one kind is enough


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
    form = {"Content-Type": "application/x-www-form-urlencoded"}  # it takes long to decode
    assert client.post("/review", content=b"a=" + b"%41" * 25_000, headers=form).status_code == 413
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
        "/static/0/app.py",
        "/static/../app.py",
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


@pytest.mark.parametrize("before", ["game yatzy", "player A\n" * 260, "option a=b\n" * 260])
def test_uploads_ask_for_no_file_wherever_they_name_it(
    client: TestClient, tmp_path: Path, ann: Player, before: str
) -> None:
    """Whether a file exists must not show either; some files of the system are never read to their end."""
    from dicecup.engine.record_text import RecordWriter

    (tmp_path / "there").write_text("secret words")
    answers = []
    for name in ("there", "nowhere"):
        writer = RecordWriter()
        lines = ["dicecup record 1", *before.splitlines(), f"game {tmp_path / name}"]
        lines += [f"identity {'0' * 64}", "player A", "dice typed", "begin"]
        answer = ann.post("/reviews", {"record": "".join(writer.line(line) for line in lines)})
        assert answer.status_code == 422
        answers.append(answer.text.replace(name, "NAME"))
    assert answers[0] == answers[1]


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
        assert 'data-code="form_expired"' in refused.text
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


def test_too_many_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the machine takes for them."""
    stop_time(monkeypatch)
    monkeypatch.setattr(guard, "REFUSED_AFTER", 0.0)
    with DirectClient(create_app(Settings(str(tmp_path / "games.db")))) as client:
        ann = Player(client)
        state = ann.open()
        answers = [ann.move(state, {"throw": True}).status_code for _ in range(82)]
        assert (answers[0], answers[-1]) == (200, 429)
        assert ann.look(state)["version"] == 1


def test_preferences_redirect_to_this_site_only(client: TestClient) -> None:
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
