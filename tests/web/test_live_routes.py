"""Live play is answered without FastAPI exactly as with it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, FRIEND, Player, Visitor, best_score

from dicecup.web import live_routes
from dicecup.web.api import match_requests
from dicecup.web.api.models import StateAnswer

pytestmark = pytest.mark.one_database
THROW = '{"version": 0, "move": {"throw": true}}'
JSON = "application/json"

# Requests for moves that change nothing: the body, its type, and what its sender is.
REFUSED = {
    "stale": ('{"version": 7, "move": {"throw": true}}', JSON, "player"),
    "against the rules": ('{"version": 0, "move": {"box": "ones"}}', JSON, "player"),
    "unknown box": ('{"version": 0, "move": {"box": "nothing"}}', JSON, "player"),
    "no move": ('{"version": 0, "move": {}}', JSON, "player"),
    "no key": (THROW, JSON, "nobody"),
    "somebody else": (THROW, JSON, "stranger"),
    "not JSON": ("{", JSON, "player"),
    "a wrong type": ('{"version": "0", "move": {"throw": true}}', JSON, "player"),
    "too much": ('{"version": 0, "move": {"throw": true}, "more": 1}', JSON, "player"),
    "nothing": ("", JSON, "player"),
    "half a character": (r'{"version": 0, "move": {"box": "\ud800"}}', JSON, "player"),
    "not a number": ('{"version": 0, "move": {"keep": [NaN]}}', JSON, "player"),
    "another type of content": (THROW, "text/plain", "player"),
    "a form": ("version=0", "application/x-www-form-urlencoded", "player"),
}


def without_token(page: str) -> str:
    """Every request is the first one of a new viewer, who gets a token of their own."""
    return re.sub(r'value="[0-9a-f]{64}"', "", page)


@pytest.fixture
def with_fastapi(monkeypatch: pytest.MonkeyPatch) -> Any:
    def switch() -> None:
        monkeypatch.setattr(live_routes, "ROUTES", {})

    return switch


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_the_same(client: TestClient, ann: Player, case: str, with_fastapi: Any) -> None:
    body, kind, sender = REFUSED[case]
    state = ann.open()
    keys = {"player": ann.key, "nobody": "", "stranger": "some other key that is long enough"}
    headers = {"Content-Type": kind, "Accept-Language": "sv"}
    headers |= {"Authorization": f"Bearer {keys[sender]}"} if keys[sender] else {}

    def ask() -> Any:
        answer = client.post(f"/api/matches/{state['id']}/moves", content=body, headers=headers)
        return answer.status_code, answer.json(), sorted(answer.headers)

    found = ask()
    assert found[0] >= 400
    with_fastapi()
    assert found == ask()


def test_a_move_is_answered_with_the_state(client: TestClient, ann: Player, with_fastapi: Any) -> None:
    moved = ann.move(ann.open("triple-yum-plus"), {"throw": True})
    state = moved.json()
    by_live_route = ann.get(f"/matches/{state['id']}")
    with_fastapi()
    seen = ann.get(f"/matches/{state['id']}")
    assert moved.text == seen.text == by_live_route.text
    assert seen.headers.keys() == by_live_route.headers.keys()
    moved = ann.move(state, best_score(state))
    assert moved.status_code == 200
    assert moved.headers.keys() == seen.headers.keys()


@pytest.mark.parametrize(
    "path",
    ["/api/matches/{}", "/api/matches/{}/moves", "/api/matches/{}/events", "/t/{}/events", "/t/{}/throw"],
)
@pytest.mark.parametrize("match", ["aaaaaaaaaaaa", "short", "a" * 50, "%00aaaaaaaaaaa"])
def test_unknown_matches_are_answered_the_same(
    client: TestClient, path: str, match: str, with_fastapi: Any
) -> None:
    method = "GET" if path.endswith(("{}", "events")) else "POST"

    def ask() -> Any:
        client.cookies.clear()
        answer = client.request(method, path.format(match), content=THROW, headers={"Content-Type": JSON})
        return answer.status_code, answer.headers["content-type"], without_token(answer.text)

    found = ask()
    assert found[0] >= 400
    with_fastapi()
    assert found == ask()


@pytest.mark.parametrize("fields", [{}, {"csrf": "wrong"}, {"csrf": "wrong", "version": "0"}])
@pytest.mark.parametrize("what", ["throw", "score"])
def test_forms_without_a_token_are_refused_the_same(
    client: TestClient, ann: Player, what: str, fields: dict[str, str], with_fastapi: Any
) -> None:
    state = ann.open()

    def ask() -> Any:
        client.cookies.clear()
        answer = client.post(f"/t/{state['id']}/{what}", data=fields)
        return answer.status_code, without_token(answer.text)

    found = ask()
    assert found[0] == 403
    with_fastapi()
    assert found == ask()


def test_forms_play_with_and_without_fastapi(
    client: TestClient, ann: Player, visitor: Visitor, with_fastapi: Any
) -> None:
    ann.key = client.cookies["dicecup"]
    state = ann.open()
    client.cookies["dicecup"] = ann.key
    page = visitor.go(f"/t/{state['id']}")
    for box in ("ones", "twos"):
        page = visitor.send(f"/t/{state['id']}/throw", version=version(page))
        assert 'class="die-box thrown"' in page
        page = visitor.send(f"/t/{state['id']}/score", version=version(page), box=box)
        assert "Ann fills" in page
        with_fastapi()


def version(page: str) -> str:
    return page.partition('data-version="')[2].partition('"')[0]


def test_every_route_here_is_one_of_fastapi(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()["paths"]
    for method, path in live_routes.ROUTES:
        if path.startswith("/api"):
            assert method.lower() in described[path]


@pytest.mark.parametrize(
    ("game", "seats", "more"),
    [
        ("yatzy", (ANN, FRIEND), {}),  # has not begun
        ("yatzy", (ANN, FRIEND), {"same_dice": "turn"}),
        ("yatzy", (ANN, {"kind": "bot", "name": "greedy"}), {"same_dice": "game"}),
        ("yatzy", (ANN,), {"dice": "points"}),
        *((game, (ANN,), {}) for game in ("dice-in-dice", "triple-yum-plus", "jamb", "generala")),
    ],
)
def test_states_are_shown_the_same(
    ann: Player, game: str, seats: tuple[dict[str, str], ...], more: dict[str, str], with_fastapi: Any
) -> None:
    state = ann.open(game, *seats, **more)
    shown = [ann.get(f"/matches/{state['id']}").text]
    if not more and state["status"] == "playing":
        state = ann.play(state, {"throw": True})
        shown.append(ann.get(f"/matches/{state['id']}").text)
        ann.play(state, best_score(state))
        shown.append(ann.get(f"/matches/{state['id']}").text)
    with_fastapi()
    assert ann.get(f"/matches/{state['id']}").text == shown[-1]
    for text in shown:
        assert StateAnswer.model_validate_json(text).model_dump_json() == text


@pytest.mark.parametrize("key", ["", "stranger that is long enough", "x", "é" * 30, "x" * 5000])
@pytest.mark.parametrize("query", ["", "?more=%00"])
def test_states_are_shown_to_others_the_same(
    client: TestClient, ann: Player, key: str, query: str, with_fastapi: Any
) -> None:
    state = ann.play(ann.open(), {"throw": True})
    headers = [(b"Accept-Language", b"de"), *([(b"Authorization", f"Bearer {key}".encode())] if key else [])]

    def ask() -> Any:
        client.cookies.clear()
        answer = client.get(f"/api/matches/{state['id']}{query}", headers=headers)
        return answer.status_code, answer.text, sorted(answer.headers)

    found = ask()
    with_fastapi()
    assert found == ask()


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_answers_are_compressed_the_same(
    client: TestClient, ann: Player, encoding: str, with_fastapi: Any
) -> None:
    state, headers = ann.open("triple-yum-plus"), {"Accept-Encoding": encoding, "Content-Type": JSON}

    def ask() -> Any:
        headers["Authorization"] = f"Bearer {ann.key}"
        body = json.dumps({"version": 7, "move": {"throw": True}})  # answered with the state
        answer = client.post(f"/api/matches/{state['id']}/moves", content=body, headers=headers)
        return answer.json(), sorted(answer.headers), answer.headers.get("content-encoding")

    found = ask()
    assert found[2] == (encoding if encoding == "gzip" else None)
    with_fastapi()
    assert found == ask()


def test_a_failure_is_answered_with_all_headers(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ann.open()

    async def fail(*_arguments: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(match_requests, "play", fail)
    answer = ann.move(state, {"throw": True})
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "server_failed")
    assert {"content-security-policy", "x-request-id"} <= answer.headers.keys()
