"""The site: the same games as on a server, in the browser without a network; and what only it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Error, Page, Playwright, expect
from tests.browser.conftest import DESK, PHONE, NewPage, changed, fill_best, start, throw
from tests.browser.site_browser import LOBBY, SiteBrowser, static_host
from tests.browser.test_games import (
    play_to_the_end_and_look_back,
    test_a_strike_writes_nothing,
    test_dice_of_the_table_are_tapped_in,
    test_dice_that_stay,
    test_double_dice_of_the_table,
)

from dicecup.errors import DicecupError
from dicecup.site import builder
from dicecup.site.builder import build_site

# Tests of games that need one device only; here they get pages of the site.
__all__ = [
    "test_a_strike_writes_nothing",
    "test_dice_of_the_table_are_tapped_in",
    "test_dice_that_stay",
    "test_double_dice_of_the_table",
]
SIX_GAMES = ["yatzy", "yatzy-sv", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee"]
REFUSE_TO_STORE = """() => {
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
  self.allowAgain = () => (IDBObjectStore.prototype.put = put);
}"""

UNTIL_COMPLETE = """() => new Promise((resolve) => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => data === "complete" && resolve());
  navigator.serviceWorker.controller.postMessage("shown");
})"""

NOTE_START_PAGE = """addEventListener("DOMContentLoaded", () => {
  const { lang, dataset } = document.documentElement;
  const state = document.getElementById("state");
  if (state) sessionStorage.setItem("start page", `${lang} ${dataset.theme} ${state.textContent}`);
});"""
SNAPSHOT = """
const [name] = await caches.keys();
const cache = await caches.open(name);
const address = (await cache.keys()).find(({ url }) => url.endsWith("/snapshot"));
const kept = await cache.match(address);
const notes = JSON.parse(kept.headers.get("dicecup-snapshot"));
"""
SNAPSHOT_PLACE = f"async () => {{ {SNAPSHOT} return notes.place; }}"
SPOIL_SNAPSHOT = f"""async () => {{ {SNAPSHOT}
  const headers = {{ "dicecup-snapshot": JSON.stringify({{ ...notes, place: [0, 0] }}) }};
  await cache.put(address, new Response(await kept.arrayBuffer(), {{ headers }}));
}}"""

# The database file of the site, with a stand-in for the file system in which SQLite works.
PAGES = (Path(builder.__file__).parent / "browser" / "pages.js").read_text(encoding="utf-8")
OPEN_PAGES = """() => {
  PAGES
  const node = { stream_ops: { write: () => 0 } };
  const writeFile = (_path, bytes) => Object.assign(node, { contents: bytes, usedBytes: bytes.length });
  const FS = { mkdirTree: () => 0, writeFile, lookupPath: () => ({ node }) };
  const resize = (length) => {
    const contents = new Uint8Array(length);
    contents.set(node.contents.subarray(0, length));
    Object.assign(node, { contents, usedBytes: length });
  };
  const fill = (page, value) => {
    node.stream_ops.write({ position: 0 }, null, 0, 4096, page * 4096);
    if (node.usedBytes < (page + 1) * 4096) resize((page + 1) * 4096);
    node.contents.fill(value, page * 4096, (page + 1) * 4096);
  };
  const open = async (name) => {
    const pages = new Pages(name);
    await pages.open(FS, "/data/games.db");
    return pages;
  };
  const refuse = async (pages) => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
    const refused = await pages.save().then(() => false, () => true);
    IDBObjectStore.prototype.put = put;
    return refused;
  };
  const look = () => [...node.contents].filter((_byte, place) => place % 4096 === 0);
  Object.assign(window, { resize, fill, open, refuse, look });
}""".replace("PAGES", PAGES.replace("export class", "class"))


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "public"
    try:
        build_site(folder)
    except DicecupError as error:
        pytest.fail(f"the site can’t be built: {error}")
    return folder


@pytest.fixture(scope="session")
def site(
    site_folder: Path, playwright: Playwright, chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SiteBrowser]:
    """A browser that has visited the site once, and then was closed: Python starts from a snapshot."""
    with static_host(site_folder) as address:
        profile = tmp_path_factory.mktemp("profile")
        browser = SiteBrowser(playwright, chromium_path, profile, address)
        page = browser.open(offline=False)
        page.evaluate(UNTIL_COMPLETE)
        browser.context.close()
        browser.relaunch()
        yield browser
        with suppress(Error):
            browser.context.close()


@pytest.fixture
def new_page(site: SiteBrowser) -> Iterator[NewPage]:
    """new_page(size): a page of the site without a network, for somebody who has not played yet."""
    pages: list[Page] = []

    def make(size: dict[str, int] = DESK, **_more: Any) -> Page:
        page = site.open()
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        pages.append(page)
        return page

    yield make
    page = site.open("/mine/data")
    page.check("[name=sure]")
    page.click("button.danger")
    page.wait_for_selector("main [role=status]")
    for one in (*pages, page):
        one.close()


@pytest.mark.parametrize("game", SIX_GAMES)
def test_a_whole_game(new_page: NewPage, game: str) -> None:
    page = new_page(PHONE)
    start(page, game)
    play_to_the_end_and_look_back(page)


def worker_of(context: BrowserContext) -> Any:
    return context.service_workers[0]


def test_page_loads_do_not_start_python_again(new_page: NewPage, site: SiteBrowser) -> None:
    page = new_page()
    worker_of(site.context).evaluate("() => (self.sameWorker = true)")
    start(page)
    for path in ("/rules", "/mine", "/"):
        page.goto(path)
        expect(page.locator("footer.bottom")).to_be_visible()
        expect(page.locator("#state")).to_have_count(0)  # of the page that waits for the start
    assert worker_of(site.context).evaluate("() => self.sameWorker")


def test_another_tab_follows(new_page: NewPage) -> None:
    one = new_page()
    start(one)
    two = new_page(PHONE)
    two.goto(one.url)
    throw(one)
    dice = one.locator(".die-box .unseen").all_inner_texts()
    expect(two.locator(".die-box .unseen")).to_have_text(dice)
    changed(one, lambda: fill_best(two))
    expect(one.locator(".sheet .written")).to_have_count(1)


def test_storage_full(new_page: NewPage, site: SiteBrowser) -> None:
    """What can't be stored is refused in a sentence; nothing is lost, and it goes on when there is room."""
    page = new_page()
    start(page)
    throw(page)
    dice = page.locator(".die-box .unseen").all_inner_texts()
    worker = worker_of(site.context)
    worker.evaluate(REFUSE_TO_STORE)
    page.click("#box-chance")
    expect(page.locator(".problem:visible")).to_contain_text("couldn’t save")
    worker.evaluate("() => self.allowAgain()")
    page.reload()
    assert page.locator(".die-box .unseen").all_inner_texts() == dice
    expect(page.locator(".sheet .written")).to_have_count(0)
    changed(page, lambda: page.click("#box-chance"))
    expect(page.locator(".sheet .written")).to_have_count(1)


def test_settings_that_could_not_be_kept_are_kept_later(new_page: NewPage) -> None:
    """Without the cookie nobody could go on with the games that are stored after it."""
    page = new_page()
    page.evaluate(OPEN_PAGES)
    kept = page.evaluate("""async () => {
      const pages = await open("settings");
      pages.keep('{"cookies": "a"}');
      const refused = await refuse(pages);
      fill(0, 1);
      await pages.save();
      const first = (await open("settings")).settings;
      fill(0, 2);
      const saving = pages.save();
      pages.keep('{"cookies": "b"}');
      await saving;
      await pages.save();
      return [refused, first, (await open("settings")).settings];
    }""")
    assert kept == [True, {"cookies": "a"}, {"cookies": "b"}]


def test_a_file_that_becomes_shorter(new_page: NewPage) -> None:
    """As after a large change that is taken back: what was beyond its end is no page any more."""
    page = new_page()
    page.evaluate(OPEN_PAGES)
    looks = page.evaluate("""async () => {
      const pages = await open("shorter");
      for (const place of [0, 1, 2, 3]) fill(place, 7 + place);
      await pages.save();
      for (const place of [3, 4, 5, 6]) fill(place, 5);
      resize(2 * 4096);
      await refuse(pages);
      const before = look();
      for (const place of [3, 4, 5, 6]) fill(place, 5);
      resize(2 * 4096);
      await pages.save();
      await open("shorter");
      return [before, look()];
    }""")
    assert looks == [[7, 8, 0, 10], [7, 8]]


def test_the_coach_and_a_bot(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/new/yum-plus")
    page.click("#add-bot")
    page.wait_for_selector("select[name=name]")
    page.check("input[name=coach]")
    page.click("#play")
    throw(page)
    page.click("#ask")
    expect(page.locator("#hint .advice-do")).to_be_visible()
    fill_best(page)
    expect(page.locator(".banner")).to_contain_text("it’s your turn")  # the bot has played


def test_what_needs_a_server_says_so(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/new/yatzy")
    expect(page.locator(".only-here")).to_contain_text("need a Dicecup server")
    expect(page.locator("#play-open, #add-open")).to_have_count(0)
    page.click("#add-bot")
    page.wait_for_selector("select[name=name]")
    page.check("[name=dice][value=same]")
    expect(page.locator("label:has([value=same])")).to_contain_text("need a Dicecup server")
    page.click("#play")
    expect(page.locator(".same-dice")).to_contain_text("need a Dicecup server")


def stop_worker(page: Page) -> None:
    """Stop the service worker, as browsers do when it has been idle."""
    session = page.context.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")


def test_an_open_game_wakes_a_stopped_worker(new_page: NewPage) -> None:
    page = new_page()
    start(page)
    throw(page)
    stop_worker(page)
    changed(page, lambda: page.click("#box-chance"))
    expect(page.locator(".sheet .written")).to_have_count(1)


def test_the_start_page_speaks_as_the_app_does(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/rules")
    remembered = page.evaluate("['language', 'theme'].map((name) => localStorage.getItem(`dicecup ${name}`))")
    assert remembered == ["en", "auto"]
    page.add_init_script(NOTE_START_PAGE)
    page.evaluate("() => localStorage.setItem('dicecup language', 'sv')")
    page.evaluate("() => localStorage.setItem('dicecup theme', 'dark')")
    stop_worker(page)
    page.reload()
    expect(page.locator("footer.bottom")).to_be_visible()
    assert page.evaluate("() => sessionStorage.getItem('start page')") == "sv dark Dicecup startar …"


def test_without_a_usable_snapshot_python_starts_from_its_code(site: SiteBrowser) -> None:
    """As after an update of the browser that puts the compiled package elsewhere: it makes a new snapshot."""
    page = site.open()
    page.evaluate(SPOIL_SNAPSHOT)
    assert page.evaluate(SNAPSHOT_PLACE) == [0, 0]
    site.context.close()
    site.relaunch()
    page = site.open()
    page.evaluate(UNTIL_COMPLETE)
    assert page.evaluate(SNAPSHOT_PLACE) != [0, 0]
    page.close()


def test_a_game_continues_from_its_file(new_page: NewPage, folder: Path) -> None:
    page = new_page()
    start(page)
    throw(page)
    fill_best(page)
    page.click("summary:has-text('This game')")
    with page.expect_download() as download:
        page.click(".around-grid [download] >> nth=0")
    download.value.save_as(folder / "game.record")
    page.goto("/review")
    page.set_input_files("[name=record]", folder / "game.record")
    page.click("main form button")
    page.click("#continue")
    page.wait_for_url("**/t/*")
    expect(page.locator(".sheet .written")).to_have_count(1)
    throw(page)


def test_every_answered_move_survives_a_kill(new_page: NewPage, site: SiteBrowser) -> None:
    page = new_page()
    start(page)
    for _turn in range(3):
        throw(page)
        fill_best(page)
    written = page.locator(".sheet .written").all_inner_texts()
    address = page.url
    site.kill()
    with suppress(Error):
        site.context.close()
    site.relaunch()
    again = site.open(address)
    assert again.locator(".sheet .written").all_inner_texts() == written
    throw(again)


def test_a_new_version_asks_first(new_page: NewPage, site: SiteBrowser, site_folder: Path) -> None:
    page, other = new_page(), new_page()
    start(page)
    throw(page)
    worker = site_folder / "service-worker.js"
    worker.write_bytes(worker.read_bytes() + b"\n// another version\n")
    site.context.set_offline(False)
    page.evaluate("async () => (await navigator.serviceWorker.ready).update()")
    expect(page.locator("#new-version")).to_be_visible()
    expect(other.locator("#new-version")).to_be_visible()
    throw(page)  # the old version goes on
    dice = page.locator(".die-box .unseen").all_inner_texts()
    page.click("#new-version button")
    page.wait_for_selector("#new-version[hidden]", state="attached")
    expect(page.locator(".die-box .unseen")).to_have_text(dice)
    expect(other.locator("#new-version")).to_be_hidden()  # in other tabs, too, it has taken over
    page.goto("/")
    expect(page.locator(LOBBY)).to_be_visible()
