"""Everything about a person in one file, or deleted; and what nobody came back to goes by itself."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from starlette.testclient import TestClient
from tests.waiting import awaited, eventually
from tests.web.conftest import ANN, FRIEND, Player, Visitor, code, page_of, quiet, turn, two_players
from tests.web.direct_client import DirectClient

from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text
from dicecup.errors import StorageError
from dicecup.i18n.language import LANGUAGES, language
from dicecup.web.app import create_app
from dicecup.web.guard import COOKIE
from dicecup.web.service import personal_data
from dicecup.web.service.matches import Matches
from dicecup.web.service.personal_data import MATCHES_AT_ONCE, archive, remove_expired
from dicecup.web.settings import Retention, Settings, settings_of
from dicecup.web.texts import player_name

RECORD = "dicecup record 1"


def finish(player: Player, other: Player, state: dict[str, Any]) -> dict[str, Any]:
    while state["status"] == "playing":
        state = turn((player, other)[state["turn"]["seat"]], state)
    path = f"/matches/{state['id']}/record"
    eventually(lambda: player.get(path).text, lambda text: "\nsecret " in text)
    return state


def unzip(data: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    """Return `games.json` and the records of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archived:
        assert archived.testzip() is None
        listed = json.loads(archived.read("games.json"))
        names = [name for name in archived.namelist() if not name.endswith(".json")]
        return listed, {name: archived.read(name).decode() for name in names}


def test_the_archive_holds_every_game_as_it_can_be_verified(ann: Player, bo: Player) -> None:
    shared = finish(ann, bo, two_players(ann, bo))
    key = ann.key
    begun = turn(ann, ann.open("yatzy", ANN))
    waiting = ann.open("yum-plus", ANN, FRIEND)
    assert ann.key == key
    answer = ann.get("/my/data")
    assert answer.headers["content-type"] == "application/zip"
    assert "attachment" in answer.headers["content-disposition"]
    listed, records = unzip(answer.content)
    games = {game["id"]: game for game in listed["games"]}
    assert games.keys() == {shared["id"], begun["id"], waiting["id"]}
    assert games[waiting["id"]]["record"] is None
    assert games[shared["id"]]["players"] == ["Ann", "Bo"]
    assert [one["yours"] for one in games[shared["id"]]["results"]] == [True, False]
    assert records.keys() == {f"records/yatzy-{state['id']}.record" for state in (shared, begun)}
    for text in records.values():
        record, _ = record_from_text(text.encode())
        assert record.secret is None or verify(record).problem is None
    assert key.encode() not in answer.content


def test_a_stranger_gets_an_empty_archive(ann: Player, bo: Player) -> None:
    ann.open()
    bo.key = "b" * 43
    listed, records = unzip(bo.get("/my/data").content)
    assert (listed["games"], records) == ([], {})


@pytest.mark.one_database
def test_the_archive_is_made_in_pages(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same number of queries for each page, and none for a single game."""
    for _game in range(5):
        ann.open()
    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]
    store, asked = matches.store, 0
    (holder,) = {row[0] for row in store.database.rows("SELECT key_hash FROM seat_keys")}
    original = store.database.rows

    def counted(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        return original(*arguments)

    monkeypatch.setattr(store.database, "rows", counted)
    monkeypatch.setattr("dicecup.web.service.personal_data.MATCHES_AT_ONCE", 2)
    pieces = list(archive(store, holder))
    assert len(pieces) == 2 * 3 + 1
    assert asked == 3 * 5 + 3 * (5 + 2) + 1 + 3  # then for the evenings, and for what was learned
    assert len(unzip(b"".join(pieces))[1]) == 5
    assert MATCHES_AT_ONCE >= 20


def test_games_alone_are_deleted_and_shared_ones_lose_the_name(
    client: TestClient, ann: Player, bo: Player
) -> None:
    alone = turn(ann, ann.open())
    over = finish(ann, bo, two_players(ann, bo))
    ann_key = ann.key
    going = two_players(ann, bo)
    assert ann.key == ann_key
    moves = ann.get(f"/matches/{over['id']}/record").text.split("begin")[1].count("\n")
    answer = ann.client.delete("/api/my/data", headers=ann.headers)
    assert answer.json() == {"deleted": 1, "kept_for_others": 2}
    assert code(ann.get(f"/matches/{alone['id']}")) == "match_unknown"
    assert ann.get("/my/matches").json() == []
    for state in (over, going):
        seen = bo.look(state)
        assert [seat["name"] for seat in seen["seats"]] == ["deleted:1", "Bo"]
        text = bo.get(f"/matches/{state['id']}/record").text
        assert text.startswith(RECORD)
        assert "Ann" not in text
        record, _ = record_from_text(text.encode())
        assert record.secret is None or verify(record).problem is None
        assert "Deleted player 1" in page_of(client, bo, f"/t/{state['id']}")
    assert bo.get(f"/matches/{over['id']}/record").text.split("begin")[1].count("\n") == moves
    assert bo.get("/my/statistics").json()["statistics"][0]["games"] == 1
    assert code(ann.post(f"/matches/{over['id']}/join", {"name": "Eve"})) == "seat_taken"
    joined = ann.post(f"/matches/{going['id']}/join", {"name": "Eve"})
    assert joined.status_code == 200
    assert ann.client.delete("/api/my/data", headers=ann.headers).json()["deleted"] == 0


def test_deleting_ends_the_streams_of_a_game(client: TestClient, ann: Player) -> None:
    state = ann.open()
    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]
    live = matches.live[state["id"]]
    ann.client.delete("/api/my/data", headers=ann.headers)
    assert live.gone
    assert state["id"] not in matches.live


def test_the_page_asks_twice(visitor: Visitor) -> None:
    visitor.send("/new/yatzy", action="play", kind=["person"], name=["Ann"])
    page = visitor.go("/mine")
    assert '<a href="/mine/data">' in page
    key = visitor.client.cookies[COOKIE]
    visitor.go("/mine/data")
    listed, _ = unzip(visitor.client.get("/mine/data/export").content)
    assert len(listed["games"]) == 1
    assert "Tick the box first" in visitor.send("/mine/data")
    assert len(unzip(visitor.client.get("/mine/data/export").content)[0]["games"]) == 1
    page = visitor.send("/mine/data", sure="yes")
    assert "Your data has been deleted." in page
    assert "1 game is gone." in page
    assert visitor.client.cookies.get(COOKIE) not in (None, key)
    assert visitor.client.cookies.get("name") is None
    assert "No games yet" in visitor.go("/mine")
    visitor.send("/preferences", language="de", back="/mine")  # the form of the new page works


def test_nobody_else_can_delete(visitor: Visitor) -> None:
    answer = visitor.client.post("/mine/data", data={"sure": "yes"})
    assert answer.status_code == 403


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_a_deleted_player_has_a_name_in_every_language(spoken: str) -> None:
    name = player_name("deleted:2", language(spoken))
    assert name.endswith(" 2")
    assert (spoken == "en") == (name == "Deleted player 2")


def test_nobody_is_called_like_a_deleted_player(ann: Player) -> None:
    body = {"game": "yatzy", "seats": [{"kind": "person", "name": "deleted:1"}]}
    assert code(ann.post("/matches", body)) == "name_wrong"


def test_retention_goes_on_after_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = Mock(spec=Matches, settings=Mock())  # of no server, whose own rounds would take some errors
    broken = StorageError("database_unusable", database="", problem="")
    rounds = AsyncMock(side_effect=[broken, RuntimeError("Ann"), SystemExit()])
    monkeypatch.setattr(personal_data, "remove_expired", rounds)
    monkeypatch.setattr(personal_data, "BETWEEN_ROUNDS", 0)
    with pytest.raises(SystemExit):
        awaited(personal_data.keep_to_retention(matches))
    assert rounds.await_count == 3


def test_old_games_go_after_the_time_that_is_set(client: TestClient, ann: Player, bo: Player) -> None:
    abandoned, over = ann.open(), finish(ann, bo, two_players(ann, bo))
    record = ann.get(f"/matches/{over['id']}/record").text
    upload = ann.post("/records", {"record": record}).json()
    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]

    def after(days: int, retention: Retention) -> int:
        portal = client.portal
        assert portal
        return portal.call(remove_expired, matches, retention, datetime.now(UTC) + timedelta(days))

    off = Retention(0, 0, 0)
    assert after(100_000, off) == 0
    assert after(364, Retention()) == 0
    assert after(366, Retention()) == 2
    assert code(ann.get(f"/matches/{abandoned['id']}")) == "match_unknown"
    assert code(ann.get(f"/matches/{upload['id']}")) == "match_unknown"
    assert after(100_000, Retention()) == 0  # a finished game stays
    assert ann.look(over)["status"] == "finished"
    assert after(31, Retention(finished_days=30)) == 1
    assert code(bo.get(f"/matches/{over['id']}")) == "match_unknown"


def test_a_server_removes_old_games_by_itself(settings: Settings) -> None:
    with DirectClient(create_app(settings)) as client:
        ann = Player(client)
        states = [ann.open(), ann.open()]
        with client.app.state.matches.store.database.changes() as changes:  # type: ignore[attr-defined]
            changes.run("UPDATE matches SET created = '2020-01-01' WHERE id = ?", (states[0]["id"],))
    with DirectClient(create_app(replace(settings, retention=Retention()))) as client:
        ann = Player(client, ann.key)
        left = eventually(lambda: ann.get("/my/matches").json(), lambda games: len(games) < len(states))
    assert [game["id"] for game in left] == [states[1]["id"]]


def test_settings_of_the_retention() -> None:
    found = settings_of({"DICECUP_KEEP_ABANDONED_DAYS": "30", "DICECUP_KEEP_FINISHED_DAYS": "x"}).retention
    assert found == Retention(abandoned_days=30)


def test_other_processes_hear_of_a_deletion(postgres_database: str) -> None:
    settings = quiet(postgres_database)
    with DirectClient(create_app(settings)) as here, DirectClient(create_app(settings)) as there:
        ann, bo = Player(here), Player(there)
        alone, shared = ann.open(), two_players(ann, bo)
        for state in (alone, shared):
            assert bo.look(state)["id"] == state["id"]  # in the memory of the other process too
        here.delete("/api/my/data", headers=ann.headers)
        assert code(bo.get(f"/matches/{alone['id']}")) == "match_unknown"
        assert [seat["name"] for seat in bo.look(shared)["seats"]] == ["deleted:1", "Bo"]
        assert "Ann" not in bo.get(f"/matches/{shared['id']}/record").text


def test_older_games_and_statistics_are_other_pages(
    client: TestClient, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicecup.web.pages.library_pages.GAMES_ON_A_PAGE", 2)
    monkeypatch.setattr("dicecup.web.pages.library_pages.RESULTS_ON_A_PAGE", 1)
    monkeypatch.setattr("dicecup.web.service.reviewing.is_installed", lambda _extra: False)
    monkeypatch.setattr("dicecup.web.service.reviewing.is_coached", lambda _rules: False)
    games = [ann.open("yahtzee", ANN) for _game in range(3)]
    for game in games[:2]:
        state = game
        while state["status"] == "playing":
            state = turn(ann, state)
    pages = [page_of(client, ann, "/mine")]
    further = re.search(r'href="(/mine\?before=[^"]*)"', pages[0])
    assert further
    pages.append(page_of(client, ann, unescape(further[1])))
    assert "/mine?before=" not in pages[1]
    for game in games:
        assert sum(f'href="/t/{game["id"]}"' in page for page in pages) == 1
    assert "1 results at a time" in pages[0]
    older = re.search(r'href="(/mine\?results=[^"]*)"', pages[0])
    assert older
    last = page_of(client, ann, unescape(older[1]))
    assert '<section class="statistics">' in last
    assert "/mine?results=" not in last
    assert "Newest games" in last
    links = ann.get("/my/matches?most=2")
    assert len(links.json()) == 2
    last_page = ann.get(links.links["next"]["url"].removeprefix("/api"))
    assert len(last_page.json()) == 1
    assert "next" not in last_page.links
