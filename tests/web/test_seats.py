"""Who may do what at a table: taking back, beginning, playing again, trying again, and by which name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, best_score
from tests.web.test_pages import Visitor
from tests.web.test_playing import two_players

from dicecup.web.guard import COOKIE


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Seats are held in the same way in every database: one kind will do."""
    return str(tmp_path / "games.db")


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    return Visitor(client)


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def page_of(client: TestClient, player: Player, path: str) -> str:
    client.cookies.clear()
    return client.get(path, headers={"Cookie": f"{COOKIE}={player.key}"}).text


def turn(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    state = player.play(state, {"throw": True})
    return player.play(state, best_score(state))


def test_taking_back_ones_own_box_agrees_to_nothing(client: TestClient, ann: Player, bo: Player) -> None:
    """A proposal that comes while one's finger is on the button changes nothing about it."""
    state = turn(ann, turn(bo, turn(ann, two_players(ann, bo))))
    path, version = f"/matches/{state['id']}", state["version"]
    assert not bo.post(f"{path}/undo", {"version": version, "steps": 6}).json()["done"]
    page = page_of(client, ann, f"/t/{state['id']}")
    assert "Bo asks to take back 6 steps." in page
    assert 'data-news="Bo asks to take back 6 steps."' in page
    assert 'name="agree" value="6"' in page
    undone = ann.post(f"{path}/undo", {"version": version}).json()["state"]
    assert undone["seats"][1]["sheet"] == state["seats"][1]["sheet"]
    assert undone["turn"]["seat"] == 0
    assert undone["undo"]["proposed"] == 0


def test_one_agrees_to_the_steps_one_has_seen(ann: Player, bo: Player) -> None:
    state = turn(ann, turn(bo, turn(ann, two_players(ann, bo))))
    path, version = f"/matches/{state['id']}", state["version"]
    assert code(ann.post(f"{path}/undo/agree", {"version": version, "steps": 6})) == "undo_other"
    bo.post(f"{path}/undo", {"version": version, "steps": 6})
    assert code(ann.post(f"{path}/undo/agree", {"version": version, "steps": 1})) == "undo_other"
    assert code(ann.post(f"{path}/undo", {"version": version, "steps": 3})) == "undo_other"
    agreed = ann.post(f"{path}/undo/agree", {"version": version, "steps": 6}).json()
    assert agreed["done"]
    assert not any(seat["sheet"] for seat in agreed["state"]["seats"])


def test_nobody_takes_back_alone_what_one_who_left_has_played(ann: Player, bo: Player) -> None:
    state = turn(bo, turn(ann, two_players(ann, bo)))
    path = f"/matches/{state['id']}"
    bo.post(f"{path}/leave", {"seat": 1})
    assert code(ann.post(f"{path}/undo", {"version": state["version"]})) == "undo_nothing"
    assert not ann.post(f"{path}/undo", {"version": state["version"], "steps": 2}).json()["done"]


def test_a_strike_stays_a_strike_without_scripts(visitor: Visitor) -> None:
    """The first box of two is remembered in the address, with its mark."""
    visitor.send("/new/dice-in-dice", kind="person", name="Ann", promise="a" * 32)
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    page = visitor.send(f"{path}/score", version="1", box="ones", strike="yes")
    assert 'name="picked" value="ones!"' in page
