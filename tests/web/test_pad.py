"""A score pad: points written in any box of any player, corrected, undone, and seen by everybody."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ANN, FRIEND, Player, Visitor, code, page_of
from tests.web.direct_client import DirectClient

from dicecup.engine.record_text import record_from_text
from dicecup.errors import StorageError
from dicecup.rules import load_ruleset
from dicecup.rules.loader import builtin_ids
from dicecup.storage.people import StoredSeats
from dicecup.storage.removal import remove_person
from dicecup.storage.store import Store
from dicecup.web.app import create_app
from dicecup.web.pages import library_pages
from dicecup.web.pages.review_page import points_by_turn
from dicecup.web.service.identity import key_hash
from dicecup.web.service.personal_data import rename_players
from dicecup.web.service.record_work import LONG
from dicecup.web.settings import Settings

BO = {"kind": "person", "name": "Bo"}


def fill(player: Player, state: dict[str, Any], seat: int, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """Write the highest value in every open box of a seat."""
    rules = load_ruleset(state["game"])
    for column in rules.columns:
        for box in reversed(rules.boxes) if column.order == "up" else rules.boxes:
            if box.id in but:
                continue
            place = f"seat={seat}&box={box.id}&column={column.id}"
            values = player.get(f"/matches/{state['id']}/values?{place}").json()["values"]
            move = {"seat": seat, "box": box.id, "points": values[-1]}
            state = player.play(state, move | ({"column": column.id} if column.id else {}))
    return state


@pytest.mark.one_database
@pytest.mark.parametrize("game", builtin_ids())
def test_a_whole_game_on_a_pad(ann: Player, game: str) -> None:
    state = ann.open(game, ANN, dice="points")
    assert (state["dice"], state["commitment"], state["turn"]["throw_due"]) == ("points", None, False)
    state = fill(ann, state, 0)
    assert state["status"] == "finished"
    record, _ = record_from_text(ann.get(f"/matches/{state['id']}/record").content)
    assert record.header.origin.kind == "points"
    assert record.state.finished
    (result,) = ann.get("/my/results").json()
    assert (result["points"], result["luck"]) == (state["standings"][0]["points"], None)
    assert ann.get("/my/statistics").json()["looking"] is False  # the coach has nothing to review


def test_corrections_undo_and_what_was_there(ann: Player) -> None:
    state = ann.open("yatzy", ANN, BO, dice="points")
    state = ann.play(state, {"seat": 1, "box": "sixes", "points": 24})
    assert (state["last"]["seat"], state["turn"]["seat"]) == (1, 0)
    state = ann.play(state, {"seat": 1, "box": "sixes", "points": 18, "was": 24})
    assert state["seats"][1]["sheet"] == {"sixes": 18}
    text = ann.get(f"/matches/{state['id']}/record").text
    assert "2 write sixes 24 " in text
    assert "2 write sixes 18 was 24 " in text
    undone = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"]}).json()["state"]
    assert undone["seats"][1]["sheet"] == {"sixes": 24}
    state = ann.play(undone, {"seat": 1, "box": "sixes", "points": None, "was": 24})
    assert state["seats"][1]["sheet"] == {}


@pytest.mark.one_database
def test_a_correction_is_no_turn_in_the_review(ann: Player, client: TestClient) -> None:
    state = ann.open("yatzy", ANN, dice="points")
    writes: list[tuple[str, int | None, int | None]] = [
        ("fives", 15, None),
        ("sixes", 24, None),
        ("sixes", 18, 24),
        ("sixes", None, 18),
        ("sixes", 30, None),
    ]
    for box, points, was in writes:
        state = ann.play(state, {"seat": 0, "box": box, "points": points, "was": was})
    record, _ = record_from_text(ann.get(f"/matches/{state['id']}/record").content)
    assert points_by_turn(record) == [[0.0, 15.0, 45.0]]
    text = client.get(f"/t/{state['id']}/review").text
    assert "Points, turn by turn" in text
    assert "No decisions yet" not in text  # without dice there are none to show


@pytest.mark.one_database
def test_refusals(ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, dice="points")
    write = {"seat": 0, "box": "sixes", "points": 24}
    for move, expected in (
        ({**write, "points": 25}, "points_impossible"),
        ({**write, "seat": 1}, "seat_unknown"),
        ({**write, "was": 6}, "box_changed"),
        ({**write, "box": "sevens"}, "box_unknown"),
        ({"throw": True}, "pad_without_dice"),
        ({"throw": [1, 2, 3, 4, 5]}, "pad_without_dice"),
        ({"box": "sixes"}, "pad_without_dice"),
    ):
        assert code(ann.move(state, move)) == expected
    assert code(bo.move(state, write)) == "seat_not_yours"
    assert code(ann.post(f"/matches/{state['id']}/players", {"name": "Ann"})) == "name_twice"
    assert code(ann.get(f"/matches/{state['id']}/values?seat=4&box=ones")) == "seat_unknown"
    for wish, expected in (
        ({"seats": [ANN, {"kind": "bot", "name": "steady"}]}, "pad_without_bots"),
        ({"seats": [ANN], "coach": True}, "coach_points_only"),
    ):
        assert code(ann.post("/matches", {"game": "yatzy", "dice": "points", **wish})) == expected
    other = ann.open("yatzy", ANN)
    assert code(ann.move(other, write)) == "points_with_dice"
    assert code(ann.post(f"/matches/{other['id']}/players", {"name": "Bo"})) == "join_without_pad"


def test_devices_write_in_different_boxes_at_once(ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, FRIEND, dice="points")
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    before = ann.look(state)
    ann.play(before, {"seat": 0, "box": "ones", "points": 3})
    after = bo.play(before, {"seat": 0, "box": "twos", "points": 6})  # made against the version before
    assert after["seats"][0]["sheet"] == {"ones": 3, "twos": 6}
    assert code(bo.move(before, {"seat": 0, "box": "ones", "points": 2})) == "box_changed"


def test_somebody_joins_late(ann: Player, settings: Settings) -> None:
    state = ann.open("yatzy", ANN, dice="points")
    state = fill(ann, state, 0, but=("yatzy",))
    answer = ann.post(f"/matches/{state['id']}/players", {"name": "Bo"})
    assert answer.status_code == 201
    state = answer.json()
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bo"]
    assert [seat["yours"] for seat in state["seats"]] == [True, True]
    state = ann.play(state, {"seat": 1, "box": "sixes", "points": 24})
    state = fill(ann, state, 1, but=("sixes",))
    state = ann.play(state, {"seat": 0, "box": "yatzy", "points": 50})
    assert state["status"] == "finished"
    assert len(ann.get("/my/results").json()) == 2
    with DirectClient(create_app(settings)) as again:  # another process reads the same
        later = Player(again, ann.key)
        assert later.look(state)["standings"] == state["standings"]
        record = later.get(f"/matches/{state['id']}/record").content
        assert record_from_text(record)[0].header.players == ("Ann", "Bo")


def test_who_joins_after_somebody_else_gets_the_next_seat(ann: Player, settings: Settings) -> None:
    state = ann.open("yatzy", ANN, dice="points")
    path = f"/matches/{state['id']}/players"
    with DirectClient(create_app(settings)) as other:  # a process that may not know of Bo yet
        there = Player(other, ann.key)
        there.look(state)
        state = ann.play(state, {"seat": 0, "box": "sixes", "points": 24})
        assert ann.post(path, {"name": "Bo"}).status_code == 201
        answer = there.post(path, {"name": "Cleo"})
        assert answer.status_code == 201, answer.text
        state = answer.json()
        assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bo", "Cleo"]
        assert [seat["yours"] for seat in state["seats"]] == [True] * 3
        assert state["seats"][0]["sheet"] == {"sixes": 24}
        assert code(there.post(path, {"name": "Bo"})) == "name_twice"
        record = there.get(f"/matches/{state['id']}/record").content
        assert record_from_text(record)[0].header.players == ("Ann", "Bo", "Cleo")


def test_who_joins_at_the_same_moment_gets_the_next_seat(
    ann: Player, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ann.open("yatzy", ANN, dice="points")
    path = f"/matches/{state['id']}/players"
    add_seat, late = StoredSeats.add_seat, list[object]()

    def add_after_bo(*arguments: Any) -> bool:
        if not late:
            late.append("Bo")
            assert ann.post(path, {"name": "Bo"}).status_code == 201
        return add_seat(*arguments)

    with DirectClient(create_app(settings)) as other:
        there = Player(other, ann.key)
        there.look(state)
        monkeypatch.setattr(StoredSeats, "add_seat", add_after_bo)
        answer = there.post(path, {"name": "Cleo"})
        assert answer.status_code == 201, answer.text
        assert [seat["name"] for seat in answer.json()["seats"]] == ["Ann", "Bo", "Cleo"]


def test_who_joins_does_not_bring_back_a_deleted_name(
    client: TestClient, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ann.open("yatzy", ANN, FRIEND, dice="points")
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    store: Store = client.app.state.matches.store  # type: ignore[attr-defined]
    add_seat, late = StoredSeats.add_seat, list[object]()

    def add_after_ann_is_gone(*arguments: Any) -> bool:
        if not late:
            late.append(remove_person(store, key_hash(ann.key), rename_players))
        return add_seat(*arguments)

    monkeypatch.setattr(StoredSeats, "add_seat", add_after_ann_is_gone)
    state = bo.post(f"/matches/{state['id']}/players", {"name": "Cleo"}).json()
    names = ("deleted:1", "Bo", "Cleo")
    assert tuple(seat["name"] for seat in state["seats"]) == names
    record = record_from_text(bo.get(f"/matches/{state['id']}/record").content)[0]
    assert record.header.players == names


def test_nobody_joins_while_the_store_fails(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    state = fill(ann, ann.open("yatzy", ANN, dice="points"), 0)
    path = f"/matches/{state['id']}/players"

    def fail(*_values: Any) -> bool:
        raise StorageError("database_unusable", database="games", problem="disk full")

    with monkeypatch.context() as broken:
        broken.setattr(StoredSeats, "add_seat", fail)
        assert code(ann.post(path, {"name": "Bo"})) == "storage_unavailable"
        assert ann.look(state) == state
    state = ann.post(path, {"name": "Bo"}).json()
    assert (state["status"], len(state["seats"])) == ("playing", 2)
    assert ann.get("/my/results").json() == []
    state = ann.play(state, {"seat": 1, "box": "sixes", "points": 24})
    assert state["seats"][1]["sheet"] == {"sixes": 24}


def test_somebody_joins_after_many_corrections(ann: Player) -> None:
    """Such a record is long, and its states are found in a worker process."""
    state, was = ann.open("yatzy", ANN, dice="points"), None
    for number in range(LONG + 1):
        points = 6 * (number % 4 + 1)
        state = ann.play(state, {"seat": 0, "box": "sixes", "points": points, "was": was})
        was = points
    state = ann.post(f"/matches/{state['id']}/players", {"name": "Bo"}).json()
    assert [seat["sheet"] for seat in state["seats"]] == [{"sixes": was}, {}]
    state = ann.play(state, {"seat": 1, "box": "sixes", "points": 24})
    undone = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"]}).json()["state"]
    assert [seat["sheet"] for seat in undone["seats"]] == [{"sixes": was}, {}]


def test_a_correction_after_the_end_changes_the_result(ann: Player) -> None:
    state = fill(ann, ann.open("yatzy", ANN, dice="points"), 0)
    points = state["standings"][0]["points"]
    state = ann.play(state, {"seat": 0, "box": "yatzy", "points": 0, "was": 50})
    assert state["status"] == "finished"
    assert [one["points"] for one in ann.get("/my/results").json()] == [points - 50]
    state = ann.play(state, {"seat": 0, "box": "yatzy", "points": None, "was": 0})
    assert (state["status"], ann.get("/my/results").json()) == ("playing", [])


@pytest.mark.one_database
def test_without_scripts(visitor: Visitor, bo: Player) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", action="play", kind="person", name="Ann", dice="points")
    path = visitor.path
    assert f'href="{path}?at=0.sixes"' in visitor.page
    visitor.go(f"{path}?at=0.sixes")
    assert 'name="points" value="30"' in visitor.page
    visitor.send(f"{path}/write", at="0.sixes", points="24", was="")
    assert "Ann, Sixes: 24" in visitor.page
    assert "can’t hold 25x" in visitor.send(f"{path}/write", 422, at="0.fives", points="25x", was="")
    assert "somebody else" in visitor.send(f"{path}/write", 409, at="0.sixes", points="6", was="")
    assert 'name="points" value="nothing"' in visitor.go(f"{path}?at=0.sixes")
    visitor.send(f"{path}/write", at="0.sixes", points="nothing", was="24")
    assert "Ann, Sixes: empty" in visitor.page
    visitor.send(f"{path}/players", name="Bo")
    assert "Bo, Sixes: empty" in visitor.page
    assert 'role="alert"' in visitor.send(f"{path}/players", 422, name="Bo")
    assert visitor.client.get(f"{path}?at=9.sixes").status_code == 422
    assert "coach can’t judge it" in visitor.go(f"{path}/review")
    watched = page_of(visitor.client, bo, path)  # a spectator sees it all and can press nothing
    assert "Score pad" in watched
    assert "?at=" not in watched


@pytest.mark.one_database
def test_only_the_final_dice_are_typed(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", action="play", kind="person", name="Ann", dice="table")
    path = visitor.path
    visitor.send(f"{path}/type", version=0, dice="66655", final="1")
    assert "Keep these" not in visitor.page
    assert "Final dice" in visitor.page
    assert "Ann, final dice: 5 5 6 6 6." in visitor.page
    assert "throw-dot" not in visitor.page
    visitor.send(f"{path}/score", version=1, box="dice:full_house")
    assert "1 final 5 5 6 6 6 " in visitor.client.get(f"{path}/record").text
    assert 'name="final" value="1" checked' in visitor.go(path)


@pytest.mark.one_database
def test_a_pad_to_print(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'href="/rules/yahtzee/pad.pdf?joker=forced"' in client.get("/rules/yahtzee?joker=forced").text
    answer = client.get("/rules/yatzy/pad.pdf?players=2&scoring=scandinavian")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    assert client.get("/rules/yatzy/pad.pdf?players=99").status_code == 422
    monkeypatch.setattr(library_pages, "is_installed", lambda _extra: False)
    refused = client.get("/rules/yatzy/pad.pdf")
    assert refused.status_code == 409
    assert "typst" in refused.text
