"""A game begins with its last seat in one transaction; a match that an interrupted server left waiting begins
when it is read.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, FRIEND, Player, two_players
from tests.web.direct_client import DirectClient

from dicecup.storage.store import Store
from dicecup.web.app import create_app
from dicecup.web.settings import Settings


@pytest.fixture
def one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is killed before it could begin a game in a second transaction."""

    def killed(*_arguments: object) -> bool:
        raise AssertionError("a second transaction")

    monkeypatch.setattr(Store, "begin", killed)
    monkeypatch.setattr(Store, "begin_if_full", killed)


@pytest.mark.usefixtures("one_transaction")
def test_opening_a_full_match_begins_it(ann: Player) -> None:
    assert ann.open("yatzy", ANN, {"kind": "bot", "name": "greedy"})["status"] == "playing"


@pytest.mark.usefixtures("one_transaction")
def test_taking_the_last_seat_begins_the_match(ann: Player, bo: Player) -> None:
    state = two_players(ann, bo)
    assert (state["status"], [seat["name"] for seat in state["seats"]]) == ("playing", ["Ann", "Bo"])
    ann.play(state, {"throw": True})


def test_a_full_match_that_did_not_begin_begins_when_it_is_read(settings: Settings) -> None:
    with DirectClient(create_app(settings)) as client:
        ann = Player(client)
        state = ann.open("yatzy", ANN, FRIEND)
        with client.app.state.matches.store.database.changes() as changes:  # type: ignore[attr-defined]
            changes.run(
                "UPDATE seats SET kind = 'person', name = 'Bo', seed = 'luck' WHERE match = ? AND number = 1",
                (state["id"],),
            )
    with DirectClient(create_app(settings)) as client:
        again = Player(client, ann.key)
        found = again.look(state)
        assert (found["status"], found["turn"]["yours"]) == ("playing", True)
        assert again.play(found, {"throw": True})["version"] == 1
        assert "seed 2 luck" in again.get(f"/matches/{state['id']}/record").text


def test_those_who_join_at_once_all_play(client: TestClient, ann: Player) -> None:
    state = ann.open("yatzy", ANN, FRIEND, FRIEND, FRIEND)
    path = f"/api/matches/{state['id']}/join"
    with ThreadPoolExecutor(3) as devices:
        answers = list(devices.map(lambda name: client.post(path, json={"name": name}), ("Bo", "Cy", "Di")))
    assert sorted(answer.json()["seat"] for answer in answers) == [1, 2, 3]
    assert ann.look(state)["status"] == "playing"
