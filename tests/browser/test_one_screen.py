"""The own sheet stands on one screen, and every box can be reached whatever the size of screen and text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, ViewportSize, expect
from tests.browser.conftest import NewPage, changed, fill_best, open_match, play, throw
from tests.browser.screens import LOW_PHONE, PHONE_390, clipped, reachable_boxes, show_in, visible_boxes

from dicecup.i18n.language import LANGUAGES
from dicecup.rules import load_ruleset, main_ids

ON_LOW_PHONES = ("yatzy", "yatzy-sv", "yahtzee", "dice-in-dice")
LAYOUTS = ("yatzy", "dice-in-dice", "triple-yum-plus")  # the others look like the first
WIDTHS = (320, 360, 820, 1280)
DESK_AT_400_PERCENT: ViewportSize = {"width": 320, "height": 200}


def open_game(page: Page, game: str) -> None:
    """A game against somebody else and a bot, after the first roll."""
    open_match(page, game, "person", "bot")
    throw(page)


def boxes_of(game: str) -> int:
    return load_ruleset(game).cells


@pytest.mark.parametrize("game", main_ids())
def test_all_boxes_are_on_the_first_screen(new_page: NewPage, game: str) -> None:
    """And nothing is clipped from 320 pixels on, in any language; a name that is too long ends with dots."""
    page = new_page(PHONE_390)
    open_game(page, game)
    found = {}
    for code in LANGUAGES:
        page.set_viewport_size(PHONE_390)
        show_in(page, code)
        found[code, 390] = visible_boxes(page)
        expect(page.locator("#throw")).to_be_in_viewport(ratio=1)
        expect(page.locator("#chip-0")).to_be_in_viewport(ratio=1)
        if game in ON_LOW_PHONES:
            page.set_viewport_size(LOW_PHONE)
            found[code, 360] = visible_boxes(page)
        for width in WIDTHS if game in LAYOUTS else ():
            page.set_viewport_size({"width": width, "height": 640})
            assert clipped(page) == [], (code, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (code, width)
    assert found == dict.fromkeys(found, boxes_of(game))


def test_what_was_written_last_is_on_the_first_screen(new_page: NewPage) -> None:
    page = new_page(LOW_PHONE)
    open_game(page, "dice-in-dice")
    fill_best(page)
    expect(page.locator("#match-last .entry-box")).to_have_count(2)
    page.evaluate("scrollTo(0, 0)")
    for seen in ("#match-last .entry", "#headline", "#chip-1", "#throw"):
        expect(page.locator(seen)).to_be_in_viewport(ratio=1)
    assert visible_boxes(page) == boxes_of("dice-in-dice")


def test_the_sheet_of_another_player_opens_on_a_tap(new_page: NewPage) -> None:
    for scripts in (True, False):
        page = new_page(LOW_PHONE, java_script_enabled=scripts)
        page.goto("/new/yatzy")
        page.click("#add-person")
        expect(page.locator(".seats li")).to_have_count(2)
        play(page)
        sheet = page.locator("#player-1 .other-sheet")
        expect(sheet).to_be_hidden()
        page.click("#chip-1")
        expect(sheet).to_be_in_viewport(ratio=1)
        page.click("#chip-1")
        expect(sheet).to_be_hidden()


@pytest.mark.parametrize("game", LAYOUTS)
def test_every_box_can_be_pressed_with_large_text(new_page: NewPage, game: str) -> None:
    """Text twice as large on a phone, 400 % on a desk: nothing covers a box once it is scrolled to."""
    page = new_page(LOW_PHONE)
    open_game(page, game)
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    assert reachable_boxes(page) == boxes_of(game)
    assert page.evaluate("document.documentElement.scrollWidth") <= LOW_PHONE["width"]
    throw(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
    page.set_viewport_size(DESK_AT_400_PERCENT)
    assert reachable_boxes(page) == boxes_of(game)
    assert page.evaluate("document.documentElement.scrollWidth") <= DESK_AT_400_PERCENT["width"]
    if game == "yatzy":
        changed(page, lambda: page.click("#box-yatzy"))


def test_three_taps_from_the_first_page_to_the_first_roll(new_page: NewPage) -> None:
    page = new_page(LOW_PHONE)
    taps = []

    def note(request: Request) -> None:
        # A form may be sent by the script or, before that is there, by the browser itself.
        if request.is_navigation_request() and request.method == "GET":
            taps.append(request.url)

    page.on("request", note)
    page.goto("/")
    page.click("a[href='/new/yatzy']")
    play(page)
    throw(page)
    expect(page.locator(".die-box.thrown")).to_have_count(5)
    assert len(taps) == 3  # the first page, the set-up, and the match


def test_a_tap_on_a_name_explains_the_box(new_page: NewPage) -> None:
    for scripts in (True, False):
        page = new_page(LOW_PHONE, java_script_enabled=scripts)
        open_match(page, "yatzy-sv")
        page.click("#row-full_house .explain")
        words = page.locator("#about-full_house")
        expect(words).to_be_visible()
        expect(words).to_contain_text("3 alike and a pair, of different numbers: the sum of these dice")
        page.keyboard.press("Escape")
        expect(words).to_be_hidden()


def test_the_way_to_the_bonus(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/new/yatzy")
    page.check("input[value=table]")
    play(page)
    expect(page.locator("#row-bonus")).to_contain_text("0/63")
    expected = {"6 6 6 6 1": ("sixes", "24/63", "on course"), "5 1 2 3 4": ("fives", "29/63", "4 behind")}
    for dice, (box, sum_so_far, words) in expected.items():
        changed(page, lambda dice=dice: page.locator("#typed").press_sequentially(dice))  # type: ignore[misc]
        changed(page, lambda box=box: page.click(f"#box-{box}"))  # type: ignore[misc]
        expect(page.locator("#row-bonus td")).to_have_text(sum_so_far)
        expect(page.locator("#row-bonus small")).to_have_text(words)
