"""From the first page to the first roll, by link to others, and what they see of each other."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.browser.accessibility import problems
from tests.browser.conftest import (
    PHONE,
    NewPage,
    changed,
    fill_best,
    open_match,
    play_by_api,
    play_to_the_end,
    throw,
)
from tests.browser.holding import requested_changes
from tests.browser.screens import (
    KEEP_BUBBLES,
    LOW_PHONE,
    WAYS_TO_ROLL,
    on_screen,
    taps_to_first_roll,
    visible_boxes,
)

from dicecup.i18n.language import LANGUAGES


def test_three_taps_to_the_first_roll(new_page: NewPage) -> None:
    """Two of them lead to a game against a bot; one continues an open game."""
    for scripts in (True, False):
        page = new_page(PHONE, java_script_enabled=scripts)
        assert {way: taps_to_first_roll(page, way) for way in WAYS_TO_ROLL} == {
            "alone": 3,
            "bot": 3,
            "continue": 2,
        }


def test_the_last_game_again(new_page: NewPage) -> None:
    page = new_page(PHONE)
    open_match(page, "yahtzee")
    play_by_api(page, 12)
    play_to_the_end(page)
    before = page.url
    page.goto("/")
    expect(page.locator("#continue")).to_have_count(0)
    page.click("#again")
    page.wait_for_url("**/t/*")
    assert page.url != before
    throw(page)


def by_link(new_page: NewPage, **more: str) -> tuple[Page, Page]:
    """Two browsers in one game; the first one opened it and begins."""
    host, guest = new_page(PHONE), new_page(PHONE, **more)
    for page in (host, guest):
        page.add_init_script(KEEP_BUBBLES)
    host.goto("/new/yatzy")
    host.click("#play-open")
    host.wait_for_url("**/t/*")
    guest.goto(host.url)
    guest.fill("#join-name", "Bo")
    guest.click("form.join .big")
    for page in (host, guest):
        page.wait_for_selector("#players")
    return host, guest


def test_players_see_each_other_come_and_go(new_page: NewPage) -> None:
    host, guest = by_link(new_page)
    expect(host.locator("#chip-1 .presence.here")).to_have_text("(here)")
    expect(guest.locator("#chip-0 .presence.here")).to_have_count(1)
    expect(host.locator("#chip-0 .presence")).to_have_count(0)  # about oneself it says nothing
    throw(host)
    expect(host.locator("#chip-1 .presence.here")).to_have_count(1)  # also after the page is drawn again
    guest.goto("about:blank")
    expect(host.locator("#chip-1 .presence:not(.here)")).to_have_text("(away)")


def test_the_title_says_whose_turn_it_is(new_page: NewPage) -> None:
    host, guest = by_link(new_page)
    expect(host).to_have_title("Your turn · Yatzy · Dicecup")
    expect(guest).to_have_title("Yatzy · Dicecup")
    guest.evaluate("() => { window.rung = []; navigator.vibrate = (pattern) => rung.push(pattern); }")
    guest.click("#headline")  # browsers let pages vibrate only after they were touched
    throw(host)
    fill_best(host)
    expect(guest).to_have_title("Your turn · Yatzy · Dicecup")
    expect(host).to_have_title("Yatzy · Dicecup")
    guest.wait_for_function("() => window.rung.some((pattern) => pattern.length === 3)")


def test_reactions_are_seen_in_ones_own_language(new_page: NewPage) -> None:
    host, guest = by_link(new_page, locale="de-DE")
    host.click("[popovertarget=reactions]")
    assert problems(host) == []
    host.click("#reactions button[value=ouch]")
    expect(guest.locator("#said p")).to_have_text("Player 1: Autsch!")
    expect(host.locator("#said p")).to_have_text("Player 1: Ouch!")
    expect(host.locator("#reactions")).to_be_hidden()
    assert host.url == guest.url


def test_the_link_is_copied_and_shared(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.add_init_script("navigator.share = async (what) => { window.shared = what.url; }")
    page.goto("/new/yatzy")
    page.click("#play-open")
    page.wait_for_url("**/t/*")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copy]")
    expect(page.locator(".copied")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.click("[data-share]")
    page.wait_for_function("() => window.shared === location.href")
    still = new_page(PHONE, java_script_enabled=False)
    still.goto(page.url)
    expect(still.locator("[data-copy]")).to_be_hidden()
    expect(still.locator("#address")).to_have_value(page.url)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_guide_of_a_first_game(new_page: NewPage, code: str) -> None:
    """It covers no box, and goes with the first turn."""
    page = new_page(LOW_PHONE, locale=code)
    for game, boxes in (("yatzy", 15), ("dice-in-dice", 16)):
        open_match(page, game)
        expect(page.locator(".guide-step span:not(.unseen)")).to_have_text("1/3")
        throw(page)
        expect(page.locator(".guide-step span:not(.unseen)")).to_have_text("2/3")
        assert visible_boxes(page) == boxes
        throw(page)
        throw(page)
        expect(page.locator(".guide-step span:not(.unseen)")).to_have_text("3/3")
        assert visible_boxes(page) == boxes
        fill_best(page)
        expect(page.locator(".guide")).to_have_count(0)
    open_match(page)
    expect(page.locator("#throw")).to_be_visible()
    expect(page.locator(".guide")).to_have_count(0)


def test_the_guide_is_skipped_for_good(new_page: NewPage) -> None:
    page = new_page(PHONE)
    open_match(page)
    page.focus("#skip-guide")
    page.keyboard.press("Enter")
    expect(page.locator(".guide")).to_have_count(0)
    expect(page.locator("#throw")).to_be_focused()
    changed(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator(".die-box.thrown")).to_have_count(5)
    expect(page.locator(".guide")).to_have_count(0)
    open_match(page)
    expect(page.locator("#throw")).to_be_visible()
    expect(page.locator(".guide")).to_have_count(0)


def test_enter_on_a_die_rolls_and_does_not_allow_an_undo(new_page: NewPage) -> None:
    host, guest = by_link(new_page)
    throw(host)
    changed(guest, lambda: host.click("#box-chance"))
    throw(guest)
    changed(guest, lambda: host.click("#undo"))
    on_screen(guest)
    expect(guest.locator(".asked button")).to_have_count(2)
    changes = requested_changes(guest)
    guest.focus("#keep-0")
    changed(guest, lambda: guest.keyboard.press("Enter"))
    changed(guest, lambda: host.click("#undo"))
    changed(guest, lambda: guest.click(".asked button[name=agree]"))
    assert [what for what, _version in changes] == ["throw", "undo"]
