"""Puzzles and mistakes on the pages and through the API: asked, answered, rated, exported and deleted."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, Visitor, code
from tests.web.test_personal_data import unzip

from dicecup.coach import puzzles
from dicecup.coach.puzzles import INTERVALS, START_RATING, daily_puzzles, find_puzzle, load_puzzles
from dicecup.i18n.language import LANGUAGES, language
from dicecup.storage.results import MOST_MISTAKES, StoredMistake, add_mistakes, mistakes_of
from dicecup.web.guard import COOKIE
from dicecup.web.service import grading
from dicecup.web.service.identity import key_hash

GAME = "yatzy-sv"
KEY = "k" * 43
DAY = date(2026, 11, 16)


@pytest.fixture(autouse=True)
def fixed_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "today", lambda: DAY)


def wrong_place(puzzle: puzzles.Puzzle) -> int:
    return next(place for place in puzzle.offered if place)


def stored_mistake(number: int = 1, due: date = DAY, lost: float = 5.0, solved: int = 0) -> StoredMistake:
    puzzle = find_puzzle(f"{GAME}-{number}")
    text = json.dumps({**puzzle.to_data(), "id": f"match-{number}"})
    day = due.isoformat()
    return StoredMistake(f"match-{number}", GAME, "Ann", text, lost, solved, day, day)


def test_the_five_of_a_day_are_solved_on_the_pages(visitor: Visitor) -> None:
    page = visitor.go(f"/puzzles?game={GAME}")
    five = daily_puzzles(GAME, DAY)
    for puzzle in five:
        assert f"/puzzles/{puzzle.id}" in page
    assert str(START_RATING) in page
    first = visitor.go(f"/puzzles/{five[0].id}")
    assert "What would you do?" in first
    right = visitor.send(f"/puzzles/{five[0].id}", answer="0")
    assert "Right!" in right
    assert f'href="/puzzles/{five[1].id}"' in right
    change = re.search(r"Your rating: (\d+) \(\+(\d+)\)", right)
    assert change
    assert int(change[1]) > START_RATING
    wrong = visitor.send(f"/puzzles/{five[1].id}", answer=str(wrong_place(five[1])))
    assert "That costs" in wrong
    again = visitor.send(f"/puzzles/{five[1].id}", answer="0")  # only the first answer counts
    assert "Right!" in again
    assert "Your rating:" not in again
    for puzzle in five[2:]:
        visitor.send(f"/puzzles/{puzzle.id}", answer="0")
    assert "Done for today: 4 of 5 right" in visitor.go(f"/puzzles?game={GAME}")


@pytest.mark.one_database
def test_another_puzzle_fits_the_rating_and_is_new(visitor: Visitor) -> None:
    today = {puzzle.id for puzzle in daily_puzzles(GAME, DAY)}
    first = re.search(rf'action="/puzzles/({GAME}-\d+)"', visitor.go(f"/puzzles/next?game={GAME}"))
    assert first
    assert first[1] not in today
    visitor.send(f"/puzzles/{first[1]}", answer="0")
    second = re.search(rf'action="/puzzles/({GAME}-\d+)"', visitor.go(f"/puzzles/next?game={GAME}"))
    assert second
    assert second[1] != first[1]


@pytest.mark.one_database
@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize("game", puzzles.puzzle_games())
def test_every_game_in_every_language(client: TestClient, game: str, spoken: str) -> None:
    client.cookies.set("language", spoken)
    puzzle = load_puzzles(game)[-1]
    page = client.get(f"/puzzles/{puzzle.id}")
    assert page.status_code == 200
    assert language(spoken).gettext("What would you do?") in page.text
    assert page.text.count('name="answer"') == len(puzzle.offered)
    assert len(page.content) < 80_000


@pytest.mark.one_database
def test_answers_that_cannot_be_get_a_sentence(visitor: Visitor, client: TestClient) -> None:
    assert "no puzzle" in client.get("/puzzles/yatzy-99999").text
    assert client.get("/puzzles/yatzy-99999").status_code == 404
    for wrong in ("", "99", "x"):
        visitor.send(f"/puzzles/{GAME}-1", expected=422, answer=wrong)
    assert client.get("/mistakes/none").status_code == 404
    assert client.get("/puzzles?game=bridge").status_code == 200  # the usual game instead


def test_puzzles_through_the_api(ann: Player) -> None:
    ann.key = KEY
    assert GAME in ann.get("/puzzles").json()["games"]
    today = ann.get(f"/puzzles/today/{GAME}").json()
    assert [one["id"] for one in today["puzzles"]] == [one.id for one in daily_puzzles(GAME, DAY)]
    other = ann.get(f"/puzzles/today/{GAME}?day=2026-11-17").json()
    assert other["puzzles"] != today["puzzles"]
    asked = ann.get(f"/puzzles/{today['puzzles'][0]['id']}").json()
    assert "best" not in asked
    puzzle = find_puzzle(asked["id"])
    found = ann.post(f"/puzzles/{puzzle.id}/answers", {"move": puzzle.moves[0]}).json()
    assert found["right"]
    assert found["change"] > 0
    assert ann.get("/my/rating").json()["rating"] == found["rating"]
    assert ann.get("/my/rating").json()["days"] == 1
    again = ann.post(f"/puzzles/{puzzle.id}/answers", {"move": puzzle.moves[1]}).json()
    assert (again["right"], again["change"], again["rating"]) == (False, 0.0, found["rating"])


@pytest.mark.one_database
def test_wrong_requests_of_the_api(ann: Player) -> None:
    assert code(ann.get("/puzzles/bridge-1")) == "puzzle_unknown"
    assert code(ann.get("/puzzles/today/bridge")) == "puzzles_missing"
    assert code(ann.post(f"/puzzles/{GAME}-1/answers", {"move": {"keep": [7]}})) == "face_out_of_range"
    assert code(ann.post("/my/mistakes/none/answers", {"move": {"keep": [6]}})) == "mistake_unknown"
    without_key = ann.post(f"/puzzles/{GAME}-1/answers", {"move": find_puzzle(f"{GAME}-1").moves[0]})
    assert without_key.json()["rating"] is None
    assert ann.get("/my/mistakes").json() == []


@pytest.mark.one_database
def test_a_changed_file_gets_one_sentence(
    client: TestClient, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = puzzles.puzzle_file(GAME).read_text("utf-8")
    (tmp_path / f"puzzles-{GAME}.jsonl").write_text(text.replace("0.0", "0.1"), "utf-8")
    monkeypatch.setattr(puzzles, "FOLDER", tmp_path)
    answer = client.get(f"/api/puzzles/{GAME}-1")
    assert code(answer) == "puzzles_changed"


def test_days_in_a_row(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    ann.key = KEY
    for number, (day, expected) in enumerate([(0, 1), (0, 1), (1, 2), (2, 3), (4, 1)], start=1):
        now = DAY + timedelta(days=day)
        monkeypatch.setattr(grading, "today", lambda now=now: now)
        ann.post(f"/puzzles/{GAME}-{number}/answers", {"move": find_puzzle(f"{GAME}-{number}").moves[0]})
        assert ann.get("/my/rating").json()["days"] == expected


def test_mistakes_are_asked_at_growing_intervals(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.key = KEY
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    add_mistakes(store, key_hash(KEY), [stored_mistake()])
    (asked,) = ann.get("/my/mistakes").json()
    assert (asked["due"], asked["solved"]) == (DAY.isoformat(), 0)
    best = find_puzzle(f"{GAME}-1").moves[0]
    day, path = DAY, f"/my/mistakes/{asked['id']}/answers"
    for days in INTERVALS[1:]:
        monkeypatch.setattr(grading, "today", lambda day=day: day)
        found = ann.post(path, {"move": best}).json()
        assert found["due"] == (day + timedelta(days=days)).isoformat()
        # Solved again on the same day it is not known any better.
        assert ann.post(path, {"move": best}).json()["due"] == found["due"]
        day += timedelta(days=days)
    monkeypatch.setattr(grading, "today", lambda day=day: day)
    assert ann.post(path, {"move": best}).json()["due"] is None
    wrong = find_puzzle(f"{GAME}-1").moves[1]
    assert ann.post(path, {"move": wrong}).json()["due"] == (day + timedelta(days=1)).isoformat()


@pytest.mark.one_database
def test_mistakes_on_the_pages(client: TestClient, visitor: Visitor) -> None:
    assert "No mistakes yet" in visitor.go("/mistakes")
    holder = key_hash(client.cookies[COOKIE])
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    add_mistakes(store, holder, [stored_mistake(1), stored_mistake(2), stored_mistake(3, DAY + timedelta(2))])
    page = visitor.go("/mistakes")
    assert "Solve 2" in page
    assert "Coming later (1)" in page
    answer = visitor.send("/mistakes/match-1", answer="0")
    assert "It will be asked again on 19 November 2026." in answer
    assert 'href="/mistakes/match-2"' in answer
    assert "Solve 1" in visitor.go("/mistakes")


def test_the_costliest_mistakes_are_kept(client: TestClient) -> None:
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    rows = [
        StoredMistake(f"m-{number}", GAME, "Ann", "{}", float(number), 0, "2026-11-16", "2026-11-16")
        for number in range(MOST_MISTAKES + 3)
    ]
    add_mistakes(store, "ann", rows)
    add_mistakes(store, "ann", rows[-1:])  # once more: it stays as it is
    kept = {one.id for one in mistakes_of(store, "ann")}
    assert kept == {one.id for one in rows[3:]}


def test_what_was_learned_is_exported_and_deleted(client: TestClient, ann: Player) -> None:
    ann.key = KEY
    store = client.app.state.matches.store  # type: ignore[attr-defined]
    add_mistakes(store, key_hash(KEY), [stored_mistake()])
    ann.post(f"/puzzles/{GAME}-1/answers", {"move": find_puzzle(f"{GAME}-1").moves[0]})
    learned = unzip(ann.get("/my/data").content)[0]["learning"]
    assert [one["id"] for one in learned["mistakes"]] == ["match-1"]
    assert [one["puzzle"] for one in learned["answers"]] == [f"{GAME}-1"]
    assert learned["rating"]["answered"] == 1
    assert client.delete("/api/my/data", headers=ann.headers).status_code == 200
    assert unzip(ann.get("/my/data").content)[0]["learning"] == {
        "rating": None,
        "answers": [],
        "mistakes": [],
    }


@pytest.mark.one_database
def test_a_button_does_what_the_hint_says(client: TestClient, visitor: Visitor, ann: Player) -> None:
    state = ann.play(ann.open(), {"throw": True})

    def send(expected: int, version: int, move: str) -> None:
        client.cookies.set(COOKIE, ann.key)
        visitor.go("/")
        visitor.send(f"/t/{state['id']}/do", expected, version=version, move=move)

    for wrong in ("", "[", '{"throw": [1]}', '{"keep": [1, 1, 1, 1, 1, 1, 1]}'):
        send(422, state["version"], wrong)
    send(200, state["version"], json.dumps({"keep": state["turn"]["dice"][:2]}))
    after = ann.look(state)
    assert after["turn"]["throws_left"] == 1
    send(409, state["version"], '{"box": "chance"}')
    send(200, after["version"], '{"box": "chance"}')
    assert "chance" in ann.look(state)["seats"][0]["sheet"]
