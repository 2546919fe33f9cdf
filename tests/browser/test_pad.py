"""A score pad in the browser: two taps a turn, everything on one screen, by keyboard, and seen live."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.accessibility import violations
from tests.browser.conftest import NewPage, away, changed, open_match, play
from tests.browser.holding import intercept, until
from tests.browser.screens import (
    KEEP_BUBBLES,
    LOW_PHONE,
    PHONE_390,
    clipped,
    on_screen,
    open_pad,
    show_in,
    taps_for_pad_turn,
    visible_pad_boxes,
)

from dicecup.i18n.language import LANGUAGES
from dicecup.rules import load_ruleset, main_ids

MOST_BYTES = 80_000
ON_LOW_PHONES = ("yatzy", "yatzy-sv", "yahtzee", "dice-in-dice")
# Counts the locks that a page asks for, and lets it ask again when it is shown again.
COUNT_LOCKS = """
window.locks = 0;
Object.defineProperty(navigator, "wakeLock", { value: { request: async () => { window.locks += 1; } } });
"""


def new_pad(page: Page, game: str, people: int = 2) -> None:
    """As open_pad, without taps."""
    open_match(page, game, *["person"] * (people - 1), dice="points")


def text_at(page: Page, at: str) -> str:
    return page.locator(f"[id='at-{at}']").inner_text()


def write_focused(page: Page) -> None:
    """Write the value that has the focus, once the values are painted."""
    page.wait_for_selector("#chooser[data-on-screen]")
    changed(page, lambda: page.keyboard.press("Enter"))


class HeldValues:
    """Requests for the values of boxes that have not reached the server yet."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.waiting: list[Route] = []
        intercept(page, "**/t/*?at=*", self.hold)

    def hold(self, route: Route) -> None:
        self.waiting.append(route)

    def arrived(self, count: int = 1) -> list[Route]:
        until(self.page, lambda: len(self.waiting) >= count)
        return self.waiting


@pytest.mark.parametrize("game", main_ids())
def test_all_boxes_of_two_players_are_on_one_screen(new_page: NewPage, game: str) -> None:
    """In every language: one pad is looked at in each."""
    page = new_page(PHONE_390)
    new_pad(page, game)
    found = {}
    for code in LANGUAGES:
        page.set_viewport_size(PHONE_390)
        show_in(page, code)
        found[code, 390] = visible_pad_boxes(page)
        assert clipped(page) == [], code
        if game in ON_LOW_PHONES:
            page.set_viewport_size(LOW_PHONE)
            found[code, 360] = visible_pad_boxes(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, code
    assert found == dict.fromkeys(found, 2 * load_ruleset(game).cells)


def test_digits_are_not_lost_while_the_values_are_on_their_way(new_page: NewPage) -> None:
    page = new_page()
    new_pad(page, "yatzy")
    values = HeldValues(page)
    page.focus("[id='at-0.sixes']")
    for key in ("2", "4", "Enter"):
        page.keyboard.press(key)
    values.arrived().pop().continue_()
    expect(page.locator(".choose button:focus")).to_have_attribute("value", "24")
    write_focused(page)
    assert text_at(page, "0.sixes") == "24"
    assert values.waiting == []


def test_the_last_box_that_was_tapped_is_written(new_page: NewPage) -> None:
    """Whatever was open before, and in whichever order the values come."""
    page = new_page()
    new_pad(page, "yatzy")
    page.click("[id='at-0.fives']")
    page.wait_for_selector("#chooser[data-on-screen] .choose")
    values = HeldValues(page)
    page.click("[id='at-0.ones']")
    page.click("[id='at-0.sixes']")
    for key in ("1", "8", "Enter"):
        page.keyboard.press(key)
    first, last = values.arrived(2)
    last.continue_()
    expect(page.locator(".choose[data-at='0.sixes'] button:focus")).to_have_attribute("value", "18")
    with page.expect_response(first.request.url):
        first.continue_()
    write_focused(page)
    assert [text_at(page, f"0.{box}") for box in ("ones", "fives", "sixes")] == ["", "", "18"]


def test_values_that_are_no_longer_wanted_do_not_open(new_page: NewPage) -> None:
    page = new_page()
    new_pad(page, "yatzy")
    values = HeldValues(page)
    page.focus("[id='at-0.sixes']")
    page.keyboard.press("Enter")
    values.arrived()
    page.keyboard.press("Escape")
    for key in ("2", "4"):
        page.keyboard.press(key)
    for route in values.arrived(2):
        route.continue_()
    expect(page.locator(".choose button:focus")).to_have_attribute("value", "24")


def test_values_that_cannot_be_fetched(new_page: NewPage) -> None:
    page = new_page()
    new_pad(page, "yatzy")
    values = HeldValues(page)
    page.click("[id='at-0.sixes']")
    values.arrived().pop().abort()
    expect(page.locator("#unreachable")).to_be_visible()
    expect(page.locator("[id='at-0.sixes']")).to_be_focused()
    page.click("[id='at-0.sixes']")
    values.arrived().pop().continue_()
    expect(page.locator(".choose[data-at='0.sixes']")).to_be_visible()
    expect(page.locator("#unreachable")).to_be_hidden()


def test_a_turn_takes_two_taps(new_page: NewPage) -> None:
    page = new_page(PHONE_390)
    sizes: list[float] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    open_pad(page, "yatzy", 6)
    sizes.clear()
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.reload(wait_until="load")
    assert 0 < sum(sizes) < MOST_BYTES
    assert taps_for_pad_turn(page, "0.sixes", 24) == 2
    assert text_at(page, "0.sixes") == "24"
    expect(page.locator(".pad-player.next")).to_have_text("Player 2 0")
    assert taps_for_pad_turn(page, "0.sixes", 18) == 2  # a correction takes as many
    expect(page.locator(".pad-player b").first).to_have_text("18")
    changed(page, lambda: page.click("#undo"))
    assert text_at(page, "0.sixes") == "24"


def test_by_keyboard(new_page: NewPage) -> None:
    page = new_page()
    new_pad(page, "yatzy")
    on_screen(page)
    page.focus("[id='at-0.fives']")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[id='at-0.sixes']")).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator(".choose [value='24']")).to_be_visible()
    page.keyboard.press("4")
    expect(page.locator(".choose [value='24']")).to_be_focused()
    write_focused(page)
    assert text_at(page, "0.sixes") == "24"
    expect(page.locator("[id='at-1.sixes']")).to_be_focused()  # whoever is next
    page.keyboard.press("Enter")
    expect(page.locator(".choose")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".choose")).to_have_count(0)
    expect(page.locator("[id='at-1.sixes']")).to_be_focused()
    changed(page, lambda: page.keyboard.press("u"))
    assert text_at(page, "0.sixes") == ""


def test_others_see_it_and_an_open_choice_stays_open(new_page: NewPage) -> None:
    page, spectator = new_page(), new_page(PHONE_390)
    new_pad(page, "dice-in-dice")
    spectator.goto(page.url)
    page.click("[id='at-1.pair']")
    expect(page.locator(".choose")).to_be_visible()
    other = page.context.new_page()  # the same people on another screen
    other.goto(page.url)
    taps_for_pad_turn(other, "0.chance", 27)
    expect(page.locator("[id='at-0.chance']")).to_have_text("27")
    expect(page.locator(".choose")).to_be_visible()
    changed(page, lambda: page.click(".choose [value='8']"))
    expect(spectator.locator("#pad td.new")).to_have_text("8")
    expect(spectator.locator("#pad a")).to_have_count(0)


def test_the_end_and_people_who_come_late(new_page: NewPage) -> None:
    page = new_page(PHONE_390)
    new_pad(page, "yatzy", 1)
    boxes = [box.id for box in load_ruleset("yatzy").boxes]
    with away(page) as player:
        for box in boxes[1:-1]:
            player.move({"seat": 0, "box": box, "points": 0})
    taps_for_pad_turn(page, f"0.{boxes[0]}", 0)
    page.click("#add-late summary")
    page.fill("#late-name", "Cleo")
    changed(page, lambda: page.click("#add-late button"))
    expect(page.locator(".pad-player")).to_have_count(2)
    expect(page.locator("#late-name")).to_have_value("")  # a second tap would add Cleo again
    expect(page.locator("#late-name")).to_be_hidden()
    taps_for_pad_turn(page, f"1.{boxes[0]}", 0)
    with away(page) as player:
        for box in boxes[1:-1]:
            player.move({"seat": 1, "box": box, "points": 0})
    taps_for_pad_turn(page, f"1.{boxes[-1]}", 0)
    taps_for_pad_turn(page, "0.yatzy", 50)
    expect(page.locator("#headline")).to_contain_text("Player 1 wins with 50 points")
    expect(page.locator(".standings li")).to_have_count(2)
    expect(page.locator("#again")).to_be_visible()


def test_large_text(new_page: NewPage) -> None:
    """With text at 200 % the names of boxes can be read, and the values of a box can be seen and tapped."""
    page = new_page(LOW_PHONE, locale="de")
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    new_pad(page, "yatzy", 4)
    name = page.locator("#pad tbody th").first.bounding_box()
    assert name
    assert name["width"] >= 5 * 32
    page.click("[id='at-0.full_house']")
    for part in (page.locator("#choose-title"), page.locator(".choose-values button").first):
        expect(part).to_be_visible()
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= LOW_PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= LOW_PHONE["width"]


def test_people_around_a_pad(new_page: NewPage) -> None:
    host, guest = new_page(PHONE_390), new_page(PHONE_390)
    host.add_init_script(KEEP_BUBBLES)
    host.goto("/new/yatzy")
    host.check("input[value=points]")
    host.click("#play-open")
    host.wait_for_url("**/t/*")
    guest.goto(host.url)
    guest.fill("#join-name", "Bo")
    guest.click("form.join .big")
    expect(host.locator("#chip-1 .presence.here")).to_have_text("(here)")
    expect(host.locator("#chip-0 .presence")).to_have_count(0)
    guest.click("[popovertarget=reactions]")
    guest.click("#reactions button[value=ouch]")
    expect(host.locator("#said p")).to_have_text("Bo: Ouch!")
    # Who waited on the page has everything that a pad needs.
    assert taps_for_pad_turn(host, "1.sixes", 24) == 2
    expect(host.locator("#pad")).to_have_css("border-collapse", "separate")
    expect(guest.locator("#pad td.new")).to_have_text("24")


def test_the_screen_stays_awake(new_page: NewPage) -> None:
    page = new_page(PHONE_390)
    page.add_init_script(COUNT_LOCKS)
    new_pad(page, "yatzy", 1)
    assert page.evaluate("window.locks") == 1
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.locks") == 2


def test_a_pad_is_accessible(new_page: NewPage) -> None:
    page = new_page(PHONE_390)
    new_pad(page, "triple-yum-plus")
    taps_for_pad_turn(page, "0.x2.sixes", 0)
    assert violations(page) == []
    page.click("[id='at-1.x1.chance']")
    expect(page.locator(".choose")).to_be_visible()
    assert violations(page) == []


def test_the_last_die_sends_the_roll(new_page: NewPage) -> None:
    page = new_page(PHONE_390)
    page.goto("/new/yatzy")
    page.check("input[value=table]")
    play(page)
    page.check("[name=final]")
    for _ in range(4):
        page.click("[data-face='6']")
    changed(page, lambda: page.click("[data-face='5']"))
    expect(page.locator("[id='box-sixes']")).to_be_visible()
    expect(page.locator("#throw")).to_have_count(0)  # the rolls are not known: there is nothing to keep
    changed(page, lambda: page.click("#undo"))
    on_screen(page)
    page.uncheck("[name=final]")
    page.focus("#typed")
    changed(page, lambda: page.keyboard.type("66665"))
    expect(page.locator("#throw")).to_be_visible()
