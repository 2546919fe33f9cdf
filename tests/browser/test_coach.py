"""The coach in a real browser: hints on demand, the loss after a move, win chances; it never blocks play."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import DESK, PHONE, READY, NewPage, changed, open_match, play, throw


@pytest.mark.parametrize("game", ["yatzy", "dice-in-dice", "triple-yum-plus"])
def test_a_hint_when_asked_and_the_loss_afterwards(new_page: NewPage, game: str) -> None:
    page = new_page(PHONE)
    open_match(page, game, "person", coach="1")
    assert page.locator("#ask").count() == 0  # before the throw there is no decision to make
    throw(page)
    assert page.locator("#hint table").count() == 0
    page.click("#ask")
    expect(page.locator("#hint .advice-do")).to_be_visible(timeout=READY)
    # After throwing a straight the best choice is to score it, and that reason has no chances.
    chances = page.locator("#hint .reason", has_text="%")
    expect(chances.first).to_be_attached(timeout=READY)
    page.click("#hint .hint-more > summary")
    expect(page.locator("#hint .best").first).to_be_visible()
    later = f"{page.url}/why"  # reasons that take long come in a box of their own: what is open stays open
    page.evaluate("url => htmx.ajax('GET', url, {target: '#hint .hint-box', swap: 'outerHTML'})", later)
    expect(page.locator("#hint .best").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.click("[data-close]")
    expect(page.locator("#hint")).to_be_empty()
    layers = ("inner", "outer") if game == "dice-in-dice" else ("dice",)
    for layer in layers:
        page.locator(f".offer button.zero.layer-{layer}:not([aria-pressed=true])").first.click()
        if layer != "dice":
            page.wait_for_selector(f".picked.layer-{layer}")
    if game == "dice-in-dice":
        page.click("#send")
    expect(page.locator("#so-far")).to_contain_text("better:", timeout=READY)
    expect(page.locator("#so-far")).to_contain_text("Win chances ±", timeout=READY)


def test_a_table_without_a_coach_shows_nothing_of_it(new_page: NewPage) -> None:
    page, friend = new_page(DESK), new_page(PHONE)
    page.goto("/new/yatzy")
    expect(page.locator("input[name=coach]")).not_to_be_checked()
    page.click("button[value=add-open]")
    page.wait_for_selector(".open-seat")
    play(page)
    friend.goto(page.url)
    friend.fill(".join input[name=name]", "Bo")
    friend.click(".join button")
    page.wait_for_selector("#throw")
    throw(page)
    for one in (page, friend):
        assert one.locator("#ask, .coach, #hint").count() == 0


def test_the_perfect_bot_plays_and_a_box_can_be_taken_back(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.goto("/new/yahtzee")
    page.click("button[value=add-bot]")
    page.wait_for_selector("select[name=name]")
    page.select_option("select[name=name]", "optimal")
    play(page)
    throw(page)
    changed(page, lambda: page.click("#box-chance"))
    expect(page.locator(".written")).to_have_count(2, timeout=READY)
    expect(page.locator(".banner")).to_contain_text("Player 1, it’s your turn")
    page.click("#undo")
    expect(page.locator(".written")).to_have_count(0)
