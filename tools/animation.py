"""Film a turn with the coach for the README, from the running app.

    .venv/bin/python tools/animation.py

Starts the server with a temporary database, plays a turn of Yatzy in a real Chromium as the coach advises,
and writes docs/images/turn.gif. The dice differ from run to run.
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from browser import find_browser
from pictures import FOLDER, STAMP, THINKING, begin, new_page, start_server, turn

SIZE = {"width": 390, "height": 760}
FILE = FOLDER / "turn.gif"
COLOURS = 64  # the pages have few; more would make the file larger without being seen
POINTER = """([x, y]) => {
  const dot = document.createElement("div");
  dot.id = "pointer";
  dot.style.cssText = `position:fixed;left:${x - 16}px;top:${y - 16}px;width:32px;height:32px;`
    + "border-radius:50%;background:rgba(217,119,6,.45);border:2px solid #d97706;box-sizing:border-box;"
    + "z-index:99;pointer-events:none";
  document.body.append(dot);
}"""


class Film:
    """Pictures of a page, each with the milliseconds that it is shown."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pictures: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def show(self, milliseconds: int) -> None:
        self.page.evaluate("scrollTo(0, 0)")
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.pictures.append(picture)
        self.milliseconds.append(milliseconds)

    def tap(self, control: Locator) -> None:
        """Show where the finger goes, then press there."""
        place = control.bounding_box()
        assert place
        middle = [place["x"] + place["width"] / 2, place["y"] + place["height"] / 2]
        self.page.evaluate(POINTER, middle)
        self.show(450)
        self.page.evaluate("document.getElementById('pointer').remove()")
        control.click()

    def save(self, file: Path) -> None:
        """Write an animation in the colours of its fullest picture."""
        palette = max(self.pictures, key=lambda picture: len(picture.getcolors(1 << 24) or ())).quantize(
            COLOURS
        )
        frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self.pictures]
        frames[0].save(
            file, save_all=True, append_images=frames[1:], duration=self.milliseconds, loop=0, optimize=True
        )


def ask(page: Page, film: Film) -> str:
    """Ask the coach; return its first choice."""
    film.tap(page.locator("#ask"))
    page.wait_for_selector("#hint .reason", state="attached", timeout=THINKING)
    film.show(2600)
    best = page.locator("#hint tr.best th").first.evaluate("cell => cell.firstChild.textContent")
    page.click("#hint [data-close]")
    return str(best)


def keep(page: Page, film: Film, advice: str) -> None:
    """Mark the dice that the advice names, and let go of the others."""
    wanted = re.findall(r"\d", advice)
    for number in range(page.locator("input[name=keep]").count()):
        box = page.locator(f"#keep-{number}")
        shown = re.findall(r"\d", page.locator(f"label:has(#keep-{number}) .unseen").inner_text())[0]
        keeps = shown in wanted
        if keeps:
            wanted.remove(shown)
        if keeps != box.is_checked():
            page.locator(f"label:has(#keep-{number})").click()
    film.show(900)


def play_turn(page: Page, film: Film) -> None:
    """Roll, ask and keep until the coach advises a box; then fill it."""
    page.wait_for_selector(".banner.yours")
    film.show(900)
    film.tap(page.locator("#throw"))
    page.wait_for_selector("#ask")
    film.show(900)
    advice = ask(page, film)
    while advice.startswith(("keep", "roll")):
        keep(page, film, advice)
        before = page.evaluate(STAMP)
        film.tap(page.locator("#throw"))
        page.wait_for_function(f"before => {STAMP} !== before", arg=before)
        film.show(900)
        advice = ask(page, film)
    box = page.locator(f".offer button[aria-label^='{advice.removeprefix('cross out ')}:']")
    film.tap(box)
    box.wait_for(state="detached")
    page.wait_for_selector(".banner.yours")
    film.show(2500)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server, address = start_server(Path(folder) / "games.db")
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        try:
            page = new_page(chromium, address, SIZE, "en", "light")
            begin(page, "yatzy", ["Ann"], bot=True, coach=True)
            for _turn in range(4):
                turn(page)
            film = Film(page)
            play_turn(page, film)
            film.save(FILE)
        finally:
            chromium.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
