"""Layout on a phone, in the language with the longest texts."""

from __future__ import annotations

import pytest
from tests.browser.conftest import PHONE, NewPage

from dicecup.i18n.language import LANGUAGES
from dicecup.rules.loader import builtin_ids

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
    for game in builtin_ids():
        page.goto(f"/new/{game}")
        page.click("button[value=add-bot]")
        page.wait_for_selector(".seat-bot select")
        assert page.evaluate(TOO_WIDE, ARROW) == [], game
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
