"""Measure hints in the browser, from the tap until the answer is drawn: the first of a visit, then the next.

    .venv/bin/python -m bench.site_hint [--before SITE] [--rolls N] [GAME …]

Plays every game in the site, without a network, by asking for a hint for every roll and doing what it says.
Times are the page's own, until the frame after the answer, or after its reasons where they come later.
`cpu` is the processor time of the process that runs the page and Python, a hint: it also holds on a busy
machine. SITE is a folder that `dicecup site` of another version has written: the two take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.first_hint import GAMES
from bench.site import COMPLETE, MINUTES, browser, busiest
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from tests.browser.site_browser import static_host

from dicecup.site.builder import build_site

ROLLS = 12
LONG = 1000  # milliseconds without a tap, in which whatever is prepared is ready
ASK = """() => new Promise((resolve) => {
  const begun = performance.now();
  const box = document.getElementById("hint");
  const drawn = () => {
    if (!box.querySelector(".hint-box") || box.querySelector("[hx-get$='/why']")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
  };
  const watch = new MutationObserver(drawn);
  watch.observe(box, { childList: true, subtree: true });
  document.getElementById("ask").click();
})"""


def processor_seconds() -> float:
    return sum(busiest().cpu_times()[:2])


class HintedGame:
    """A game in one version of the site."""

    def __init__(self, page: Page, address: str, game: str) -> None:
        self.page = page
        page.goto(f"{address}/new/{game}")
        page.evaluate("document.querySelector('input[name=coach]').checked = true")
        page.click("#play")
        page.wait_for_url("**/t/*")
        page.wait_for_selector("#match[data-on-screen]")
        self.times: list[float] = []
        self.seconds: list[float] = []

    def act(self, button: str) -> None:
        stamp = self.page.locator("#match").get_attribute("data-stamp")
        self.page.evaluate("(button) => document.querySelector(button).click()", button)
        self.page.wait_for_selector(f"#match[data-on-screen]:not([data-stamp='{stamp}'])")

    def next_roll(self) -> None:
        if self.times:
            self.act("#hint .do-it")
        if not self.page.locator("#ask").count():
            self.act("#throw")

    def ask(self, pause: int) -> None:
        self.page.wait_for_timeout(pause)
        before = processor_seconds()
        self.times.append(self.page.evaluate(ASK))
        self.page.wait_for_timeout(100)
        self.seconds.append(processor_seconds() - before)

    @property
    def figures(self) -> dict[str, int]:
        first, *others = self.times
        return {
            "first_ms": round(first),
            "median_ms": round(statistics.median(others)),
            "worst_ms": round(max(others)),
            "cpu_ms": round(1000 * statistics.mean(self.seconds[1:])),
        }


def visit(playwright: Playwright, address: str, profile: str) -> tuple[BrowserContext, Page]:
    """Open the site in a browser that has been there before."""
    context = browser(playwright, profile)
    page = context.pages[0]
    page.set_default_timeout(MINUTES)
    page.goto(address, wait_until="commit")
    page.wait_for_selector("a[href='/new/yatzy']", state="attached")
    page.evaluate(COMPLETE)
    return context, page


def measure(playwright: Playwright, address: str, profile: str, game: str, rolls: int) -> dict[str, int]:
    """Ask in a fresh visit."""
    context, page = visit(playwright, address, profile)
    context.set_offline(True)
    played = HintedGame(page, address, game)
    for _ in range(rolls):
        played.next_roll()
        played.ask(LONG)
    context.close()
    return played.figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure hints in the browser.")
    parser.add_argument("--before", type=Path, metavar="SITE")
    parser.add_argument("--rolls", type=int, default=ROLLS)
    parser.add_argument("games", nargs="*", default=GAMES)
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as hosts, sync_playwright() as playwright:
        build_site(Path(folder) / "site")
        sites = {"before": wish.before} if wish.before else {}
        sites["now"] = Path(folder) / "site"
        addresses = {name: hosts.enter_context(static_host(site)) for name, site in sites.items()}
        for name, address in addresses.items():
            visit(playwright, address, f"{folder}/{name}")[0].close()
        for game in wish.games:
            for name, address in addresses.items():
                found = measure(playwright, address, f"{folder}/{name}", game, wish.rolls)
                load = round(os.getloadavg()[0], 1)
                print(json.dumps({"game": game, "version": name, **found, "load": load}), flush=True)


if __name__ == "__main__":
    main()
