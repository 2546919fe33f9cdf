"""The same dice for all: everybody plays alone, nobody sees another's dice before their own, the result opens
for all at once.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from itertools import count
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import eventually
from tests.web.conftest import ANN, FRIEND, Player, best_score, code, page_of

import dicecup
from dicecup.engine.fairness import ThrowNumber
from dicecup.engine.record import Record, RecordBuilder
from dicecup.engine.record_dice import moves_of, verify
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.state import Keep, Placement, Score, Throw
from dicecup.errors import StorageError
from dicecup.i18n.language import language
from dicecup.match import verifiable_origin
from dicecup.rules.loader import load_ruleset
from dicecup.storage.store import Store
from dicecup.web.api import library, match_requests, reviews
from dicecup.web.guard import COOKIE
from dicecup.web.pages import coach_page, library_pages, match_page, review_page
from dicecup.web.pages.coach_view import crossed_text
from dicecup.web.service import opening

BOT = {"kind": "bot", "name": "random"}
one_database = pytest.mark.one_database


def opened(ann: Player, bo: Player, opens: str = "game", **more: Any) -> dict[str, Any]:
    """Ann opens a match with the same dice for all, and Bo takes its open seat."""
    state = ann.open("yatzy", ANN, FRIEND, same_dice=opens, **more)
    joined = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"})
    assert joined.status_code == 200, joined.text
    bo.key = joined.json()["key"]
    return ann.look(state)


def part_of(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    answer = player.post(f"/matches/{state['id']}/part")
    assert answer.status_code == 201, answer.text
    own: dict[str, Any] = answer.json()["state"]
    return own


def turn(player: Player, part: dict[str, Any], kept: int | None = None) -> dict[str, Any]:
    """One turn: the best box at once, or after keeping so many dice."""
    part = player.play(part, {"throw": True})
    if kept is not None:
        part = player.play(part, {"keep": part["turn"]["dice"][:kept]})
    return player.play(part, best_score(part))


def play(player: Player, state: dict[str, Any], kept: int | None = None) -> dict[str, Any]:
    part = part_of(player, state)
    while part["status"] == "playing":
        part = turn(player, part, kept)
    return part


def ended(player: Player, state: dict[str, Any]) -> dict[str, Any]:
    return eventually(lambda: player.look(state), lambda seen: bool(seen["secret"]))


def record_of(player: Player, state: dict[str, Any]) -> Record:
    return record_from_text(player.get(f"/matches/{state['id']}/record").text.encode())[0]


def throws(record: Record, seat: int) -> list[list[object]]:
    return [[move.dice for move in moves if isinstance(move, Throw)] for moves in moves_of(record, seat)]


def test_a_whole_match_each_in_their_own_time(ann: Player, bo: Player) -> None:
    promise = ann.post("/promises").json()
    seats = [{**ANN, "seed": "tulip"}, FRIEND, BOT]
    state = ann.open("yatzy", *seats, same_dice="game", promise=promise["promise"])
    assert (state["status"], state["same"]["opens"], state["same"]["part"]) == ("waiting", "game", None)
    done = play(ann, state)  # before anybody else has joined
    assert (done["status"], done["same"]["part_of"]) == ("finished", state["id"])
    joined = bo.post(f"/matches/{state['id']}/join", {"name": "Bo", "seed": "rose"})
    bo.key = joined.json()["key"]
    seen = bo.look(state)
    assert [(one["turns"], one["done"]) for one in seen["same"]["players"]] == [
        (15, True),
        (0, False),
        (0, False),
    ]
    play(bo, state, kept=2)
    state = ended(bo, state)
    assert state["status"] == "finished"
    record = record_of(bo, state)
    proof = verify(record)
    assert (proof.proved, proof.same_dice, proof.against) == (True, True, ("server", "players"))
    assert record.header.origin.commitment == promise["commitment"]
    assert record.header.origin.player_seeds == (
        "tulip",
        "",
        "",
    )  # a word that came later would change the dice
    first, second, bot = (throws(record, seat) for seat in range(3))
    for one, other, third in zip(first, second, bot, strict=True):
        assert one[0] == other[0] == third[0]
    rounds = bo.get(f"/matches/{state['id']}/rounds").json()
    assert rounds["finished"]
    assert len(rounds["rounds"]) == 15
    assert all(one["parted"] == 0 for one in rounds["rounds"])  # Bo rolled again, Ann never did
    for seat in range(3):
        points = sum(one["players"][seat]["points"] for one in rounds["rounds"])
        assert points == state["seats"][seat]["points"]
    (line,) = ann.get("/my/matches").json()
    assert line["id"] == state["id"]
    (result,) = ann.get("/my/results").json()
    assert (result["match"], result["players"]) == (state["id"], 3)


@one_database
def test_turns_open_when_all_have_finished_them(ann: Player, bo: Player) -> None:
    state = opened(ann, bo, "turn")
    mine, theirs = part_of(ann, state), part_of(bo, state)
    path = f"/matches/{state['id']}/rounds"
    mine = turn(ann, turn(ann, mine))
    assert bo.get(path).json()["rounds"] == []
    theirs = turn(bo, theirs, kept=1)
    seen = bo.get(path).json()
    assert [one["turn"] for one in seen["rounds"]] == [1]
    assert [one["seat"] for one in seen["rounds"][0]["players"]] == [0, 1]
    assert seen["rounds"][0]["players"][0]["loss"] is None
    assert not seen["finished"]
    assert ann.look(state)["same"]["turns_open"] == 1


# Nobody sees what they must not


def routes_of_a_match() -> list[tuple[str, str]]:
    routers = (
        *(match_requests.router, match_requests.moves_router, reviews.router, library.router),
        *(match_page.router, coach_page.router, review_page.router, library_pages.router),
    )
    routes: list[Any] = [route for router in routers for route in router.routes]
    return [(method, route.path) for route in routes for method in route.methods if "{match}" in route.path]


@one_database
def test_nobody_else_sees_anything_of_a_game_that_is_played_apart(
    client: TestClient, ann: Player, bo: Player
) -> None:
    """Every route of a match, for an opponent and for a stranger: it does not exist for them."""
    state = opened(ann, bo)
    part = turn(ann, part_of(ann, state))
    routes = routes_of_a_match()
    assert len(routes) > 30
    stranger = Player(client, "x" * 40)
    for method, path in routes:
        address = path.replace("{match}", part["id"])
        for player in (bo, stranger):
            client.cookies.clear()
            headers = {"Cookie": f"{COOKIE}={player.key}", **player.headers}
            body: dict[str, Any] = {"json": {}} if path.startswith("/api") else {"data": {}}
            answer = client.request(method, address, headers=headers, **(body if method == "POST" else {}))
            # Bodies and tokens of forms are checked first.
            expected = (404,) if method == "GET" else (403, 404, 422)
            assert answer.status_code in expected, (method, path, answer.text)
            assert part["seats"][0]["name"] not in re.sub(r"<title>.*?</title>", "", answer.text)
    assert ann.get(f"/matches/{part['id']}").status_code == 200


@one_database
def test_the_match_of_all_shows_nothing_before_the_end(client: TestClient, ann: Player, bo: Player) -> None:
    state = opened(ann, bo)
    part = ann.play(part_of(ann, state), {"throw": True})
    seen = bo.look(state)
    assert (seen["turn"], seen["last"], seen["standings"], seen["secret"]) == (None, None, [], None)
    assert part["id"] not in json.dumps(seen)
    assert bo.get(f"/matches/{state['id']}/rounds").json()["rounds"] == []
    for what in ("record", "proof", "review", "hint", "chances"):
        assert bo.get(f"/matches/{state['id']}/{what}").status_code in (404, 409)
    page = page_of(client, bo, f"/t/{state['id']}")
    assert part["id"] not in page
    ann.play(part, best_score(part))
    play(ann, state)
    assert bo.look(state)["standings"] == []  # Bo has not played
    assert ann.look(part)["secret"] is None


@one_database
def test_a_record_cannot_be_shown_to_the_others_by_uploading_it(ann: Player, bo: Player) -> None:
    state = opened(ann, bo)
    part = turn(ann, part_of(ann, state))
    text = ann.get(f"/matches/{part['id']}/record").text
    assert code(ann.post("/records", {"record": text})) == "record_of_running"


def test_a_retry_does_not_give_access_to_the_coach(client: TestClient, ann: Player, bo: Player) -> None:
    """Without the coach, nobody gets its help from a second match that stands where their own game stands."""
    own = turn(ann, part_of(ann, opened(ann, bo)))
    assert code(ann.post(f"/matches/{own['id']}/try", {"moves": 1})) == "coach_later"
    assert "Try again" not in page_of(client, ann, f"/t/{own['id']}/review")
    alone = turn(ann, part_of(ann, ann.open("yatzy", ANN, BOT, same_dice="game")))
    assert ann.post(f"/matches/{alone['id']}/try", {"moves": 1}).status_code == 201


@one_database
def test_no_roll_can_be_taken_back(ann: Player, bo: Player) -> None:
    """Only the last box, and only while the others cannot see it."""
    state = opened(ann, bo, "turn")
    part = ann.play(part_of(ann, state), {"throw": True})
    part = ann.play(part, {"keep": part["turn"]["dice"][:2]})
    assert part["undo"]["alone"] == 0
    path = f"/matches/{part['id']}/undo"
    assert code(ann.post(path, {"version": part["version"], "steps": 2})) == "undo_nothing"
    part = ann.play(part, best_score(part))
    assert part["undo"]["alone"] == 1
    part = ann.post(path, {"version": part["version"]}).json()["state"]
    part = ann.play(part, best_score(part))
    turn(bo, part_of(bo, state))
    assert ann.look(part)["undo"]["alone"] == 0
    assert code(ann.post(path, {"version": part["version"]})) == "undo_nothing"


@one_database
def test_nothing_of_the_whole_match_can_be_taken_back(ann: Player, bo: Player) -> None:
    state = opened(ann, bo)
    play(ann, state)
    play(bo, state)
    state = ended(ann, state)
    answer = ann.post(f"/matches/{state['id']}/undo", {"version": state["version"], "steps": 1})
    assert code(answer) == "undo_nothing"


@one_database
def test_who_wins_at_once_ends_the_whole_match(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_ruleset("generala")
    secrets = (sha256(str(number).encode()).digest() for number in count())
    first = ThrowNumber(1, 1, 1)
    lucky = next(
        secret
        for secret in secrets
        if len(set(verifiable_origin(secret, (), same_dice=True).throw(secret, first, rules, 5, 1))) == 1
    )
    monkeypatch.setattr(opening, "new_secret", lambda: lucky)
    state = ann.open("generala", ANN, BOT, same_dice="game")
    part = ann.play(part_of(ann, state), {"throw": True})
    assert part["status"] == "finished"
    state = ended(ann, state)
    record = record_of(ann, state)
    assert (state["status"], record.state.winner, verify(record).proved) == ("finished", 0, True)
    assert [place["place"] for place in state["standings"]] == [1, 2]


# The whole is stored at once


def test_the_whole_waits_for_a_store_that_fails(
    ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = opened(ann, bo)
    tried: list[str] = []

    def fail(_store: Store, match: str, *_values: Any) -> bool:
        tried.append(match)
        raise StorageError("database_unusable", database="games", problem="disk full")

    with monkeypatch.context() as broken:
        broken.setattr(Store, "finish_same", fail)
        play(ann, state)
        play(bo, state)
        seen = eventually(lambda: ann.look(state), lambda _: len(tried) > 1)
        assert (seen["status"], seen["standings"], seen["version"]) == ("waiting", [], 0)
        assert ann.get("/my/results").json() == []
    state = ended(ann, state)
    assert verify(record_of(ann, state)).proved
    assert len(ann.get("/my/results").json()) == 1


def test_another_process_stores_the_whole_first(
    ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ann.open("yatzy", ANN, FRIEND, BOT, same_dice="game")
    play(ann, state)
    finish = Store.finish_same
    kept: list[bool] = []

    def finish_twice(*values: Any) -> bool:
        kept.extend((finish(*values), finish(*values)))
        return kept[-1]

    monkeypatch.setattr(Store, "finish_same", finish_twice)
    answer = ann.post(f"/matches/{state['id']}/begin")
    assert (answer.status_code, kept) == (200, [True, False])
    state = ended(ann, state)
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "bot:random"]
    assert len(ann.get("/my/results").json()) == 1


# Seats


@one_database
@pytest.mark.parametrize(
    ("seats", "more", "expected"),
    [
        ([ANN], {}, "same_dice_seats"),
        ([ANN, {"kind": "person", "name": "Bo"}], {}, "same_dice_seats"),
        ([ANN, BOT], {"dice": "table"}, "same_dice_typed"),
    ],
)
def test_matches_that_cannot_have_the_same_dice(
    ann: Player, seats: list[dict[str, str]], more: dict[str, str], expected: str
) -> None:
    answer = ann.post("/matches", {"game": "yatzy", "seats": seats, "same_dice": "game", **more})
    assert code(answer) == expected


@one_database
def test_one_seat_for_everybody(ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, FRIEND, FRIEND, same_dice="game")
    assert code(ann.post(f"/matches/{state['id']}/join", {"name": "Eve"})) == "same_dice_seats"
    assert code(Player(ann.client, "x" * 40).post(f"/matches/{state['id']}/part")) == "seat_not_yours"
    other = bo.open("yatzy", ANN)
    assert code(bo.post(f"/matches/{other['id']}/part")) == "same_dice_not"
    assert code(bo.get(f"/matches/{other['id']}/rounds")) == "same_dice_not"


@one_database
def test_whoever_has_begun_stays(ann: Player, bo: Player) -> None:
    state = opened(ann, bo)
    part = part_of(bo, state)
    assert part_of(bo, state)["id"] == part["id"]
    assert code(bo.post(f"/matches/{state['id']}/leave", {"seat": 1})) == "same_dice_begun"


@one_database
def test_the_host_shows_the_result_without_those_who_do_not_finish(ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", {**ANN, "seed": ""}, FRIEND, FRIEND, BOT, same_dice="game")
    bo.key = bo.post(f"/matches/{state['id']}/join", {"name": "Bo"}).json()["key"]
    part = turn(bo, part_of(bo, state))
    begin = f"/matches/{state['id']}/begin"
    assert code(bo.post(begin)) == "not_your_table"
    assert code(ann.post(begin)) == "same_dice_unfinished"
    play(ann, state)
    assert ann.post(begin).status_code == 200
    state = ended(ann, state)
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "bot:random"]
    assert verify(record_of(ann, state)).proved
    assert bo.look(part)["status"] == "playing"  # Bo keeps the own game


@one_database
def test_another_device_of_the_same_player(ann: Player, bo: Player) -> None:
    state = opened(ann, bo)
    part = turn(ann, part_of(ann, state))
    token = ann.post(f"/matches/{state['id']}/links", {"seat": 0}).json()["token"]
    phone = Player(ann.client)
    phone.key = phone.post(f"/matches/{state['id']}/claim", {"token": token}).json()["key"]
    assert phone.get(f"/matches/{part['id']}").status_code == 404
    assert part_of(phone, state)["version"] == part["version"]


# Against one's former self


@one_database
def test_dice_of_an_own_game_are_played_again(ann: Player) -> None:
    former = ann.open("yatzy", ANN, BOT)
    former = eventually(lambda: ann.look(former), lambda seen: bool(seen["turn"]["yours"]))
    while former["secret"] is None:
        former = eventually(
            lambda: ann.look(former),  # noqa: B023 - called at once
            lambda seen: bool(seen["secret"] or (seen["turn"] and seen["turn"]["yours"])),
        )
        if former["turn"]:
            former = turn(ann, former, kept=2)
    answer = ann.post(f"/matches/{former['id']}/replay", {"seat": 0, "name": "Ann"})
    assert answer.status_code == 201, answer.text
    again = answer.json()["state"]
    assert again["seats"][1]["name"].startswith("Ann 20")
    play(ann, again, kept=2)
    again = ended(ann, again)
    record = record_of(ann, again)
    assert throws(record, 0) == throws(record, 1) == throws(record_of(ann, former), 0)
    proof = verify(record)
    assert (proof.proved, proof.borrowed, proof.against) == (True, True, ())
    assert [one["match"] for one in ann.get("/my/results").json()] == [former["id"]]  # it does not count
    third = ann.post(f"/matches/{again['id']}/again").json()["state"]
    play(ann, third, kept=2)
    assert ended(ann, third)["status"] == "finished"


@one_database
def test_dice_that_cannot_be_played_again(ann: Player) -> None:
    state = ann.open("yatzy", ANN)
    path = f"/matches/{state['id']}/replay"
    assert code(ann.post(path, {"seat": 0, "name": "Ann"})) == "game_not_over"
    assert code(ann.post(path, {"seat": 5, "name": "Ann"})) == "seat_unknown"


@one_database
def test_dice_that_the_secret_does_not_give_are_not_played_again(ann: Player) -> None:
    game = dicecup.Game("yatzy", ["Ann"])
    while not game.finished:
        game.roll()
        game.score(max(game.points(), key=game.points().__getitem__))
    header, (_, *others) = game.record.header, game.record.entries
    changed = RecordBuilder(Record(header))
    for entry in (Throw((1, 1, 1, 1, 1)), *others):
        changed.add(entry)
    uploaded = ann.post("/records", {"record": record_to_text(changed.build())}).json()
    answer = ann.post(f"/matches/{uploaded['id']}/replay", {"seat": 0, "name": "Ann"})
    assert code(answer) == "secret_lost"


# Pages, without scripts


def visit(client: TestClient, player: Player, path: str, **fields: Any) -> tuple[str, str]:
    """Send a form as a browser does that holds this key; return the page and its path."""
    client.cookies.clear()
    client.cookies.set(COOKIE, player.key)
    page = client.get("/").text
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found
    answer = client.post(path, data={"csrf": found[1], **fields})
    assert answer.status_code == 200, answer.text
    return answer.text, answer.url.path


@one_database
def test_pages_from_the_set_up_to_the_result(client: TestClient, ann: Player, bo: Player) -> None:
    ann.key = "a" * 40
    seats = {"kind": ["person", "open"], "name": ["Ann", ""]}
    page, path = visit(client, ann, "/new/yatzy", dice="same", opens="turn", action="play", **seats)
    assert "same dice for all" in page
    assert 'id="part"' in page
    whole = path.removeprefix("/t/")
    page = page_of(client, bo, path)
    assert 'name="seed"' not in page
    assert "has played it. Share the link" in page  # with a space between the sentences
    bo.key = bo.post(f"/matches/{whole}/join", {"name": "Bo"}).json()["key"]
    page, part = visit(client, ann, f"{path}/part")
    assert "Ann, it’s your turn" in page
    assert f'href="{path}"' in page
    assert "Invite others" not in page
    state = {"id": whole}
    turn(ann, part_of(ann, state))
    turn(bo, part_of(bo, state), kept=2)
    page = page_of(client, bo, path)
    assert "1 of 15 turns" in page
    assert "1 turn is open" in page
    page = page_of(client, bo, f"{path}/rounds")
    assert "Turn 1" in page
    assert "Turn 2" not in page
    play(ann, state)
    page = page_of(client, ann, part)
    assert "The result opens when everyone has played." in page
    assert 'id="begin"' in page_of(client, ann, path)
    play(bo, state)
    ended(ann, state)
    page = page_of(client, ann, path)
    assert "Where you parted" in page
    assert 'id="replay"' in page
    page = page_of(client, bo, f"{path}/rounds")
    assert page.count('<section class="round') == 15
    page, again = visit(client, ann, f"{path}/replay", seat="0")
    assert "it’s your turn" in page
    assert again not in (path, part)


@one_database
def test_set_up_page_says_why_the_dice_cannot_be_the_same(client: TestClient, ann: Player) -> None:
    client.cookies.set(COOKIE, "a" * 40)
    found = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
    assert found
    fields = {"csrf": found[1], "kind": "person", "name": "Ann", "dice": "same", "action": "play"}
    answer = client.post("/new/yatzy", data=fields)
    assert answer.status_code == 422
    assert "a device of their own" in answer.text
    assert re.search(r'value="same" checked', answer.text)


def two_boxes(inner: str, outer: str) -> Score:
    return Score((Placement(inner), Placement(outer)))


@pytest.mark.parametrize(
    ("game", "move", "points", "said"),
    [
        ("yatzy", Score((Placement("twos"),)), 0, "cross out Twos"),
        ("yatzy", Score((Placement("twos"),)), 4, "Twos"),
        ("yatzy", Keep((6, 6)), 0, "keep 6 6"),
        ("dice-in-dice", two_boxes("yatzy", "sixes"), 12, "inner dice: cross out Yatzy, outer dice: Sixes"),
        (
            "dice-in-dice",
            two_boxes("ones", "full_house"),
            1,
            "inner dice: Ones, outer dice: cross out Full House",
        ),
        ("dice-in-dice", two_boxes("ones", "sixes"), 13, "inner dice: Ones, outer dice: Sixes"),
    ],
)
def test_a_box_that_got_nothing_was_crossed_out(game: str, move: Any, points: int, said: str) -> None:
    dice: dict[str, Any] = {
        "yatzy": (2, 2, 3, 4, 6),
        "dice-in-dice": ((6, 5), (6, 4), (3, 3), (5, 2), (4, 1), (2, 2)),
    }
    assert crossed_text(load_ruleset(game), move, dice[game], points, language("en")) == said
