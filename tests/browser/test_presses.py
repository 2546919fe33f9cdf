"""A key or tap acts on the match that was on the screen when it was made, and on no other."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Route, expect
from tests.browser.conftest import DESK, PHONE, NewPage, changed, open_match, play, press, throw, version
from tests.browser.holding import HeldAnswers, HeldEvents, intercept, requested_changes, until
from tests.browser.screens import on_screen

# Frames are painted, but the page hears of them only when told to.
HOLD_FRAMES = """
window.frames_held = [];
window.requestAnimationFrame = (callback) => window.frames_held.push(callback);
null;
"""
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
Events = list[tuple[str, dict[str, Any]]]
# A button that is pressed by Space is clicked by the browser as soon as the key is let go.
LET_SPACE_GO = """() => {
  const button = document.getElementById("throw");
  button.dispatchEvent(new KeyboardEvent("keyup", { key: " ", code: "Space", bubbles: true }));
  button.click();
}"""
NEXT_FRAME = "window.frames_held.splice(0).forEach((callback) => callback())"


def test_keys_do_nothing_that_was_not_meant(new_page: NewPage) -> None:
    """T throws and does nothing else; held down, it throws once."""
    page = new_page()
    page.goto("/new/yatzy")
    page.click("#add-open")
    page.wait_for_selector(".open-seat")
    play(page)
    changes = requested_changes(page)
    page.keyboard.press("t")
    changed(page, lambda: page.click("#begin"))
    assert changes == [("begin", "0")]
    changed(page, lambda: page.keyboard.down("t"))
    for _repeat in range(3):
        page.keyboard.down("t")
    page.keyboard.up("t")
    press(page, "t")
    assert changes == [("begin", "0"), ("throw", "0"), ("throw", "1")]


def test_what_is_pressed_before_the_answer_does_nothing(new_page: NewPage) -> None:
    """Whichever way it is pressed, on whatever the match offers, while neither answer nor event has come."""
    page = new_page()
    events = HeldEvents(page)
    open_match(page)
    throw(page)
    changes = requested_changes(page)
    events.hold()
    answers = HeldAnswers(page, "**/throw")
    page.keyboard.press("t")
    until(page, lambda: bool(answers.waiting))
    page.keyboard.press("t")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.click("#throw")
    page.dblclick("#throw")
    answers.release()
    events.release()
    answers.holding = False
    press(page, "t")
    assert changes == [("throw", "1"), ("throw", "3")]
    assert version(page) == 5


def test_what_is_pressed_before_the_match_is_painted_does_nothing(new_page: NewPage) -> None:
    """The new match is in the document, and its form has the new version, but nobody can have seen it."""
    page = new_page()
    open_match(page)
    page.evaluate(HOLD_FRAMES)
    changes = requested_changes(page)
    page.keyboard.press("t")
    expect(page.locator("#match")).to_have_attribute("data-version", "1")
    for _frame in range(2):
        expect(page.locator("#match[data-on-screen]")).to_have_count(0)
        page.keyboard.press("t")
        page.keyboard.press("1")
        page.click("label:has(#keep-0)")
        page.click("#throw")
        page.evaluate(NEXT_FRAME)
    on_screen(page)
    expect(page.locator("input[name=keep]:checked")).to_have_count(0)
    page.keyboard.press("t")
    expect(page.locator("#match")).to_have_attribute("data-version", "3")
    assert changes == [("throw", "0"), ("throw", "1")]


def test_what_is_pressed_while_the_page_loads_does_nothing(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    page.add_init_script(HOLD_FRAMES)
    page.reload()
    changes = requested_changes(page)
    for _frame in range(2):
        page.keyboard.press("t")
        page.dispatch_event("#throw", "click")
        page.evaluate(NEXT_FRAME)
    on_screen(page)
    page.keyboard.press("t")
    expect(page.locator("#match")).to_have_attribute("data-version", "1")
    assert changes == [("throw", "0")]


def test_a_value_that_is_not_painted_is_not_written(new_page: NewPage) -> None:
    """The first value has the focus as soon as it is there: a doubled key must not write it."""
    page = new_page()
    open_match(page, dice="points")
    page.evaluate(HOLD_FRAMES)
    changes = requested_changes(page)
    page.focus("[id='at-0.sixes']")
    page.keyboard.press("Enter")
    for _frame in range(2):
        expect(page.locator(".choose button:focus")).to_have_attribute("value", "0")
        page.keyboard.press("Enter")
        page.evaluate("document.activeElement.click()")
        page.evaluate(NEXT_FRAME)
    assert changes == []
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator("[id='at-0.sixes']")).to_have_text("24")
    assert changes == [("write", "none")]


def test_a_box_that_is_not_painted_is_not_opened(new_page: NewPage) -> None:
    """After a write the next cell has the focus at once: neither Space nor a digit opens it yet."""
    page = new_page()
    open_match(page, "yatzy", "person", dice="points")
    page.focus("[id='at-0.sixes']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#chooser[data-on-screen] .choose")
    page.evaluate(HOLD_FRAMES)
    page.keyboard.press("Enter")
    for _frame in range(2):
        expect(page.locator("[id='at-1.sixes']")).to_be_focused()
        page.keyboard.press("Space")
        page.keyboard.press("2")
        page.evaluate(NEXT_FRAME)
    expect(page.locator("#chooser:empty")).to_be_attached()
    page.keyboard.press("2")
    expect(page.locator(".choose[data-at='1.sixes']")).to_be_visible()


def test_enter_is_one_press_although_it_is_two_events(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    page.focus("#throw")
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **ENTER})
    other = page.context.new_page()
    other.goto(page.url)
    changed(page, lambda: throw(other))
    changes = requested_changes(page)
    page.bring_to_front()
    page.focus("#throw")
    session.send("Input.dispatchKeyEvent", {"type": "char", "text": "\r", **ENTER})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **ENTER})
    press(page, "Enter")
    assert changes == [("throw", "1")]


def test_a_die_that_is_typed_before_the_match_is_painted_is_not_sent(new_page: NewPage) -> None:
    page = new_page()
    open_match(page, dice="table")
    page.focus("#typed")
    changed(page, lambda: page.keyboard.type("66665"))
    for key in "1234":
        page.keyboard.press(key)
    press(page, "t")
    page.focus("#typed")
    other = page.context.new_page()
    other.goto(page.url)
    other.focus("#typed")
    page.evaluate(HOLD_FRAMES)
    changed(other, lambda: other.keyboard.type("1"))
    changed(other, lambda: other.click("#undo"))
    expect(page.locator("#match")).to_have_attribute("data-version", str(version(other)))
    changes = requested_changes(page)
    page.bring_to_front()
    page.focus("#typed")
    for _frame in range(2):
        expect(page.locator("#match[data-on-screen]")).to_have_count(0)
        page.keyboard.press("3")
        page.evaluate(NEXT_FRAME)
    on_screen(page)
    expect(page.locator("#typed")).to_have_value("")
    page.keyboard.press("3")
    expect(page.locator("#typed")).to_have_count(0)
    assert [what for what, _version in changes] == ["type"]


def test_a_press_that_began_before_does_nothing(new_page: NewPage) -> None:
    """Space presses a button when it is let go: by then it may be another button."""
    page = new_page()
    open_match(page)
    changes = requested_changes(page)
    page.focus("#throw")
    page.keyboard.down("Space")
    other = page.context.new_page()
    other.goto(page.url)
    changed(page, lambda: throw(other))
    page.keyboard.up("Space")
    press(page, "Space")
    changed(page, lambda: page.click("#box-chance"))
    assert [version for _what, version in changes] == ["1", "3"]
    assert changes[0][0] == "throw"


SPACE, SHIFT = ({"key": key, "code": code} for key, code in ((" ", "Space"), ("Shift", "ShiftLeft")))
OTHER_KEY = {"key": "x", "code": "KeyX"}
FINGER, OTHER = {"pointerId": 7}, {"pointerId": 8}
CLICK = ("click", {"detail": 1} | FINGER)
SEND = """async (events) => {
  for (const [type, init] of events) {
    const kind = type.startsWith("key") ? KeyboardEvent : PointerEvent;
    const made = new kind(type, { bubbles: true, cancelable: true, ...init });
    document.getElementById("throw").dispatchEvent(made);
    await new Promise((done) => setTimeout(done)); // each is a task of its own
  }
}"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("pointerdown", FINGER)], [("keydown", SHIFT), ("pointerup", FINGER), CLICK]),
        ([("keydown", SHIFT), ("pointerdown", FINGER)], [("keyup", SHIFT), ("pointerup", FINGER), CLICK]),
        ([("pointerdown", FINGER)], [("pointerdown", OTHER), ("pointerup", FINGER), CLICK]),
        ([("pointerdown", FINGER)], [("pointerdown", OTHER), ("pointerup", OTHER), CLICK]),
        ([("pointerdown", FINGER)], [CLICK]),
        ([("keydown", SPACE)], [("keydown", SHIFT), ("keyup", SHIFT)]),
        ([("keydown", SPACE)], [("keydown", OTHER_KEY), ("keyup", OTHER_KEY)]),
    ],
    ids=[
        *("a key goes down", "a key is let go", "another finger", "another finger that is let go"),
        *("another button stays down", "a modifier", "another key"),
    ],
)
def test_presses_that_overlap_are_told_apart(new_page: NewPage, before: Events, after: Events) -> None:
    """A press that began before does nothing, whatever else is pressed or let go before it ends."""
    page = new_page()
    open_match(page)
    throw(page)
    page.evaluate(SEND, before)
    other = page.context.new_page()
    other.goto(page.url)
    changed(page, lambda: throw(other))
    changes = requested_changes(page)
    page.evaluate(SEND, after)
    if ("keydown", SPACE) in before:
        page.evaluate(LET_SPACE_GO)
    press(page, "t")
    assert [what for what, _version in changes] == ["throw"]


def test_the_second_click_of_a_double_click_does_nothing(new_page: NewPage) -> None:
    """Also when the answer was there between the two: the browser says which click it is."""
    page = new_page()
    open_match(page)
    changes = requested_changes(page)

    def click(count: int) -> None:
        place = page.locator("#throw").bounding_box()
        assert place
        page.mouse.move(place["x"] + 10, place["y"] + 10)
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)

    changed(page, lambda: click(1))
    click(2)
    click(3)
    changed(page, lambda: click(1))
    assert changes == [("throw", "0"), ("throw", "1")]


def test_rolling_dice_are_not_thrown_again(new_page: NewPage) -> None:
    """Unless some of them were marked: a second tap by mistake marks none."""
    page = new_page(PHONE, reduced_motion="no-preference")
    open_match(page)
    session = page.context.new_cdp_session(page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0})  # they roll until they are let go
    changes = requested_changes(page)
    throw(page)
    page.dispatch_event("#throw", "click")
    page.keyboard.press("t")
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    press(page, "t")
    page.keyboard.press("1")
    press(page, "t")
    assert changes == [("throw", "0"), ("throw", "1"), ("throw", "3")]


def test_after_a_click_that_did_nothing_the_next_one_counts(new_page: NewPage) -> None:
    """However fast they follow one another."""
    page = new_page()
    open_match(page)
    place = page.locator("#throw").bounding_box()
    assert place
    page.mouse.move(place["x"] + 10, place["y"] + 10)
    page.mouse.down(click_count=1)
    other = page.context.new_page()
    other.goto(page.url)
    changed(page, lambda: throw(other))
    changes = requested_changes(page)
    page.mouse.up(click_count=1)
    page.mouse.down(click_count=2)
    changed(page, lambda: page.mouse.up(click_count=2))
    assert changes == [("throw", "1")]


def test_a_key_whose_end_nobody_hears_of_holds_nothing_up(new_page: NewPage) -> None:
    """Macs do not say when a letter is let go that was pressed with Command."""
    page = new_page()
    open_match(page)
    page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'c', code: 'KeyC', metaKey: true }))")
    changed(page, lambda: page.click("#throw"))
    for _throw in range(2):
        changed(page, lambda: page.dispatch_event("#throw", "click"))
    assert version(page) == 5


def test_assistive_technology_clicks_without_pressing(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    page.keyboard.press("Tab")
    for _throw in range(3):
        changed(page, lambda: page.dispatch_event("#throw", "click"))
    changed(page, lambda: page.dispatch_event("#box-chance", "click"))
    expect(page.locator(".sheet .written")).to_have_count(1)


def test_a_late_answer_does_not_bring_back_an_old_state(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    answers = HeldAnswers(page, "**/throw")
    changed(page, lambda: page.click("#throw"))  # the live event
    answers.holding = False
    throw(page)
    assert version(page) == 3
    answers.release()
    assert version(page) == 3


def test_a_refusal_is_shown_although_the_match_was_drawn_meanwhile(new_page: NewPage) -> None:
    page = new_page(DESK)
    open_match(page)
    throw(page)
    other = page.context.new_page()
    other.goto(page.url)
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    intercept(page, "**/score", hold)
    page.click("#box-ones")
    until(page, lambda: bool(waiting))
    changed(page, lambda: changed(other, lambda: other.click("#box-chance")))
    waiting[0].continue_()
    expect(page.locator("#refusal .problem")).to_be_visible()
    assert version(page) == 2
