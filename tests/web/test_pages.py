"""Pages as a browser without scripts gets them: setup, reviews, retries."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, Player, Visitor, best_score, page_of

from dicecup.i18n.language import LANGUAGES
from dicecup.rules.loader import builtin_ids, load_ruleset

pytestmark = pytest.mark.one_database  # pages do not depend on the database: one kind is enough


def test_seats_are_added_moved_and_removed(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    seats: dict[str, Any] = {"kind": ["person", "bot"], "name": ["Ann", "greedy"]}
    page = visitor.send("/new/yatzy", action="add-person", **seats)
    assert page.count('name="kind"') == 3
    assert 'value="Player 2"' in page
    page = visitor.send("/new/yatzy", action="up-1", **seats)
    assert re.findall(r'name="kind" value="(\w+)"', page) == ["bot", "person"]
    page = visitor.send("/new/yatzy", action="remove-1", **seats)
    assert re.findall(r'name="kind" value="(\w+)"', page) == ["person"]
    for rubbish in ("up-9", "remove-x", "add-nobody", "x"):
        page = visitor.send("/new/yatzy", action=rubbish, **seats)
        assert page.count('name="kind"') == 2
    page = visitor.send("/new/yatzy", 422, action="play", kind=["person", "person"], name=["Ann", "Ann"])
    assert "Two players have the same name" in page


def test_another_language_leaves_the_set_up_as_it_is(visitor: Visitor) -> None:
    promise = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert promise
    fields: dict[str, Any] = {
        "promise": promise[1],
        "kind": ["person", "bot", "open", "person"],
        "name": ["Åsa & Bo", "greedy", "", "Player 2"],
        "dice": "table",
        "coach": "1",
        "option-scoring": "scandinavian",
        "seed": "my word",
        "language": "sv",
        "theme": "dark",
    }
    page = visitor.send("/new/yatzy", action="preferences", **fields)
    assert '<html lang="sv" data-theme="dark">' in page
    assert re.findall(r'name="kind" value="(\w+)"', page) == fields["kind"]
    assert re.findall(r'name="name" value="([^"]*)"', page) == ["Åsa &amp; Bo", "", "Spelare 2"]
    assert '<option value="greedy" selected>' in page
    for chosen in ("table", "1", "scandinavian"):
        assert f'value="{chosen}" checked' in page
    assert 'value="my word"' in page
    assert f'name="promise" value="{promise[1]}"' in page
    page = visitor.send("/new/yatzy", action="preferences", kind="person", name="Ann", language="xx")
    assert '<html lang="sv" data-theme="dark">' in page
    assert '<html lang="sv" data-theme="dark">' in visitor.go("/rules")


def test_invalid_text_is_not_a_name(visitor: Visitor, client: TestClient) -> None:
    visitor.go("/new/yatzy")
    for action in ("preferences", "add-bot", "play"):
        parts = {"csrf": visitor.token(), "action": action, "kind": "person", "name": "\\ud800"}
        body = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in parts.items()
        )
        answer = client.post(
            "/new/yatzy",
            content=f"{body}--b--\r\n",
            headers={"Content-Type": "multipart/form-data; boundary=b; charset=unicode_escape"},
        )
        assert answer.status_code == 422
        assert "request_wrong" in answer.text
    sent = {"csrf": visitor.token(), "action": "add-bot", "kind": "person"}
    answer = client.post("/new/yatzy", data=sent, files={"name": ("a.txt", b"Ann")})
    assert "a.txt" not in answer.text


def test_options_reach_the_table(visitor: Visitor, client: TestClient) -> None:
    promise = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert promise
    fields: dict[str, Any] = {"promise": promise[1], "kind": "person", "name": "Ann"}
    fields["option-scoring"] = "scandinavian"
    visitor.send("/new/yatzy", **fields)
    state = client.get(visitor.path.replace("/t/", "/api/matches/")).json()
    assert state["options"]["scoring"] == "scandinavian"
    assert state["commitment"] in visitor.page


def test_the_promise_is_shown_once_in_the_waiting_room(visitor: Visitor, client: TestClient) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", kind=["person", "open"], name=["Ann", ""])
    state = client.get(visitor.path.replace("/t/", "/api/matches/")).json()
    assert visitor.page.count(state["commitment"]) == 1


def test_a_bot_is_distinguished_from_a_person_with_its_name(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    page = visitor.send("/new/yatzy", kind=["person", "bot"], name=["Greedy bot", "greedy"])
    person, bot = re.findall(r'<span class="player-name">Greedy bot</span>(.*)', page)
    assert 'aria-label="a bot"' not in person
    assert 'aria-label="a bot"' in bot
    cards = re.findall(r'<p class="card-name">.*', visitor.go(f"{visitor.path}/review"))
    assert sorted('aria-label="a bot"' in card for card in cards) == [False, True]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", builtin_ids())
def test_rules_in_every_language(client: TestClient, game: str, code: str) -> None:
    client.cookies.set("language", code)
    short, full = client.get(f"/rules/{game}"), client.get(f"/rules/{game}/full")
    for page in (short, full):
        assert page.status_code == 200
        assert f'<html lang="{code}"' in page.text
        assert ".md" not in page.text
        assert " style=" not in page.text
    assert f'href="/rules/{game}/full"' in short.text
    assert short.text.count("<tr") == 1 + len(load_ruleset(game).lines)
    assert '<table role="table">' in full.text


def test_rules_with_house_rules(client: TestClient) -> None:
    usual, strict = (client.get(f"/rules/yatzy{query}").text for query in ("", "?scoring=international"))
    assert "15 points" in usual
    assert "Scoring: " not in usual
    assert "30 points" in strict
    assert '<ul class="house-rules"><li>Scoring: International' in strict
    assert client.get("/rules/yatzy?ref=friend").status_code == 200
    assert client.get("/rules/yatzy?scoring=nonsense").status_code == 422


def test_a_record_is_uploaded_reviewed_and_tried_again(visitor: Visitor, ann: Player) -> None:
    state = ann.open("yahtzee")
    for _turn in range(3):
        state = ann.play(state, {"throw": True})
        state = ann.play(state, best_score(state))
    text = ann.get(f"/matches/{state['id']}/record").text
    visitor.go("/review")
    sent = visitor.client.post(
        "/review", data={"csrf": visitor.token()}, files={"record": ("game.record", text.encode())}
    )
    assert sent.status_code == 200
    path = sent.url.path
    assert path.endswith("/review")
    assert sent.text.count('name="moves"') == 3
    copy = path.removesuffix("/review")
    assert copy != f"/t/{state['id']}"
    assert "Join game" not in visitor.go(copy)
    visitor.go(path)
    tried = visitor.send(f"{copy}/try", moves="3")
    assert 'name="keep"' in tried  # the second turn, after its first throw
    assert "your turn" in tried
    page = visitor.client.post("/review", data={"csrf": visitor.token()}, files={"record": ("x", b"rubbish")})
    assert page.status_code == 422
    assert 'role="alert"' in page.text


def test_house_rules_stand_where_people_sit_down_play_and_look_back(visitor: Visitor, ann: Player) -> None:
    opened = ann.post(
        "/matches",
        {
            "game": "yatzy",
            "options": {"scoring": "international"},
            "seats": [{"kind": "person", "name": "Ann"}, {"kind": "open"}],
        },
    ).json()["state"]
    assert 'class="house-rules"' in visitor.go(f"/t/{opened['id']}")
    usual = ann.open()
    assert 'class="house-rules"' not in visitor.go(f"/t/{usual['id']}")


def test_boxes_of_double_dice_say_which_dice_were_written(client: TestClient, ann: Player) -> None:
    state = ann.open("dice-in-dice", ANN, {"kind": "person", "name": "Bo"})
    state = ann.play(ann.play(state, {"throw": True}), {"inner": "chance", "outer": "ones"})
    state = ann.play(ann.play(state, {"throw": True}), {"inner": "ones", "outer": "chance"})
    page = page_of(client, ann, f"/t/{state['id']}")
    written = re.findall(
        r'<tr id="row-(\d)-(chance|ones)".*?<td class="written[^>]* title="(\w+) dice"', page, re.S
    )
    expected = {("1", "chance", "outer"), ("1", "ones", "inner")}
    assert expected <= set(written)
    assert '<span class="unseen"> inner dice</span>' in page


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1:8000", False), ("192.168.1.5:8000", True)])
def test_a_code_is_shown_where_others_can_open_it(
    client: TestClient, ann: Player, host: str, shown: bool
) -> None:
    state = ann.open("yatzy", ANN)
    page = client.get(f"/t/{state['id']}", headers={"Host": host}).text
    assert ('class="code"' in page) is shown
    assert ("serve --lan" in page) is not shown
