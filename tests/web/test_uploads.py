"""Uploaded records use bounded resources, whatever they contain."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.waiting import PATIENCE
from tests.web.conftest import Player, Visitor, best_score

from dicecup.engine import record as record_module
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import RecordWriter, record_to_text
from dicecup.errors import UsageError
from dicecup.i18n.language import LANGUAGES, language
from dicecup.rules.loader import house_reference, load_ruleset, load_without_files
from dicecup.web.service import live_match, matches, record_work, worker
from dicecup.web.service.record_work import (
    MOST_COMING,
    MOST_COMING_OF_CALLER,
    MOST_LINE,
    MOST_LINES,
    MOST_RECORD,
    Uploads,
)
from dicecup.web.service.worker import caller_of_request

pytestmark = pytest.mark.one_database


def long_record(lines: int) -> str:
    rules = load_ruleset("yatzy")
    header = [
        "dicecup record 1",
        "game yatzy",
        *(f"option {name}={value}" for name, value in rules.options.items()),
    ]
    header += [f"identity {rules.identity}", "player A", "dice typed", "begin"]
    played = ["1 throw 1 2 3 4 5", "undo 1"] * lines
    writer = RecordWriter()
    return "".join(writer.line(line) for line in [*header, *played][:lines])


def test_long_records_are_refused_before_they_are_read(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ann.post("/reviews", {"record": long_record(MOST_LINES // 25)}).status_code == 200
    monkeypatch.setattr(record_work, "read_upload", lambda _data: pytest.fail("it was read"))
    for record, status, code in (
        (long_record(MOST_LINES + 1), 413, "record_too_long"),
        ("dicecup record 1\n" + " " * (MOST_LINE + 1), 422, "record_damaged"),
        ("é" * (MOST_RECORD // 2 + 1), 413, "record_too_large"),
    ):
        for path in ("/reviews", "/records"):
            answer = ann.post(path, {"record": record})
            assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_uploads_are_parsed_one_at_a_time_and_few_are_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    may, reading, most = threading.Event(), 0, 0
    lock = threading.Lock()

    def read(_data: bytes) -> Record:
        nonlocal reading, most
        with lock:
            reading += 1
            most = max(most, reading)
        may.wait(PATIENCE)
        with lock:
            reading -= 1
        assert threading.current_thread().name.startswith("upload")
        return None  # type: ignore[return-value]

    monkeypatch.setattr(record_work, "read_upload", read)

    async def upload(here: Uploads, caller: str = "") -> None:
        caller_of_request.set(caller)
        async with here.reading(b""):
            pass

    async def all_at_once() -> list[BaseException | None]:
        here = Uploads(None)
        callers = ["greedy"] * (1 + MOST_COMING_OF_CALLER + 2)
        callers += [f"caller {number}" for number in range(MOST_COMING - MOST_COMING_OF_CALLER + 1)]
        tasks = [asyncio.create_task(upload(here, caller)) for caller in callers]
        for _step in range(100):  # those that are refused do not wait
            await asyncio.sleep(0)
        assert sum(task.done() for task in tasks) == 3
        may.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        await upload(here)  # the queue has room again
        here.stop()
        return found

    with ThreadPoolExecutor(1) as pool:  # the browser of another test may have a loop in this thread
        answers = pool.submit(lambda: asyncio.run(all_at_once())).result()
    refused = [answer for answer in answers if isinstance(answer, UsageError)]
    assert [error.code for error in refused] == ["still_working", "still_working", "uploads_busy"]
    assert answers.count(None) == 1 + MOST_COMING  # one is read, the others wait
    assert most == 1


def test_a_stored_record_is_complete(ann: Player) -> None:
    text = long_record(40)
    state = ann.post("/records", {"record": text}).json()
    assert ann.client.get(f"/t/{state['id']}/record").text == text


def test_a_game_that_goes_on_without_a_coach_is_not_reviewed_by_its_record(
    ann: Player, client: TestClient
) -> None:
    """Otherwise a player could get help by uploading the current game."""
    state = ann.open("yatzy", {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"})
    state = ann.play(state, {"throw": True})
    record = client.get(f"/t/{state['id']}/record").text
    for code in LANGUAGES:
        client.headers["Accept-Language"] = code
        refused = ann.post("/records", {"record": record})
        sentence = language(code).sentence(UsageError("record_of_running"))
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "record_of_running")
        assert refused.json()["error"]["message"] == sentence
        visitor = Visitor(client)
        visitor.go("/review")
        files = {"record": ("a.record", record)}
        answer = client.post("/review", data={"csrf": visitor.token()}, files=files)
        assert answer.status_code == 409
        assert sentence in answer.text
        assert 'data-code="record_of_running"' in answer.text
    while state["status"] == "playing":
        state = ann.play(state, {"throw": True} if state["turn"]["throw_due"] else best_score(state))
    assert ann.post("/records", {"record": record}).status_code == 201


@pytest.mark.parametrize(
    ("seats", "more"),
    [
        ([{"kind": "person", "name": "Ann"}], {}),
        ([{"kind": "person", "name": "Ann"}, {"kind": "bot", "name": "greedy"}], {}),
        ([{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"}], {"coach": True}),
    ],
    ids=["alone", "against a bot", "with the coach"],
)
def test_a_running_game_is_accepted_if_the_coach_is_on(
    ann: Player, seats: list[dict[str, str]], more: dict[str, bool]
) -> None:
    state = ann.play(ann.open("yatzy", *seats, **more), {"throw": True})
    record = ann.client.get(f"/t/{state['id']}/record").text
    assert ann.post("/records", {"record": record}).status_code == 201


def test_a_game_is_continued_from_its_file(ann: Player, bo: Player) -> None:
    """Somebody else plays on where the file ends; a game that is played here is not copied so."""
    header = long_record(100).splitlines(keepends=True)
    begun = "".join(header[: next(place for place, line in enumerate(header) if " undo " in f" {line}")])
    kept = ann.post("/records", {"record": begun}).json()["id"]
    continued = bo.post(f"/matches/{kept}/continue")
    assert continued.status_code == 201, continued.text
    state = continued.json()["state"]
    assert state["id"] != kept
    assert state["version"] == 1
    refused = bo.post(f"/matches/{ann.open()['id']}/continue")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "game_goes_on")


def test_long_records_are_played_in_another_process(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thread of the server they would hold the GIL, and delay the moves of others."""
    text = long_record(60)
    short = ann.post("/reviews", {"record": text}).json()
    short_try = ann.post(f"/matches/{ann.post('/records', {'record': text}).json()['id']}/try", {"moves": 0})
    moves: list[object] = []
    really = getattr(record_module, "apply_and_score")  # noqa: B009 - it is imported there

    def note(*arguments: Any) -> Any:
        moves.append(arguments)
        return really(*arguments)

    monkeypatch.setattr(record_module, "apply_and_score", note)
    for module in (record_work, live_match, matches):
        monkeypatch.setattr(module, "LONG", 30)
    assert ann.post("/reviews", {"record": text}).json() == short
    state = ann.post("/records", {"record": text}).json()
    assert ann.get(f"/matches/{state['id']}/proof").json() == short["proof"]
    here = ann.client.app.state.matches  # type: ignore[attr-defined]
    for _ in range(2):  # as it was stored, and loaded again
        assert ann.client.get(f"/t/{state['id']}/record").text == text
        assert ann.get(f"/matches/{state['id']}").json() == state
        tried = ann.post(f"/matches/{state['id']}/try", {"moves": 0})
        assert {**tried.json()["state"], "id": 0} == {**short_try.json()["state"], "id": 0}
        here.live.clear()
    continued = ann.post(f"/matches/{state['id']}/continue").json()["state"]
    assert continued["turn"] == state["turn"] | {"yours": True}
    assert not moves
    assert here.reader.answered >= 6


def test_a_record_that_is_wrong_in_another_process_is_refused_with_its_line(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = long_record(40) + "1 throw 1 2 3 4 5 !!\n"
    refused = ann.post("/reviews", {"record": text})
    monkeypatch.setattr(record_work, "LONG", 30)
    again = ann.post("/reviews", {"record": text})
    assert (again.status_code, again.json()) == (refused.status_code, refused.json())
    assert again.json()["error"]["code"] == "record_damaged"


def test_a_process_that_ends_while_it_reads_a_record_is_a_failure_of_the_server(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“Busy” would let a client ask again without end, and no monitor would see it."""
    monkeypatch.setattr(record_work, "LONG", 30)
    text = long_record(40)
    reader = ann.client.app.state.matches.reader  # type: ignore[attr-defined]
    first = ann.post("/reviews", {"record": text})

    async def killed(_question: bytes) -> Any:
        reader.process.kill()
        return await reader.process.stdout.readexactly(1)  # as `exchange` waits for an answer

    with monkeypatch.context() as patched:
        patched.setattr(reader, "exchange", killed)
        failed = ann.post("/reviews", {"record": text})
    assert (failed.status_code, failed.json()["error"]["code"]) == (500, "server_failed")
    again = ann.post("/reviews", {"record": text})
    assert (again.status_code, again.json()) == (200, first.json())


def test_house_rules_of_a_long_record_are_not_loaded_in_the_event_loop(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = load_ruleset(house_reference('format = 1\nid = "ours"\nbase = "yatzy"\nthrows = 4'))
    text = record_to_text(Record(Header(rules.reference, rules, ("Ann",), DiceOrigin("typed"))))
    monkeypatch.setattr(record_work, "LONG", 3)
    assert ann.client.portal
    loop = ann.client.portal.call(threading.get_ident)
    threads: list[int] = []

    def note(*name: Any) -> Any:
        threads.append(threading.get_ident())
        return load_without_files(*name)

    monkeypatch.setattr(worker, "load_without_files", note)
    answer = ann.post("/reviews", {"record": text})
    assert (answer.status_code, answer.json()["game"]) == (200, rules.reference)
    assert threads
    assert loop not in threads
