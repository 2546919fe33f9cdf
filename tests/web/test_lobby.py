"""The first page: games to continue, the last game again; and the quick ways to begin."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient
from tests.waiting import eventually
from tests.web.conftest import ANN, FRIEND, Player, Visitor, best_score, page_of, turn

pytestmark = pytest.mark.one_database


def listed(page: str) -> list[str]:
    """The matches in the list of games to continue."""
    return re.findall(r'<a href="/t/(\w+)"', page)


def finish(player: Player, state: dict[str, object]) -> None:
    while player.look(state)["status"] != "finished":
        turn(player, player.look(state))


def test_a_new_browser_finds_only_the_games(client: TestClient) -> None:
    page = client.get("/").text
    assert page.count("<h1>What shall we play?</h1>") == 1
    assert 'id="continue"' not in page
    assert 'id="same-again"' not in page


def test_games_where_it_is_your_turn_come_first(client: TestClient, ann: Player, bo: Player) -> None:
    mine = ann.open("yatzy")
    shared = ann.open("yahtzee", FRIEND, ANN)  # the key of a device holds the seats of all its matches
    waiting = ann.open("yum-plus", ANN, FRIEND)
    bo.post(f"/matches/{shared['id']}/join", {"name": "Bo"})
    page = page_of(client, ann, "/")
    first, *others = listed(page)
    assert first == mine["id"]
    assert set(others) == {shared["id"], waiting["id"]}
    assert "Your turn" in page
    assert "Waiting for Bo" in page
    assert "One seat is still open." in page
    assert page.count('id="go-on"') == 1


def test_other_peoples_games_are_not_listed(client: TestClient, ann: Player) -> None:
    ann.open()
    assert listed(client.get("/").text) == []


def test_the_last_game_again(visitor: Visitor, client: TestClient) -> None:
    visitor.go("/new/yahtzee")
    visitor.send("/new/yahtzee", kind="person", name="Zoë", action="play-bot")
    first = visitor.path
    device = Player(client, dict(client.cookies)["dicecup"])
    cookies = dict(client.cookies)
    state = device.get(f"/matches/{first[3:]}").json()
    while state["status"] != "finished":
        if state["turn"]["yours"]:
            state = device.play(state, {"throw": True})
            device.play(state, best_score(state))
        state = eventually(
            lambda: device.look(state),  # noqa: B023 - called at once
            lambda seen: seen["status"] == "finished" or seen["turn"]["yours"],
        )
    client.cookies.update(cookies)
    page = visitor.go("/")
    assert f'action="/t/{first[3:]}/again"' in page
    visitor.send(f"{first}/again")
    assert visitor.path != first
    again = client.get(f"/api/matches/{visitor.path[3:]}").json()
    assert [seat["kind"] for seat in again["seats"]] == ["bot", "person"]  # the next one begins
    assert listed(visitor.go("/"))[0] == visitor.path[3:]


@pytest.mark.parametrize(
    ("action", "kinds"), [("play-bot", ["person", "bot"]), ("play-open", ["person", "open"])]
)
def test_one_tap_from_the_set_up_page(visitor: Visitor, action: str, kinds: list[str]) -> None:
    assert f'value="{action}"' in visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", kind="person", name="Zoë", action=action)
    state = visitor.client.get(f"/api/matches/{visitor.path[3:]}").json()
    assert [seat["kind"] for seat in state["seats"]] == kinds


def test_how_to_let_others_in_is_said_before_a_game_is_made(client: TestClient) -> None:
    here = client.get("/new/yatzy", headers={"Host": "127.0.0.1:8000"}).text
    assert "./dicecup serve --lan" in here
    assert "./dicecup serve --lan" not in client.get("/new/yatzy", headers={"Host": "192.168.1.7:8000"}).text
