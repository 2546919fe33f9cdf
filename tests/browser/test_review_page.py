"""The page written by `dicecup review --html`, in a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.browser.conftest import DESK, PATIENCE, PHONE
from tests.coach.conftest import play_record
from tests.web.coaching import KEPT, record_of

from dicecup.bots import bot_called
from dicecup.engine.record_header import MOST_NAME
from dicecup.engine.record_text import record_to_text
from dicecup.rules import load_ruleset

pytestmark = pytest.mark.kernels
TABLET = {"width": 800, "height": 1100}
SIDEWAYS = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth).length"


@pytest.fixture(scope="module")
def page_of_double_dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(record_of("dice-in-dice", 1, 30), tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def page_of_a_long_name(tmp_path_factory: pytest.TempPathFactory) -> Path:
    players = ("Wolfeschlegelsteinhausenbergerdorff the 3rd", "W" * MOST_NAME)
    game = play_record(load_ruleset("yatzy-sv"), players, 3, decide=bot_called("greedy").decide)
    return page_of(record_to_text(game), tmp_path_factory.mktemp("long"))


def page_of(record: str, folder: Path) -> Path:
    (folder / "game.record").write_text(record)
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
    assert_fits(chromium, page_of_double_dice, size)


@pytest.mark.parametrize("size", [PHONE, TABLET, DESK], ids=["phone", "tablet", "desk"])
def test_a_long_name_is_broken(chromium: Browser, page_of_a_long_name: Path, size: dict[str, int]) -> None:
    assert_fits(chromium, page_of_a_long_name, size)


def assert_fits(chromium: Browser, file: Path, size: dict[str, int]) -> None:
    context = chromium.new_context(viewport={"width": size["width"], "height": size["height"]})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.locator("details details table").count() > 5
    assert page.evaluate(SIDEWAYS) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    context.close()
