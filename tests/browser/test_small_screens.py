"""Layout on a phone, in the language with the longest texts."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_bot_is_clipped(new_page: NewPage, code: str) -> None:
    page = new_page(PHONE, locale=code)
    for game in main_ids():
        page.goto(f"/new/{game}")
        page.click("button[value=add-bot]")
        page.wait_for_selector(".seat-bot select")
        assert page.evaluate(TOO_WIDE, ARROW) == [], game
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_page_scrolls_sideways(new_page: NewPage, code: str) -> None:
    """At 320 pixels, and with text at 200 % on a phone of 360; with everything unfolded."""
    page = new_page({"width": 320, "height": 640}, locale=code)
    session = page.context.new_cdp_session(page)
    found = {}
    for width, size in ((320, 16), (360, 32)):
        page.set_viewport_size({"width": width, "height": 640})
        session.send("Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": 13 * size // 16}})
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
            found[path, size] = page.evaluate("document.documentElement.scrollWidth") - width
    assert {at: wider for at, wider in found.items() if wider > 0} == {}
