"""The page that `dicecup review --html` writes, in a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.browser.conftest import DESK, PHONE
from tests.web.coaching import KEPT, WITH_COACH, record_of

pytestmark = [pytest.mark.slow, WITH_COACH]
SIDEWAYS = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth).length"


@pytest.fixture(scope="module")
def page_of_double_dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "game.record").write_text(record_of("dice-in-dice", 1, 30))
    subprocess.run(
        [sys.executable, "-m", "dicecup", "review", "game.record", "--html", "page.html", "--lang", "de"],
        cwd=folder,
        env=os.environ | KEPT,
        check=True,
        capture_output=True,
    )
    return folder / "page.html"


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_scrolls_sideways(chromium: Browser, page_of_double_dice: Path, size: dict[str, int]) -> None:
    context = chromium.new_context(viewport={"width": size["width"], "height": size["height"]})
    page = context.new_page()
    page.goto(page_of_double_dice.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.locator("details details table").count() > 5
    assert page.evaluate(SIDEWAYS) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    context.close()
