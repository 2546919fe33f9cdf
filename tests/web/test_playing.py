"""Complete games and every error in them, through the API, on both databases."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import READY, awaited, eventually
from tests.web.conftest import ANN, FRIEND, Player, Visitor, best_score, page_of, quiet, turn, two_players
from tests.web.direct_client import DirectClient

from dicecup.engine import play, record
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.state import MOST_PLAYERS
from dicecup.match import Match
from dicecup.rules.loader import main_ids
from dicecup.storage.entries import EntryTaken, Writer
from dicecup.storage.stored import Addition
from dicecup.web.app import create_app
from dicecup.web.service.matches import Observer
from dicecup.web.settings import Settings


@pytest.mark.parametrize("game", main_ids())
def test_a_whole_game_is_kept_and_proved(ann: Player, game: str) -> None:
    state = ann.open(game)
    commitment = state["commitment"]
    while state["status"] != "finished":
        state = ann.play(state, {"throw": True})
        state = ann.play(state, best_score(state))
    path = f"/matches/{state['id']}/proof"
    proof = eventually(lambda: ann.get(path).json(), lambda proof: proof["proved"])
    assert proof["throws"] == state["version"] // 2
    record = ann.get(f"/matches/{state['id']}/record").text
    assert f"dice verifiable 2 {commitment}" in record
    reviewed = ann.post("/reviews", {"record": record}).json()
    assert reviewed["proof"]["proved"]
    assert reviewed["standings"][0]["points"] == state["standings"][0]["points"]
    (result,) = ann.get("/my/results").json()
    assert result["points"] == state["standings"][0]["points"]
    (mine,) = ann.get("/my/matches").json()
    assert mine["finished"]


def test_a_keep_is_followed_by_the_throw(ann: Player) -> None:
    state = ann.play(ann.open(), {"throw": True})
    kept = state["turn"]["dice"][:2]
    after = ann.play(state, {"keep": kept})
    assert after["turn"]["throws_left"] == 1
    assert after["version"] == state["version"] + 2
    for die in kept:
        assert die in after["turn"]["dice"]


def test_each_move_is_scored_once(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    state = ann.play(ann.open(), {"throw": True})
    scored = []
    place = play.place

    def count(*values: Any) -> Any:
        scored.append(values)
        return place(*values)

    monkeypatch.setattr(play, "place", count)
    ann.play(state, {"box": "chance"})
    assert len(scored) == 1
    assert "Chance" in page_of(ann.client, ann, f"/t/{state['id']}")
    assert len(scored) == 1  # the announcement of the move scores nothing either


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The versions that changes were made against, one for each check."""
    found: list[int] = []
    check = Match.check_version

    def count(match: Match, version: int) -> None:
        found.append(version)
        check(match, version)

    monkeypatch.setattr(Match, "check_version", count)
    return found


@pytest.mark.one_database
def test_the_version_is_checked_once_for_each_change(ann: Player, bo: Player, checked: list[int]) -> None:
    state = ann.play(two_players(ann, bo), {"throw": True})
    state = ann.play(state, {"keep": state["turn"]["dice"][:2]})
    state = ann.play(state, best_score(state))
    path, version = f"/matches/{state['id']}/undo", {"version": state["version"]}
    assert not ann.post(path, {**version, "steps": 2}).json()["done"]
    assert bo.post(f"{path}/agree", {**version, "steps": 2}).json()["done"]
    assert checked == [0, 1, 3, 4, 4]


@pytest.mark.one_database
def test_the_version_is_checked_once_for_each_tap(visitor: Visitor, checked: list[int]) -> None:
    visitor.send("/new/yatzy", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    visitor.send(f"{path}/throw", version="1", keep=["0", "3"])
    visitor.send(f"{path}/score", version="3", box="dice:chance")
    assert checked == [0, 1, 3]


@pytest.mark.one_database
def test_marks_of_a_refused_keep_are_forgotten(visitor: Visitor) -> None:
    """Only dice that were kept stay where they lay."""
    visitor.send("/new/yatzy", kind="person", name="Ann")
    path = visitor.path
    visitor.send(f"{path}/throw", version="0")
    matches = visitor.client.app.state.matches  # type: ignore[attr-defined]
    visitor.send(f"{path}/throw", 422, version="1", keep=["0", "1", "2", "3", "4"])
    assert matches.live[path.rpartition("/")[2]].draft.kept == {}


def test_the_record_is_made_from_the_stored_texts(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is replayed or scored for a download, however long the game is."""
    state = turn(ann, ann.open())
    state = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"], "steps": 1}).json()[
        "state"
    ]
    path = f"/matches/{state['id']}/record"
    with monkeypatch.context() as patch:
        patch.setattr(play, "apply_and_score", None)
        patch.setattr(record, "apply_and_score", None)
        text = ann.get(path).text
        assert ann.client.get(f"/t/{state['id']}/record").text == text
    found, size = record_from_text(text.encode())
    assert (len(found.entries), size) == (state["version"], len(text.encode()))
    assert record_to_text(found) == text


def test_a_bot_plays_its_turn(ann: Player) -> None:
    state = ann.open("yatzy", ANN, {"kind": "bot", "name": "greedy"})
    state = ann.play(state, {"throw": True})
    state = ann.play(state, best_score(state))
    state = eventually(partial(ann.look, state), lambda state: state["turn"]["seat"] == 0)
    assert len(state["seats"][1]["sheet"]) == 1


def test_dice_on_the_table_are_typed(ann: Player) -> None:
    state = ann.open(dice="table")
    assert state["commitment"] is None
    refused = ann.move(state, {"throw": True})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "dice_typed_missing")
    state = ann.play(state, {"throw": [3, 3, 3, 6, 6]})
    assert state["turn"]["dice"] == [3, 3, 3, 6, 6]
    state = ann.play(state, {"keep": [3, 3, 3]})
    assert state["turn"]["dice_to_throw"] == 2
    state = ann.play(state, {"throw": [3, 1]})
    state = ann.play(state, {"box": "four_of_a_kind"})
    assert state["seats"][0]["sheet"] == {"four_of_a_kind": 12}


def test_somebody_types_for_a_bot(ann: Player) -> None:
    state = ann.open("yatzy", ANN, {"kind": "bot", "name": "greedy"}, dice="table")
    state = ann.play(state, {"throw": [1, 2, 3, 4, 5]})
    state = ann.play(state, {"box": "chance"})
    state = ann.play(state, {"throw": [6, 6, 6, 6, 6]})
    state = eventually(
        partial(ann.look, state), lambda state: state["seats"][1]["sheet"] or state["turn"]["throw_due"]
    )
    assert state["seats"][1]["sheet"] == {"yatzy": 50}


def refusal(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_refusals_change_nothing_and_show_the_state(ann: Player, bo: Player, client: TestClient) -> None:
    state = two_players(ann, bo)
    stranger = Player(client, "x" * 43)
    tries = [
        (stranger.move(state, {"throw": True}), (403, "seat_not_yours")),
        (Player(client).move(state, {"throw": True}), (403, "seat_not_yours")),
        (bo.move(state, {"throw": True}), (403, "not_your_turn")),
        (ann.move(state, {"throw": True}, version=7), (409, "version_stale")),
        (ann.move(state, {"box": "ones"}), (422, "score_before_throw")),
        (ann.move(state, {"keep": [6]}), (422, "throw_first")),
        (ann.move(state, {"throw": [1, 2, 3, 4, 5]}), (422, "dice_not_typed")),
        (ann.move(state, {"rubbish": 1}), (422, "move_unreadable")),
        (ann.post(f"/matches/{state['id']}/undo", {"version": 0}), (409, "undo_nothing")),
        (stranger.post(f"/matches/{state['id']}/undo", {"version": 0}), (403, "seat_not_yours")),
        (stranger.post(f"/matches/{state['id']}/begin"), (403, "not_your_table")),
        (ann.post(f"/matches/{state['id']}/begin"), (409, "game_begun")),
        (stranger.post(f"/matches/{state['id']}/join", {"name": "Cy"}), (409, "seat_taken")),
        (stranger.post(f"/matches/{state['id']}/leave", {"seat": 0}), (403, "seat_not_yours")),
        (ann.post(f"/matches/{state['id']}/leave", {"seat": 9}), (422, "seat_unknown")),
        (stranger.post(f"/matches/{state['id']}/claim", {"token": "guess"}), (403, "link_unknown")),
        (stranger.post(f"/matches/{state['id']}/links", {"seat": 0}), (403, "seat_not_yours")),
        (stranger.post(f"/matches/{state['id']}/again"), (403, "seat_not_yours")),
    ]
    for answer, expected in tries:
        assert refusal(answer) == expected
        assert answer.json()["state"]["version"] == 0
        assert "Traceback" not in answer.text
    assert ann.look(state) == state


def test_a_replayed_request_is_stale(ann: Player) -> None:
    state = ann.open()
    after = ann.play(state, {"throw": True})
    again = ann.move(state, {"throw": True})
    assert refusal(again) == (409, "version_stale")
    assert again.json()["state"] == after


def test_two_devices_in_one_seat_act_one_after_the_other(ann: Player, client: TestClient) -> None:
    state = ann.open()
    token = ann.post(f"/matches/{state['id']}/links", {"seat": 0}).json()["token"]
    phone = Player(client)
    claimed = phone.post(f"/matches/{state['id']}/claim", {"token": token}).json()
    phone.key = claimed["key"]
    assert phone.key != ann.key
    assert claimed["state"]["seats"][0]["yours"]
    state = phone.play(state, {"throw": True})
    assert refusal(ann.move(state, {"throw": True}, version=0)) == (409, "version_stale")
    ann.play(state, best_score(state))


def test_one_tap_takes_a_box_back_until_the_next_player_throws(ann: Player, bo: Player) -> None:
    state = two_players(ann, bo)
    state = ann.play(state, {"throw": True})
    assert state["undo"]["alone"] == 0
    dice = state["turn"]["dice"]
    filled = ann.play(state, best_score(state))
    assert filled["undo"]["alone"] == 1
    assert bo.look(state)["undo"]["alone"] == 0
    undone = ann.post(f"/matches/{state['id']}/undo", {"version": filled["version"]}).json()
    assert undone["done"]
    assert undone["state"]["turn"]["dice"] == dice
    filled = ann.play(undone["state"], best_score(undone["state"]))
    thrown = bo.play(filled, {"throw": True})
    assert ann.look(state)["undo"]["alone"] == 0
    asked = ann.post(f"/matches/{state['id']}/undo", {"version": thrown["version"], "steps": 2}).json()
    assert not asked["done"]
    assert bo.look(state)["undo"] == {"alone": 0, "together": 2, "proposed": 2, "agreed": [0]}
    refused = bo.post(f"/matches/{state['id']}/undo/refuse", {"version": thrown["version"]}).json()
    assert refused["undo"]["proposed"] == 0
    ann.post(f"/matches/{state['id']}/undo", {"version": thrown["version"], "steps": 2})
    agreed = bo.post(f"/matches/{state['id']}/undo/agree", {"version": thrown["version"], "steps": 2}).json()
    assert agreed["done"]
    assert agreed["state"]["turn"]["seat"] == 0


def test_the_last_box_can_be_taken_back_until_the_secret_is_shown(database: str) -> None:
    settings = quiet(database, reveal_after=READY)
    with DirectClient(create_app(settings)) as client:
        ann = Player(client)
        state = ann.open("yahtzee")
        while state["status"] != "finished":
            state = ann.play(state, {"throw": True})
            state = ann.play(state, best_score(state))
        assert state["secret"] is None
        undone = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"]}).json()
        assert undone["state"]["status"] == "playing"
        assert ann.get("/my/results").json() == []


def test_leaving_opens_the_seat_for_somebody_else(ann: Player, bo: Player, client: TestClient) -> None:
    state = two_players(ann, bo)
    left = bo.post(f"/matches/{state['id']}/leave", {"seat": 1})
    assert left.json()["seats"][1]["kind"] == "open"
    cy = Player(client)
    joined = cy.post(f"/matches/{state['id']}/join", {"name": "Cy"}).json()
    assert joined["seat"] == 1
    assert joined["state"]["seats"][1]["name"] == "Bo"  # the name of the seat in the record
    assert refusal(bo.move(state, {"throw": True})) == (403, "seat_not_yours")


def test_the_owner_may_begin_without_open_seats(ann: Player) -> None:
    state = ann.open("yatzy", FRIEND, ANN, FRIEND)
    begun = ann.post(f"/matches/{state['id']}/begin").json()
    assert begun["status"] == "playing"
    assert [seat["name"] for seat in begun["seats"]] == ["Ann"]
    assert begun["seats"][0]["yours"]


def test_playing_again_keeps_the_table_together(ann: Player, bo: Player) -> None:
    state = two_players(ann, bo)
    early = ann.post(f"/matches/{state['id']}/again")
    assert early.json()["error"]["code"] == "game_not_over"
    assert bo.look(state)["next"] is None
    while state["status"] != "finished":
        player = (ann, bo)[state["turn"]["seat"]]
        state = player.play(state, {"throw": True})
        state = player.play(state, best_score(state))
    first = ann.post(f"/matches/{state['id']}/again").json()["state"]
    assert first["status"] == "waiting"
    assert [seat["kind"] for seat in first["seats"]] == ["open", "person"]
    assert bo.look(state)["next"] == first["id"]
    second = bo.post(f"/matches/{state['id']}/again").json()["state"]
    assert (second["id"], second["status"]) == (first["id"], "playing")
    assert [(seat["name"], seat["yours"]) for seat in second["seats"]] == [("Bo", True), ("Ann", False)]
    assert ann.post(f"/matches/{state['id']}/again").json()["state"]["id"] == first["id"]


def test_a_commitment_is_shown_first_and_used_once(ann: Player) -> None:
    promise = ann.post("/promises").json()
    state = ann.open(promise=promise["promise"])
    assert state["commitment"] == promise["commitment"]
    wish = {"game": "yatzy", "seats": [ANN], "promise": promise["promise"]}
    assert refusal(ann.post("/matches", wish)) == (409, "promise_used")


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"game": "/etc/passwd", "seats": [ANN]}, "ruleset_unknown"),
        ({"game": "yatzy", "seats": [FRIEND]}, "seats_wrong"),
        ({"game": "yatzy", "seats": [ANN, *[FRIEND] * MOST_PLAYERS]}, "request_wrong"),
        ({"game": "yatzy", "seats": [ANN, ANN]}, "name_twice"),
        ({"game": "yatzy", "seats": [{"kind": "person", "name": "bot:x"}]}, "name_of_bot"),
        ({"game": "yatzy", "seats": [{"kind": "person", "name": ""}]}, "name_wrong"),
        ({"game": "yatzy", "seats": [ANN, {"kind": "bot", "name": "hal"}]}, "bot_unknown"),
        ({"game": "yatzy", "seats": [ANN], "options": {"x": "y"}}, "option_unknown"),
        ({"game": "yatzy", "seats": [ANN], "promise": "short"}, "promise_used"),
        ({"game": "yatzy", "seats": [ANN], "surprise": 1}, "request_wrong"),
    ],
)
def test_an_impossible_match_is_rejected(ann: Player, wish, code: str) -> None:
    answer = ann.post("/matches", wish)
    assert answer.json()["error"]["code"] == code
    assert answer.status_code in (409, 422)


def test_a_full_game_has_as_many_players_as_on_a_pad(ann: Player) -> None:
    people = [{"kind": "person", "name": f"P{number}"} for number in range(MOST_PLAYERS)]
    state = ann.open("yatzy", *people)
    assert len(state["seats"]) == MOST_PLAYERS


def test_the_setup_page_opens_a_full_game(visitor: Visitor) -> None:
    names = [f"P{number}" for number in range(MOST_PLAYERS)]
    visitor.send("/new/yatzy", kind=["person"] * MOST_PLAYERS, name=names, action="play")
    assert visitor.path.startswith("/t/")


def test_a_restart_loses_nothing(settings: Settings) -> None:
    with DirectClient(create_app(settings)) as client:
        ann = Player(client)
        state = ann.play(ann.open(), {"throw": True})
    with DirectClient(create_app(settings)) as client:
        again = Player(client, ann.key)
        assert again.look(state) == state
        again.play(state, best_score(state))


class SlowStore:
    """Notes what shares a transaction."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def append_batch(self, additions: list[Addition], *, hurry: bool) -> list[bool]:
        assert hurry
        self.batches.append([addition.match for addition in additions])
        return [addition.match != "taken" for addition in additions]


def test_moves_that_come_together_share_a_transaction() -> None:
    async def write_all() -> list[list[str]]:
        store: Any = SlowStore()
        writer = Writer(store, Observer().persisted)
        names = ["one", "two", "taken", "three"]
        tasks = [asyncio.create_task(writer.write(Addition(name, 0, ("x",), ""))) for name in names]
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(one, EntryTaken) for one in found] == [False, False, True, False]
        await writer.write(Addition("four", 0, ("x",), ""))
        batches: list[list[str]] = store.batches
        return batches

    assert awaited(write_all()) == [["one", "two", "taken", "three"], ["four"]]
