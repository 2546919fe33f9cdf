"""Take the screenshots of the README from the running app.

    .venv/bin/python tools/pictures.py

Starts the server with a temporary database, plays some turns in a real Chromium, and writes
docs/images/*.png. The dice differ from run to run; the pages do not.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from browser import find_browser

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
PHONE = {"width": 390, "height": 760}
DESK = {"width": 1180, "height": 760}
STAMP = "document.getElementById('match').dataset.stamp"  # of what is on the screen
THINKING = 300_000  # milliseconds: the coach may have to compile its kernels first


def start_server(database: Path) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "dicecup", "serve", "--port", "0", "--no-browser", "--lang", "en"],
        env=os.environ
        | {"DICECUP_DATABASE": str(database), "DICECUP_PACE": "0", "DICECUP_WARM": "off"}
        | {"DICECUP_PAUSE": "0", "DICECUP_REVEAL_AFTER": "0"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr
    found = re.search(r"http://\S+", server.stderr.readline())
    assert found
    return server, found[0]


def new_page(chromium: Browser, address: str, size: dict[str, int], locale: str, theme: str) -> Page:
    settings = {"viewport": size, "locale": locale, "color_scheme": theme, "reduced_motion": "reduce"}
    context = chromium.new_context(base_url=address, device_scale_factor=1, **settings)  # type: ignore[arg-type]
    return context.new_page()


def begin(
    page: Page, game: str, names: list[str], bot: bool = False, coach: bool = False, dice: str = "screen"
) -> None:
    page.goto(f"/new/{game}")
    for place in range(1, len(names)):
        page.click("button[value=add-person]")
        page.locator("input[name=name]:not([type=hidden])").nth(place).wait_for()
    if bot:
        page.click("button[value=add-bot]")
        page.wait_for_selector("select[name=name]")
    for place, name in enumerate(names):
        page.locator("input[name=name]:not([type=hidden])").nth(place).fill(name)
    if coach:
        page.check("input[name=coach]")
    page.check(f"input[name=dice][value={dice}]")
    page.click("#play")
    page.wait_for_url("**/t/*")
    page.wait_for_load_state("load")


def turn(page: Page) -> None:
    """Play one turn, scoring the most points available."""
    page.wait_for_selector("#throw:not([href])")
    page.click("#throw")
    page.wait_for_selector(".offer")
    if not page.locator(".layered").count():
        changed(page, page.locator(best_box(page, ".offer button[name=box]")))
        return
    for layer in ("inner", "outer"):
        best = best_box(page, f".offer button.layer-{layer}")
        page.locator(best).click()
        page.wait_for_selector(f"{best}.picked")
    changed(page, page.locator("#send"))


def best_box(page: Page, offers: str) -> str:
    """The button of the box that gives most."""
    found = page.locator(offers)
    gives = [int(text.replace("−", "-")) for text in found.locator(".gives").all_inner_texts()]
    return f"[id='{found.nth(gives.index(max(gives))).get_attribute('id')}']"


def changed(page: Page, control: Locator) -> None:
    """Press a control and wait until the page shows the result."""
    before = page.evaluate(STAMP)
    control.click()
    page.wait_for_function(f"before => {STAMP} !== before", arg=before)


def write_points(page: Page, place: int, value: int) -> None:
    """Tap a box of a pad, then one of the values that are offered."""
    page.locator("#pad td a").nth(place).click()
    changed(page, page.locator(".choose-values button").nth(value))


def keep_some(page: Page) -> None:
    page.click("#throw")
    page.wait_for_selector("#keep-0")
    for place in (1, 2):
        page.locator(f"label:has(#keep-{place})").click()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server, address = start_server(Path(folder) / "games.db")
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        try:
            page = new_page(chromium, address, DESK, "en", "light")
            begin(page, "yahtzee", ["Ann"])
            while not page.locator(".standings").count():
                turn(page)
            begin(page, "yatzy", ["Ann"], bot=True)
            page.goto("/")
            page.screenshot(path=FOLDER / "lobby.png")

            page = new_page(chromium, address, PHONE, "en", "light")
            begin(page, "yatzy", ["Ann", "Bo", "Cleo"], dice="points")
            for place, value in enumerate((3, 2, 4, 3, 3, 2, 4, 3, 2, 3, 3, 4)):
                write_points(page, place, value)
            page.locator("#pad td a").nth(12).click()
            page.wait_for_selector(".choose-values")
            page.screenshot(path=FOLDER / "phone-pad.png")

            page = new_page(chromium, address, PHONE, "en", "light")
            begin(page, "dice-in-dice", ["Ann"], bot=True)
            turn(page)
            page.wait_for_selector(".banner.yours")
            keep_some(page)
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=FOLDER / "phone-dice-in-dice.png")

            page = new_page(chromium, address, PHONE, "sv", "dark")
            begin(page, "triple-yum-plus", ["Astrid"])
            for _turn in range(6):
                turn(page)
            keep_some(page)
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=FOLDER / "phone-triple-yum-plus.png")

            page = new_page(chromium, address, DESK, "de", "light")
            begin(page, "yatzy", ["Anna", "Bodo", "Carla"])
            for _turn in range(17):
                turn(page)
            keep_some(page)
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=FOLDER / "table.png")

            page = new_page(chromium, address, PHONE, "fr", "light")
            begin(page, "yahtzee", ["Chloé", "Luc"])
            while not page.locator(".standings").count():
                turn(page)
            page.goto(page.url + "/review")
            page.wait_for_selector(".card-class", timeout=THINKING)
            page.wait_for_selector(".thinking", state="detached")
            page.screenshot(path=FOLDER / "phone-review.png")
        finally:
            chromium.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
