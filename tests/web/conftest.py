"""The application without a network, and players that use its API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import tests.same_examples  # noqa: F401 - for all tests
from httpx2 import Response
from starlette.testclient import TestClient
from tests.databases import quick_folder, with_tables  # noqa: F401 - for all tests
from tests.waiting import PATIENCE, READY
from tests.web.direct_client import DirectClient

from dicecup.web.app import create_app
from dicecup.web.guard import COOKIE
from dicecup.web.service import advising
from dicecup.web.settings import Retention, Settings

FRIEND = {"kind": "open"}
ANN = {"kind": "person", "name": "Ann"}


class Player:
    """One device that plays through the API."""

    def __init__(self, client: TestClient, key: str = "") -> None:
        self.client = client
        self.key = key

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def post(self, path: str, body: Any = None) -> Response:
        # One browser's cookies must not leak into another player of the same client.
        self.client.cookies.clear()
        return self.client.post(f"/api{path}", json=body, headers=self.headers)

    def get(self, path: str) -> Response:
        self.client.cookies.clear()
        return self.client.get(f"/api{path}", headers=self.headers)

    def open(self, game: str = "yatzy", *seats: dict[str, str], **more: Any) -> dict[str, Any]:
        wish = {"game": game, "seats": list(seats) or [{"kind": "person", "name": "Ann"}], **more}
        answer = self.post("/matches", wish)
        assert answer.status_code == 201, answer.text
        self.key = answer.json()["key"]
        state: dict[str, Any] = answer.json()["state"]
        return state

    def move(self, state: dict[str, Any], move: dict[str, Any], version: int | None = None) -> Response:
        body = {"version": state["version"] if version is None else version, "move": move}
        return self.post(f"/matches/{state['id']}/moves", body)

    def play(self, state: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
        answer = self.move(state, move)
        assert answer.status_code == 200, answer.text
        after: dict[str, Any] = answer.json()
        return after

    def look(self, state: dict[str, Any]) -> dict[str, Any]:
        seen: dict[str, Any] = self.get(f"/matches/{state['id']}").json()
        return seen


def best_score(state: dict[str, Any]) -> dict[str, Any]:
    """Return a legal way to end the turn: the most points in each layer, a different box for each."""
    choices = state["turn"]["choices"]
    if "inner" in choices:
        taken: list[str] = []
        move = {}
        for layer in ("inner", "outer"):
            allowed = [one for one in choices[layer] if one["allowed"] and one["box"] not in taken]
            move[layer] = max(allowed, key=lambda one: one["points"])["box"]
            taken.append(move[layer])
        return move
    (layer,) = choices.values()
    best = max((one for one in layer if one["allowed"]), key=lambda one: one["points"])
    return {"box": best["box"]} | ({"column": best["column"]} if best["column"] else {})


class Visitor:
    """A browser without scripts."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.page = client.get("/").text

    def token(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', self.page)
        assert found
        return found[1]

    def go(self, path: str) -> str:
        self.page = self.client.get(path).text
        return self.page

    def send(self, path: str, expected: int = 200, **fields: Any) -> str:
        answer = self.client.post(path, data={"csrf": self.token(), **fields})
        assert answer.status_code == expected, answer.text
        self.page = answer.text
        self.path = answer.url.path
        return self.page


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def page_of(client: TestClient, player: Player, path: str) -> str:
    client.cookies.clear()
    return client.get(path, headers={"Cookie": f"{COOKIE}={player.key}"}).text


def turn(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    state = player.play(state, {"throw": True})
    return player.play(state, best_score(state))


def two_players(ann: Player, bo: Player, **more: Any) -> dict[str, Any]:
    """Ann opens a match, and Bo takes its open seat."""
    state = ann.open("yatzy", ANN, FRIEND, **more)
    assert state["status"] == "waiting"
    joined = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"})
    assert joined.status_code == 200, joined.text
    bo.key = joined.json()["key"]
    assert joined.json()["seat"] == 1
    return ann.look(state)


def quiet(database: str, **more: Any) -> Settings:
    """Settings of a server that waits for nothing, however slow the machine is, and does nothing by itself
    that a test might notice: removing old games takes turns with requests.
    """
    usual: dict[str, Any] = {"pause": 0, "pace": 0, "reveal_after": 0, "limits": False}
    usual |= {"database_seconds": PATIENCE, "retention": Retention(0, 0, 0)}
    return Settings(database, **(usual | more))


@pytest.fixture
def settings(database: str) -> Settings:
    return quiet(database)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait for the coach as long as it takes on this machine."""
    monkeypatch.setattr(advising, "PATIENCE", READY)
    monkeypatch.setattr(advising, "CHECK_PATIENCE", READY)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with DirectClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def server_with_coach() -> Iterator[DirectClient]:
    """One server for tests whose matches have a coach: its processes start, and prepare each game, once."""
    with quick_folder() as folder:
        app = create_app(quiet(str(folder / "games.db")))
        with DirectClient(app, raise_server_exceptions=False) as client:
            yield client


@pytest.fixture
def coached_client(server_with_coach: DirectClient) -> DirectClient:
    server_with_coach.cookies.clear()
    return server_with_coach


@pytest.fixture
def ann(client: TestClient) -> Player:
    return Player(client)


@pytest.fixture
def bo(client: TestClient) -> Player:
    return Player(client)


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    return Visitor(client)
