"""A site in a browser: built, served as static files, opened once, and then used without a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import psutil
from playwright.sync_api import BrowserContext, Page, Playwright, TimeoutError, expect
from tests import waiting
from tests.browser.conftest import PLAIN_SCRIPTS
from tests.browser.holding import until
from tests.browser.late import delay
from tests.browser.site_scripts import (
    COUNT_VERSIONS,
    HEAR_WORKERS,
    LOOK_FOR_VERSIONS,
    MARKS,
    UNTIL_COMPLETE,
    WORKERS,
)
from tests.coach.conftest import play_record

from dicecup.bots import bot_called
from dicecup.engine.record_text import record_to_text
from dicecup.engine.state import State, TurnMove
from dicecup.rules import Ruleset, load_ruleset
from dicecup.site.builder import WORKER

LOBBY = "a[href$='/new/yatzy']"
# Otherwise other threads compile Python once more after each start, for two seconds, so that it runs faster.
# That pays for a start which compiles all modules, but not for games.
QUICK_COMPILER = f"--js-flags=--liftoff-only {PLAIN_SCRIPTS}"


class StaticFiles(SimpleHTTPRequestHandler):
    """A web host that compresses nothing and caches nothing."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

    def send_head(self) -> Any:
        del self.headers["If-Modified-Since"]  # counts in seconds, and tests change files faster
        return super().send_head()

    def log_message(self, format: str, *values: object) -> None:
        pass


@contextmanager
def static_host(folder: Path) -> Iterator[str]:
    """Serve a folder, and return its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(StaticFiles, directory=str(folder))) as host:
        thread = Thread(target=host.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{host.server_port}"
        finally:
            host.shutdown()
            thread.join()


class SiteBrowser:
    """A browser with a profile, which can be killed and opened again."""

    def __init__(self, playwright: Playwright, path: str, profile: Path, address: str) -> None:
        self.playwright = playwright
        self.path = path
        self.profile = profile
        self.address = address
        self.flags = ["--no-sandbox"]
        self.starts: list[tuple[list[str], dict[str, Any]]] = []  # their steps, and what they kept
        self.context = self.launch()

    def launch(self) -> BrowserContext:
        context = self.playwright.chromium.launch_persistent_context(
            self.profile,
            executable_path=self.path,
            args=self.flags,
            base_url=self.address,
            locale="en-GB",
            reduced_motion="reduce",
        )
        context.set_default_timeout(1000 * waiting.PATIENCE)
        delay(context)
        return context

    def open(self, path: str = "/", *, offline: bool = True) -> Page:
        """Open a page of the site, and wait until the program has answered."""
        self.context.set_offline(offline)
        page = self.context.new_page()
        page.goto(path)
        page.wait_for_selector("footer.bottom")
        return page

    def kill(self) -> None:
        """End every process of the browser at once, as a crash does."""
        for process in psutil.process_iter(["cmdline"]):
            if any(str(self.profile) in part for part in process.info["cmdline"] or ()):
                with suppress(psutil.NoSuchProcess):  # it has ended with one of the others
                    process.kill()

    def relaunch(self) -> None:
        self.context = self.launch()


def worker_of(context: BrowserContext) -> Any:
    return context.service_workers[0]


def steps(browser: SiteBrowser) -> list[str]:
    """What the start of Python consisted of."""
    return list(worker_of(browser.context).evaluate(MARKS))


def stop_worker(page: Page) -> None:
    """Stop the service worker, as browsers do when it has been idle."""
    session = page.context.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")


def again(site: SiteBrowser, page: Page) -> Page:
    """Start Python again, and return a page that is shown after all that comes after the start."""
    stop_worker(page)
    page.close()
    page = site.open()
    page.evaluate(UNTIL_COMPLETE)
    return page


def file_before_the_end(game: str, turns: int) -> bytes:
    """The file of a game in which one person has so many turns left."""
    rules = load_ruleset(game)
    greedy = bot_called("greedy")

    def end_turn(rules: Ruleset, state: State, chance: Random) -> TurnMove:
        return greedy.decide(rules, replace(state, throws_left=0), chance)

    record = play_record(rules, ("Ann",), decide=end_turn, moves=2 * (rules.turns - turns))
    return record_to_text(record).encode()


def continue_from_file(page: Page, content: bytes) -> None:
    page.goto("/review")
    page.set_input_files(
        "[name=record]", {"name": "game.record", "mimeType": "text/plain", "buffer": content}
    )
    page.click("main form button")
    page.click("#continue")
    page.wait_for_url("**/t/*")
    page.wait_for_load_state("load")


def another_version(folder: Path) -> bytes:
    """A service worker that differs from the one on the host."""
    return (folder / WORKER).read_bytes() + b"\n// another version\n"


def offer(page: Page, folder: Path, worker: bytes) -> None:
    """Put another service worker on the host, and wait until the page offers it."""
    page.evaluate(COUNT_VERSIONS)
    new = folder / "new"
    new.write_bytes(worker)
    new.replace(folder / WORKER)  # at once: browsers ask for it at any time
    page.context.set_offline(False)
    until(page, lambda: page.evaluate(LOOK_FOR_VERSIONS))
    expect(page.locator("#new-version")).to_be_visible()


def take_over(page: Page) -> None:
    """Accept the version that is offered, and wait until the page comes from it."""
    page.evaluate(HEAR_WORKERS)
    page.click("#new-version button")
    try:
        page.wait_for_selector("#new-version[hidden]", state="attached")
    except TimeoutError:
        raise AssertionError(f"it did not take over:\n{page.evaluate(WORKERS)}") from None
