"""Somebody who watches a game sees every change, and in the end what a reloaded page shows."""

from __future__ import annotations

from playwright.sync_api import Page
from tests.browser.conftest import ByApi, NewPage, open_match, throw
from tests.browser.screens import on_screen

MATCH = "document.getElementById('match')"
# Without what differs from page to page: the token of the viewer, and the mark of what is painted.
DRAWN = f"""() => {{
    const copy = {MATCH}.cloneNode(true);
    copy.removeAttribute("data-on-screen");
    for (const token of copy.querySelectorAll("[name=csrf]")) token.setAttribute("value", "");
    return copy.outerHTML.replace(/\\s+/g, " ");
}}"""


def shows(page: Page, version: int) -> None:
    page.wait_for_selector(f"#match[data-on-screen][data-version='{version}']")


def test_changes_add_up_to_the_page(new_page: NewPage) -> None:
    playing, watching = new_page(), new_page()
    open_match(playing, "dice-in-dice")
    watching.goto(playing.url)
    on_screen(watching)
    watching.evaluate(f"{MATCH}.stays = true")
    throw(playing)
    shows(watching, 1)
    assert "roll 1" in watching.locator("#news").inner_text()
    assert watching.locator(".tray .die").count() == 6
    player = ByApi(playing)
    playing.goto("about:blank")
    watching.wait_for_selector(".presence:not(.here)", state="attached")  # else it may come between two looks
    last = 1
    while player.state["status"] == "playing":
        last = player.move()
        if player.state["status"] == "playing":  # else the version after it may come first
            shows(watching, last)
    shows(watching, last + 1)  # the secret is revealed
    assert watching.evaluate(f"{MATCH}.stays") is True  # it was never replaced as a whole
    drawn = watching.evaluate(DRAWN)
    watching.reload()
    on_screen(watching)
    assert watching.evaluate(DRAWN) == drawn


def test_a_missed_change_is_made_up_for(new_page: NewPage) -> None:
    playing, watching = new_page(), new_page()
    open_match(playing)
    watching.goto(playing.url)
    on_screen(watching)
    watching.evaluate(f"{MATCH}.dataset.stamp = 'something else'")
    throw(playing)
    shows(watching, 1)
    assert watching.locator(".tray .die").count() == 5
