"""Measure what a browser waits for: server start-up, transfer size and first paint of a match page.

.venv/bin/python -m bench.web_page
"""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request

from playwright.sync_api import Page, sync_playwright
from tests.web.serving import Server
from tools.browser import find_browser

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
GAMES = ["yatzy", "dice-in-dice", "triple-yum-plus"]


def page_figures(page: Page) -> dict[str, int]:
    """Return the bytes transferred with an empty cache, and the time until the first paint."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.reload()
    page.wait_for_load_state("load")
    page.wait_for_function(PAINT)
    return {"bytes": int(sum(sizes)), "first_paint_ms": round(page.evaluate(PAINT))}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        began = time.perf_counter()
        with Server(f"{folder}/games.db") as server:
            with urllib.request.urlopen(server.address) as answer:
                answer.read()
            found: dict[str, object] = {"start_up_s": round(time.perf_counter() - began, 2)}
            chromium = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 360, "height": 740})
            for game in GAMES:
                page.goto(f"{server.address}/new/{game}")
                page.click("#play")
                page.wait_for_url("**/t/*")
                found[game] = page_figures(page)
            chromium.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
