"""Accessibility: four languages, screen readers, small screens, dark mode."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import violations
from tests.browser.conftest import (
    PHONE,
    READY,
    NewPage,
    fill_best,
    open_match,
    play,
    play_by_api,
    play_to_the_end,
    throw,
)

from dicecup.i18n.language import LANGUAGES, language


def test_pages_that_lead_to_games_are_accessible(new_page: NewPage) -> None:
    page = new_page()
    found = {}
    for path in [
        "/",
        "/new/yatzy",
        "/rules",
        "/rules/yum-plus",
        "/rules/yum-plus/full",
        "/guide",
        "/guide/games",
        "/review",
        "/mine",
        "/mine/data",
        "/workshop?game=yum-plus",
        "/puzzles",
        "/puzzles/triple-yum-plus-1",
        "/mistakes",
        "/nowhere",
    ]:
        page.goto(path)
        found[path] = violations(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_games_are_accessible(new_page: NewPage) -> None:
    page = new_page()
    found = {}
    page.goto("/new/yatzy")
    page.click("button[value=add-open]")
    page.wait_for_selector(".open-seat")
    play(page)
    page.wait_for_selector(".waiting-room")
    found["waiting"] = violations(page)
    for game in ("yatzy", "dice-in-dice", "triple-yum-plus"):
        open_match(page, game)
        throw(page)
        page.locator("label:has(#keep-0)").click()
        found[f"{game} thrown"] = violations(page)
        fill_best(page)
        found[f"{game} filled"] = violations(page)
    page.click("summary:has-text('This game')")
    found["around"] = violations(page)
    page.click("text=Private link for")
    page.wait_for_selector("h1:has-text('Private link for')")
    found["link"] = violations(page)
    page.goto("/new/yatzy")
    page.check("input[value=table]")
    play(page)
    found["typing"] = violations(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_the_coach_and_a_finished_game_are_accessible(new_page: NewPage) -> None:
    page = new_page()
    found = {}
    page.goto("/new/yatzy")
    page.click("button[value=add-person]")
    page.wait_for_selector("[aria-label='Name of player 2']")
    page.check("input[name=coach]")
    play(page)
    throw(page)
    page.click("#ask")
    page.wait_for_selector("#hint .reason", state="attached", timeout=READY)
    page.click("#hint .hint-more > summary")
    page.wait_for_selector("#so-far td", timeout=READY)
    found["coach"] = violations(page)
    open_match(page, "yahtzee")
    play_by_api(page, 12)
    play_to_the_end(page)
    found["ending"] = violations(page)
    address = page.url
    for path in ("/proof", "/review"):
        page.goto(address + path)
        found[path] = violations(page)
    page.goto("/mine")
    found["statistics"] = violations(page)
    page.goto("/")
    page.wait_for_selector("#go-on")
    page.wait_for_selector("#same-again")
    found["lobby"] = violations(page)
    assert {where: what for where, what in found.items() if what} == {}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language(new_page: NewPage, code: str) -> None:
    spoken = language(code)
    page = new_page(PHONE, locale=code)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", code)
    expect(page.locator("h1")).to_have_text(spoken.gettext("What shall we play?"))
    page.click("a[href='/new/triple-yum-plus']")
    play(page)
    expect(page.locator("#throw")).to_have_text(spoken.gettext("Roll"))
    throw(page)
    fill_best(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for path in ("/workshop", "/rules/dice-in-dice", "/guide/games", "/review", "/mine", "/mine/data"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


def test_the_language_can_be_chosen(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/rules")
    page.select_option("select[name=language]", "sv")
    page.select_option("select[name=theme]", "dark")
    page.click(".preferences button")
    expect(page.locator("html")).to_have_attribute("lang", "sv")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.url.endswith("/rules")


def test_another_language_leaves_the_set_up_as_it_is(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/new/yatzy")
    page.click("#add-bot")
    page.wait_for_selector(".seat-bot")
    page.fill("input[name=name]", "Zoë")
    page.check("input[name=dice][value=table]")
    promise = page.locator("code").text_content()
    page.select_option("select[name=language]", "fr")
    page.click(".preferences button")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator(".seats li")).to_have_count(2)
    expect(page.locator("input[name=name]")).to_have_value("Zoë")
    expect(page.locator("input[name=dice][value=table]")).to_be_checked()
    expect(page.locator("code")).to_have_text(promise or "none")


def test_input_is_kept_after_an_error(new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.goto("/new/dice-in-dice")
    page.check("input[value=table]")
    play(page)
    for face in "33541":
        page.click(f"[data-face='{face}']")
    page.click("#throw")
    expect(page.locator(".problem:visible")).to_contain_text("die")
    expect(page.locator("#typed")).to_have_value("3-3 5-4 1")
    page.click("[data-face='6']")
    expect(page.locator("#typed")).to_have_value("3-3 5-4 1-6")


def test_a_phone_held_sideways(new_page: NewPage) -> None:
    """Dice and boxes are side by side: five boxes and the throw button are visible at any scroll position."""
    page = new_page({"width": 740, "height": 360})
    for game in ("dice-in-dice", "yatzy"):
        open_match(page, game)
        throw(page)
        for down in (0, 180, 400):
            page.evaluate("down => window.scrollTo(0, down)", down)
            seen = page.evaluate(
                "() => [...document.querySelectorAll('.offer button')].filter(box => { const at ="
                " box.getBoundingClientRect(); return document.elementFromPoint(at.x + at.width / 2,"
                " at.y + at.height / 2)?.closest('button') === box; }).length"
            )
            assert seen >= 4, (game, down)
            if down:
                expect(page.locator("#throw")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 740


def test_throws_and_scores_are_announced(new_page: NewPage) -> None:
    page = new_page()
    open_match(page)
    throw(page)
    status = page.locator("#news[role=status]")
    expect(status).to_contain_text("roll 1:")
    fill_best(page)
    expect(status).to_contain_text("fills")


def test_reduced_motion_disables_animations(new_page: NewPage) -> None:
    still, lively = new_page(), new_page(reduced_motion="no-preference")
    for page, expected in ((still, "none"), (lively, "tumble")):
        open_match(page)
        throw(page)
        name = "getComputedStyle(document.querySelector('.thrown .die')).animationName"
        assert page.evaluate(name) == expected


def test_a_game_page_is_light(new_page: NewPage) -> None:
    """A match page transfers less than 80 kB, resources included."""
    page = new_page(PHONE)
    open_match(page, "triple-yum-plus")
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.reload()
    page.wait_for_load_state("load")
    assert len(sizes) >= 4
    assert sum(sizes) < 80_000


def test_the_appearance_can_be_chosen_against_the_device(new_page: NewPage) -> None:
    """Colours are written once: what is chosen looks the same as what the device asks for."""
    ground = "getComputedStyle(document.body).backgroundColor"
    button = "getComputedStyle(document.querySelector('.preferences button')).color"
    seen: dict[tuple[str, str], list[str]] = {}
    for device in ("light", "dark"):
        page = new_page(color_scheme=device)
        page.goto("/rules")
        for theme in ("auto", "light", "dark"):
            page.select_option("select[name=theme]", theme)
            page.click(".preferences button")
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
            seen[device, theme] = [page.evaluate(ground), page.evaluate(button)]
    assert seen["light", "auto"] == seen["light", "light"] == seen["dark", "light"]
    assert seen["dark", "auto"] == seen["dark", "dark"] == seen["light", "dark"]
    assert seen["light", "auto"][0] == "rgb(245, 242, 234)"
    assert seen["dark", "auto"][0] == "rgb(23, 26, 24)"
