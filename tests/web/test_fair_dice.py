"""Dice that the server cannot steer: what it contributes is fixed before any player's word is known."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import eventually
from tests.web.conftest import ANN, FRIEND, Player, Visitor, best_score, code, page_of
from tests.web.direct_client import DirectClient

from dicecup.engine.fairness import commitment
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text
from dicecup.storage.stored import Seat
from dicecup.web.app import create_app
from dicecup.web.service import opening
from dicecup.web.service.identity import derived
from dicecup.web.settings import Settings

pytestmark = pytest.mark.one_database
BOT = {"kind": "bot", "name": "random"}


def promised(player: Player) -> dict[str, str]:
    made: dict[str, str] = player.post("/promises").json()
    return made


def finished(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    """Play the match to its end; bots and the reveal follow by themselves."""

    def goes_on(state: dict[str, Any]) -> bool:
        return bool(state["secret"] or (state["turn"] and state["turn"]["yours"]))

    while state["secret"] is None:
        state = eventually(lambda: player.look(state), goes_on)  # noqa: B023 - called at once
        if state["turn"]:
            state = player.play(state, {"throw": True})
            state = player.play(state, best_score(state))
    return state


def test_a_whole_game_is_proved_against_the_server(ann: Player, client: TestClient) -> None:
    promise = promised(ann)
    state = ann.open("yatzy", {**ANN, "seed": "tulip"}, BOT, promise=promise["promise"])
    state = finished(ann, state)
    text = ann.get(f"/matches/{state['id']}/record").text
    record, _ = record_from_text(text.encode())
    assert record.header.origin.commitment == promise["commitment"]
    assert record.header.origin.player_seeds == ("tulip", "")
    proof = ann.get(f"/matches/{state['id']}/proof").json()
    assert proof["proved"]
    assert (proof["statement"], proof["proved_against"]) == (2, ["server", "players"])
    page = page_of(client, ann, f"/t/{state['id']}/proof")
    assert "couldn’t choose the dice" in page
    assert "no word" in page
    assert "Nothing shows that nobody knew the coming rolls" in page


def test_nothing_is_proved_against_the_server_without_a_word(ann: Player) -> None:
    state = finished(ann, ann.open("yatzy", ANN, BOT))
    proof = ann.get(f"/matches/{state['id']}/proof").json()
    assert proof["proved"]
    assert proof["proved_against"] == ["players"]


def test_the_server_draws_no_words(ann: Player, bo: Player) -> None:
    """Neither for a bot, nor for those who give none, nor for a seat that nobody takes."""
    state = ann.open("yatzy", ANN, BOT, FRIEND, FRIEND)
    assert bo.post(f"/matches/{state['id']}/join", {"name": "Bo", "seed": "rose"}).status_code == 200
    ann.post(f"/matches/{state['id']}/begin")
    text = ann.get(f"/matches/{state['id']}/record").text
    seeds = [line.partition("#")[0].strip() for line in text.splitlines() if line.startswith("seed")]
    assert seeds == ["seed 3 rose"]


def test_a_record_with_a_word_for_a_bot_does_not_verify(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that gives bots words, to try many of them, is found out by whoever verifies the record."""
    honest = opening.read_seat

    def steering(request: opening.NewSeat) -> object:
        seat = honest(request)
        return Seat(seat.kind, seat.name, "try 4711") if seat.kind == "bot" else seat

    monkeypatch.setattr(opening, "read_seat", steering)
    promise = promised(ann)
    state = ann.open("yatzy", {**ANN, "seed": "tulip"}, BOT, promise=promise["promise"])
    state = finished(ann, state)
    record, _ = record_from_text(ann.get(f"/matches/{state['id']}/record").text.encode())
    problem = verify(record).problem
    assert problem is not None
    assert problem.code == "seed_of_bot"
    assert ann.get(f"/matches/{state['id']}/proof").json()["error"] == "seed_of_bot"


@pytest.mark.parametrize("seat", [{**BOT, "seed": "x"}, {**FRIEND, "seed": "x"}])
def test_only_people_have_words(ann: Player, seat: dict[str, str]) -> None:
    wish = {"game": "yatzy", "seats": [ANN, seat], "promise": promised(ann)["promise"]}
    assert code(ann.post("/matches", wish)) == "seed_without_person"


def test_a_word_before_the_fingerprint_is_refused(ann: Player) -> None:
    wish = {"game": "yatzy", "seats": [{**ANN, "seed": "tulip"}]}
    assert code(ann.post("/matches", wish)) == "seed_before_promise"


def test_a_page_without_a_fingerprint_takes_no_word(visitor: Visitor) -> None:
    page = visitor.send("/new/yatzy", 409, seed="tulip", kind="person", name="Ann")
    assert 'name="seed" maxlength="60" value=""' in page


def test_an_error_keeps_the_fingerprint_that_was_shown(visitor: Visitor) -> None:
    """Otherwise a server that knows the word could answer with an error and choose another secret."""
    shown = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert shown
    fields: dict[str, Any] = {"kind": ["person", "person"], "name": ["Ann", "Ann"], "seed": "tulip"}
    page = visitor.send("/new/yatzy", 422, promise=shown[1], **fields)
    assert f'name="promise" value="{shown[1]}"' in page


def test_a_used_fingerprint_is_replaced_and_the_word_is_asked_for_again(visitor: Visitor) -> None:
    shown = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert shown
    fields: dict[str, Any] = {"kind": "person", "name": "Ann", "promise": shown[1], "seed": "tulip"}
    setup = visitor.page
    visitor.send("/new/yatzy", **fields)
    visitor.page = setup
    page = visitor.send("/new/yatzy", 409, **fields)
    assert f'value="{shown[1]}"' not in page
    assert 'value="tulip"' not in page
    assert "Look at the new one" in page


def test_those_who_join_see_the_fingerprint_first(ann: Player, client: TestClient) -> None:
    state = ann.open("yatzy", ANN, FRIEND)
    page = page_of(client, Player(client, "x" * 30), f"/t/{state['id']}")
    assert state["commitment"] in page
    assert 'id="join-seed"' in page


def test_a_match_opened_by_an_earlier_version_keeps_its_statement(settings: Settings) -> None:
    """Nobody can tell any more which of its words the server drew: it proves no more than before."""
    with DirectClient(create_app(settings)) as client:
        state = Player(client).open("yatzy", ANN, BOT, FRIEND)
        with client.app.state.matches.store.database.changes() as changes:  # type: ignore[attr-defined]
            changes.run("UPDATE matches SET statement = 1")
            changes.run("UPDATE seats SET seed = 'drawn' WHERE kind <> 'open'")
    with DirectClient(create_app(settings)) as client:
        bo = Player(client)
        assert bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).status_code == 200
        record, _ = record_from_text(bo.get(f"/matches/{state['id']}/record").text.encode())
    origin = record.header.origin
    assert origin.statement == 1
    assert origin.player_seeds[:2] == ("drawn", "drawn")
    assert origin.player_seeds[2]


# Secrets are drawn for each match, and nothing else gives them away


def test_secrets_cannot_be_derived_from_the_servers_key(ann: Player, client: TestClient) -> None:
    """Whoever has the key and the name of a promise knows nothing about the dice."""
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    promise = promised(ann)
    drawn = store.promised_secret(promise["promise"])
    assert commitment(bytes.fromhex(drawn)) == promise["commitment"]
    assert drawn != derived(client.app.state.matches.server_key, "promise", promise["promise"]).hex()  # type: ignore[attr-defined]
    ann.open(promise=promise["promise"])
    assert store.promised_secret(promise["promise"]) is None  # it is the match's now


def test_a_promise_outlives_a_restart(settings: Settings) -> None:
    with DirectClient(create_app(settings)) as client:
        promise = promised(Player(client))
    with DirectClient(create_app(settings)) as client:
        state = Player(client).open(promise=promise["promise"])
        assert state["commitment"] == promise["commitment"]


def test_old_promises_are_forgotten(client: TestClient, ann: Player) -> None:
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    store.add_promise("old", "00", "2020-01-01", "2020-01-01")
    promised(ann)
    assert store.promised_secret("old") is None
    wish = {"game": "yatzy", "seats": [ANN], "promise": "old"}
    assert code(ann.post("/matches", wish)) == "promise_used"
