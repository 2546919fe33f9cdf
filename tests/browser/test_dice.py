"""Dice lie where they fell: slots, sorting, keeps that others see, sounds, and bots that can be skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import DESK, PHONE, NewPage, changed, fill_best, open_match, play, throw
from tests.browser.screens import on_screen
from tests.waiting import eventually
from tests.web.serving import Server

# Count the sounds, and keep what makes them.
LISTEN = """
  window.heard = null;
  window.started = 0;
  const Unheard = window.AudioContext, begin = AudioBufferSourceNode.prototype.start;
  window.AudioContext = class extends Unheard { constructor() { super(); heard = this; } };
  AudioBufferSourceNode.prototype.start = function (...when) { started++; return begin.apply(this, when); };
"""


def dice(page: Page) -> list[str]:
    return [str(box.get_attribute("data-sort")) for box in page.locator(".die-box[data-slot]").all()]


def test_every_die_keeps_its_place(new_page: NewPage) -> None:
    page = new_page(PHONE)
    open_match(page)
    throw(page)
    expect(page.locator("#throw")).to_have_text("Roll 5 dice")
    before = dice(page)
    for slot in (1, 4):
        page.locator(f"label:has(#keep-{slot})").click()
    expect(page.locator("#throw")).to_have_text("Roll 3 dice")
    throw(page)
    after = dice(page)
    assert [after[slot] for slot in (1, 4)] == [before[slot] for slot in (1, 4)]
    expect(page.locator(".die-box:has(input:checked)")).to_have_count(2)
    page.click("#sort")
    assert dice(page) == sorted(after)
    throw(page)
    kept = [box.get_attribute("data-slot") for box in page.locator(".die-box.kept").all()]
    assert set(kept) == {"1", "4"}
    assert page.locator(".dice .die-box").count() == 5


def test_between_sounds_nothing_runs_for_them(new_page: NewPage) -> None:
    """An audio context that runs and makes no sound takes a tenth of the processor time of a game."""
    page = new_page(PHONE)
    page.add_init_script(LISTEN)
    open_match(page)
    for _roll in range(2):
        throw(page)
        eventually(lambda: page.evaluate("started > 0 && heard.state === 'suspended'"))
        assert page.evaluate("started") == 3 * 5  # knocks of five dice
        page.evaluate("started = 0")


def test_with_all_dice_kept_there_is_nothing_to_roll(new_page: NewPage) -> None:
    page = new_page(PHONE)
    open_match(page)
    throw(page)
    for key in "12345":
        page.keyboard.press(key)
    expect(page.locator("#throw")).to_be_disabled()
    expect(page.locator("#throw")).to_have_text("Choose a box")
    page.keyboard.press("5")
    expect(page.locator("#throw")).to_have_text("Roll 1 die")


def test_others_see_what_is_about_to_be_kept(new_page: NewPage) -> None:
    playing, watching = new_page(PHONE), new_page(DESK)
    open_match(playing)
    watching.goto(playing.url)
    throw(playing)
    expect(watching.locator(".die-box.thrown")).to_have_count(5)
    for slot in (0, 2):
        playing.locator(f"label:has(#keep-{slot})").click()
    expect(watching.locator(".die-box.marked")).to_have_count(2)
    assert [box.get_attribute("data-slot") for box in watching.locator(".die-box.marked").all()] == ["0", "2"]
    playing.locator("label:has(#keep-0)").click()
    expect(watching.locator(".die-box.marked")).to_have_count(1)
    expect(watching.locator("#match")).to_have_attribute("data-version", "1")
    playing.reload()
    expect(playing.locator(".die-box:has(input:checked)")).to_have_count(1)


def test_red_and_blue_are_chosen_in_any_order(new_page: NewPage) -> None:
    page = new_page(PHONE)
    open_match(page, "dice-in-dice")
    throw(page)
    page.click("#box-outer-chance")
    expect(page.locator(".pick.outer.made")).to_contain_text("Chance")
    page.reload()
    on_screen(page)
    expect(page.locator("#box-outer-chance")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#box-inner-chance")).to_have_count(0)  # one box takes one of them
    page.click("#box-inner-ones")
    # A tap before this is drawn would be one on the former page, and do nothing.
    expect(page.locator(".pick.inner.made")).to_contain_text("Ones")
    page.click("#box-inner-twos")  # on second thoughts
    expect(page.locator(".pick.inner.made")).to_contain_text("Twos")
    expect(page.locator(".sheet .written")).to_have_count(0)
    points = page.locator(".pick b").all_inner_texts()
    changed(page, lambda: page.click("#send"))
    written = [page.locator(f"#row-{box} .written").inner_text().split("\n") for box in ("twos", "chance")]
    assert written == [[points[0], "inner dice"], [points[1], "outer dice"]]


def test_sounds_and_vibration_can_be_switched_off(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.add_init_script("navigator.vibrate = (pattern) => (window.vibrated = pattern);")
    open_match(page)
    throw(page)
    assert page.evaluate("window.vibrated") == 30
    page.click("summary:has-text('This game')")
    page.click("[data-switch=vibration]")
    for switch in page.locator("[data-switch=sound]").all():
        expect(switch).to_have_attribute("aria-pressed", "true")
    page.locator("[data-switch=sound]").first.click()
    for switch in page.locator("[data-switch=sound]").all():
        expect(switch).to_have_attribute("aria-pressed", "false")
    page.reload()
    expect(page.locator("[data-switch=sound]").first).to_have_attribute("aria-pressed", "false")
    page.locator("label:has(#keep-0)").click()
    expect(page.locator("#throw")).to_have_text("Roll 4 dice")
    assert page.evaluate("window.vibrated") is None


def test_a_yatzy_is_celebrated(new_page: NewPage) -> None:
    page = new_page(reduced_motion="no-preference")
    page.goto("/new/yatzy")
    page.check("input[value=table]")
    play(page)
    changed(page, lambda: page.locator("#typed").press_sequentially("66666"))  # the last die sends them
    session = page.context.new_cdp_session(page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0})  # it falls until it was seen
    changed(page, lambda: page.click("#box-yatzy"))
    expect(page.locator(".confetti.alike i")).not_to_have_count(0)
    session.send("Animation.setPlaybackRate", {"playbackRate": 1})
    expect(page.locator(".confetti")).to_have_count(0)  # it is over by itself


@pytest.fixture
def slow_server(tmp_path: Path) -> Iterator[Server]:
    """A server whose bots take longer for a step than any test lasts."""
    with Server(str(tmp_path / "games.db"), DICECUP_PAUSE="600", DICECUP_PACE="600") as started:
        yield started


def test_a_bot_can_be_skipped(new_page: NewPage, slow_server: Server) -> None:
    page = new_page(PHONE, base_url=slow_server.address)
    page.goto("/new/yatzy")
    page.click("#add-bot")
    page.wait_for_selector("select[name=name]")
    page.select_option("select[name=name]", "greedy")
    play(page)
    throw(page)
    fill_best(page)
    page.locator(".dice").click()
    expect(page.locator(".banner.yours")).to_be_visible()
    expect(page.locator("#match-last .entry-name")).to_have_text("Greedy bot")
    expect(page.locator(".die-box.resting")).to_have_count(5)  # what it rolled last
    throw(page)
    fill_best(page)
    expect(page.locator("#skip")).to_be_visible()  # the next turn is not skipped
    page.click("summary:has-text('This game')")
    page.select_option("select[name=pace]", "instant")
    page.click(".pace button")
    page.wait_for_load_state("load")
    page.click("#skip")  # it has begun at its old pace
    expect(page.locator(".banner.yours")).to_be_visible()
    throw(page)
    fill_best(page)
    expect(page.locator(".banner.yours")).to_be_visible()
    expect(page.locator("#row-1-grand_total")).to_be_attached()
    expect(page.locator("#player-1 .written")).to_have_count(3)
