"""The site: the same games as on a server, in the browser without a network; and what only it does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect
from tests.browser import test_games as games
from tests.browser.conftest import DESK, PHONE, NewPage, changed, fill_all, fill_best, start, throw
from tests.browser.site_browser import (
    LOBBY,
    QUICK_COMPILER,
    SiteBrowser,
    again,
    another_version,
    continue_from_file,
    file_before_the_end,
    offer,
    static_host,
    steps,
    stop_worker,
    take_over,
    worker_of,
)
from tests.browser.site_scripts import (
    DELETE_MY_DATA,
    KEPT,
    NOTE_START_PAGE,
    OF_ANOTHER_PLACE,
    OPEN_PAGES,
    REFUSE_TO_STORE,
    REFUSE_WORKERS,
    REST,
    REST_AT_ONCE,
    SPOIL_MEMORY,
    UNTIL_COMPLETE,
)
from tests.waiting import PATIENCE

from dicecup.errors import DicecupError
from dicecup.rules import load_ruleset
from dicecup.site import builder
from dicecup.site.builder import FOLDER, INDEX, WORKER, build_site

SIX_GAMES = ["yatzy", "yatzy-sv", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee"]
TAPPED_THROUGH = ("yatzy", "dice-in-dice", "triple-yum-plus")  # of the others only this many turns:
LAST_TURNS = 4
LITTLE_ROOM = 70_000_000  # bytes: without a snapshot a site needs 45 million, with one more than 100


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
    """A browser that finds a snapshot and modules in the site that it can't use, and has no room for one."""
    with static_host(site_folder) as address:
        browser = SiteBrowser(playwright, chromium_path, tmp_path_factory.mktemp("profile"), address)
        (folder,) = site_folder.glob(f"{FOLDER}*")
        other = browser.context.new_page()
        other.goto(f"/{folder.name}/pyodide-lock.json")
        other.evaluate(OF_ANOTHER_PLACE, folder.name)
        assert other.evaluate(KEPT)["spoilt"]
        storage = other.context.new_cdp_session(other)
        storage.send("Storage.overrideQuotaForOrigin", {"origin": address, "quotaSize": LITTLE_ROOM})
        page = browser.open(offline=False)
        page.evaluate(UNTIL_COMPLETE)
        browser.starts.append((steps(browser), page.evaluate(KEPT)))
        page.close()
        yield browser
        with suppress(Error):
            browser.context.close()


@pytest.fixture(scope="session")
def site(first_visit: SiteBrowser) -> SiteBrowser:
    """A browser that has visited the site, and then was closed; with room it makes a snapshot."""
    first_visit.context.close()
    first_visit.flags.append(QUICK_COMPILER)
    first_visit.relaunch()
    page = first_visit.open()
    page.evaluate(UNTIL_COMPLETE)
    first_visit.starts.append((steps(first_visit), page.evaluate(KEPT)))
    page.close()
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


def test_nothing_usable_and_no_room_for_a_snapshot(first_visit: SiteBrowser) -> None:
    """As after an update of the browser that puts the compiled package elsewhere; the modules are spoilt.

    Python tries the snapshot, then the modules, and then starts from its code, which it keeps compiled.
    """
    (done, kept), *_later = first_visit.starts
    assert done == ["begun", "compiled", "compiled", "compiled", "started"]  # nothing was "restored"
    assert not kept["snapshot"]
    assert kept["compiled"] > 2_000_000


def test_when_there_is_room_a_snapshot_is_made(site: SiteBrowser) -> None:
    """Without a network: from the modules that the first start has compiled."""
    _first, (done, kept), *_later = site.starts
    assert done == ["begun", "compiled", "started"]
    assert kept["snapshot"]
    assert not kept["spoilt"]


def test_a_spoilt_snapshot(site: SiteBrowser) -> None:
    """Python starts from its modules, and makes another snapshot."""
    page = site.open()
    page.evaluate(SPOIL_MEMORY)
    assert page.evaluate(KEPT)["spoilt"]
    page = again(site, page)
    assert steps(site) == ["begun", "compiled", "restored", "compiled", "started"]
    kept = page.evaluate(KEPT)
    assert kept["snapshot"]
    assert not kept["spoilt"]
    page.close()


# Tests of games that need one device only; here they get pages of the site.
test_a_strike_writes_nothing = games.test_a_strike_writes_nothing
test_dice_of_the_table_are_tapped_in = games.test_dice_of_the_table_are_tapped_in
test_dice_that_stay = games.test_dice_that_stay
test_double_dice_of_the_table = games.test_double_dice_of_the_table


@pytest.mark.parametrize("game", SIX_GAMES)
def test_a_whole_game(new_page: NewPage, game: str) -> None:
    """Some only for their last turns, from a file: tests/browser/test_games.py taps through them."""
    page = new_page(PHONE)
    if game in TAPPED_THROUGH:
        start(page, game)
        games.play_to_the_end_and_look_back(page)
        return
    continue_from_file(page, file_before_the_end(game, LAST_TURNS))
    expect(page.locator(".sheet .written")).to_have_count(load_ruleset(game).cells - LAST_TURNS)
    fill_all(page)
    games.look_back(page)


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


def test_two_starts_from_one_snapshot_draw_different_numbers(new_page: NewPage, site: SiteBrowser) -> None:
    """Nothing random comes from the memory that both begin with: neither names of games nor dice."""
    page = new_page()
    promises = set()
    for number in range(2):
        if number > 0 or "restored" not in steps(site):
            stop_worker(page)
        start(page)
        assert "restored" in steps(site)
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
    continue_from_file(page, (folder / "game.record").read_bytes())
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
    assert page.evaluate(REST) == [503, 503]
    stop_worker(page)  # no new version comes here
    assert page.evaluate(REST_AT_ONCE) == 503  # while Python starts
    stop_worker(page)


def test_a_new_version_asks_first(new_page: NewPage, site: SiteBrowser, site_folder: Path) -> None:
    page, other = new_page(), new_page()
    start(page)
    throw(page)
    whole = another_version(site_folder)
    for content in (b"", whole):  # while it comes to the host, it may be empty
        offer(page, site_folder, content)
        expect(other.locator("#new-version")).to_be_visible()
        if not content:
            page.click("#new-version button")  # this version does not answer
        throw(page)  # the old version goes on
    dice = page.locator(".die-box .unseen").all_inner_texts()
    take_over(page)
    expect(page.locator(".die-box .unseen")).to_have_text(dice)
    expect(other.locator("#new-version")).to_be_hidden()  # in other tabs, too, it has taken over
    page.goto("/")
    expect(page.locator(LOBBY)).to_be_visible()


def test_a_new_version_takes_over_from_a_stopped_worker(new_page: NewPage, site_folder: Path) -> None:
    """It starts again to hear of it; its Python does not, which pages would keep busy for minutes."""
    page = new_page()
    start(page)
    offer(page, site_folder, another_version(site_folder))
    stop_worker(page)
    take_over(page)
    throw(page)
