"""Evenings: a tally that follows from the games, the next game of the same people, and who may do what."""

from __future__ import annotations

import io
import json
import re
import zipfile
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, Player, Visitor, best_score, code, page_of, turn, two_players

from dicecup.i18n.language import LANGUAGES, language
from dicecup.rules.loader import load_ruleset
from dicecup.storage.stored import BestRoll, Ended, MatchLine, Result, Verdict
from dicecup.web.service.evening_tally import duels, totals
from dicecup.web.service.matches import Matches
from dicecup.web.service.personal_data import remove_expired
from dicecup.web.service.statistics import statistics
from dicecup.web.settings import Retention
from dicecup.web.texts import won_text

BO = {"kind": "person", "name": "Bo"}


def line(number: int, points: dict[str, int], *, game: str = "yatzy", undone: bool = False) -> MatchLine:
    """Return a finished game of these people; the best roll of each is a tenth of their points."""
    ended = tuple(
        Ended(
            seat,
            own,
            1 + sum(other > own for other in points.values()),
            mine=False,
            best=BestRoll(own // 10, "chance", "6 6 6 6 6"),
        )
        for seat, own in enumerate(points.values())
    )
    names = tuple(points)
    made = f"2026-01-0{number}"
    return MatchLine(f"m{number}", made, game, names, True, made, undone=undone, ended=ended, evening="e")


def test_the_tally_counts_games_points_and_rolls() -> None:
    tally = totals(
        [
            line(1, {"Ann": 200, "Bo": 250, "bot:random": 90}),
            line(2, {"bo": 180, "Ann ": 190, "bot:random": 100}, undone=True),
            line(3, {"Ann": 300, "Bo": 300}, game="yahtzee"),
        ]
    )
    assert [(one.place, one.name, one.games, one.won, one.points) for one in tally] == [
        (1, "Bo", 3, Fraction(3, 2), 730),
        (2, "Ann", 3, Fraction(3, 2), 690),
        (3, "bot:random", 2, 0, 190),
    ]
    ann = tally[1]
    assert ann.best_game == (300, "yahtzee")
    assert ann.best_roll
    assert ann.best_roll.roll.points == 30
    assert (ann.undone, ann.mean("yatzy"), ann.by_game["yahtzee"]) == (1, 195, [300])
    assert sum(one.won for one in tally) == 3


def test_equal_people_share_their_place_and_nobody_wins_alone() -> None:
    tally = totals([line(1, {"Ann": 100, "Bo": 100, "Cem": 50}), line(2, {"Dan": 500})])
    assert [(one.place, one.name, one.won) for one in tally] == [
        (1, "Ann", Fraction(1, 2)),
        (1, "Bo", Fraction(1, 2)),
        (3, "Dan", 0),
        (4, "Cem", 0),
    ]


def test_deleted_people_are_not_counted_but_their_wins_are_nobody_elses() -> None:
    tally = totals([line(1, {"Ann": 100, "deleted:2": 200})])
    assert [(one.name, one.won) for one in tally] == [("Ann", Fraction(0))]


def test_head_to_head_compares_people_in_the_games_that_both_played() -> None:
    found = duels(
        [
            line(1, {"Ann": 3, "Bo": 2, "Cem": 1, "bot:random": 9}),
            line(2, {"Bo": 5, "Ann": 4}),
            line(3, {"bo": 4, "Ann": 4}),
        ]
    )
    assert [(duel.first, duel.second, duel.won, duel.lost, duel.tied) for duel in found] == [
        ("Ann", "Bo", 1, 1, 1),
        ("Ann", "Cem", 1, 0, 0),
        ("Bo", "Cem", 1, 0, 0),
    ]


def test_games_with_undone_rolls_are_counted_but_not_rated() -> None:
    identity = load_ruleset("yatzy").identity
    results = [
        Result(0, "Ann", "yatzy", identity, 100 * number, 1, 2, "{}", f"2026-01-0{number}", f"m{number}")
        for number in (1, 2, 3)
    ]
    verdicts = {(f"m{number}", 0): Verdict(0, 10.0 * number, -1.0, 0.5) for number in (1, 2, 3)}
    (found,) = statistics(results, verdicts, {"m3"})
    assert (found.mean, found.undone, len(found.judged), found.mean_luck) == (200, 1, 2, 15)


@pytest.mark.parametrize(
    ("won", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(2), "2"),
        (Fraction(1, 2), "½"),
        (Fraction(7, 3), "2⅓"),
        (Fraction(1, 5), "0,20"),
    ],
)
def test_shared_wins_are_written_as_fractions(won: Fraction, text: str) -> None:
    assert won_text(won, language("de")) == text


def finish(state: dict[str, Any], *players: Player) -> dict[str, Any]:
    while state["status"] == "playing":
        state = turn(players[state["turn"]["seat"] % len(players)], state)
    return state


def again(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    answer = player.post(f"/matches/{state['id']}/again")
    assert answer.status_code == 201, answer.text
    following: dict[str, Any] = answer.json()["state"]
    return following


def look(player: Player, evening: str) -> dict[str, Any]:
    found: dict[str, Any] = player.get(f"/evenings/{evening}").json()
    return found


def test_a_second_game_on_one_device_begins_an_evening(ann: Player, visitor: Visitor) -> None:
    """The tally follows the games: what is undone after the end of a game does not count any more."""
    first = ann.open("yatzy", ANN, BO, dice="table")
    while first["status"] == "playing":
        best = first["turn"]["seat"] == 1  # Bo throws five sixes all the time
        first = ann.play(first, {"throw": [6] * 5 if best else [1, 2, 3, 4, 6]})
        first = ann.play(first, best_score(first))
    assert first["evening"] is None
    second = again(ann, first)
    assert [seat["name"] for seat in second["seats"]] == ["Bo", "Ann"]
    evening = look(ann, second["evening"])
    assert [game["id"] for game in evening["games"]] == [first["id"], second["id"]]
    points = [seat["points"] for seat in first["seats"]]
    found = [(one["name"], one["won"], one["points"]) for one in evening["tally"]]
    assert found == [("Bo", 1, points[1]), ("Ann", 0, points[0])]
    best_roll = {"game": "yatzy", "match": first["id"], "points": 50, "box": "yatzy", "dice": "6 6 6 6 6"}
    assert evening["tally"][0]["best_roll"] == best_roll

    ann.post(f"/matches/{first['id']}/undo", {"version": first["version"]})
    assert look(ann, second["evening"])["tally"] == []

    visitor.client.cookies.set("dicecup", ann.key)
    page = visitor.go(f"/e/{second['evening']}")
    assert "Go to game" in page
    assert f"/new/yahtzee?evening={second['evening']}" in page


def test_a_pad_counts_and_so_do_its_corrections(ann: Player) -> None:
    """Points without dice: there is no best roll, and nothing that could have been seen before."""
    evening = ann.post("/evenings", {}).json()
    ann.key = evening["key"]
    state = ann.open("yatzy", ANN, BO, dice="points", evening=evening["evening"]["id"])
    for box in load_ruleset("yatzy").boxes:
        for seat, points in ((0, 0), (1, 6 if box.id == "sixes" else 0)):
            state = ann.play(state, {"seat": seat, "box": box.id, "points": points})
    assert state["status"] == "finished"

    def tally() -> list[tuple[str, float, int]]:
        found = look(ann, evening["evening"]["id"])["tally"]
        assert all(one["best_roll"] is None and one["undone"] == 0 for one in found)
        return [(one["name"], one["won"], one["points"]) for one in found]

    assert tally() == [("Bo", 1, 6), ("Ann", 0, 0)]
    state = ann.play(state, {"seat": 0, "box": "sixes", "points": 12, "was": 0})
    assert tally() == [("Ann", 1, 12), ("Bo", 0, 6)]
    ann.post(f"/matches/{state['id']}/undo", {"version": state["version"], "steps": 3})
    assert tally() == []
    (line,) = ann.get("/my/matches").json()
    assert not line["undone"]
    following = ann.post(f"/evenings/{evening['evening']['id']}/next").json()["state"]
    assert following["id"] == state["id"]


def test_the_seats_of_another_game_are_those_of_the_last_with_the_next_first(
    ann: Player, visitor: Visitor
) -> None:
    evening = ann.post("/evenings", {"name": "Sunday"}).json()
    ann.key = evening["key"]
    first = ann.open("yatzy", ANN, BO, dice="points", evening=evening["evening"]["id"])
    assert first["evening"] == evening["evening"]["id"]
    visitor.client.cookies.set("dicecup", ann.key)
    page = visitor.go(f"/new/yahtzee?evening={first['evening']}")
    assert re.findall(r'name="name" value="(\w+)"', page) == ["Bo", "Ann"]
    assert re.search(r'name="dice" value="points"[^>]* checked', page)
    visitor.send("/new/yahtzee", kind=["person", "person"], name=["Bo", "Ann"], evening=first["evening"])
    assert {game["game"] for game in look(ann, first["evening"])["games"]} == {"yatzy", "yahtzee"}


def test_by_link_everybody_takes_their_seat_with_one_tap(client: TestClient, ann: Player, bo: Player) -> None:
    first = finish(two_players(ann, bo), ann, bo)
    second = again(bo, first)
    assert second["status"] == "waiting"
    page = page_of(client, ann, f"/t/{first['id']}")
    assert 'id="next"' in page
    assert f'hx-get="/e/{second["evening"]}/line"' in page
    assert again(ann, first)["status"] == "playing"
    assert [seat["name"] for seat in ann.look(second)["seats"]] == ["Bo", "Ann"]
    assert ann.look(second)["evening"] == bo.look(second)["evening"] == ann.look(first)["evening"]
    line = page_of(client, ann, f"/e/{second['evening']}/line")
    assert re.search(r"(Ann|Bo) (1|½) · (Ann|Bo) (0|½)", line)


def test_only_people_with_the_link_or_a_seat_can_do_anything(client: TestClient, ann: Player) -> None:
    stranger = Player(client)
    first = finish(ann.open("yatzy", ANN, BO), ann)
    evening = again(ann, first)["evening"]
    assert stranger.look(first)["evening"] is None
    stranger.key = "s" * 43
    other = stranger.open("yatzy", {"kind": "person", "name": "Eve"})
    for answer, expected in (
        (stranger.get("/evenings/aaaaaaaaaaaa"), (404, "evening_unknown")),
        (stranger.post("/evenings/x/matches", {"match": other["id"]}), (404, "evening_unknown")),
        (stranger.post(f"/evenings/{evening}/matches", {"match": first["id"]}), (403, "seat_not_yours")),
        (stranger.post(f"/evenings/{evening}/name", {"name": "Mine"}), (403, "evening_not_yours")),
        (
            stranger.client.delete(f"/api/evenings/{evening}", headers=stranger.headers),
            (403, "evening_not_yours"),
        ),
        (
            stranger.client.delete(
                f"/api/evenings/{evening}/matches/{first['id']}", headers=stranger.headers
            ),
            (403, "seat_not_yours"),
        ),
        (ann.post("/evenings", {"match": first["id"]}), (409, "evening_other")),
        (ann.post(f"/evenings/{evening}/name", {"name": "x" * 61}), (422, "evening_name_wrong")),
        (
            ann.post("/matches", {"game": "yatzy", "seats": [ANN], "evening": "nothing"}),
            (404, "evening_unknown"),
        ),
    ):
        assert (answer.status_code, code(answer)) == expected
    text = stranger.get(f"/evenings/{evening}").text
    assert ann.key not in text
    assert "owner" not in text
    # With the link, a game of one's own can be added, and taken out again.
    assert stranger.post(f"/evenings/{evening}/matches", {"match": other["id"]}).status_code == 200
    assert len(look(ann, evening)["games"]) == 3
    path = f"/api/evenings/{evening}/matches/{other['id']}"
    assert stranger.client.delete(path, headers=stranger.headers).status_code == 200
    assert stranger.look(other)["evening"] is None
    assert ann.post(f"/evenings/{evening}/name", {"name": " Sunday\n"}).json()["name"] == "Sunday"
    assert ann.client.delete(f"/api/evenings/{evening}", headers=ann.headers).status_code == 204
    assert ann.look(first)["evening"] is None
    assert ann.get("/my/evenings").json() == []


def test_a_retry_of_a_position_is_no_game_of_an_evening(ann: Player) -> None:
    first = finish(ann.open("yatzy", ANN, BO), ann)
    tried = ann.post(f"/matches/{first['id']}/try", {"moves": len(first["seats"])}).json()["state"]
    assert code(ann.post("/evenings", {"match": tried["id"]})) == "evening_other"


def test_next_of_an_evening_is_the_game_that_goes_on_or_the_following(ann: Player) -> None:
    evening = ann.post("/evenings", {}).json()
    ann.key = evening["key"]
    path = f"/evenings/{evening['evening']['id']}/next"
    assert code(ann.post(path)) == "evening_empty"
    first = ann.open("yatzy", ANN, BO, evening=evening["evening"]["id"])
    assert ann.post(path).json()["state"]["id"] == first["id"]
    finish(first, ann)
    second = ann.post(path).json()["state"]
    assert second["id"] != first["id"]
    assert second["seats"][0]["name"] == "Bo"


def test_statistics_by_person_over_evenings(ann: Player, visitor: Visitor) -> None:
    first = finish(ann.open("yatzy", ANN, BO), ann)
    finish(again(ann, first), ann)
    second = ann.post("/evenings", {"name": "Monday"}).json()["evening"]["id"]
    finish(ann.open("yatzy", ANN, evening=second), ann)
    people = ann.get("/my/people").json()
    assert people["evenings"] == 2
    found = {one["name"]: one for one in people["people"]}
    assert found.keys() == {"Ann", "Bo"}
    assert (found["Ann"]["games"], found["Ann"]["evenings"]) == (3, 2)
    assert found["Bo"]["by_game"]["yatzy"]["games"] == 2
    assert [duel["games"] for duel in people["head_to_head"]] == [2]
    visitor.client.cookies.set("dicecup", ann.key)
    page = visitor.go("/evenings")
    for word in ("Monday", "Head to head", "By game", "Best roll"):
        assert word in page
    assert "Evenings and people" in visitor.go("/mine")


@pytest.mark.one_database
def test_the_card_is_a_picture_in_every_language(client: TestClient, ann: Player) -> None:
    names = ["<Ann & Bo>", "Ö" * 60]
    state = finish(ann.open("yatzy", *({"kind": "person", "name": name} for name in names)), ann)
    evening = again(ann, state)["evening"]
    client.cookies.clear()
    for spoken in LANGUAGES:
        heads = {language(spoken).gettext(head) for head in ("Won", "Points")}
        for path in (f"/e/{evening}/card.svg", f"/api/evenings/{evening}/card.svg"):
            answer = client.get(path, headers={"Accept-Language": spoken})
            assert answer.headers["content-type"] == "image/svg+xml"
            root = ElementTree.fromstring(answer.text)
            texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
            assert heads | {names[0]} <= texts
            assert "style" not in answer.text  # the content security policy forbids it
            dots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
            assert len(dots) >= 2 + 5  # places, and the pips of five dice


@pytest.mark.one_database
def test_an_evening_without_javascript(visitor: Visitor) -> None:
    visitor.go("/evenings")
    visitor.send("/evenings", name="<b>Friends</b>")
    evening = visitor.path
    assert "&lt;b&gt;Friends&lt;/b&gt;" in visitor.page
    assert "The tally begins when the first game is over." in visitor.page
    visitor.send(f"{evening}/name", name="")
    assert "Evening of " in visitor.page
    visitor.send(f"{evening}/next", expected=409)
    assert "This evening has no game yet." in visitor.page
    visitor.go(evening)
    visitor.send(f"{evening}/dissolve")
    assert visitor.path == "/evenings"
    assert visitor.client.get(evening).status_code == 404


def test_personal_data_holds_evenings_and_loses_them(ann: Player, bo: Player) -> None:
    first = finish(two_players(ann, bo), ann, bo)
    evening = again(ann, first)["evening"]
    ann.post(f"/evenings/{evening}/name", {"name": "At Ann’s"})
    alone = ann.post("/evenings", {"name": "Alone"}).json()["evening"]["id"]
    with zipfile.ZipFile(io.BytesIO(ann.get("/my/data").content)) as archived:
        listed = json.loads(archived.read("evenings.json"))["evenings"]
        games = {game["id"]: game for game in json.loads(archived.read("games.json"))["games"]}
    assert {one["id"] for one in listed} == {evening, alone}
    found = next(one for one in listed if one["id"] == evening)
    assert (found["name"], found["yours"], found["games"][0]) == ("At Ann’s", True, first["id"])
    assert {one["name"] for one in found["people"]} == {"Ann", "Bo"}
    assert games[first["id"]]["evening"] == evening
    assert ann.client.delete("/api/my/data", headers=ann.headers).status_code == 200
    left = look(bo, evening)
    assert (left["name"], [one["name"] for one in left["tally"]]) == ("", ["Bo"])
    assert bo.get(f"/evenings/{alone}").status_code == 404
    assert bo.client.delete("/api/my/data", headers=bo.headers).status_code == 200
    assert bo.get(f"/evenings/{evening}").status_code == 404


def test_retention_keeps_the_tally_of_an_evening(client: TestClient, ann: Player) -> None:
    from datetime import UTC, datetime, timedelta

    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]
    first = finish(ann.open("yatzy", ANN, BO), ann)
    second = again(ann, first)
    empty = ann.post("/evenings", {}).json()["evening"]["id"]
    before = look(ann, second["evening"])["tally"]
    later = datetime.now(UTC) + timedelta(days=400)
    with matches.store.database.changes() as changes:  # the last sign of life of the second game is newer
        changes.run("UPDATE matches SET finished = '2020-01-01T00:00:00+00:00' WHERE id = ?", (first["id"],))

    def remove(retention: Retention, today: datetime) -> None:
        assert client.portal
        client.portal.call(remove_expired, matches, retention, today)

    remove(Retention(abandoned_days=0, finished_days=10), datetime.now(UTC))
    assert look(ann, second["evening"])["tally"] == before
    remove(Retention(abandoned_days=365), later)
    evening = look(ann, second["evening"])
    assert (evening["tally"], [game["id"] for game in evening["games"]]) == (before, [first["id"]])
    assert code(ann.get(f"/evenings/{empty}")) == "evening_unknown"


@pytest.mark.one_database
def test_an_evening_has_an_end(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full evening takes no more games; the same people go on outside it."""
    monkeypatch.setattr("dicecup.web.service.opening.MOST_GAMES", 1)
    evening = ann.post("/evenings", {}).json()
    ann.key = evening["key"]
    first = ann.open("yatzy", ANN, BO, evening=evening["evening"]["id"])
    wish = {"game": "yatzy", "seats": [ANN], "evening": evening["evening"]["id"]}
    assert code(ann.post("/matches", wish)) == "evening_full"
    assert again(ann, finish(first, ann))["evening"] is None
