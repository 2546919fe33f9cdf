"""My games and the statistics, on both databases, with reviews by the real coach."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import READY, eventually
from tests.web.coaching import KEPT, when_ready
from tests.web.conftest import Player, Visitor, best_score

from dicecup.i18n.language import LANGUAGES, language
from dicecup.rules.loader import builtin_ids, load_ruleset
from dicecup.web.guard import COOKIE
from dicecup.web.pages.my_games import unusual_options
from dicecup.web.service.reviewing import Reviews

pytestmark = pytest.mark.kernels


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICECUP_CACHE", KEPT["DICECUP_CACHE"])


def finish(player: Player, game: str = "yahtzee", **options: str) -> dict[str, Any]:
    seats = ({"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"})
    state = player.open(game, *seats, options=options)
    while state["status"] == "playing":
        state = player.play(state, {"throw": True})
        state = player.play(state, best_score(state))
    return state


def looked_at(player: Player) -> dict[str, Any]:
    """Return the statistics once the coach has reviewed the games."""
    answer: dict[str, Any] = eventually(
        lambda: player.get("/my/statistics").json(), lambda answer: not answer["looking"], READY
    )
    return answer


def page_of(client: TestClient, player: Player, path: str = "/mine") -> str:
    client.cookies.clear()
    client.cookies.set(COOKIE, player.key)
    return client.get(path).text


def test_a_game_in_which_rolls_were_undone_is_marked(visitor: Visitor, ann: Player) -> None:
    """After the undo of a keep the same dice come again; a box that was undone shows nothing."""
    state = ann.play(ann.open(), {"throw": True})
    state = ann.play(state, {"box": "chance"})
    state = ann.post(f"/matches/{state['id']}/undo", {"version": 2}).json()["state"]
    assert not ann.get("/my/matches").json()[0]["undone"]
    dice = ann.play(state, {"keep": []})["turn"]["dice"]
    state = ann.post(f"/matches/{state['id']}/undo", {"version": 5}).json()["state"]
    assert ann.play(state, {"keep": []})["turn"]["dice"] == dice
    assert ann.get("/my/matches").json()[0]["undone"]
    visitor.client.cookies.set("dicecup", ann.key)
    assert "rolls undone" in visitor.go("/mine")


def test_luck_and_skill_follow_the_games(client: TestClient, ann: Player) -> None:
    games = [finish(ann), finish(ann)]
    assert [one["luck"] for one in ann.get("/my/results").json()] == [None] * 4
    first = page_of(client, ann)
    assert "The coach is reviewing your games" in first
    assert "Mean luck" not in first
    found = looked_at(ann)["statistics"]
    results = ann.get("/my/results").json()
    assert {one["name"] for one in found} == {"Ann", "Bo"}
    for one in found:
        mine = [result for result in results if result["name"] == one["name"]]
        assert (one["games"], one["looked_at"], one["against"]) == (2, 2, 2)
        for key in ("luck", "skill", "error_rate"):
            assert one[key] == pytest.approx(sum(result[key] for result in mine) / 2)
        assert one["mean"] == sum(result["points"] for result in mine) / 2
        assert one["rating"] == "beginner"
        assert one["skill"] < 0
    for game in games:
        review = ann.get(f"/matches/{game['id']}/review?options=false").json()
        for result in [result for result in results if result["match"] == game["id"]]:
            player = review["players"][result["seat"]]
            assert (result["luck"], result["skill"]) == pytest.approx((player["luck"], player["skill"]))
            expected = result["points"] - result["luck"] - result["skill"]
            assert expected == pytest.approx(player["expected_at_start"])
    for path in ("/mine", "/mine/statistics"):
        page = page_of(client, ann, path)
        assert "The coach is reviewing your games" not in page
        assert page.count("Mean luck") == 2
        assert page.count("Luck and skill, game by game") >= 2
        assert page.count("<polyline") == 6  # for each player points, luck and skill


def test_whoever_waits_for_no_review_has_all_of_them(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last review is stored after the results were read, before it is asked whether any is missing."""
    asked = Reviews.are_missing

    async def stored_before(reviews: Reviews, holder: str) -> bool:
        await reviews.look_at_games(holder)
        return await asked(reviews, holder)

    monkeypatch.setattr(Reviews, "are_missing", stored_before)
    finish(ann)
    answer = ann.get("/my/statistics").json()
    assert answer["looking"] is False
    assert [one["looked_at"] for one in answer["statistics"]] == [1, 1]

    async def stored_after(reviews: Reviews, holder: str) -> bool:
        missing = await asked(reviews, holder)
        await asyncio.gather(*reviews.catching_up.values())
        return missing

    monkeypatch.setattr(Reviews, "are_missing", stored_after)
    finish(ann)
    assert "The coach is reviewing your games" in page_of(client, ann)
    again = page_of(client, ann, "/mine/statistics")
    assert ("The coach is reviewing your games" in again) == (again.count("<polyline") < 6)
    again = page_of(client, ann, "/mine/statistics")
    assert ("The coach is reviewing your games" in again, again.count("<polyline")) == (False, 6)


def test_reviewing_a_game_stores_the_verdict(ann: Player) -> None:
    game = finish(ann)
    review = when_ready(lambda: ann.get(f"/matches/{game['id']}/review?options=false")).json()
    skills = {player["name"]: player["skill"] for player in review["players"]}
    assert {one["name"]: one["skill"] for one in ann.get("/my/results").json()} == pytest.approx(skills)


def test_without_a_coach_there_are_plain_statistics(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicecup.web.service.reviewing.is_installed", lambda _extra: False)
    monkeypatch.setattr("dicecup.web.service.reviewing.is_coached", lambda _rules: False)
    finish(ann)
    answer = ann.get("/my/statistics").json()
    assert answer["looking"] is False
    assert [one["luck"] for one in answer["statistics"]] == [None, None]
    page = page_of(client, ann)
    assert "The coach is reviewing" not in page
    assert "Mean points per box" in page
    assert "Points, game by game" not in page  # one game makes no trend


def test_games_with_other_options_are_other_games(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of games with and without jokers are not comparable."""
    monkeypatch.setattr("dicecup.web.service.reviewing.is_installed", lambda _extra: False)
    monkeypatch.setattr("dicecup.web.service.reviewing.is_coached", lambda _rules: False)
    finish(ann)
    finish(ann, joker="none")
    answer = ann.get("/my/statistics").json()
    mine = [one for one in answer["statistics"] if one["name"] == "Ann"]
    assert sorted((one["options"]["joker"], one["games"]) for one in mine) == [("free", 1), ("none", 1)]
    page = page_of(client, ann)
    assert "<h3>Yahtzee · Ann</h3>" in page
    assert "<h3>Yahtzee · Joker: None · Ann</h3>" in page


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", builtin_ids())
def test_unusual_options_have_short_names(game: str, code: str) -> None:
    usual = load_ruleset(game)
    assert unusual_options(usual, language(code)) == []
    for option, values in usual.choices.items():
        for value in values[1:]:
            (said,) = unusual_options(load_ruleset(game, {option: value}), language(code))
            assert len(said) < 60


def test_nobody_sees_the_games_of_others(ann: Player, bo: Player) -> None:
    finish(ann)
    assert bo.get("/my/statistics").json() == {"statistics": [], "looking": False}
    assert bo.get("/my/results").json() == []


def test_the_list_tells_how_each_game_ended(client: TestClient, ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"})
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    state = ann.look(state)
    while state["status"] == "playing":
        player = (ann, bo)[state["turn"]["seat"]]
        state = player.play(state, {"throw": True} if state["turn"]["throw_due"] else best_score(state))
    (listed,) = ann.get("/my/matches").json()
    assert not listed["tried"]
    by_seat = sorted(state["standings"], key=lambda one: one["seat"])
    assert listed["standings"] == by_seat
    winners = " and ".join(("Ann", "Bo")[one["seat"]] for one in by_seat if one["place"] == 1)
    for player, own in zip((ann, bo), by_seat, strict=True):
        page = page_of(client, player)
        assert f'<span class="own-points">{own["points"]} points</span>' in page
        assert f"won by {winners}" in page
        assert "retry" not in page


def test_a_position_tried_again_is_marked_in_the_list(client: TestClient, ann: Player) -> None:
    state = ann.play(ann.open("yatzy"), {"throw": True})
    ann.post(f"/matches/{state['id']}/try", {"moves": 1})
    assert sorted(one["tried"] for one in ann.get("/my/matches").json()) == [False, True]
    assert page_of(client, ann).count("retry") == 1


def test_points_stand_with_the_names_of_several_own_seats(client: TestClient, ann: Player) -> None:
    first, second = sorted(finish(ann)["standings"], key=lambda one: one["seat"])
    page = page_of(client, ann)
    assert f"<span>Ann {first['points']}, Bo {second['points']}</span>" in page
    assert "own-points" not in page
