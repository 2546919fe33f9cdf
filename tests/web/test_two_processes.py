"""Two processes on one database: a response of one is visible in the other, even without a notification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import READY, eventually
from tests.web.conftest import Player, Visitor, best_score, page_of, quiet
from tests.web.direct_client import DirectClient
from tests.web.test_changes import Watching

from dicecup.storage.postgres import PostgresDatabase
from dicecup.storage.stored import Notice
from dicecup.web.app import create_app
from dicecup.web.service.live_match import LiveMatch


@pytest.fixture
def clients(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[TestClient, TestClient]]:
    """Neither process receives notifications: late ones must make no difference."""
    monkeypatch.setattr(PostgresDatabase, "listen", lambda _database, _on_payload: lambda: None)
    settings = quiet(postgres_database, reveal_after=READY)
    with DirectClient(create_app(settings)) as one, DirectClient(create_app(settings)) as other:
        yield one, other


def test_reads_are_never_older_than_acknowledged_writes(clients: tuple[TestClient, TestClient]) -> None:
    one, other = clients
    ann, bo = Player(one), Player(other)
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"})
    there = Player(other, ann.key)  # Ann, through the other process
    path = f"/matches/{state['id']}"

    def same(after: dict[str, Any]) -> dict[str, Any]:
        """Check that the other process shows the same state in its page and its data."""
        assert there.look(state) == after
        page = page_of(other, there, f"/t/{state['id']}")
        assert f'data-version="{after["version"]}"' in page
        return after

    same(state)
    bo.key = bo.post(f"{path}/join", {"name": "Bo"}).json()["key"]
    assert [seat["name"] for seat in same(ann.look(state))["seats"]] == ["Ann", "Bo", ""]
    begun = same(ann.post(f"{path}/begin").json())
    assert begun["status"] == "playing"
    thrown = same(ann.play(begun, {"throw": True}))
    filled = same(ann.play(thrown, best_score(thrown)))
    asked = Player(one, bo.key).post(f"{path}/undo", {"version": filled["version"], "steps": 2}).json()
    assert not asked["done"]
    assert same(ann.look(state))["undo"]["proposed"] == 2
    bo.post(f"{path}/leave", {"seat": 1})
    assert same(ann.look(state))["seats"][1]["kind"] == "open"
    assert "Bo has left the game." in page_of(one, ann, f"/t/{state['id']}")


def test_who_sat_down_at_one_process_plays_at_the_other(clients: tuple[TestClient, TestClient]) -> None:
    one, other = clients
    ann, bo = Player(one), Player(other)
    state = ann.open("yatzy", {"kind": "open"}, {"kind": "person", "name": "Ann"})
    bo.look(state)
    joined = Player(one).post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()
    bo.key = joined["key"]
    assert bo.play(joined["state"], {"throw": True})["version"] == 1


def test_reading_a_match_notifies_no_subscriber(clients: tuple[TestClient, TestClient]) -> None:
    """A match that is up to date is not re-rendered."""
    ann = Player(clients[0])
    state = ann.open()
    matches = clients[0].app.state.matches  # type: ignore[attr-defined]
    state = ann.play(state, {"throw": True})
    notified: list[str] = []
    matches.live[state["id"]].listeners = [lambda live: notified.append(live.stamp)]
    ann.look(state)
    assert not notified
    ann.play(state, {"keep": []})
    assert notified == ["3.0"]


def test_entries_of_another_process_need_no_query(clients: tuple[TestClient, TestClient]) -> None:
    """They come with its notification; only a gap or a change beside the moves is read from the database."""
    ann, other = Player(clients[0]), clients[1]
    state = ann.open("yatzy", {"kind": "open"}, {"kind": "person", "name": "Ann"})
    matches = other.app.state.matches  # type: ignore[attr-defined]
    assert other.portal

    async def live() -> LiveMatch:
        found: LiveMatch = await matches.get(state["id"])
        return found

    bo = Player(clients[0])
    copy = other.portal.call(live)
    assert not copy.follow(Notice(state["id"], 0, ("1 throw 1 2 3 4 5",)))  # the game has not begun here
    joined = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()
    bo.key, copy = joined["key"], other.portal.call(live)
    assert not copy.follow(Notice(state["id"], 1, ("1 score chance 15",)))
    assert copy.follow(Notice(state["id"], 0, ("1 throw 1 2 3 4 5",)))
    assert copy.follow(Notice(state["id"], 0, ("1 throw 1 2 3 4 5", "1 score chance 15")))
    assert (copy.version, copy.playing().state.player) == (2, 1)
    assert copy.follow(Notice(state["id"], 1, ("1 score chance 15",)))  # late: it is known
    assert copy.version == 2
    assert not copy.follow(Notice(state["id"]))


def test_marks_reach_the_spectators_of_another_process(postgres_database: str) -> None:
    settings = quiet(postgres_database, reveal_after=READY)
    with DirectClient(create_app(settings)) as one, DirectClient(create_app(settings)) as other:
        visitor = Visitor(one)
        visitor.send("/new/yatzy", kind="person", name="Ann")
        path = visitor.path
        match = path.rpartition("/")[2]
        seen = Watching(other, match)
        visitor.send(f"{path}/throw", version="0")
        eventually(lambda: b"id: 1.0\n" in seen.event())
        visitor.send(f"{path}/marks", expected=204, version="1", keep=["0", "3"])
        eventually(seen.event, lambda event: event == b"event: marks\ndata: 1 0 3\n\n")
        visitor.go(path)
        visitor.send(f"{path}/throw", version="1", keep=["0", "3"])
        eventually(lambda: b"id: 3.0\n" in seen.event())
        drafts = [client.app.state.matches.live[match].draft.kept for client in (one, other)]  # type: ignore[attr-defined]
        assert drafts == [{1: frozenset({0, 3})}] * 2  # equal dice lie in the same slots on all screens
