"""Measure what a browser waits for, and count what a player sees: server start-up, transfer size and first
paint of pages; the boxes that are visible and reachable on small screens; taps to the first roll.

.venv/bin/python -m bench.web_page
"""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request

from playwright.sync_api import Page, sync_playwright
from tests.browser.screens import (
    LOW_PHONE,
    PHONE_390,
    WAYS_TO_ROLL,
    open_pad,
    reachable_boxes,
    taps_for_pad_turn,
    taps_to_first_roll,
    visible_boxes,
    visible_pad_boxes,
)
from tests.web.serving import Server
from tools.browser import find_browser

from dicecup.rules import builtin_ids, load_ruleset

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
GAMES = ["yatzy", "dice-in-dice", "triple-yum-plus"]
LARGE, USUAL = {"standard": 32, "fixed": 26}, {"standard": 16, "fixed": 13}
DESK_AT_400_PERCENT = {"width": 320, "height": 200}


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


def box_figures(page: Page, game: str) -> dict[str, object]:
    """Return how many boxes of a game are visible and reachable after the first roll."""
    session = page.context.new_cdp_session(page)
    page.set_viewport_size(PHONE_390)
    page.click("#throw")
    page.wait_for_selector(".offer")
    found: dict[str, object] = {"of": load_ruleset(game).cells, "visible_390x844": visible_boxes(page)}
    page.set_viewport_size(LOW_PHONE)
    found["visible_360x640"] = visible_boxes(page)
    session.send("Page.setFontSizes", {"fontSizes": LARGE})
    found["reachable_360x640_text_200"] = reachable_boxes(page)
    session.send("Page.setFontSizes", {"fontSizes": USUAL})
    page.set_viewport_size(DESK_AT_400_PERCENT)
    found["reachable_1280x800_zoom_400"] = reachable_boxes(page)
    return found


def pad_figures(page: Page, game: str) -> dict[str, int]:
    """Return the weight of a score pad, the taps of a turn, and how many boxes of two players are visible."""
    page.set_viewport_size(PHONE_390)
    open_pad(page, game)
    rules = load_ruleset(game)
    at = ".".join(filter(None, ("0", rules.columns[0].id, "sixes")))
    taps = taps_for_pad_turn(page, at, 24)
    visible = visible_pad_boxes(page)
    return page_figures(page) | {"taps": taps, "of": 2 * rules.cells, "visible_390x844": visible}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        began = time.perf_counter()
        with Server(f"{folder}/games.db") as server:
            with urllib.request.urlopen(server.address) as answer:
                answer.read()
            found: dict[str, object] = {"start_up_s": round(time.perf_counter() - began, 2)}
            chromium = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
            context = chromium.new_context(viewport={"width": 360, "height": 740}, base_url=server.address)
            page = context.new_page()
            found["taps_to_first_roll"] = {way: taps_to_first_roll(page, way) for way in WAYS_TO_ROLL}
            for path in ("/", "/rules/dice-in-dice"):
                page.goto(path)
                found[path] = page_figures(page)
            for game in builtin_ids():
                page.set_viewport_size({"width": 360, "height": 740})
                page.goto(f"/new/{game}")
                page.click("#play")
                page.wait_for_url("**/t/*")
                weight = page_figures(page) if game in GAMES else {}
                found[game] = {**weight, "boxes": box_figures(page, game)}
            found["pad"] = {game: pad_figures(page, game) for game in builtin_ids()}
            chromium.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
