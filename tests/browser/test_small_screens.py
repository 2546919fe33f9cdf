"""Layout on a phone, in the language with the longest texts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE, NewPage

from dicecup.i18n.language import LANGUAGES
from dicecup.rules.loader import main_ids

ARROW = 24  # width in pixels of the arrow of a select element
TOO_WIDE = """arrow => {
  const select = document.querySelector(".seat-bot select");
  const style = getComputedStyle(select);
  const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const texts = [...select.options].map((option) => option.text);
  return texts.filter((text) => pen.measureText(text).width > room);
}"""

# As htmx does after a tap on the button: the seats are those that the page had at first.
ADD_BOT = """async (path) => {
  window.seats ??= Object.fromEntries(new FormData(document.getElementById("setup")));
  const values = { ...window.seats, action: "add-bot" };
  await htmx.ajax("POST", path, { target: "#setup", select: "#setup", swap: "outerHTML", values });
}"""


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_bot_is_clipped(new_page: NewPage, code: str) -> None:
    """One page shows the set-up of every game, with the answer to a tap on the button that adds a bot."""
    page = new_page(PHONE, locale=code)
    page.goto("/new/yatzy")
    for game in main_ids():
        page.evaluate(ADD_BOT, f"/new/{game}")
        expect(page.locator("#setup")).to_have_attribute("action", f"/new/{game}")
        assert page.evaluate(TOO_WIDE, ARROW) == [], game
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_page_scrolls_sideways(new_page: NewPage, code: str) -> None:
    """At 320 pixels, and with text at 200 % on a phone of 360; with everything unfolded."""
    page = new_page({"width": 320, "height": 640}, locale=code)
    session = page.context.new_cdp_session(page)
    found = {}
    for path in (
        "/",
        "/new/dice-in-dice",
        "/workshop?game=yatzy",
        "/rules/yum-plus",
        "/mine",
        "/evenings",
        "/review",
    ):
        page.goto(path)
        page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
        for width, size in ((320, 16), (360, 32)):
            page.set_viewport_size({"width": width, "height": 640})
            session.send("Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": 13 * size // 16}})
            assert page.evaluate("[innerWidth, getComputedStyle(document.documentElement).fontSize]") == [
                width,
                f"{size}px",
            ]
            found[path, size] = page.evaluate("document.documentElement.scrollWidth") - width
    assert {at: wider for at, wider in found.items() if wider > 0} == {}
