"""The site: the same games as on a server, in the browser without a network; and what only it does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, expect
from tests.browser import test_games as games
from tests.browser.conftest import DESK, PHONE, NewPage, changed, fill_best, start, throw
from tests.browser.holding import until
from tests.browser.site_browser import LOBBY, QUICK_COMPILER, SiteBrowser, static_host
from tests.waiting import PATIENCE, READY

from dicecup.errors import DicecupError
from dicecup.site import builder
from dicecup.site.builder import FOLDER, INDEX, WORKER, build_site

SIX_GAMES = ["yatzy", "yatzy-sv", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee"]
REFUSE_TO_STORE = """() => {
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
  self.allowAgain = () => (IDBObjectStore.prototype.put = put);
}"""

UNTIL_COMPLETE = f"""() => new Promise((resolve, reject) => {{
  navigator.serviceWorker.addEventListener("message", ({{ data }}) => data === "complete" && resolve());
  navigator.serviceWorker.controller.postMessage("shown");
  setTimeout(() => reject(new Error("it was never complete")), {1000 * READY});
}})"""

# Requests that change the data, until the worker has heard that it is to rest.
REST = f"""async () => {{
  navigator.serviceWorker.controller.postMessage("rest");
  const signal = AbortSignal.timeout({1000 * PATIENCE});
  for (;;) {{
    const {{ status }} = await fetch("/new/yatzy", {{ signal }});
    if (status !== 200) return status;
  }}
}}"""
REFUSE_WORKERS = """ServiceWorkerContainer.prototype.register = async () => {
  throw new DOMException("not here", "SecurityError");
};"""
UPDATED = """async () =>
  (await navigator.serviceWorker.ready).update().then(() => true, () => false)"""
NOTE_START_PAGE = """addEventListener("DOMContentLoaded", () => {
  const { lang, dataset } = document.documentElement;
  const state = document.getElementById("state");
  if (state) sessionStorage.setItem("start page", `${lang} ${dataset.theme} ${state.textContent}`);
});"""
CACHED = """
const [name] = await caches.keys();
const cache = await caches.open(name);
const folder = name.split(" ").at(-1);
const snapshot = await cache.match(`/${folder}/snapshot`);
const notes = JSON.parse(snapshot?.headers.get("dicecup-snapshot") ?? "{}");
"""
KEPT = f"""async () => {{ {CACHED}
  const compiled = (await (await cache.match(`/${{folder}}/compiled`))?.blob())?.size ?? 0;
  return {{ snapshot: Boolean(snapshot), spoilt: Boolean(notes.spoilt), compiled }};
}}"""
# A snapshot of another place of the compiled package; nothing else of it may be looked at.
OF_ANOTHER_PLACE = """async (folder) => {
  const cache = await caches.open(`dicecup / ${folder}`);
  const notes = { place: [0, 0], size: 0, references: [], spoilt: true };
  const headers = { "dicecup-snapshot": JSON.stringify(notes) };
  await cache.put(`/${folder}/snapshot`, new Response(new Uint8Array(0), { headers }));
}"""
# A memory in which the database seems to be elsewhere, at a folder.
SPOIL_MEMORY = f"""async () => {{ {CACHED}
  const memory = new Uint8Array(await snapshot.arrayBuffer());
  const text = new TextDecoder("latin1").decode(memory);
  const path = "/data/games.db";
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1))
    memory.set(new TextEncoder().encode("/dicecup/data/"), at);
  const headers = {{ "dicecup-snapshot": JSON.stringify({{ ...notes, spoilt: true }}) }};
  await cache.put(`/${{folder}}/snapshot`, new Response(memory, {{ headers }}));
}}"""
MARKS = "() => performance.getEntriesByType('mark').map(({ name }) => name)"
# Delete everything as the page for that does.
DELETE_MY_DATA = """async () => {
  const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = (await read(await fetch("/mine/data"))).querySelector("form:has(.danger)");
  form.sure.checked = true;
  const sent = { method: form.method, body: new URLSearchParams(new FormData(form)) };
  const page = await read(await fetch(form.getAttribute("action"), sent));
  return page.querySelector("main [role=status]") !== null;
}"""


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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder, "COMPRESSION", 1)  # three seconds less, and the same files once unpacked
        try:
            build_site(folder)
        except DicecupError as error:
            pytest.fail(f"the site can’t be built: {error}")
    return folder


@pytest.fixture(scope="session")
def first_visit(
    site_folder: Path, playwright: Playwright, chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SiteBrowser]:
    """A browser that visits the site once, and finds a snapshot there that it can't use: it makes another."""
    with static_host(site_folder) as address:
        browser = SiteBrowser(playwright, chromium_path, tmp_path_factory.mktemp("profile"), address)
        (folder,) = site_folder.glob(f"{FOLDER}*")
        page = browser.context.new_page()
        page.goto(f"/{folder.name}/pyodide-lock.json")
        page.evaluate(OF_ANOTHER_PLACE, folder.name)
        assert page.evaluate(KEPT)["spoilt"]
        page.close()
        page = browser.open(offline=False)
        page.evaluate(UNTIL_COMPLETE)
        browser.first_start = worker_of(browser.context).evaluate(MARKS)
        page.close()
        yield browser
        with suppress(Error):
            browser.context.close()


@pytest.fixture(scope="session")
def site(first_visit: SiteBrowser) -> SiteBrowser:
    """A browser that has visited the site, and then was closed: Python starts from a snapshot."""
    first_visit.context.close()
    first_visit.flags.append(QUICK_COMPILER)
    first_visit.relaunch()
    return first_visit


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
    open_pages = [page for page in pages if not page.is_closed()] or [site.open()]
    assert open_pages[-1].evaluate(DELETE_MY_DATA)
    for page in open_pages:
        page.close()


def again(site: SiteBrowser, page: Page) -> Page:
    """Start Python again, and return a page that is shown after all that comes after the start."""
    stop_worker(page)
    page.close()
    page = site.open()
    page.evaluate(UNTIL_COMPLETE)
    return page


def test_without_a_usable_snapshot_python_starts_from_its_code(first_visit: SiteBrowser) -> None:
    """As after an update of the browser that puts the compiled package elsewhere: it makes a new snapshot."""
    page = first_visit.open()
    kept = page.evaluate(KEPT)
    assert kept["snapshot"]
    assert not kept["spoilt"]
    assert first_visit.first_start == ["begun", "compiled", "compiled", "started"]  # nothing was "restored"
    page.close()


def test_a_spoilt_snapshot_and_no_room_for_another(first_visit: SiteBrowser) -> None:
    """Python starts from its code, and keeps that compiled; when there is room it makes a snapshot."""
    page = first_visit.open()
    page.evaluate(SPOIL_MEMORY)
    usage = page.evaluate("async () => (await navigator.storage.estimate()).usage")
    origin = {"origin": first_visit.address}
    other = first_visit.open()
    storage = other.context.new_cdp_session(other)
    storage.send("Storage.overrideQuotaForOrigin", {**origin, "quotaSize": usage - 20_000_000})
    page = again(first_visit, page)
    kept = page.evaluate(KEPT)
    assert not kept["snapshot"]
    assert kept["compiled"] > 2_000_000
    storage.send("Storage.overrideQuotaForOrigin", origin)
    page = again(first_visit, page)
    assert page.evaluate(KEPT)["snapshot"]
    page.close()
    other.close()


# Tests of games that need one device only; here they get pages of the site.
test_a_strike_writes_nothing = games.test_a_strike_writes_nothing
test_dice_of_the_table_are_tapped_in = games.test_dice_of_the_table_are_tapped_in
test_dice_that_stay = games.test_dice_that_stay
test_double_dice_of_the_table = games.test_double_dice_of_the_table


@pytest.mark.parametrize("game", SIX_GAMES)
def test_a_whole_game(new_page: NewPage, game: str) -> None:
    page = new_page(PHONE)
    start(page, game)
    games.play_to_the_end_and_look_back(page)


def worker_of(context: BrowserContext) -> Any:
    return context.service_workers[0]


def test_my_data_is_deleted(new_page: NewPage) -> None:
    page = new_page()
    start(page)
    page.goto("/mine/data")
    page.check("[name=sure]")
    page.click("button.danger")
    page.wait_for_selector("main [role=status]")
    page.goto("/")
    expect(page.locator(LOBBY)).to_be_visible()
    expect(page.locator("#go-on")).to_have_count(0)


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


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", "couldn’t be fetched"),
        (REFUSE_WORKERS, "isn’t private"),
    ],
    ids=["files missing", "not allowed"],
)
def test_the_start_page_says_why_it_cannot_start(
    chromium: Browser, site_folder: Path, tmp_path: Path, script: str, said: str
) -> None:
    """Of the program only that is there which the worker needs to be read."""
    for path in (site_folder / INDEX, site_folder / WORKER, *site_folder.glob("*/*.*js")):
        to = tmp_path / path.relative_to(site_folder)
        to.parent.mkdir(exist_ok=True)
        shutil.copy(path, to)
    with static_host(tmp_path) as address:
        page = chromium.new_page(locale="en-GB")
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(script)
        page.goto(address)
        expect(page.locator("#state")).to_contain_text(said)
        page.close()


def test_two_starts_from_one_snapshot_draw_different_numbers(new_page: NewPage) -> None:
    """Nothing random comes from the memory that both begin with: neither names of games nor dice."""
    promises = set()
    for _start in range(2):
        page = new_page()
        stop_worker(page)
        start(page)
        promises.add((page.url, page.locator("details code").text_content()))
    assert len({url for url, _promise in promises}) == len({promise for _url, promise in promises}) == 2


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


def test_no_request_keeps_a_new_version_waiting(new_page: NewPage) -> None:
    """Browsers wait with it for minutes as long as the old one has a request to answer."""
    page = new_page()
    start(page)
    status = page.evaluate(REST)
    assert status == 503
    stop_worker(page)  # no new version comes here


def test_a_new_version_asks_first(new_page: NewPage, site: SiteBrowser, site_folder: Path) -> None:
    page, other = new_page(), new_page()
    start(page)
    throw(page)
    worker = site_folder / "service-worker.js"
    worker.write_bytes(worker.read_bytes() + b"\n// another version\n")
    site.context.set_offline(False)
    until(page, lambda: page.evaluate(UPDATED))  # requests may fail for some time after that
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
