"""The relatives of the games in the browser and over the API: saved rolls, announced boxes, a win at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, Player, Visitor, best_score, code, page_of

import dicecup
from dicecup.rules.loader import builtin_ids, load_ruleset, main_ids

pytestmark = pytest.mark.one_database
FAMILY = [game for game in builtin_ids() if game not in main_ids()]
BO = {"kind": "person", "name": "Bo"}


def typed(player: Player, game: str, *seats: dict[str, str], **more: Any) -> dict[str, Any]:
    return player.open(game, *(seats or (ANN,)), dice="table", **more)


def test_the_family_stands_behind_one_tap(client: TestClient) -> None:
    page = client.get("/").text
    first, family = page.split('<details class="family">')
    assert set(re.findall(r'href="/new/([\w-]+)"', first)) == set(main_ids())
    assert re.findall(r'href="/new/([\w-]+)"', family) == FAMILY


@pytest.mark.parametrize("game", FAMILY)
def test_a_page_for_every_game(client: TestClient, ann: Player, game: str) -> None:
    setup = client.get(f"/new/{game}").text
    coached = game in ("kniffel", "yacht", "maxi-yatzy")
    assert ('name="coach"' in setup) == coached
    assert ("The coach can’t help" in setup) == (not coached)
    dice = [1, 2, 3, 4, 6, 6][: load_ruleset(game).dice.count]  # five alike would win Generala at once
    state = ann.play(typed(ann, game), {"throw": dice})
    page = page_of(client, ann, f"/t/{state['id']}")
    assert 'name="box"' in page
    state = ann.play(state, best_score(state))
    assert page_of(client, ann, f"/t/{state['id']}")


@pytest.mark.parametrize("game", ["maxi-yatzy", "triple-yahtzee", "balut", "generala", "jamb"])
def test_the_coach_says_what_it_does_not_know(ann: Player, game: str) -> None:
    for wish in ({"coach": True, "seats": [ANN]}, {"seats": [ANN, {"kind": "bot", "name": "optimal"}]}):
        refused = ann.post("/matches", {"game": game, **wish})
        assert (refused.status_code, code(refused)) == (422, "solve_extension")


def test_saved_rolls_are_shown(client: TestClient, ann: Player) -> None:
    state = ann.play(typed(ann, "maxi-yatzy"), {"throw": [6, 6, 6, 6, 5, 5]})
    state = ann.play(state, {"box": "tower"})
    assert (state["turn"]["throws_left"], state["turn"]["throws_saved"]) == (5, 2)
    assert "2 rolls saved" in page_of(client, ann, f"/t/{state['id']}")
    refused = ann.move(state, {"final": [1, 2, 3, 4, 5, 6]})
    assert code(refused) == "final_without_rolls"
    assert 'name="final"' not in page_of(client, ann, f"/t/{state['id']}")


def test_a_box_is_announced_with_a_tap(client: TestClient) -> None:
    visitor = Visitor(client)
    visitor.go("/new/jamb")
    visitor.send("/new/jamb", kind="person", name="Ann", action="play")
    version = re.search(r'name="version" value="(\d+)"', visitor.page)
    assert version
    page = visitor.send(f"{visitor.path}/throw", version=version[1])
    assert page.count('value="announce:') == 12
    assert 'aria-label="Announce Sixes Announced"' in page
    match = visitor.path.removesuffix("/throw")
    page = visitor.send(f"{match}/score", version="1", box="announce:announced.sixes")
    assert "Announced: Sixes" in page
    assert 'value="announce:' not in page
    assert re.findall(r'name="box" value="([^"]+)"', page) == ["dice:announced.sixes"]
    page = visitor.send(f"{match}/score", version="2", box="dice:announced.sixes")
    assert "Turn 2 of 48" in page


def test_announcing_over_the_api(ann: Player) -> None:
    state = ann.play(typed(ann, "jamb"), {"throw": [6, 6, 1, 2, 3]})
    assert {"box": "sixes", "column": "announced"} in state["turn"]["announceable"]
    assert code(ann.move(state, {"column": "announced", "box": "sixes"})) == "box_not_announced"
    state = ann.play(state, {"announce": "sixes", "column": "announced"})
    assert state["turn"]["announced"] == {"box": "sixes", "column": "announced"}
    assert [one["box"] for one in state["turn"]["choices"]["dice"]] == ["sixes"]
    state = ann.play(state, {"keep": [6, 6]})
    state = ann.play(state, {"throw": [6, 1, 1]})
    state = ann.play(state, {"column": "announced", "box": "sixes"})
    assert state["seats"][0]["sheet"] == {"announced": {"sixes": 18}}


def test_winning_at_once_ends_the_game(client: TestClient, ann: Player) -> None:
    state = ann.play(typed(ann, "generala", ANN, BO), {"throw": [6, 6, 6, 6, 1]})
    state = ann.play(state, {"box": "poker"})
    assert state["seats"][0]["points"] == 45
    state = ann.play(state, {"throw": [2, 2, 2, 2, 2]})
    assert state["status"] == "finished"
    assert [(one["place"], one["seat"], one["points"]) for one in state["standings"]] == [
        (1, 1, 0),
        (2, 0, 45),
    ]
    page = page_of(client, ann, f"/t/{state['id']}")
    assert "Bo wins at once with 2" in page
    assert client.get(f"/t/{state['id']}/review").status_code == 200
    undone = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"]})
    assert undone.json()["state"]["status"] == "playing"


@pytest.mark.parametrize("game", ["balut", "triple-yahtzee"])
def test_points_over_all_columns_are_lines_of_their_own(client: TestClient, ann: Player, game: str) -> None:
    state = ann.play(typed(ann, game), {"throw": [6, 6, 6, 6, 6]})
    state = ann.play(state, best_score(state))
    assert set(state["seats"][0]["overall"]) >= {"all_columns", "final_score"}
    page = page_of(client, ann, f"/t/{state['id']}")
    assert ("Row Points" if game == "balut" else "Yahtzee Bonus") in page


def test_repeats_are_written_on_a_pad_of_columns(client: TestClient, ann: Player) -> None:
    state = ann.open("triple-yahtzee", ANN, dice="points")
    for column in ("x1", "x2", "x3"):
        state = ann.play(state, {"seat": 0, "box": "yahtzee", "column": column, "points": 50})
    state = ann.play(state, {"seat": 0, "box": "sixes", "column": "x3", "points": 30})
    assert ann.get(f"/matches/{state['id']}/values?seat=0&box=yahtzee_bonus").json()["values"] == [
        0,
        100,
        200,
        300,
    ]
    state = ann.play(state, {"seat": 0, "box": "yahtzee_bonus", "points": 300, "was": 0})
    assert state["seats"][0]["points"] == 300 + 90 + 300
    assert "0.yahtzee_bonus" in page_of(client, ann, f"/t/{state['id']}")


def test_a_box_of_a_pad_says_that_it_waits_for_others(client: TestClient, ann: Player) -> None:
    state = ann.open("jamb", ANN, dice="points")
    assert "this column is filled in order" in page_of(client, ann, f"/t/{state['id']}?at=0.down.twos")
    assert "this column is filled in order" not in page_of(client, ann, f"/t/{state['id']}?at=0.free.twos")


@pytest.mark.parametrize("game", FAMILY)
def test_every_page_of_a_relative_is_light(visitor: Visitor, client: TestClient, game: str) -> None:
    """Less than 80 kB even before it is compressed, also of a whole game."""
    played = dicecup.Game(game, players=["bot:random", "bot:random"], seed=3)
    played.play_bots()
    visitor.go("/review")
    files = {"record": (f"{game}.record", str(played).encode())}
    path = client.post("/review", data={"csrf": visitor.token()}, files=files).url.path
    assert path.endswith("/review")
    for page in (path, path.removesuffix("/review"), f"/new/{game}", f"/rules/{game}", f"/rules/{game}/full"):
        answer = client.get(page)
        assert answer.status_code == 200
        assert len(answer.content) < 80_000, page
