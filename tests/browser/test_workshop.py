"""The workshop with scripts: what is typed shows at once, boxes move, and the game can be played."""

from __future__ import annotations

from tests.browser.conftest import DESK, NewPage


def test_house_rules_show_while_they_are_typed(new_page: NewPage) -> None:
    page = new_page(DESK)
    page.goto("/workshop?game=yatzy")
    page.fill("input[name=throws]", "99")
    page.locator("#preview .problem", has_text="Rolls in a turn").wait_for()
    page.fill("input[name=throws]", "4")
    page.fill("input[name=name]", "Ours")
    page.locator("#sheet-title", has_text="Ours").wait_for()
    assert page.input_value("input[name=throws]") == "4"
    page.press("#down-0", "Enter")
    page.locator("ol.boxes li:first-child", has_text="Two Pairs").wait_for()
    page.click("#add-box")
    page.locator("#box-box_1[open]").wait_for()
    page.fill("#box-box_1 input[name=box-name]", "Villa")
    page.locator("#preview th", has_text="Villa").wait_for()
    page.locator("#preview a.button").first.click()
    page.wait_for_url("**/new/house:*")
    page.click("#play")
    page.locator("#sheet", has_text="Villa").wait_for()
