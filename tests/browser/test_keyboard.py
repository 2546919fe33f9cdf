"""Without a mouse: every control can be reached, and the focus is never lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import ROLLED, NewPage, changed, open_match, play, press, throw, version
from tests.browser.holding import HeldAnswers, HeldEvents
from tests.browser.screens import on_screen


def test_by_keyboard_alone(new_page: NewPage) -> None:
    """Play three turns without a mouse: letters and digits for dice, arrows and Enter for boxes."""
    page = new_page()
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.focus("a[href='/new/yatzy']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#play")
    page.focus("#play")
    page.keyboard.press("Enter")
    page.wait_for_selector("#throw")
    for turn in range(3):
        press(page, "r")
        assert page.evaluate("document.activeElement.id") == "throw"
        page.keyboard.press("1")
        page.keyboard.press("3")
        expect(page.locator("input:checked[name=keep]")).to_have_count(2)
        press(page, "t")
        for _press in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.name") == "box":
                break
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        press(page, "Enter")
        expect(page.locator(".sheet .written")).to_have_count(turn + 1)
        expect(page.locator("#throw")).to_be_focused()
    press(page, "u")
    expect(page.locator(".sheet .written")).to_have_count(2)


@pytest.mark.parametrize(("code", "keys"), [("fr", "lt"), ("de", "wt"), ("sv", "kt")])
def test_the_key_that_rolls_is_the_letter_of_the_word(new_page: NewPage, code: str, keys: str) -> None:
    page = new_page(locale=code)
    open_match(page)
    for rolls, key in enumerate(keys, start=1):
        press(page, key)
        expect(page.locator(".throw-dot.made")).to_have_count(rolls)


@pytest.mark.parametrize("first", ["answer", "event"])
def test_a_filled_box_hands_the_focus_on(new_page: NewPage, first: str) -> None:
    """The answer and the live event both bring the new state; the focus is the same after either."""
    page = new_page()
    events = HeldEvents(page)
    open_match(page)
    throw(page)
    if first == "answer":
        events.hold()
    else:
        answers = HeldAnswers(page, "**/score")
    page.focus("#box-chance")
    press(page, "Enter")
    expect(page.locator(".sheet .written")).to_have_count(1)
    expect(page.locator("#throw")).to_be_focused()
    if first == "answer":
        events.release()
    else:
        answers.release()
    on_screen(page)
    expect(page.locator("#throw")).to_be_focused()
    press(page, "Space")
    assert version(page) == 3


def test_after_the_last_roll_the_focus_is_on_a_box(new_page: NewPage) -> None:
    """Space throws three times; the fourth time it fills a box and takes nothing back."""
    page = new_page()
    open_match(page)
    page.focus("#throw")
    for number in (1, 3, 5):
        press(page, "Space")
        assert version(page) == number
    expect(page.locator("#box-ones")).to_be_focused()
    press(page, "Space")
    expect(page.locator(".line-ones .written")).to_have_count(1)
    expect(page.locator("#throw")).to_be_focused()


def test_while_others_play_the_headline_has_the_focus(new_page: NewPage) -> None:
    """There is nothing to do but to undo, which must not be a slip; then the focus goes to the throw."""
    page = new_page()
    page.goto("/new/yatzy")
    page.click("#add-person")
    page.wait_for_selector("[aria-label='Name of player 2']")
    play(page)
    page.click("summary:has-text('This game')")
    page.locator("text=Private link for").nth(1).click()
    private = page.locator(".address").input_value()
    friend = new_page()
    friend.goto(private)
    friend.wait_for_selector(".sheet")
    page.click("text=Back to game")
    throw(page)
    changed(friend, lambda: changed(page, lambda: page.click("#box-chance")))
    throw(friend)
    friend.focus("#box-chance")
    changed(page, lambda: press(friend, "Enter"))  # before that, this device could roll for the friend, too
    expect(friend.locator("#undo")).to_have_count(1)
    expect(friend.locator("#headline")).to_be_focused()
    throw(page)
    expect(friend.locator(ROLLED)).to_have_count(5)
    expect(friend.locator("#headline")).to_be_focused()
    changed(friend, lambda: changed(page, lambda: page.click("#box-ones")))
    expect(friend.locator("#throw")).to_be_focused()


def test_the_first_of_two_boxes_keeps_the_focus(new_page: NewPage) -> None:
    """Pressing Enter on a box twice deselects it again, and does not throw; with both, Enter sends them."""
    page = new_page()
    open_match(page, "dice-in-dice")
    throw(page)
    chance = page.locator("#box-inner-chance")
    chance.focus()
    for pressed in ("true", "false", "true"):
        on_screen(page)
        page.keyboard.press("Enter")
        expect(chance).to_have_attribute("aria-pressed", pressed)
        expect(chance).to_be_focused()
    assert version(page) == 1
    page.focus("#box-outer-ones")
    on_screen(page)
    page.keyboard.press("Enter")
    expect(page.locator("#send")).to_be_focused()
    press(page, "Enter")
    expect(page.locator(".sheet .written")).to_have_count(2)
    expect(page.locator("#throw")).to_be_focused()


def test_setting_the_table_keeps_the_focus(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/new/yatzy")
    person, bot = "seat-person", "seat-bot"
    for button, seats in (
        ("#add-bot", [person, bot]),
        ("#add-person", [person, bot, person]),
        ("#up-2", [person, person, bot]),
        ("#remove-1", [person, bot]),
    ):
        page.focus(button)
        page.keyboard.press("Enter")
        expect(page.locator(".seats li")).to_have_class(seats)
        expect(page.locator(button)).to_be_focused()
    page.focus("#remove-1")
    page.keyboard.press("Enter")
    expect(page.locator("#add-bot")).to_be_focused()


def test_enter_on_a_die_rolls_and_never_undoes(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    throw(page)
    throw(page)
    before = version(page)
    expect(page.locator("#undo")).to_be_visible()
    page.focus("#keep-0")
    press(page, "Enter")
    assert version(page) == before + 2  # a keep and a roll
    expect(page.locator(".throw-dot.made")).to_have_count(3)
