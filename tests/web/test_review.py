"""Reviews by the real coach: the page and the API, for every kind of game, in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.databases import quick_folder
from tests.waiting import READY, eventually
from tests.web.coaching import KEPT, record_of, when_ready
from tests.web.conftest import Player, Visitor, best_score, quiet
from tests.web.direct_client import DirectClient

from dicecup.cli.main import main
from dicecup.i18n.language import LANGUAGES, language
from dicecup.web.api.reviews import ReviewAnswer
from dicecup.web.app import create_app

pytestmark = pytest.mark.kernels
NUMBER = r"[+−]?\d+[.,]\d+"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """One server for all tests, so that its coach is prepared once; test_statistics covers persistence."""
    with pytest.MonkeyPatch.context() as patch, quick_folder() as folder:
        patch.setenv("DICECUP_CACHE", KEPT["DICECUP_CACHE"])
        app = create_app(quiet(str(folder / "games.db")))
        with DirectClient(app, raise_server_exceptions=False) as client:
            yield client


@pytest.fixture(autouse=True)
def fresh(client: TestClient) -> None:
    client.cookies.clear()


def upload(player: Player, text: str) -> str:
    answer = player.post("/records", {"record": text})
    assert answer.status_code == 201, answer.text
    match: str = answer.json()["id"]
    return match


def reviewed(player: Player, match: str, query: str = "") -> dict[str, Any]:
    answer = when_ready(lambda: player.get(f"/matches/{match}/review{query}"))
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()
    ReviewAnswer.model_validate(data)
    return data


def play_turns(player: Player, state: dict[str, Any], turns: int) -> dict[str, Any]:
    for _turn in range(turns):
        state = player.play(state, {"throw": True})
        state = player.play(state, best_score(state))
    return state


def test_server_and_command_say_the_same(
    ann: Player, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = record_of("yatzy", 2)
    path = tmp_path / "game.record"
    path.write_text(text)
    assert main(["review", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    match = upload(ann, text)
    assert reviewed(ann, match) == said
    short = reviewed(ann, match, "?options=false")
    for player in [*said["players"], *short["players"]]:
        for decision in player["decisions"]:
            decision.pop("options", None)
    assert short == said


@pytest.mark.parametrize(
    ("game", "players", "moves", "options"),
    [
        ("yatzy", 1, 10**6, {}),
        ("yahtzee", 10, 10**6, {}),
        ("yatzy-sv", 3, 40, {"strike": "last_resort"}),
        ("dice-in-dice", 2, 70, {"extra": "negative"}),
        ("yum-plus", 1, 50, {}),
        ("triple-yum-plus", 2, 60, {"kinds": "matching"}),
    ],
)
def test_every_kind_of_game(
    ann: Player, visitor: Visitor, game: str, players: int, moves: int, options: dict[str, str]
) -> None:
    """The page first without the coach, then with it; its figures match those of the API."""
    match = upload(ann, record_of(game, players, moves, **options))
    before = visitor.go(f"/t/{match}/review")
    assert f"/t/{match}/review/coach" in before
    assert "card-class" not in before
    assert before.count('class="card-name"') == players
    data = reviewed(ann, match)
    part = visitor.go(f"/t/{match}/review/coach?seat={players - 1}")
    page = visitor.go(f"/t/{match}/review?seat={players - 1}")
    assert "review/coach" not in page
    for shown in (part, page):
        assert shown.count("card-class") == players
        last = data["players"][-1]
        for figure in (last["luck"], last["skill"]):
            assert f"{figure:+.1f}".replace("-", "−") in shown
        assert f"expected at the start: {last['expected_at_start']:.1f}" in shown
        assert f"error rate {last['error_rate']:.2f}" in shown
        costly = [decision for decision in last["decisions"] if decision["mark"]]
        assert shown.count('class="fold"') == len(last["course"]) - 1 + len(costly) + unfinished_turn(last)
        tries = {int(moves) for moves in re.findall(r'name="moves" value="(\d+)"', shown)}
        assert tries >= {decision["moves"] for decision in last["decisions"]}
        assert ("near-perfect, but not exact" in shown) == (not data["exact"])
        assert ("The game isn’t finished" in shown) == (not data["finished"])
        assert ("Win chances" in shown) == (not data["finished"] and players > 1)
        assert " style=" not in shown


def unfinished_turn(player: dict[str, Any]) -> bool:
    """Return whether the last decision was a keep: then its turn is not over."""
    return bool(player["decisions"]) and "keep" in player["decisions"][-1]["move"]


def test_every_decision_can_be_tried_again(ann: Player, visitor: Visitor) -> None:
    match = upload(ann, record_of("yatzy", 2, 40))
    visitor.go(f"/t/{match}/review")
    for player in reviewed(ann, match)["players"]:
        for decision in player["decisions"][::4]:
            answer = ann.post(f"/matches/{match}/try", {"moves": decision["moves"]})
            assert answer.status_code == 201
            state = answer.json()["state"]
            assert state["turn"]["dice"] == decision["dice"]
            assert state["turn"]["throws_left"] == decision["throws_left"]
            assert state["turn"]["yours"]  # although the seat was a bot's
            assert state["coach"]
            visitor.go(f"/t/{match}/review")  # the API's players have cleared the cookies
            page = visitor.send(f"/t/{match}/try", moves=str(decision["moves"]))
            assert "your turn" in page
    luckiest = reviewed(ann, match)["players"][0]["luckiest_throw"]
    tried = ann.post(f"/matches/{match}/try", {"moves": luckiest["moves"]}).json()["state"]
    assert tried["turn"]["dice"] == luckiest["dice"]
    assert [seat["kind"] for seat in tried["seats"]] == ["person", "bot"]
    refused = ann.post(f"/matches/{match}/try", {"moves": 41})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "moves_too_many")
    visitor.go(f"/t/{match}/review")
    assert 'role="alert"' in visitor.send(f"/t/{match}/try", 422, moves="41")


def test_typed_dice_and_undo(ann: Player) -> None:
    """Undone moves do not count."""
    state = ann.open(dice="table")
    state = ann.play(state, {"throw": [6, 6, 6, 2, 1]})
    state = ann.play(state, {"keep": [1]})
    state = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"], "steps": 1}).json()[
        "state"
    ]
    state = ann.play(state, {"keep": [6, 6, 6]})
    state = ann.play(state, {"throw": [6, 6]})
    state = ann.play(state, {"box": "yatzy"})
    data = reviewed(ann, state["id"])
    (player,) = data["players"]
    assert [decision["move"] for decision in player["decisions"]] == [{"keep": [6, 6, 6]}, {"box": "yatzy"}]
    assert player["skill"] == pytest.approx(0, abs=1e-6)
    assert player["blunders"] == 0
    assert player["luck"] > 30
    chances = ann.get(f"/matches/{state['id']}/chances").json()
    assert chances["players"] == [1.0]


def test_hints_come_with_reasons_and_as_the_command_gives_them(
    ann: Player, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ann.play(ann.open(dice="table", coach=True), {"throw": [6, 6, 6, 2, 1]})
    hint = when_ready(lambda: ann.get(f"/matches/{state['id']}/hint?reasons=true")).json()
    assert main(["hint", "yatzy / / 1 2 6 6 6 / 2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert hint.pop("to_win") is None  # not asked for
    hint["options"] = [
        {key: value for key, value in one.items() if value is not None} for one in hint["options"]
    ]
    assert hint == said
    plain = ann.get(f"/matches/{state['id']}/hint").json()
    assert all(option["reason"] is None for option in plain["options"])


def test_a_review_follows_the_game(ann: Player) -> None:
    state = play_turns(ann, ann.open(), 2)
    assert len(reviewed(ann, state["id"])["players"][0]["course"]) == 3
    state = play_turns(ann, state, 1)
    assert len(reviewed(ann, state["id"])["players"][0]["course"]) == 4


def test_between_people_only_finished_games_are_reviewed(ann: Player, bo: Player, visitor: Visitor) -> None:
    """While people play against each other without the coach, the review must not give its help either."""
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"})
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    state = play_turns(ann, ann.look(state), 1)
    for path in ("review", "chances"):
        refused = bo.get(f"/matches/{state['id']}/{path}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "coach_later")
    page = visitor.go(f"/t/{state['id']}/review")
    assert "its review when the game is over" in page
    assert "review/coach" not in page
    assert "card-class" not in visitor.go(f"/t/{state['id']}/review?coach=yes")
    on = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"}, coach=True)
    assert len(reviewed(ann, on["id"])["players"]) == 2
    chances = when_ready(lambda: ann.get(f"/matches/{on['id']}/chances")).json()
    assert sum(chances["players"]) == pytest.approx(1)


def test_without_scripts_a_link_asks_the_coach(ann: Player, visitor: Visitor) -> None:
    match = upload(ann, record_of("yatzy"))
    assert f'<noscript><a href="/t/{match}/review?coach=yes">' in visitor.go(f"/t/{match}/review")
    asked = f"/t/{match}/review?coach=yes"
    page = eventually(lambda: visitor.go(asked), lambda page: "card-class" in page, READY)
    assert "Expected final score through the game" in page
    assert "Points, turn by turn" not in page


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language(ann: Player, client: TestClient, code: str) -> None:
    match = upload(ann, record_of("dice-in-dice", 1, 20))
    reviewed(ann, match)
    client.cookies.set("language", code)
    page = client.get(f"/t/{match}/review").text
    spoken = language(code)
    for words in ("Luckiest roll", "Biggest mistake", "All turns", "Luck", "Skill"):
        assert spoken.gettext(words) in page
    assert re.search(r"\d,\d" if code != "en" else r"\d\.\d", page)
    assert "{" not in re.sub(r"<meta name=\"htmx-config\"[^>]*>", "", page)


def test_games_without_a_decision(ann: Player, visitor: Visitor) -> None:
    state = ann.open()
    data = reviewed(ann, state["id"])
    assert data["players"][0]["rating"] is None
    assert data["players"][0]["luckiest_throw"] is None
    assert "No decisions yet" in visitor.go(f"/t/{state['id']}/review")
    refused = ann.get("/matches/nowhere/review")
    assert refused.status_code == 404
    waiting = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "open"})
    refused = ann.get(f"/matches/{waiting['id']}/review")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "game_not_begun")
