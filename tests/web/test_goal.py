"""A goal for this game, and what is best for winning, on pages and over the API; the coach is a stand-in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player

from dicecup.coach.advice import Choice, Hint, WinHint
from dicecup.coach.goals import Goal
from dicecup.engine.state import Keep, score
from dicecup.web.service.worker import Worker

pytestmark = [pytest.mark.one_database, pytest.mark.usefixtures("patient")]
ANN = {"kind": "person", "name": "Ann"}
BO = {"kind": "person", "name": "Bo"}
HTMX = {"HX-Request": "true"}
KEEP, CHANCE, SIXES = Keep((6, 6)), score("chance"), score("sixes")
HINT = Hint(240.0, True, (Choice(KEEP, 240.0, 0.0), Choice(CHANCE, 239.0, 1.0, 12)))
WINS = WinHint(0.625, (Choice(CHANCE, 0.625, 0.0, 12), Choice(KEEP, 0.5, 0.125)), True, 0.0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the worker processes are asked; they answer at once."""
    found: list[tuple[Any, ...]] = []

    async def ask(_worker: Worker, thought: str, *arguments: Any, **_settings: Any) -> Any:
        found.append((thought, *arguments))
        if thought == "goal_now":
            target = arguments[-1]
            best = target < 300
            choices = (Choice(CHANCE, 0.31, 0.0), Choice(KEEP, 0.3, 0.01)) if best else ()
            return Goal(target, 0.31, choices, best, best, 0.0 if best else 0.02)
        return {"advice": HINT, "to_win": (WINS,)}.get(thought)

    monkeypatch.setattr(Worker, "ask", ask)
    return found


def test_a_goal_stays_until_it_is_removed(client: TestClient, ann: Player, asked: list[Any]) -> None:
    state = ann.play(ann.open("yatzy-sv", ANN, BO, coach=True), {"throw": True})
    path = f"/t/{state['id']}/goal"
    assert f'hx-get="{path}"' in client.get(f"/t/{state['id']}").text
    form = client.get(path, headers=HTMX)
    assert form.status_code == 200
    assert re.findall(r"points=(\d+)\" hx-get", form.text) == ["250", "300"]
    found = client.get(path, params={"points": "250"}, headers=HTMX).text
    assert "Best chance of at least 250 points: 31.0%" in found
    assert found.index("Chance") < found.index("keep 6 6")
    assert next((one[0], one[-1]) for one in asked if one[0] == "goal_now") == ("goal_now", 250)
    again = client.get(path).text  # a page of its own without scripts
    assert "<main" in again
    assert 'value="250"' in again
    assert "Best chance of at least 250 points" in again
    sampled = client.get(path, params={"points": "350"}, headers=HTMX).text
    assert "Chance of at least 350 points: 31.0%" in sampled
    assert "± 2.0%" in sampled
    assert "at least" not in client.get(path, params={"points": ""}, headers=HTMX).text
    assert "at least" not in client.get(path, headers=HTMX).text


@pytest.mark.parametrize("points", ["0", "10000", "-5", "abc", "2.5", "²", "9" * 400])
def test_a_goal_out_of_range(client: TestClient, ann: Player, asked: list[Any], points: str) -> None:
    state = ann.open("yatzy", coach=True)
    answer = client.get(f"/t/{state['id']}/goal", params={"points": points}, headers=HTMX)
    assert answer.status_code == 422
    assert "Choose a goal from 1 to 9999 points." in answer.text
    assert not [one for one in asked if one[0] == "goal_now"]
    assert 'class="goal"' in client.get(f"/t/{state['id']}/goal", headers=HTMX).text


def test_over_the_api(client: TestClient, ann: Player, asked: list[Any]) -> None:
    state = ann.play(ann.open("yatzy", ANN, BO, coach=True), {"throw": True})
    match = f"/matches/{state['id']}"
    found = ann.get(f"{match}/goal?points=250").json()
    assert (found["at_least"], found["play"]) == (250, "target")
    assert (found["chance"], found["exact"], found["standard_error"]) == (0.31, True, 0.0)
    assert found["options"][0] == {"move": {"box": "chance"}, "chance": 0.31}
    assert ann.get(f"{match}/goal?points=350").json()["play"] == "points"
    for wrong in ("points=0", "points=99999"):
        refused = ann.get(f"{match}/goal?{wrong}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "goal_out_of_range")
    assert ann.get(f"{match}/goal?points=250&seat=7").json()["error"]["code"] == "request_wrong"
    plain = ann.get(f"{match}/hint").json()
    assert (plain["to_win"], plain["options"][0]["win_chance"]) == (None, None)
    winning = ann.get(f"{match}/hint?winning=true").json()
    assert winning["to_win"] == {
        "chance": 0.625,
        "exact": True,
        "standard_error": 0.0,
        "best": {"box": "chance"},
    }
    assert [option["win_chance"] for option in winning["options"]] == [0.5, 0.625]


def test_best_for_winning_beside_best_for_points(client: TestClient, ann: Player, asked: list[Any]) -> None:
    state = ann.play(ann.open("yatzy", ANN, BO, coach=True), {"throw": True})
    path = f"/t/{state['id']}"
    hint = client.get(f"{path}/hint", headers=HTMX).text
    assert f'hx-get="{path}/to-win"' in hint
    shown = re.sub(r"<[^>]+>|\s+", " ", client.get(f"{path}/to-win", headers=HTMX).text)
    shown = re.sub(" +", " ", shown)
    assert "To win, play differently: Chance" in shown
    assert "Chance best for winning 62.5% keep 6 6 best for points 50.0%" in shown
    assert "<main" in client.get(f"{path}/to-win").text
    alone = ann.play(ann.open("yatzy", coach=True), {"throw": True})
    assert "to-win" not in client.get(f"/t/{alone['id']}/hint", headers=HTMX).text


def test_every_choice_has_its_chance_where_both_are_the_same(
    client: TestClient, ann: Player, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a box that gets nothing is crossed out."""
    monkeypatch.setattr(
        f"{__name__}.WINS", WinHint(0.6, (Choice(KEEP, 0.6, 0.0), Choice(SIXES, 0.4, 0.2)), True, 0)
    )
    state = ann.open("yatzy", ANN, BO, coach=True, dice="table")
    state = ann.play(state, {"throw": [1, 1, 2, 3, 3]})
    shown = client.get(f"/t/{state['id']}/to-win", headers=HTMX).text
    assert "Best for points, and best for winning: 60.0%" in shown
    assert "<details>" in shown
    words = re.sub(r"(<[^>]+>|\s)+", " ", shown)
    assert "keep 6 6 best for winning 60.0% cross out Sixes 40.0%" in words


def test_not_where_the_coach_is_off(client: TestClient, ann: Player, asked: list[Any]) -> None:
    state = ann.play(ann.open("yatzy", ANN, BO), {"throw": True})
    for part in ("goal", "to-win"):
        answer = client.get(f"/t/{state['id']}/{part}", headers=HTMX)
        assert answer.status_code == 409
        assert 'data-code="coach_off"' in answer.text
    assert ann.get(f"/matches/{state['id']}/goal?points=250").json()["error"]["code"] == "coach_off"
