"""Games, rules, bots and languages as JSON data, matching the pages."""

from __future__ import annotations

import pytest
from tests.web.coaching import record_of
from tests.web.conftest import Player

from dicecup.bots import BOTS
from dicecup.i18n.language import LANGUAGES
from dicecup.rules.loader import builtin_ids, main_ids

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", builtin_ids())
def test_rules_as_data(ann: Player, game: str, code: str) -> None:
    answer = ann.get(f"/games/{game}/rules?language={code}").json()
    assert (answer["game"], answer["language"]) == (game, code)
    assert answer["text"].count("\n") > 20
    assert not answer["text"].startswith("# ")
    known = next(one for one in ann.get("/games").json() if one["id"] == game)
    assert [line["id"] for line in answer["lines"]] == known["lines"]
    assert [line["id"] for line in answer["lines"] if line["box"]] == known["boxes"]
    assert all(line["gives"] for line in answer["lines"])
    options = {option["id"]: [value["id"] for value in option["values"]] for option in answer["options"]}
    assert options == {option["id"]: option["values"] for option in known["options"]}


def test_rules_in_the_language_of_the_asker(ann: Player) -> None:
    answer = ann.client.get("/api/games/yatzy/rules", headers={"Accept-Language": "sv, en;q=0.5"}).json()
    assert answer["language"] == "sv"
    for refused in (ann.get("/games/nothing/rules"), ann.get("/games/yatzy/rules?language=la")):
        assert refused.status_code == 422
        assert refused.json()["error"]["code"]


def test_bots_and_languages(ann: Player) -> None:
    bots = ann.get("/bots").json()
    assert [one["id"] for one in bots] == list(BOTS)
    measured = {one["id"]: set(one["usual_scores"]) for one in bots}
    assert not measured.pop("winner")  # its score depends on the others
    assert all(games == set(main_ids()) for games in measured.values())
    german = ann.client.get("/api/bots", headers={"Accept-Language": "de"}).json()
    assert {one["name"] for one in german}.isdisjoint(one["name"] for one in ann.get("/bots").json())
    assert [one["code"] for one in ann.get("/languages").json()] == list(LANGUAGES)


def test_a_stored_record_can_be_viewed_but_not_played(ann: Player) -> None:
    text = record_of("yatzy", 2, 30)
    answer = ann.post("/records", {"record": text})
    assert answer.status_code == 201
    state = answer.json()
    assert (state["version"], state["status"]) == (30, "playing")
    assert ann.get(f"/matches/{state['id']}/record").text == text
    refused = ann.move(state, {"throw": True})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "seat_not_yours")
    refused = ann.post("/records", {"record": "rubbish"})
    assert refused.status_code == 422


def test_a_proof_holds_all_that_is_needed(ann: Player) -> None:
    state = ann.open()
    proof = ann.get(f"/matches/{state['id']}/proof").json()
    assert proof["commitment"] == state["commitment"]
    assert proof["player_seeds"] == [""]
    assert (proof["statement"], proof["proved_against"]) == (2, [])
    assert (proof["secret"], proof["proved"], proof["error"]) == (None, False, "secret_missing")
