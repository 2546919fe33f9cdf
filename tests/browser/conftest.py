"""Fixtures: a real server in its own process, and a real Chromium that connects to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)
from tests import waiting
from tests.browser.late import delay
from tests.browser.screens import loaded, on_screen
from tests.databases import quick_folder
from tests.web.coaching import KEPT
from tests.web.conftest import best_score
from tests.web.serving import Server

from browser import find_browser
from dicecup.web.guard import COOKIE
from dicecup.web.pages.setup_page import DEFAULT_BOT

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 860}
NewPage = Callable[..., Page]
PATIENCE = 1000 * waiting.PATIENCE  # milliseconds
READY = 1000 * waiting.READY
expect.set_options(timeout=PATIENCE)
# Other threads would compile the scripts of a page twice more, so that they run faster. That does not pay
# for pages which live for a second: axe takes a fifth less without it.
PLAIN_SCRIPTS = "--no-maglev --no-turbofan"
# With the limit no process is started in advance for the next page: most tests would not use it.
FLAGS = ["--no-sandbox", "--renderer-process-limit=1", f"--js-flags={PLAIN_SCRIPTS}"]
FILLED_IN = re.compile(r'<input (?:type="hidden" )?name="(csrf|promise|kind|name)" value="([^"]*)"')

PAINTED = "#match[data-on-screen] "  # a tap on what is not painted yet does nothing
ROLLED = ".die-box:not(.no-die)"  # dice that lie there: empty slots are no roll

# Whole games are played by these: one call instead of several for what the page knows by itself.
STAMP = "() => document.getElementById('match').dataset.stamp"
NEXT_STATE = """([stamp, patience]) => new Promise((resolve, reject) => {
  const isShown = () => {
    const dataset = document.getElementById("match")?.dataset ?? {};
    return "onScreen" in dataset && dataset.stamp !== stamp;
  };
  if (isShown()) return resolve();
  const end = (how, value) => (observer.disconnect(), clearTimeout(timer), how(value));
  const observer = new MutationObserver(() => isShown() && end(resolve));
  const timer = setTimeout(() => end(reject, new Error("nothing changes")), patience);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
})"""
# Where to tap on what gives most, if it can be tapped. Until the tap is over nothing else gets it.
AIM = """(offers) => {
  const points = (button) => parseInt(button.querySelector(".gives").innerText.replace("−", "-"));
  const [first, ...others] = document.querySelectorAll(offers);
  const best = others.reduce((best, one) => (points(one) > points(best) ? one : best), first);
  best?.scrollIntoViewIfNeeded();
  const { left, top, width, height } = best?.getBoundingClientRect() ?? {};
  const place = [left + width / 2, top + height / 2];
  const stamp = document.getElementById("match")?.dataset.stamp;
  if (!best || !stamp || best.disabled || !best.contains(document.elementFromPoint(...place))) return null;
  const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
  let clicked = false;
  const guard = (event) => {
    if (!best.contains(event.target)) return event.stopImmediatePropagation(), event.preventDefault();
    clicked ||= event.type === "click";
  };
  for (const kind of kinds) addEventListener(kind, guard, { capture: true });
  window.endTap = () => {
    for (const kind of kinds) removeEventListener(kind, guard, { capture: true });
    return clicked;
  };
  return [...place, stamp];
}"""
AFTER_TAP = f"async (state) => window.endTap() && (await ({NEXT_STATE})(state), true)"
BEST_BOX = """(offers) => {
  const points = (button) => parseInt(button.querySelector(".gives").innerText.replace("−", "-"));
  const [first, ...others] = document.querySelectorAll(offers);
  const best = others.reduce((best, one) => (points(one) > points(best) ? one : best), first);
  return [best?.id, document.querySelector(".layered") !== null];
}"""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One for all modules: each would start a coach of its own, which loads kernels and tables."""
    with quick_folder() as folder, Server(str(folder / "games.db"), **KEPT) as started:
        yield started


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_browser()
    if path is None:
        pytest.fail("no Chromium or Chrome was found; tools/browser.py says how to get one")
    return path


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright, chromium_path: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
    yield browser
    browser.close()


class Contexts:
    """Browser contexts that are used again: a new one costs as much as three pages in an old one.

    One that was used keeps an empty page, which no test gets: without any page its process would end, and the
    next test would start another. Sizes and preferences are those of a page: they need no other context.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.idle: dict[str, list[BrowserContext]] = {}
        self.lent: list[tuple[str, BrowserContext]] = []
        self.empty: dict[BrowserContext, Page] = {}

    def lend(self, **settings: Any) -> BrowserContext:
        kind = repr(sorted(settings.items()))
        idle = self.idle.setdefault(kind, [])
        if idle:
            context = idle.pop()
        else:
            context = self.browser.new_context(**settings)
            delay(context)
        context.set_default_timeout(PATIENCE)
        self.lent.append((kind, context))
        return context

    def take_back(self) -> None:
        """Close the pages of all that were lent, and make the contexts as new: nothing is stored in them."""
        for kind, context in self.lent:
            used = [page for page in context.pages if page is not self.empty.get(context)]
            if not used:  # one that a test has closed
                continue
            if context not in self.empty:
                self.empty[context] = context.new_page()
            session = context.new_cdp_session(used[0])
            for origin in {"/".join(page.url.split("/")[:3]) for page in used}:
                if origin.startswith("http"):
                    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
            for page in used:
                page.close()
            context.clear_cookies()
            context.clear_permissions()
            context.set_offline(False)
            self.idle[kind].append(context)
        self.lent.clear()

    def close(self) -> None:
        for context in chain(*self.idle.values()):
            context.close()


@pytest.fixture(scope="session")
def contexts(chromium: Browser) -> Iterator[Contexts]:
    made = Contexts(chromium)
    yield made
    made.close()


@pytest.fixture
def new_page(contexts: Contexts, server: Server) -> Iterator[NewPage]:
    """new_page(size, locale=…): a page in a browser of its own. Console errors fail the test."""
    complaints: list[str] = []

    def complain(message: ConsoleMessage) -> None:
        # Some requests are rejected with a 4xx on purpose; Chromium logs them here.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            complaints.append(message.text)

    def make(
        size: dict[str, int] = DESK,
        *,
        reduced_motion: Any = "reduce",
        color_scheme: Any = "light",
        **more: Any,
    ) -> Page:
        usual = {"base_url": server.address, "locale": "en-GB", "viewport": DESK, "reduced_motion": "reduce"}
        page = contexts.lend(**(usual | more)).new_page()
        if size != DESK:
            page.set_viewport_size({"width": size["width"], "height": size["height"]})
        if (reduced_motion, color_scheme) != ("reduce", "light"):
            page.emulate_media(reduced_motion=reduced_motion, color_scheme=color_scheme)
        page.on("console", complain)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    contexts.take_back()
    assert not complaints


def start(page: Page, game: str = "yatzy") -> None:
    """Open a match from its setup page."""
    page.goto(f"/new/{game}")
    play(page)


def open_match(page: Page, game: str = "yatzy", *others: str, **choices: str) -> None:
    """Open a match as the setup page does, without drawing that page. The site has no server that could.

    `others` are the kinds of further seats, in their order: people and bots.
    """
    path, language = f"/new/{game}", {"Accept-Language": page.evaluate("navigator.language")}
    setup = page.request.get(path, headers=language).text()
    first = {name: unescape(value) for name, value in FILLED_IN.findall(setup)}
    names = {"person": first["name"].replace("1", "{}"), "bot": DEFAULT_BOT}
    fields = [*first.items()]
    for number, kind in enumerate(others, start=2):
        fields += [("kind", kind), ("name", names[kind].format(number))]
    fields += [*choices.items(), ("action", "play")]
    form = language | {"Content-Type": "application/x-www-form-urlencoded"}
    opened = page.request.post(path, data=urlencode(fields), headers=form, max_redirects=0)
    page.goto(opened.headers["location"])
    loaded(page)


def play(page: Page) -> None:
    """Start the match from the setup page; scripts are ready when the page has loaded."""
    page.click("#play")
    page.wait_for_url("**/t/*")
    page.wait_for_load_state("load")
    loaded(page)


def version(page: Page) -> int:
    return int(page.locator("#match").get_attribute("data-version") or -1)


def changed(page: Page, act: Callable[[], Any]) -> None:
    """Do something and wait until the page shows the new state."""
    try:
        stamp = page.evaluate(STAMP)
    except Error:  # the page is only being loaded
        stamp = page.locator("#match").get_attribute("data-stamp")
    act()
    try:
        page.evaluate(NEXT_STATE, [stamp, PATIENCE])
    except Error:  # the page was loaded again meanwhile
        page.wait_for_selector(f"#match[data-on-screen]:not([data-stamp='{stamp}'])")


def press(page: Page, key: str) -> None:
    """Press a key that changes something."""
    on_screen(page)
    changed(page, lambda: page.keyboard.press(key))


def tap(page: Page, offers: str) -> bool:
    """Tap what gives most of these, and wait for the new state; return whether that was possible.

    The same as a click of Playwright with a third of its messages, for whole games. It does not wait until
    there is something that can be tapped.
    """
    try:
        aim = page.evaluate(AIM, offers)
    except Error:  # the page is only being loaded
        return False
    if aim is None:
        return False
    x, y, stamp = aim
    page.mouse.click(x, y)
    try:
        return bool(page.evaluate(AFTER_TAP, [stamp, PATIENCE]))
    except Error:  # the page was loaded again meanwhile
        page.wait_for_selector(f"#match[data-on-screen]:not([data-stamp='{stamp}'])")
        return True


def throw(page: Page) -> None:
    """Roll when that is possible and painted, for instance after a move of somebody else has arrived."""
    if not tap(page, PAINTED + "#throw"):
        page.wait_for_selector(PAINTED + "#throw")
        changed(page, lambda: page.click("#throw"))


def fill_best(page: Page) -> None:
    """Tap the box with the most points; where a turn fills two, pick one for each layer and send both."""
    if tap(page, f":root:not(:has(.layered)) {PAINTED}.offer button[name=box]"):
        return
    page.wait_for_selector(PAINTED + ".offer button[name=box]")
    best, layered = best_box(page, ".offer button[name=box]")
    if not layered:
        changed(page, lambda: page.click(best))
        return
    for layer in ("inner", "outer"):
        best, _ = best_box(page, f".offer button.layer-{layer}")
        page.click(best)
        page.wait_for_selector(f"{best}.picked")
    changed(page, lambda: page.click("#send"))


def best_box(page: Page, offers: str) -> tuple[str, bool]:
    """The button of the box that gives most, and whether a turn fills a box for each layer."""
    name, layered = page.evaluate(BEST_BOX, offers)
    assert name or layered, "no box is offered"
    return f"[id='{name}']", layered


def play_to_the_end(page: Page) -> None:
    """Until nothing changes any more: when the secret is revealed, nothing can be taken back."""
    fill_all(page)
    expect(page.locator("#undo")).to_have_count(0)


class ByApi:
    """Plays in the match of a page as another program of the same player would."""

    def __init__(self, page: Page) -> None:
        (key,) = [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == COOKIE]
        self.request = page.request
        self.headers = {"Authorization": f"Bearer {key}"}
        self.path = f"/api/matches/{page.url.rsplit('/', 1)[-1]}"
        self.state = self.request.get(self.path, headers=self.headers).json()

    def move(self, move: dict[str, Any] | None = None) -> int:
        """Make a move, or else roll or fill the best box; return the new version."""
        if move is None:
            move = {"throw": True} if self.state["turn"]["throw_due"] else best_score(self.state)
        body = {"version": self.state["version"], "move": move}
        answer = self.request.post(f"{self.path}/moves", data=body, headers=self.headers)
        assert answer.ok, answer.text()
        self.state = answer.json()
        return int(self.state["version"])


def play_by_api(page: Page, turns: int) -> None:
    """Play turns as another program of the same player would, while the page is away."""
    with away(page) as player:
        for _move in range(2 * turns):
            player.move()


@contextmanager
def away(page: Page) -> Iterator[ByApi]:
    """Let moves be made while the page does not have to draw them."""
    player, address = ByApi(page), page.url
    page.goto("about:blank")
    yield player
    page.goto(address)


def fill_all(page: Page) -> None:
    while page.locator(".standings").count() == 0:
        throw(page)
        fill_best(page)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
