"""Accessibility of a page, checked by axe as a phone shows it in the dark and as a desk in the light."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page
from tests.browser.conftest import DESK, PHONE

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # reporting passes as well would double the run time
}


def violations(page: Page) -> list[str]:
    """Check the whole page in both looks: no script depends on the width, so it need not be loaded for each.

    The window is made as high as the page: content covered by the dice on a low screen can be scrolled to.
    """
    page.wait_for_load_state("load")
    before = page.viewport_size
    assert before
    found = []
    for size, theme in ((PHONE, "dark"), (DESK, "light")):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        height = page.evaluate("document.body.scrollHeight") + 400
        page.set_viewport_size({"width": size["width"], "height": height})
        found += [f"{theme}, {size['width']}: {problem}" for problem in problems(page)]
    page.set_viewport_size(before)
    return found


def problems(page: Page) -> list[str]:
    """What axe finds on the page as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate("rules => axe.run(rules).then(all => all.violations)", RULES)
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
