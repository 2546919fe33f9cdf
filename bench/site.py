"""Measure the site in Chromium: what a visit transfers, how long it takes until one can play, moves, memory.

.venv/bin/python -m bench.site [--visits N]

Cold is the first visit with an empty profile. Warm is every later one in a browser that was closed, without a
network, at the address of a running game. Slow is the same on a processor with a quarter of the speed:
Chromium's own throttling leaves workers alone, so its renderers are stopped for three quarters of the time.
Processor seconds are those of the process that runs the page and Python: they also hold on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import psutil
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright
from tests.browser.site_browser import StaticFiles
from tools.browser import find_browser

from dicecup.site.builder import build_site

PAINT = """new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries())
    if (name === "first-contentful-paint") console.log(`paint ${startTime}`);
}).observe({ type: "paint", buffered: true });"""
COMPLETE = """() => new Promise((resolve) => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => data === "complete" && resolve());
  navigator.serviceWorker.controller.postMessage("shown");
})"""
# Tap something, and return the milliseconds until the answer is on the screen, by the page's own clock.
TAP = """(selector) => new Promise((resolve) => {
  const match = () => document.getElementById("match");
  const { stamp } = match().dataset;
  const begun = performance.now();
  const look = () => {
    if (match().dataset.stamp === stamp || !("onScreen" in match().dataset)) return;
    changes.disconnect();
    resolve(performance.now() - begun);
  };
  const changes = new MutationObserver(look);
  changes.observe(document.body, { subtree: true, childList: true, attributes: true });
  document.querySelector(selector).click();
})"""
SHARE, PERIOD = 0.25, 0.04  # of a slow processor; seconds
MOVES = 30
MINUTES = 120_000  # milliseconds, the longest wait


class CountingFiles(StaticFiles):
    """A host without compression that counts what it sends."""

    sent = 0

    def copyfile(self, source: object, outputfile: object) -> None:
        CountingFiles.sent += os.fstat(source.fileno()).st_size  # type: ignore[attr-defined]
        super().copyfile(source, outputfile)  # type: ignore[arg-type]


def renderers() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--type=renderer" in process.cmdline():
                found.append(process)
    return found


def busiest() -> psutil.Process:
    return max(renderers(), key=lambda process: sum(process.cpu_times()[:2]))


@contextmanager
def slowed() -> Iterator[None]:
    """Let the renderers run for a share of the time only."""
    ended = Event()

    def work() -> None:
        while not ended.is_set():
            stopped = renderers()
            for number, pause in ((signal.SIGSTOP, (1 - SHARE) * PERIOD), (signal.SIGCONT, SHARE * PERIOD)):
                for process in stopped:
                    with suppress(psutil.Error):
                        process.send_signal(number)
                time.sleep(pause)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class Visit:
    """One visit, and its figures."""

    def __init__(self, context: BrowserContext, address: str, shown: str) -> None:
        paints: list[float] = []

        def note(line: ConsoleMessage) -> None:
            if line.text.startswith("paint "):
                paints.append(float(line.text.removeprefix("paint ")))

        context.on("console", note)
        context.add_init_script(PAINT)
        self.page: Page = context.pages[0]
        self.page.set_default_timeout(MINUTES)
        begun = time.perf_counter()
        self.page.goto(address, wait_until="commit")
        self.page.wait_for_selector(shown, state="attached")
        self.figures: dict[str, float] = {
            "playable_s": round(time.perf_counter() - begun, 2),
            "cpu_s": round(sum(busiest().cpu_times()[:2]), 2),
            "first_paint_s": round(paints[0] / 1000, 2) if paints else -1,
        }

    def play(self, moves: int = MOVES) -> None:
        """Take turns, and note how long a move takes until it is drawn."""
        before = sum(busiest().cpu_times()[:2])
        rolls = [self.tap("#throw" if move % 2 == 0 else ".offer button[name=box]") for move in range(moves)]
        self.figures["move_cpu_ms"] = round(1000 * (sum(busiest().cpu_times()[:2]) - before) / moves)
        self.figures["move_ms_median"] = round(statistics.median(rolls))
        self.figures["move_ms_95th"] = round(statistics.quantiles(rolls, n=20)[-1])
        self.figures["memory_mb"] = busiest().memory_full_info().uss // 1_000_000

    def tap(self, selector: str) -> float:
        taken: float = self.page.evaluate(TAP, selector)
        return taken


def browser(playwright: Playwright, profile: str) -> BrowserContext:
    return playwright.chromium.launch_persistent_context(
        profile,
        executable_path=find_browser(),
        args=["--no-sandbox"],
        viewport={"width": 390, "height": 844},
        reduced_motion="reduce",
    )


def cold_visit(playwright: Playwright, profile: str, address: str) -> tuple[dict[str, float], str]:
    """Visit for the first time and begin a game; return the figures and the address of the game."""
    context = browser(playwright, profile)
    visit = Visit(context, address, "a[href='/new/yatzy']")
    visit.figures["transferred_mb"] = round(CountingFiles.sent / 1e6, 2)
    visit.page.evaluate(COMPLETE)
    visit.figures["with_values_mb"] = round(CountingFiles.sent / 1e6, 2)
    visit.page.goto(f"{address}/new/yatzy")
    visit.page.click("#play")
    visit.page.wait_for_url("**/t/*")
    visit.page.wait_for_selector("#match[data-on-screen]")
    visit.page.evaluate(COMPLETE)
    game = visit.page.url
    context.close()
    return visit.figures, game


def warm_visit(playwright: Playwright, profile: str, address: str) -> dict[str, float]:
    context = browser(playwright, profile)
    context.set_offline(True)
    visit = Visit(context, address, "#match[data-on-screen]")
    visit.play()
    while visit.page.locator("#undo").count():  # for the next visit
        visit.tap("#undo")
    context.close()
    return visit.figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the site in Chromium.")
    parser.add_argument("--visits", type=int, default=3)
    visits = parser.parse_args().visits
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build_site(Path(folder) / "site")
        files = partial(CountingFiles, directory=f"{folder}/site")
        host = ThreadingHTTPServer(("127.0.0.1", 0), files)
        Thread(target=host.serve_forever, daemon=True).start()
        address, profile = f"http://127.0.0.1:{host.server_port}", f"{folder}/profile"
        figures, game = cold_visit(playwright, profile, address)
        print(json.dumps({"cold": figures, "load": os.getloadavg()[0]}), flush=True)
        for _ in range(visits):
            figures = warm_visit(playwright, profile, game)
            print(json.dumps({"warm": figures, "load": os.getloadavg()[0]}), flush=True)
        with slowed():
            print(json.dumps({"slow": warm_visit(playwright, profile, game), "load": os.getloadavg()[0]}))
        host.shutdown()


if __name__ == "__main__":
    main()
