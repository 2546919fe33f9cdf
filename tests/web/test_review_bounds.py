"""Limits of reviews: no coach, unknown rules, too long, too many. A stub replaces the coach."""

from __future__ import annotations

import asyncio

import pytest
from tests.waiting import eventually
from tests.web.coaching import record_of
from tests.web.conftest import Player, Visitor

from dicecup.engine.record import Record
from dicecup.errors import UsageError
from dicecup.web.service import advising, reviewing
from dicecup.web.service.advising import Advising

pytestmark = pytest.mark.one_database


def upload(player: Player, moves: int = 12) -> str:
    match: str = player.post("/records", {"record": record_of("yatzy", 1, moves)}).json()["id"]
    return match


def test_without_a_coach_the_page_shows_the_game(
    monkeypatch: pytest.MonkeyPatch, ann: Player, visitor: Visitor
) -> None:
    monkeypatch.setattr(advising, "has_coach", lambda _rules: False)
    match = upload(ann)
    page = visitor.go(f"/t/{match}/review")
    assert "This game’s coach needs a server that has it installed" in page
    assert "Points, turn by turn" in page
    assert page.count('name="moves"') >= 4
    assert "review/coach" not in page
    assert "This game’s coach needs a server that has it installed" in visitor.go(f"/t/{match}/review/coach")
    refused = ann.get(f"/matches/{match}/review")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_missing")


def test_without_values_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch, ann: Player, visitor: Visitor
) -> None:
    async def know_nothing(_advising: Advising, record: Record) -> None:
        raise UsageError("solve_too_large", ruleset=record.rules.id, states=10**12)

    monkeypatch.setattr(reviewing, "take_apart", know_nothing)
    match = upload(ann)
    part = visitor.client.get(f"/t/{match}/review/coach")
    assert "too large to solve exactly" in part.text
    assert part.headers["HX-Retarget"] == "#asking"
    page = visitor.go(f"/t/{match}/review?coach=yes")
    assert "too large to solve exactly" in page
    assert "Points, turn by turn" in page
    refused = ann.get(f"/matches/{match}/review")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "solve_too_large")


def test_a_game_may_be_too_long(monkeypatch: pytest.MonkeyPatch, ann: Player, visitor: Visitor) -> None:
    monkeypatch.setattr(reviewing, "MOST_MOVES", 11)
    match = upload(ann, 12)
    refused = ann.get(f"/matches/{match}/review")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "review_too_long")
    assert "too long for a review here" in visitor.go(f"/t/{match}/review/coach")


@pytest.fixture
def slow_coach(monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """A coach that blocks until the server stops, and the list of games it started."""
    begun: list[Record] = []

    async def think(_advising: Advising, record: Record) -> None:
        begun.append(record)
        await asyncio.Event().wait()

    monkeypatch.setattr(reviewing, "take_apart", think)
    monkeypatch.setattr("dicecup.web.pages.review_page.PATIENCE", 0.05)
    monkeypatch.setattr("dicecup.web.api.reviews.PATIENCE", 0.05)
    return begun


def test_reviews_are_queued_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch, slow_coach: list[Record], ann: Player, visitor: Visitor
) -> None:
    monkeypatch.setattr(reviewing, "MOST_WAITING", 3)
    matches = [upload(ann) for _ in range(4)]
    for match in matches:
        for _again in range(3):
            refused = ann.get(f"/matches/{match}/review")
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "coach_busy")
            assert refused.headers["Retry-After"]
    reviews = ann.client.app.state.reviews  # type: ignore[attr-defined]
    assert len(reviews.asked) == 3
    eventually(lambda: slow_coach)
    assert len(slow_coach) == 1  # one review is computed at a time, and requested once
    part = visitor.client.get(f"/t/{matches[0]}/review/coach")
    assert "review/coach" in part.text  # retries by itself
    assert "delay:" in part.text
    assert part.headers["HX-Retarget"] == "#asking"
    state = ann.open()
    assert ann.play(state, {"throw": True})["version"] == 1  # no move waits for it


def test_reviews_are_remembered_up_to_a_weight(monkeypatch: pytest.MonkeyPatch, ann: Player) -> None:
    class Heavy:
        weight = 60
        wins = None

        def __init__(self, record: Record) -> None:
            self.record = record
            begun.append(record)

    async def weigh(_advising: Advising, record: Record) -> Heavy:
        return Heavy(record)

    begun: list[Record] = []
    monkeypatch.setattr(reviewing, "take_apart", weigh)
    monkeypatch.setattr(reviewing, "MOST_REMEMBERED", 150)
    matches = [upload(ann) for _ in range(3)]
    for match in [*matches, *matches[1:], matches[0]]:
        ann.get(f"/matches/{match}/chances")
    assert len(begun) == 4  # the first was evicted for the third
