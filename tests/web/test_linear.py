"""What a request computes grows with the length of a game, and not with its square."""

from __future__ import annotations

import asyncio
import gzip
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message
from tests.waiting import PATIENCE, eventually
from tests.web.coaching import record_of
from tests.web.conftest import ANN, Player, page_of, turn
from tests.web.test_uploads import long_record

from dicecup import Game
from dicecup.engine import record as engine_record
from dicecup.engine.play import apply_and_score
from dicecup.engine.record_text import record_to_text
from dicecup.i18n.language import language
from dicecup.rules.loader import load_ruleset
from dicecup.web.api import library, reviews
from dicecup.web.pages import evening_pages, library_pages, workshop_page
from dicecup.web.pages.match_page import draw_sheets
from dicecup.web.pages.render import PageParts, page_parts
from dicecup.web.service import live_match, matches, record_work, undoing
from dicecup.web.service.record_work import REMEMBERED
from dicecup.web.viewer import Viewer

pytestmark = pytest.mark.one_database
REQUESTS: dict[str, Callable[[Player, str], Any]] = {
    "record": lambda ann, match: ann.get(f"/matches/{match}/record"),
    "proof": lambda ann, match: ann.get(f"/matches/{match}/proof"),
    "try": lambda ann, match: ann.post(f"/matches/{match}/try", {"moves": 0}),
    "page": lambda ann, match: ann.client.get(f"/t/{match}"),
    "upload": lambda ann, match: ann.post("/reviews", {"record": ann.get(f"/matches/{match}/record").text}),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_moves_are_computed_at_most_twice(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Adding an entry by copying the record, or replaying it for every line, would take hundreds of times."""
    ann = Player(client)
    text = long_record(400)
    match = ann.post("/records", {"record": text}).json()["id"]
    computed = 0
    really = apply_and_score

    def count(*arguments: Any) -> Any:
        nonlocal computed
        computed += 1
        return really(*arguments)

    monkeypatch.setattr(engine_record, "apply_and_score", count)
    answer = REQUESTS[name](ann, match)
    assert answer.status_code in (200, 201)
    assert computed <= 2 * len(text.splitlines())


def test_few_states_stay_in_memory(client: TestClient) -> None:
    """However many entries a request adds: a keep is followed by a roll."""
    ann = Player(client)
    state = ann.open("triple-yum-plus")
    live = client.app.state.matches.live[state["id"]]  # type: ignore[attr-defined]
    for move in range(24):
        if state["turn"]["throw_due"]:
            state = ann.play(state, {"throw": True})
        elif state["turn"]["throws_left"]:
            state = ann.play(state, {"keep": []})
        else:
            free = next(one for one in next(iter(state["turn"]["choices"].values())) if one["allowed"])
            state = ann.play(state, {"box": free["box"], "column": free["column"]})
        remembered = live.match.record._recent.steps
        assert len(remembered) == min(state["version"], REMEMBERED), move


def test_a_state_after_the_turns_of_many_bots_is_not_replayed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can be undone and what the others did last are a round ago."""
    ann, really = Player(client), apply_and_score
    computed: list[Any] = []

    def count(*arguments: Any) -> Any:
        computed.append(arguments)
        return really(*arguments)

    monkeypatch.setattr(engine_record, "apply_and_score", count)
    state = ann.open("yatzy", ANN, *[{"kind": "bot", "name": "steady"}] * 5)
    for _turn in range(3):
        state = turn(ann, state)
        state = eventually(partial(ann.look, state), lambda state: state["turn"]["yours"])
        assert page_of(client, ann, f"/t/{state['id']}")
    assert state["undo"]["alone"] > REMEMBERED
    assert len(computed) == state["version"]
    computed.clear()
    for module in (live_match, matches):
        monkeypatch.setattr(module, "LONG", 10)
    client.app.state.matches.live.clear()  # type: ignore[attr-defined]
    assert ann.look(state) == state  # another process has played it
    assert page_of(client, ann, f"/t/{state['id']}")
    assert not computed


LONG_WORK = {
    "record": (matches, "join_record"),
    "proof": (engine_record, "derive_throw"),
    "workshop": (workshop_page, "page"),
    "rules": (library_pages, "page"),
    "rules for programs": (library, "describe_turn"),
    "games": (library_pages, "page"),
    "evenings": (evening_pages, "page"),
}
DRAWN: dict[str, Callable[[Player, str], Any]] = {
    "workshop": lambda ann, _match: ann.client.get("/workshop?game=yatzy"),
    "rules": lambda ann, _match: ann.client.get("/rules/yatzy"),
    "rules for programs": lambda ann, _match: ann.get("/games/yatzy/rules"),
    "games": lambda ann, _match: ann.client.get("/mine"),
    "evenings": lambda ann, _match: ann.client.get("/evenings"),
}


@pytest.mark.parametrize("name", ["record", "proof", "try", "upload", *DRAWN])
def test_long_work_is_not_done_in_the_event_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nobody else is answered meanwhile."""
    game = Game("yatzy", seed=1)
    for box in ("ones", "twos", "threes"):
        game.roll()
        game.score(box)
    ann = Player(client)
    match = ann.post("/records", {"record": record_to_text(game.record)}).json()["id"]
    assert client.portal
    loop = client.portal.call(threading.get_ident)
    threads: list[int] = []
    module, function = LONG_WORK.get(name, (engine_record, "apply_and_score"))
    really = getattr(module, function)

    def note(*arguments: Any, **named: Any) -> Any:
        threads.append(threading.get_ident())
        return really(*arguments, **named)

    monkeypatch.setattr(module, function, note)
    tried = {"try": lambda ann, match: ann.post(f"/matches/{match}/try", {"moves": 4})}
    answer = (REQUESTS | DRAWN | tried)[name](ann, match)
    assert answer.status_code in (200, 201), answer.text
    assert threads
    assert loop not in threads


def test_a_long_game_is_not_played_again_in_this_process(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undoing more than is remembered, and a header that changes, need all of its moves."""
    for module in (undoing, live_match, matches):
        monkeypatch.setattr(module, "LONG", 10)
    ann, bo = Player(client), Player(client)
    states = [ann.open("yatzy")]
    while states[-1]["version"] < REMEMBERED + 6:
        states.append(turn(ann, states[-1]))
    pad = bo.open("yatzy", ANN, dice="points")
    for box in load_ruleset("yatzy").boxes[:12]:
        pad = bo.play(pad, {"seat": 0, "box": box.id, "points": 0})
    moves: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr(engine_record, "apply_and_score", lambda *arguments: moves.append(arguments))
        match, version = states[-1]["id"], states[-1]["version"]
        undone = ann.post(f"/matches/{match}/undo", {"version": version, "steps": version - 2}).json()
        joined = bo.post(f"/matches/{pad['id']}/players", {"name": "Cy"}).json()
    assert not moves
    assert undone["done"]
    assert undone["state"]["seats"] == states[1]["seats"]
    assert undone["state"]["version"] == version + 1
    assert [seat["sheet"] for seat in joined["seats"]] == [pad["seats"][0]["sheet"], {}]
    after = turn(ann, undone["state"])  # and it goes on from there
    client.app.state.matches.live.clear()  # type: ignore[attr-defined]
    assert ann.look(after) == after


def test_other_work_does_not_wait_for_the_process_that_reads_records(client: TestClient) -> None:
    """It has a low priority, and may hang."""
    here = client.app.state.matches  # type: ignore[attr-defined]

    async def work() -> None:
        asked, never = asyncio.Event(), asyncio.Event()

        async def hang(*_question: object) -> None:
            asked.set()
            await never.wait()

        here.reader.ask = hang
        reading = asyncio.create_task(here.work_on_record(record_work.LONG + 1, len, ()))
        await asked.wait()
        assert await asyncio.wait_for(here.in_background(len, "abc"), PATIENCE) == 3
        reading.cancel()

    assert client.portal
    client.portal.call(work)


def test_corrections_of_a_pad_that_is_full_replay_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results are stored again after each of them."""
    ann = Player(client)
    pad = ann.open("yatzy", ANN, dice="points")
    for box in load_ruleset("yatzy").boxes:
        pad = ann.play(pad, {"seat": 0, "box": box.id, "points": 0})
    assert pad["status"] == "finished"
    moves: list[object] = []

    def count(*arguments: Any) -> Any:
        moves.append(arguments)
        return apply_and_score(*arguments)

    monkeypatch.setattr(engine_record, "apply_and_score", count)
    pad = ann.play(pad, {"seat": 0, "box": "chance", "points": 20, "was": 0})
    assert [one["points"] for one in ann.get("/my/results").json()] == [20]
    assert len(moves) == 1


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("size", [0, 10, 300_000])
def test_long_answers_are_sent_in_pieces(size: int, compressed: bool) -> None:
    """A slow client costs no more memory than a piece."""
    text = random.Random(1).randbytes(size)
    packed = gzip.compress(text, 1)
    pieces = list(reviews.pieces_of(packed, compressed))
    assert b"".join(pieces) == (packed if compressed else text)
    assert max(map(len, pieces), default=0) <= reviews.PIECE


def test_sending_a_review_takes_time_of_its_own_request() -> None:
    """Starlette's streaming response has a task of its own, whose time was not counted."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_message: Message) -> None:
        tasks.append(asyncio.current_task())

    async def work() -> None:
        response = reviews.PackedJSON(gzip.compress(bytes(300_000)), compressed=False)
        await response({"type": "http"}, receive, send)
        assert len(tasks) > 3
        assert set(tasks) == {asyncio.current_task()}

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


def test_cached_reviews_are_bytes(client: TestClient) -> None:
    """The objects of a long review would stop the server for a third of a second at a garbage collection."""
    ann = Player(client)
    match = ann.post("/records", {"record": record_of("yatzy", 1, 12)}).json()["id"]
    plain = ann.client.get(f"/api/matches/{match}/review", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    packed = ann.client.get(f"/api/matches/{match}/review", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.json() == packed.json()
    (kept,) = client.app.state.reviews.known.values()  # type: ignore[attr-defined]
    contents = [kept.packed.review, *kept.packed.answers.values()]
    assert {type(content) for content in contents} == {bytes}
    assert kept.weight > sum(map(len, contents))  # and the record
    client.get(f"/t/{match}/review")  # draws it from the game
    assert set(vars(kept.record)) == {
        field.name for field in fields(kept.record)
    }  # nothing was replayed here


def test_many_sheets_are_rendered_one_at_a_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are answered in between."""
    ann = Player(client)
    people = [{"kind": "person", "name": f"Player {number}"} for number in range(12)]
    opened = ann.post("/matches", {"game": "yatzy", "seats": people}).json()
    app: Any = client.app
    live = app.state.matches.live[opened["state"]["id"]]
    steps, together = 0, Counter[int]()
    really = PageParts.render

    def note(parts: PageParts, template: str, item: Any, values: Any) -> str:
        together[steps] += template == "match/row.html"
        return really(parts, template, item, values)

    async def draw() -> None:
        async def count() -> None:
            nonlocal steps
            while True:
                steps += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        viewer = Viewer("", new=True, language=language("sv"), theme="auto", name="", csrf="")
        await draw_sheets(app.state.matches, live, viewer)
        counting.cancel()

    page_parts("sv").texts.clear()
    page_parts("sv").joined.cache_clear()
    monkeypatch.setattr(PageParts, "render", note)
    assert client.portal
    client.portal.call(draw)
    assert together.total() > 100
    assert max(together.values()) <= len(live.playing().rules.lines)
