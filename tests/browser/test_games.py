"""Complete games, tapped through in a real browser at phone width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import (
    DESK,
    PHONE,
    ROLLED,
    NewPage,
    changed,
    fill_best,
    open_match,
    play,
    play_by_api,
    play_to_the_end,
    start,
    throw,
)
from tests.web.serving import Server

from dicecup.rules.loader import load_ruleset, main_ids


@pytest.mark.parametrize("game", main_ids())
def test_a_whole_game(new_page: NewPage, game: str) -> None:
    """The longest one only to its end: its first turns are tapped by test_every_language."""
    page = new_page(PHONE)
    start(page, game)
    if load_ruleset(game).has_columns:
        play_by_api(page, load_ruleset(game).cells - 6)
    play_to_the_end_and_look_back(page)


def play_to_the_end_and_look_back(page: Page) -> None:
    play_to_the_end(page)
    look_back(page)


def look_back(page: Page) -> None:
    expect(page.locator(".banner .whose")).to_contain_text("The game is over")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    points = page.locator(".standings .points").inner_text()
    page.click("text=Review >> nth=1")
    expect(page.locator(".player-cards .card-points")).to_contain_text(points)
    page.goto("/mine")
    expect(page.locator(".statistics dd").nth(2)).to_have_text(points)


def test_dice_that_stay(new_page: NewPage) -> None:
    page = new_page()
    start(page)
    throw(page)
    page.locator("label:has(#keep-0)").click()
    page.locator("label:has(#keep-3)").click()
    kept = [page.locator("label:has(input:checked) .unseen").nth(place).inner_text() for place in (0, 1)]
    throw(page)
    stay = page.locator("label:has(input:checked) .unseen").all_inner_texts()
    shown = page.locator(".die-box .unseen").all_inner_texts()
    for die in kept:
        assert die in shown
    assert len(stay) <= 4
    expect(page.locator(".throws")).to_contain_text("Roll 2 of 3")


def test_two_browsers_play_each_other_live(new_page: NewPage) -> None:
    ann, bo, watcher = new_page(DESK), new_page(PHONE), new_page(DESK)
    ann.goto("/new/yatzy")
    ann.fill("input[name=name]", "Ann")
    ann.click("button[value=add-open]")
    ann.wait_for_selector(".open-seat")
    play(ann)
    ann.wait_for_selector(".waiting-room")
    address = ann.url
    bo.goto(address)
    watcher.goto(address)
    bo.fill(".join input[name=name]", "Bo")
    bo.click(".join button")
    for page in (ann, bo, watcher):
        page.wait_for_selector(".sheet")
    expect(ann.locator(".banner")).to_contain_text("Ann, it’s your turn")
    expect(bo.locator(".banner")).to_contain_text("Waiting for Ann")
    expect(watcher.locator(".watching")).to_be_visible()
    assert bo.locator("#throw").count() == 0
    for _turn in range(2):
        for active, other, name in ((ann, bo, "Ann"), (bo, ann, "Bo")):
            expect(active.locator(".banner")).to_contain_text(f"{name}, it’s your turn")
            throw(active)
            expect(other.locator(ROLLED)).to_have_count(5)
            fill_best(active)
            expect(other.locator(".banner")).to_contain_text("it’s your turn")
    for page in (ann, bo, watcher):
        expect(page.locator("#match")).to_have_attribute("data-version", "8")
        assert page.locator("#throw").count() == (1 if page is ann else 0)
        sheets = ".sheet-of-other .written" if page is watcher else ".written"
        expect(page.locator(sheets)).to_have_count(4)
    assert watcher.locator("form.throwing button").count() == 0


def test_a_spectator_takes_a_seat_that_was_left(new_page: NewPage) -> None:
    ann, bo, cy, other = new_page(DESK), new_page(PHONE), new_page(PHONE), new_page(PHONE)
    ann.goto("/new/yatzy")
    for number in (1, 2):
        ann.click("button[value=add-open]")
        expect(ann.locator(".open-seat")).to_have_count(number)
    play(ann)
    cy.goto(ann.url)
    cy.fill("#join-name", "Cyn")
    bo.goto(ann.url)
    bo.fill("#join-name", "Bo")
    bo.click(".join button")
    expect(cy.locator(".waiting-room")).to_contain_text("One seat is still open.")
    expect(cy.locator("#join-name")).to_have_value("Cyn")  # not lost when the page is re-rendered
    expect(cy.locator("#join-name")).to_be_focused()
    expect(bo.locator("text=Leave game")).to_be_visible()  # bo's page is loaded again after joining
    ann.click("text=Start game now")
    for page in (ann, bo, cy):
        page.wait_for_selector(".sheet")
    other.goto(ann.url)
    for page in (other, cy):
        expect(page.locator(".watching")).to_be_visible()
    bo.on("dialog", lambda dialog: dialog.accept())  # leaving asks for confirmation
    bo.click("text=Leave game")
    throw(ann)
    expect(cy.locator(ROLLED)).to_have_count(5)
    cy.click("text=Play for Bo")
    expect(cy.locator(".chip-head.mine")).to_have_count(1)
    fill_best(ann)
    expect(cy.locator(".banner")).to_contain_text("Bo, it’s your turn")
    throw(cy)
    expect(other.locator(".watching")).to_be_visible()


def test_dice_of_the_table_are_tapped_in(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.goto("/new/yatzy")
    page.check("input[value=table]")
    play(page)
    for face in (3, 3, 3, 5):
        page.click(f"[data-face='{face}']")
    page.click("[data-erase]")
    page.click("[data-face='6']")
    expect(page.locator("#typed")).to_have_value("3 3 3 6")
    changed(page, lambda: page.click("[data-face='6']"))  # the last die sends the roll
    for place in range(3):
        page.locator(f"label:has(#keep-{place})").click()
    throw(page)
    changed(page, lambda: page.fill("#typed", "15"))
    changed(page, lambda: page.click("#box-three_of_a_kind"))
    expect(page.locator(".line-three_of_a_kind .written")).to_have_text("9")
    changed(page, lambda: page.click("#undo"))
    changed(page, lambda: page.click("#undo"))
    page.fill("#typed", "9 9")
    page.click("#throw")
    expect(page.locator(".problem:visible")).to_contain_text("Use 1 to 6")


def test_double_dice_of_the_table(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.goto("/new/dice-in-dice")
    page.check("input[value=table]")
    play(page)
    for face in "65643332413":
        page.click(f"[data-face='{face}']")
    expect(page.locator("#typed")).to_have_value("6-5 6-4 3-3 3-2 4-1 3")
    changed(page, lambda: page.click("[data-face='2']"))  # the last die sends the roll
    for expected in ("true", "false", "true"):  # a second tap takes it back
        page.click("#box-inner-low_straight")
        expect(page.locator("#box-inner-low_straight")).to_have_attribute("aria-pressed", expected)
    page.click("#box-outer-full_house")
    changed(page, lambda: page.click("#send"))
    expect(page.locator(".line-low_straight .written")).to_have_text("15 inner dice")
    expect(page.locator(".line-full_house .written")).to_have_text("21 outer dice")


@pytest.fixture
def patient_server(tmp_path: Path) -> Iterator[Server]:
    """A server whose bots wait longer before they throw than any test lasts."""
    with Server(str(tmp_path / "games.db"), DICECUP_PAUSE="600") as started:
        yield started


def test_one_tap_takes_back(new_page: NewPage, patient_server: Server) -> None:
    page = new_page(PHONE, base_url=patient_server.address)
    page.goto("/new/yatzy")
    page.click("button[value=add-bot]")
    page.wait_for_selector("select[name=name]")
    play(page)
    throw(page)
    dice = page.locator(".die-box .unseen").all_inner_texts()
    fill_best(page)
    changed(page, lambda: page.click("#undo"))
    expect(page.locator(".sheet .written")).to_have_count(0)
    assert page.locator(".die-box .unseen").all_inner_texts() == dice


def test_a_strike_writes_nothing(new_page: NewPage) -> None:
    page = new_page()
    start(page)
    throw(page)
    page.check("#strike")
    changed(page, lambda: page.click("#box-chance"))
    expect(page.locator(".line-chance .written")).to_have_text("0")


def test_coming_back_on_a_second_device(new_page: NewPage) -> None:
    first, second = new_page(DESK), new_page(PHONE)
    open_match(first)
    throw(first)
    first.click("summary:has-text('This game')")
    first.click("text=Private link for")
    private = first.locator(".address").input_value()
    assert "#" in private
    first.click("text=Back to game")
    second.goto(private)
    second.wait_for_selector(".sheet")
    assert "#" not in second.url
    dice = first.locator(".die-box .unseen").all_inner_texts()
    assert second.locator(".die-box .unseen").all_inner_texts() == dice
    fill_best(second)
    expect(first.locator(".sheet .written")).to_have_count(1)


def test_without_javascript(new_page: NewPage) -> None:
    page = new_page(PHONE, java_script_enabled=False)
    page.goto("/")
    page.click("a[href='/new/dice-in-dice']")
    page.click("button[value=add-bot]")
    play(page)
    page.click("#throw")
    page.locator("label:has(#keep-1)").click()
    page.click("#throw")
    page.locator(".offer button.layer-outer").nth(2).click()
    page.locator(".offer button.layer-inner").nth(4).click()
    page.click("#send")
    expect(page.locator(".sheet .written")).to_have_count(2)
