"""The application as the site runs it, with a stand-in for the browser's storage."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.waiting import awaited

from dicecup.dice import parse_dice
from dicecup.engine.play import apply
from dicecup.engine.state import Throw, start
from dicecup.errors import StorageError, UsageError
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver import ready
from dicecup.solver.ready import double_table_name, quick_name, ready_name
from dicecup.web import app, in_browser
from dicecup.web.in_browser import BrowserServer, Direct, Jar, settle
from dicecup.web.service import advising
from dicecup.web.service.advising import Advising, DirectWorker


class MemoryPages:
    """Storage that counts how often it is asked to store, and can be full."""

    def __init__(self) -> None:
        self.written = False
        self.changed = False
        self.full = False
        self.saved = 0
        self.settings = SimpleNamespace()

    @property
    def dirty(self) -> bool:
        return self.written or self.changed

    def keep(self, settings: str) -> None:
        self.settings = SimpleNamespace(**json.loads(settings))
        self.changed = True

    async def save(self) -> None:
        await asyncio.sleep(0)
        self.written = False
        if self.full:
            raise OSError("full")
        self.changed = False
        self.saved += 1


def answer_of(server: BrowserServer, path: str) -> tuple[int, dict[str, str], bytes]:
    """What the service worker gets."""
    got: list[Any] = []

    async def ask() -> None:
        about = ("GET", "https:", "example.org", path, "?a=1")
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        begin = lambda *begun: got.append(begun)  # noqa: E731
        await server.answer(about, [["accept", "text/html"]], None, begin, print, print, never)

    awaited(ask())
    ((status, lines, body),) = got
    return status, dict(lines), body


def app_that(answers: bytes, *headers: tuple[bytes, bytes]) -> Any:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, (await receive())["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})
        await send({"type": "http.response.body", "body": answers})

    app.seen = seen  # type: ignore[attr-defined]
    return app


def test_an_answer_waits_until_it_is_stored() -> None:
    pages = MemoryPages()

    def change() -> str:
        pages.written = True
        return "done"

    async def ask() -> str:
        return str(await Direct(pages).run(change))

    assert awaited(ask()) == "done"
    assert pages.saved == 1
    pages.full = True
    with pytest.raises(StorageError) as refused:
        awaited(ask())
    assert refused.value.code == "browser_full"


def test_pages_are_shown_while_storage_is_full() -> None:
    """A page that only sets a cookie is no change that could be lost: it is kept with the next one."""
    pages = MemoryPages()
    pages.full = True
    app = app_that(b"hello", (b"set-cookie", b"dicecup=key"))
    server = BrowserServer(app, Direct(pages), "/", "en", lambda value: value)
    assert answer_of(server, "/")[2] == b"hello"
    assert pages.saved == 0
    pages.full = False
    assert answer_of(server, "/")[2] == b"hello"
    assert pages.saved == 1


def test_cookies_are_kept_beside_the_file() -> None:
    pages = MemoryPages()
    jar = Jar(pages)
    assert jar.take(
        [(b"set-cookie", b"dicecup=key; Max-Age=100; HttpOnly"), (b"set-cookie", b"name=%C3%85sa")]
    )
    assert not jar.take([(b"set-cookie", b"dicecup=key; Max-Age=100")])
    again = Jar(pages)
    assert again.header == b"dicecup=key; name=%C3%85sa"
    again.take([(b"set-cookie", b"dicecup=; Max-Age=0")])
    assert Jar(pages).header == b"name=%C3%85sa"


def test_addresses_of_a_site_in_a_folder() -> None:
    """The app knows nothing of the folder: it is taken off on the way in and put before on the way out."""
    html = b'<a href="/rules"> <form action="/t/x/throw" hx-post="/t/x/throw"> <a href="//a.example"> "/no"'
    app = app_that(html, (b"content-type", b"text/html; charset=utf-8"), (b"location", b"/t/abc"))
    pages = MemoryPages()
    server = BrowserServer(app, Direct(pages), "/dice/", "sv,en", lambda value: value)
    status, headers, body = answer_of(server, "/dice/new/yatzy")
    scope, _body = app.seen[0]
    assert (status, scope["path"], scope["query_string"]) == (200, "/new/yatzy", b"a=1")
    assert dict(scope["headers"])[b"accept-language"] == b"sv,en"
    assert headers["location"] == "/dice/t/abc"
    assert body == (
        b'<a href="/dice/rules"> <form action="/dice/t/x/throw" hx-post="/dice/t/x/throw"> '
        b'<a href="//a.example"> "/no"'
    )


def test_a_folder_with_a_space_in_its_name() -> None:
    app = app_that(b"", (b"content-type", b"text/html"))
    server = BrowserServer(app, Direct(MemoryPages()), "/our%20dice/", "en", lambda value: value)
    answer_of(server, "/our%20dice/rules/%C3%A4")
    assert app.seen[0][0]["path"] == "/rules/ä"


@pytest.mark.parametrize("kind", [b"text/css", b"application/json"])
def test_other_files_are_as_they_are(kind: bytes) -> None:
    pages = MemoryPages()
    app = app_that(b'href="/x"', (b"content-type", kind))
    server = BrowserServer(app, Direct(pages), "/dice/", "en", lambda value: value)
    assert answer_of(server, "/dice/static/x")[2] == b'href="/x"'


@pytest.mark.parametrize(
    ("rolled", "coach", "bot", "found"),
    [
        (True, True, False, {"advice", "reasons"}),
        (False, True, False, {"advice"}),
        (True, False, False, set()),
        (True, True, True, set()),
    ],
)
def test_a_hint_is_found_before_somebody_asks(
    monkeypatch: pytest.MonkeyPatch, rolled: bool, coach: bool, bot: bool, found: set[str]
) -> None:
    """While nobody waits for a move, for a person who may ask; the second of two requests counts."""
    monkeypatch.setattr(advising, "make_worker", lambda *_settings, **_named: DirectWorker())
    monkeypatch.setattr(advising, "LULL", 0)
    rules = load_ruleset("yatzy")
    state = start(rules)
    if rolled:
        state = apply(rules, state, Throw(parse_dice(["1", "2", "6", "6", "6"], 6, 1)))
    match = SimpleNamespace(rules=rules, state=state, version=1)
    live: Any = SimpleNamespace(id="m", match=match, is_pad=False, bot_is_next=lambda: bot)
    live.stored = SimpleNamespace(opening=SimpleNamespace(coach=coach))
    live.playing = lambda: match

    async def wait() -> dict[str, Any]:
        coaching = Advising()
        coaching.work_ahead(live)
        coaching.work_ahead(live)
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0, later.set)
        await later.wait()
        answers = {str(key[0]): await task for key, task in coaching.answers.items()}
        await coaching.stop()
        return answers

    answers = awaited(wait())
    assert set(answers) == found
    if rolled and found:
        assert answers["advice"].choices[0].move.dice == (6, 6, 6)
        assert len(answers["reasons"]) == advising.MOST_CHOICES


def test_a_server_does_not_work_ahead() -> None:
    coaching = Advising()
    coaching.work_ahead(SimpleNamespace())  # type: ignore[arg-type]
    assert coaching.lull is None


@pytest.mark.parametrize(
    ("game", "options", "name_of"),
    [
        ("dice-in-dice", {"extra": "negative"}, double_table_name),
        ("yatzy", {}, ready_name),
        ("yum-plus", {}, quick_name),
    ],
)
def test_values_are_fetched_when_somebody_plays_by_them(
    monkeypatch: pytest.MonkeyPatch, game: str, options: dict[str, Any], name_of: Callable[[Ruleset], str]
) -> None:
    """Those of unusual rules, and in a first visit all that are not there yet. Offline a sentence says so."""
    rules = load_ruleset(game, options)
    here, reachable, fetched = set[str](), [False], list[str]()
    monkeypatch.setattr(advising, "make_worker", lambda *_settings, **_named: DirectWorker())
    monkeypatch.setattr(advising, "is_coached", lambda asked: asked.identity in here)
    monkeypatch.setattr(advising, "has_solver", lambda: False)
    monkeypatch.setattr(advising, "is_installed", lambda _extra: False)
    server = BrowserServer(app_that(b""), Direct(MemoryPages()), "/", "en", bytes)

    async def fetch(name: str) -> None:
        if not reachable[0]:
            raise OSError("offline")
        fetched.append(name)
        here.add(rules.identity)

    assert not advising.has_coach(rules)
    name = name_of(rules)
    get = partial(server.fetch_values, fetch, f"values/{name}")
    monkeypatch.setitem(advising.further_values, name, get)
    assert advising.has_coach(rules)
    assert not advising.has_coach(load_ruleset("dice-in-dice", {"extra": "free_strike"}))

    async def play() -> None:
        coaching = Advising()
        await coaching.check(rules)  # a game can begin
        with pytest.raises(UsageError) as refused:
            await coaching.until_values(rules)
        assert refused.value.code == "values_unreachable"
        reachable[0] = True
        await coaching.until_values(rules)
        await coaching.until_values(rules)
        await coaching.stop()

    awaited(play())
    assert fetched == [f"values/{name}"]


def test_a_snapshot_does_not_remember_that_values_were_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages that are drawn before it are drawn before the coach's values are there."""
    monkeypatch.setattr(app, "spare_long_lived_objects", lambda: None)
    with monkeypatch.context() as missing:
        missing.setattr(ready, "ready_file", lambda _rules: Path("nowhere"))
        ready.has_ready.cache_clear()
        assert not ready.has_ready(load_ruleset("yatzy"))
    settle()
    assert ready.has_ready(load_ruleset("yatzy"))


def test_starts_from_the_same_memory_draw_different_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot has the state of Python’s generator: every visit would begin with the same numbers."""

    async def opened(*_given: Any) -> tuple[Any, None]:
        return SimpleNamespace(fetch_values=None), None

    monkeypatch.setattr(in_browser, "opened", opened)
    before = random.getstate()
    drawn = set()
    for _visit in range(2):
        random.setstate(before)
        awaited(in_browser.start(MemoryPages(), "/", "en", SimpleNamespace(names=[], fetch=None)))
        drawn.add(random.random())
    random.setstate(before)
    assert len(drawn) == 2
