"""When somebody leaves or declines an undo, everyone at the match sees it and the match can continue."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, code, page_of, turn, two_players

from dicecup.i18n.language import LANGUAGES
from dicecup.web.guard import COOKIE

pytestmark = pytest.mark.one_database  # seats work the same in every database: one kind is enough

LEFT = {
    "en": "Bo has left the game.",
    "fr": "Bo a quitté la partie.",
    "de": "Bo hat die Partie verlassen.",
    "sv": "Bo har lämnat spelet.",
}
REFUSED = {
    "en": "Ann said no.",
    "fr": "Ann a refusé.",
    "de": "Ann hat abgelehnt.",
    "sv": "Ann sade nej.",
}


def page_in(client: TestClient, player: Player, state: dict[str, Any], language: str) -> str:
    client.cookies.clear()
    cookies = f"{COOKIE}={player.key}; language={language}"
    return client.get(f"/t/{state['id']}", headers={"Cookie": cookies}).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_sees_that_somebody_has_left(
    ann: Player, bo: Player, client: TestClient, language: str
) -> None:
    state = two_players(ann, bo)
    bo.post(f"/matches/{state['id']}/leave", {"seat": 1})
    page = page_in(client, ann, state, language)
    assert f'<p class="news">{LEFT[language]}</p>' in page  # it is Ann's turn
    assert f'data-news="{LEFT[language]} ' in page  # before the first steps of the guide
    turn(ann, state)
    page = page_in(client, ann, state, language)
    assert LEFT[language] in page.partition('class="whose"')[2].partition("</p>")[0]  # and now Bo's
    assert f'data-news="{LEFT[language]} Ann ' in page
    assert LEFT[language] in page_in(client, Player(client), state, language)


def test_who_is_still_seated_plays_on(ann: Player, bo: Player, client: TestClient) -> None:
    state = turn(ann, two_players(ann, bo))
    assert "Play for" not in page_of(client, ann, f"/t/{state['id']}")
    bo.post(f"/matches/{state['id']}/leave", {"seat": 1})
    for player in (ann, Player(client)):
        assert "Play for Bo" in page_of(client, player, f"/t/{state['id']}")
    assert ann.post(f"/matches/{state['id']}/join", {"name": "Ann", "seat": 1}).status_code == 200
    page = page_of(client, ann, f"/t/{state['id']}")
    assert "Bo, it’s your turn" in page
    assert "has left" not in page
    assert "Play for" not in page
    turn(ann, ann.look(state))


def test_several_who_left_are_named_together(ann: Player, bo: Player, client: TestClient) -> None:
    cy, people = Player(client), ({"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"})
    state = ann.open("yatzy", *people)
    path = f"/matches/{state['id']}"
    for seat, (player, name) in enumerate(((bo, "Bo"), (cy, "Cy")), start=1):
        player.key = player.post(f"{path}/join", {"name": name}).json()["key"]
        assert player.look(state)["seats"][seat]["yours"]
    for seat, player in enumerate((bo, cy), start=1):
        player.post(f"{path}/leave", {"seat": seat})
    assert "Bo and Cy have left the game." in page_of(client, ann, f"/t/{state['id']}")


def test_the_waiting_room_is_notified_too(ann: Player, bo: Player, client: TestClient) -> None:
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"})
    path = f"/matches/{state['id']}"
    assert "left the table" not in page_of(client, ann, f"/t/{state['id']}")
    bo.key = bo.post(f"{path}/join", {"name": "Bo"}).json()["key"]
    bo.post(f"{path}/leave", {"seat": 1})
    page = page_of(client, ann, f"/t/{state['id']}")
    assert page.count("Bo has left the game.") == 2  # visible, and announced to screen readers
    bo.post(f"{path}/join", {"name": "Bo"})
    assert "left the table" not in page_of(client, ann, f"/t/{state['id']}")


def test_leaving_asks_first(ann: Player, client: TestClient) -> None:
    state = ann.open()
    form = page_of(client, ann, f"/t/{state['id']}").partition(f'action="/t/{state["id"]}/leave"')[2]
    assert 'hx-confirm="Leave the game?' in form.partition(">")[0]
    assert f'hx-post="/t/{state["id"]}/leave"' in form.partition(">")[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_player_who_asked_for_an_undo_sees_who_declined(
    ann: Player, bo: Player, client: TestClient, language: str
) -> None:
    state = turn(bo, turn(ann, two_players(ann, bo)))
    path, version = f"/matches/{state['id']}", state["version"]
    bo.post(f"{path}/undo", {"version": version, "steps": 3})
    assert REFUSED[language] not in page_in(client, bo, state, language)
    refused = ann.post(f"{path}/undo/refuse", {"version": version}).json()
    assert (refused["undo"]["proposed"], refused["undo"]["agreed"]) == (0, [])
    page = page_in(client, bo, state, language)
    assert f'data-news="{REFUSED[language]}"' in page
    assert f'<p class="news">{REFUSED[language]}</p>' in page
    ann.play(ann.look(state), {"throw": True})
    assert REFUSED[language] not in page_in(client, bo, state, language)


def test_a_declined_undo_does_not_block_a_new_proposal(ann: Player, bo: Player, client: TestClient) -> None:
    state = turn(bo, turn(ann, two_players(ann, bo)))
    path, version = f"/matches/{state['id']}", state["version"]
    bo.post(f"{path}/undo", {"version": version, "steps": 3})
    ann.post(f"{path}/undo/refuse", {"version": version})
    assert code(ann.post(f"{path}/undo/agree", {"version": version, "steps": 3})) == "undo_other"
    assert not bo.post(f"{path}/undo", {"version": version, "steps": 2}).json()["done"]
    assert "did not agree" not in page_of(client, bo, f"/t/{state['id']}")
    bo.post(f"{path}/undo/refuse", {"version": version})  # Bo withdraws his own proposal: nobody declined
    assert "did not agree" not in page_of(client, bo, f"/t/{state['id']}")
    bo.post(f"{path}/undo", {"version": version, "steps": 2})
    assert ann.post(f"{path}/undo/agree", {"version": version, "steps": 2}).json()["done"]
