"""Permissions in a match: undo, start, rematch, retry, and player names."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, Visitor, best_score, code, page_of, turn, two_players

pytestmark = pytest.mark.one_database  # seats work the same in every database: one kind is enough


def test_undoing_ones_own_box_is_not_a_consent(client: TestClient, ann: Player, bo: Player) -> None:
    """Undoing one's own box is not a consent to a proposal that arrives at the same moment."""
    state = turn(ann, turn(bo, turn(ann, two_players(ann, bo))))
    path, version = f"/matches/{state['id']}", state["version"]
    assert not bo.post(f"{path}/undo", {"version": version, "steps": 6}).json()["done"]
    page = page_of(client, ann, f"/t/{state['id']}")
    assert "Bo asks to undo 6 steps." in page
    assert 'data-news="Bo asks to undo 6 steps."' in page
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


def test_all_have_to_agree(ann: Player, bo: Player, client: TestClient) -> None:
    cy, people = Player(client), ({"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"})
    state = ann.open("yatzy", *people)
    path = f"/matches/{state['id']}"
    for player, name in ((bo, "Bo"), (cy, "Cy")):
        player.key = player.post(f"{path}/join", {"name": name}).json()["key"]
    state = turn(bo, turn(ann, ann.look(state)))
    wish = {"version": state["version"], "steps": 4}
    assert not cy.post(f"{path}/undo", wish).json()["done"]
    assert not bo.post(f"{path}/undo/agree", wish).json()["done"]
    assert "Bo and Cy ask to undo 4 steps." in page_of(client, ann, f"/t/{state['id']}")
    assert ann.post(f"{path}/undo/agree", wish).json()["done"]


def test_undoing_the_move_of_a_player_who_left_needs_consent(ann: Player, bo: Player) -> None:
    state = turn(bo, turn(ann, two_players(ann, bo)))
    path = f"/matches/{state['id']}"
    bo.post(f"{path}/leave", {"seat": 1})
    assert code(ann.post(f"{path}/undo", {"version": state["version"]})) == "undo_nothing"
    assert not ann.post(f"{path}/undo", {"version": state["version"], "steps": 2}).json()["done"]


def test_a_strike_stays_a_strike_without_scripts(visitor: Visitor) -> None:
    """The first of two boxes is stored in the URL, with its layer and its mark."""
    visitor.send("/new/dice-in-dice", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    page = visitor.send(f"{path}/score", version="1", box="ones", strike="yes")
    assert 'name="picked" value="inner:ones!"' in page


def test_trying_again_and_playing_again_stays_on_the_screen(ann: Player) -> None:
    state = turn(ann, ann.open("yahtzee"))
    tried = ann.post(f"/matches/{state['id']}/try", {"moves": 1}).json()["state"]
    assert tried["dice"] == "screen"
    tried = ann.play(tried, best_score(tried))
    while tried["status"] != "finished":
        tried = turn(ann, tried)
    again = ann.post(f"/matches/{tried['id']}/again").json()["state"]
    assert again["dice"] == "screen"
    assert again["commitment"]


def test_a_players_own_seed_belongs_to_their_seat(visitor: Visitor, client: TestClient) -> None:
    seats: dict[str, Any] = {"kind": ["bot", "person"], "name": ["random", "Ann"]}
    promise = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert promise
    visitor.send("/new/yatzy", promise=promise[1], seed="my word", **seats)
    record = client.get(visitor.path.replace("/t/", "/api/matches/") + "/record").text
    seeds = [line.partition("#")[0].strip() for line in record.splitlines() if line.startswith("seed ")]
    assert seeds == ["seed 2 my word"]


def test_a_retry_does_not_give_access_to_the_coach(ann: Player, bo: Player, client: TestClient) -> None:
    """A player in a match without the coach must not get its help in a second match."""
    state = turn(ann, two_players(ann, bo))
    path = f"/matches/{state['id']}"
    for player in (ann, bo, Player(client)):
        assert code(player.post(f"{path}/try", {"moves": 1})) == "coach_later"
    bo.post(f"{path}/leave", {"seat": 1})
    assert code(ann.post(f"{path}/try", {"moves": 1})) == "coach_later"
    assert code(ann.get(f"{path}/review")) == "coach_later"
    visitor = Visitor(client)
    assert "Try again" not in visitor.go(f"/t/{state['id']}/review")
    assert "its review when the game is over" in visitor.send(f"/t/{state['id']}/try", 409, moves="1")
    both = turn(ann, ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"}))
    assert "Try again" in page_of(client, ann, f"/t/{both['id']}/review")
    assert ann.post(f"/matches/{both['id']}/try", {"moves": 1}).status_code == 201
    assert code(bo.post(f"/matches/{both['id']}/try", {"moves": 1})) == "coach_later"


def test_when_the_owner_has_left_whoever_sits_there_begins(
    ann: Player, bo: Player, client: TestClient
) -> None:
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"})
    path = f"/matches/{state['id']}"
    bo.key = bo.post(f"{path}/join", {"name": "Bo"}).json()["key"]
    assert code(bo.post(f"{path}/begin")) == "not_your_table"
    assert "/begin" not in page_of(client, bo, f"/t/{state['id']}")
    ann.post(f"{path}/leave", {"seat": 0})
    assert code(ann.post(f"{path}/begin")) == "not_your_table"
    assert "/begin" in page_of(client, bo, f"/t/{state['id']}")
    begun = bo.post(f"{path}/begin").json()
    assert [seat["name"] for seat in begun["seats"]] == ["Bo"]


@pytest.mark.parametrize(
    "name", ["\u200b", "\u3164", "\u2800", "\u200d", "\ufe0f", "\u00a0\u2003", "\u202e", "   "]
)
def test_a_name_can_be_seen(ann: Player, name: str) -> None:
    wish = {"game": "yatzy", "seats": [{"kind": "person", "name": name}]}
    assert code(ann.post("/matches", wish)) == "name_wrong"


@pytest.mark.parametrize("name", ["Ann\u200b", "\u202eAnn", "\uff21nn", "A\u200dnn", "ann", "Ann "])
def test_names_that_look_the_same_are_the_same(ann: Player, bo: Player, name: str) -> None:
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"})
    assert code(bo.post(f"/matches/{state['id']}/join", {"name": name})) == "name_twice"


def test_every_new_seat_has_a_name_of_its_own(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    seats: dict[str, Any] = {"kind": ["person", "person"], "name": ["Player 2", "Player 3"]}
    page = visitor.send("/new/yatzy", action="add-person", **seats)
    assert page.count('value="Player 3"') == 1
    assert 'value="Player 4"' in page


def test_dice_without_a_commitment_claim_no_proof(ann: Player, client: TestClient) -> None:
    state = turn(
        ann, ann.open("yahtzee", {"kind": "person", "name": "Ann"}, {"kind": "bot", "name": "random"})
    )
    promised = page_of(client, ann, f"/t/{state['id']}/proof")
    assert "SHA-256" in promised
    assert "Random bot" in promised
    assert "bot:random" not in promised
    tried = ann.post(f"/matches/{state['id']}/try", {"moves": 1}).json()["state"]
    proof = page_of(client, ann, f"/t/{tried['id']}/proof")
    assert "without a fingerprint" in proof
    assert "SHA-256" not in proof
