"""Pages as a browser without scripts gets them: setting a table, reviews, trying again, the coach's place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, best_score

from dicecup.engine.moves import Score, score
from dicecup.i18n.language import LANGUAGES
from dicecup.rules.loader import builtin_ids
from dicecup.web.service import coaching


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Pages know nothing of databases: one kind will do."""
    return str(tmp_path / "games.db")


class Visitor:
    """A browser without scripts."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.page = client.get("/").text

    def token(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', self.page)
        assert found
        return found[1]

    def go(self, path: str) -> str:
        self.page = self.client.get(path).text
        return self.page

    def send(self, path: str, expected: int = 200, **fields: Any) -> str:
        answer = self.client.post(path, data={"csrf": self.token(), **fields})
        assert answer.status_code == expected, answer.text
        self.page = answer.text
        self.path = answer.url.path
        return self.page


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    return Visitor(client)


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


def test_options_reach_the_table(visitor: Visitor, client: TestClient) -> None:
    promise = re.search(r'name="promise" value="(\w+)"', visitor.go("/new/yatzy"))
    assert promise
    fields: dict[str, Any] = {"promise": promise[1], "kind": "person", "name": "Ann"}
    fields["option-scoring"] = "scandinavian"
    visitor.send("/new/yatzy", **fields)
    state = client.get(visitor.path.replace("/t/", "/api/matches/")).json()
    assert state["options"]["scoring"] == "scandinavian"
    assert state["commitment"] in visitor.page


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", builtin_ids())
def test_rules_in_every_language(client: TestClient, game: str, code: str) -> None:
    client.cookies.set("language", code)
    page = client.get(f"/rules/{game}")
    assert page.status_code == 200
    assert f'<html lang="{code}"' in page.text
    assert ".md" not in page.text
    assert " style=" not in page.text
    assert '<table role="table">' in page.text


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
    assert "Take a seat" not in visitor.go(copy)
    visitor.go(path)
    tried = visitor.send(f"{copy}/try", moves="3")
    assert 'name="keep"' in tried  # the second turn, after its first throw
    assert "your turn" in tried
    page = visitor.client.post("/review", data={"csrf": visitor.token()}, files={"record": ("x", b"rubbish")})
    assert page.status_code == 422
    assert 'role="alert"' in page.text


@dataclass
class FakeChoice:
    move: Score
    expected: float = 200.0
    loss: float = 1.5


@dataclass
class FakeAdvice:
    choices: list[FakeChoice]
    expected: float = 201.5
    exact: bool = True


@dataclass
class FakeDecision:
    taken: FakeChoice


@dataclass
class FakePlayer:
    decisions: list[FakeDecision]
    name: str = "Ann"
    luck: float = 3.25
    skill: float = -1.5


@dataclass
class FakeReview:
    players: list[FakePlayer]
    exact: bool = True


class FakeCoach:
    def advice(self, rules, state) -> FakeAdvice:
        return FakeAdvice([FakeChoice(score("chance"))])

    def review(self, record) -> FakeReview:
        return FakeReview([FakePlayer([FakeDecision(FakeChoice(score("pair")))])])

    def win_chances(self, rules, state) -> tuple[list[float], float]:
        return [0.6, 0.4], 0.01


@pytest.fixture
def with_coach(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    coaching.find_coach.cache_clear()
    fake = FakeCoach()
    for place in ("dicecup.web.service.coaching", "dicecup.web.service.opening", "dicecup.web.pages.setup"):
        monkeypatch.setattr(f"{place}.find_coach", lambda: fake)
    monkeypatch.setattr("dicecup.web.pages.table_view.find_coach", lambda: fake)
    yield
    monkeypatch.undo()
    coaching.find_coach.cache_clear()


def test_a_coach_speaks_where_the_table_has_it_on(with_coach: None, visitor: Visitor, ann: Player) -> None:
    assert 'name="coach"' in visitor.go("/new/yatzy")
    state = ann.play(ann.open(coach=True), {"throw": True})
    assert f"/t/{state['id']}/so-far" in visitor.go(f"/t/{state['id']}")
    hint = visitor.go(f"/t/{state['id']}/hint")
    assert "Chance" in hint
    assert "201.5" in hint
    so_far = visitor.go(f"/t/{state['id']}/so-far")
    assert "+3.2" in so_far
    assert "−1.5" in so_far
    advice = ann.get(f"/matches/{state['id']}/hint").json()
    assert advice["options"] == [{"move": {"box": "chance"}, "expected": 200.0, "loss": 1.5}]


def test_a_coach_is_silent_where_it_is_off(with_coach: None, visitor: Visitor, ann: Player) -> None:
    state = ann.play(ann.open(), {"throw": True})
    assert "so-far" not in visitor.go(f"/t/{state['id']}")
    refused = ann.get(f"/matches/{state['id']}/hint")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_off")


def test_without_a_coach_nobody_speaks_of_it(
    monkeypatch: pytest.MonkeyPatch, visitor: Visitor, ann: Player
) -> None:
    for place in ("dicecup.web.service.coaching", "dicecup.web.service.opening", "dicecup.web.pages.setup"):
        monkeypatch.setattr(f"{place}.find_coach", lambda: None)
    assert 'name="coach"' not in visitor.go("/new/yatzy")
    wish = {"game": "yatzy", "seats": [{"kind": "person", "name": "Ann"}], "coach": True}
    refused = ann.post("/matches", wish)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_missing")
