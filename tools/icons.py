"""Draw the icons of the web app as PNG files, from its SVG: .venv/bin/python tools/icons.py

Some systems show only PNG on their home screens. A maskable icon is cut to a circle or another shape by the
system: it has a ground, and its picture stays inside the part that is never cut off.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from browser import find_browser

STATIC = Path(__file__).parent.parent / "src" / "dicecup" / "web" / "static"
COLOURS = 64  # enough for a flat drawing, and a quarter of the size


def draw(page: Page, name: str, size: int, share: float, ground: str) -> None:
    """Write a square icon whose picture takes a share of its width."""
    svg = (STATIC / "icon.svg").read_text(encoding="utf-8")
    style = f"margin:0;height:100vh;display:grid;place-content:center;background:{ground}"
    page.set_viewport_size({"width": size, "height": size})
    page.set_content(f"<style>body{{{style}}}svg{{width:{share * size}px;display:block}}</style>{svg}")
    page.screenshot(path=STATIC / name, omit_background=ground == "transparent")
    with Image.open(STATIC / name) as picture:
        picture.quantize(COLOURS).save(STATIC / name, optimize=True)


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page()
        draw(page, "icon-192.png", 192, 1.0, "transparent")
        draw(page, "icon-512.png", 512, 1.0, "transparent")
        draw(page, "icon-maskable.png", 512, 0.62, "#f5f2ea")
        browser.close()


if __name__ == "__main__":
    main()
