"""Private links of seats: they expire, can be revoked, and devices that used one can be signed out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, FRIEND, Player, Visitor, code
from tests.web.direct_client import DirectClient

from dicecup.web.app import create_app
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database


def link(player: Player, state: dict[str, Any], seat: int = 0) -> str:
    made = player.post(f"/matches/{state['id']}/links", {"seat": seat})
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


def claim(client: TestClient, state: dict[str, Any], token: str) -> Any:
    return Player(client).post(f"/matches/{state['id']}/claim", {"token": token})


def test_a_link_expires(settings: Settings) -> None:
    with DirectClient(create_app(Settings(settings.database, link_hours=0))) as client:
        ann = Player(client)
        state = ann.open()
        refused = claim(client, state, link(ann, state))
        assert (refused.status_code, code(refused)) == (403, "link_unknown")


def test_a_link_is_valid_for_a_day(ann: Player, client: TestClient) -> None:
    state = ann.open()
    made = ann.post(f"/matches/{state['id']}/links", {"seat": 0}).json()
    assert made["hours"] == 24
    assert claim(client, state, made["token"]).status_code == 200


def test_a_revoked_link_brings_nobody_in(ann: Player, client: TestClient) -> None:
    state = ann.open()
    tokens = [link(ann, state), link(ann, state)]
    phone = claim(client, state, tokens[0]).json()["key"]
    done = ann.post(f"/matches/{state['id']}/links/revoke", {"seat": 0})
    assert done.json()["seats"][0]["yours"]
    for token in tokens:
        assert code(claim(client, state, token)) == "link_unknown"
    assert Player(client, phone).look(state)["seats"][0]["yours"]  # a device that came by it stays


def test_other_devices_can_be_signed_out(ann: Player, client: TestClient) -> None:
    state = ann.open()
    thief = Player(client, claim(client, state, link(ann, state)).json()["key"])
    assert thief.look(state)["seats"][0]["yours"]
    ann.post(f"/matches/{state['id']}/links/revoke", {"seat": 0, "devices": True})
    assert not thief.look(state)["seats"][0]["yours"]
    assert code(thief.move(state, {"throw": True})) == "seat_not_yours"
    assert ann.play(state, {"throw": True})["version"] == 1


def test_only_who_holds_a_seat_can_revoke_its_links(ann: Player, bo: Player, client: TestClient) -> None:
    state = ann.open("yatzy", ANN, FRIEND)
    token = link(ann, state)
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    for seat, expected in ((0, "seat_not_yours"), (9, "seat_unknown")):
        refused = bo.post(f"/matches/{state['id']}/links/revoke", {"seat": seat, "devices": True})
        assert code(refused) == expected
    assert claim(client, state, token).status_code == 200


def test_the_page_of_a_link_says_how_long_it_works_and_revokes_it(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", kind="person", name="Ann")
    match = visitor.path
    page = visitor.send(f"{match}/link", seat="0")
    token = re.search(r"/seat#([\w-]+)", page)
    assert token
    assert "It works for 24 hours." in page
    visitor.send(f"{match}/link/revoke", seat="0", devices="others")
    assert visitor.path == match
    visitor.send(f"{match}/claim", 403, token=token[1])


def test_a_new_key_of_the_server_makes_open_pages_invalid_and_nothing_else(settings: Settings) -> None:
    with DirectClient(create_app(settings)) as client:
        ann = Player(client)
        state = ann.open()
        browser = TestClient(client.app)
        visitor = Visitor(browser)
        client.app.state.matches.store.rotate_server_key()  # type: ignore[attr-defined]
    with DirectClient(create_app(settings)) as client:
        assert Player(client, ann.key).play(state, {"throw": True})["version"] == 1
        client.cookies.update(browser.cookies)
        stale = client.post("/new/yatzy", data={"csrf": visitor.token(), "kind": "person", "name": "Ann"})
        assert stale.status_code == 403
        visitor.client = client
        visitor.go("/new/yatzy")
        visitor.send("/new/yatzy", kind="person", name="Ann")
