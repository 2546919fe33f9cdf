"""Hold back what the server sends, to decide in which order a page gets it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

from playwright.sync_api import Page, Request, Route
from tests.browser.conftest import PATIENCE

WRAP_EVENT_SOURCE = """
const add = EventTarget.prototype.addEventListener;
window.heldEvents = null;
EventSource.prototype.addEventListener = function (type, listener) {
  const hold = (event) => window.heldEvents.push(() => listener(event));
  const held = (event) => (window.heldEvents ? hold(event) : listener(event));
  add.call(this, type, type === "match" ? held : listener);
};
"""
RELEASE_EVENTS = """() => {
  const held = window.heldEvents;
  window.heldEvents = null;
  held.forEach((deliver) => deliver());
}"""
COUNT_ANSWERS = """() => {
  window.answers = 0;
  document.addEventListener("htmx:beforeSwap", () => window.answers++, { once: true });
}"""


def intercept(page: Page, address: str, handle: Callable[[Route], object]) -> None:
    """Handle requests for an address, beginning with the next one.

    Chromium begins to intercept a while after it said so: until then requests pass by unheard.
    """
    heard: list[str] = []

    def hear(route: Route) -> None:
        heard.append(route.request.url)
        route.fulfill(status=204)

    page.route(address, handle)
    page.route("**/healthz", hear)
    while not heard:
        page.evaluate("fetch('/healthz').catch(() => null)")


class HeldAnswers:
    """The answers to requests for an address: the server has made them, the page does not have them yet."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.holding = True
        self.waiting: list[Callable[[], None]] = []
        intercept(page, address, self.hold)

    def hold(self, route: Route) -> None:
        if not self.holding:
            route.continue_()
            return
        answer = route.fetch()
        self.waiting.append(lambda: route.fulfill(response=answer))

    def release(self) -> None:
        """Let the oldest answer through, and return when the page has dealt with it."""
        until(self.page, lambda: bool(self.waiting))
        self.page.evaluate(COUNT_ANSWERS)
        self.waiting.pop(0)()
        self.page.wait_for_function("() => window.answers === 1")


class HeldEvents:
    """Live events that have arrived and that the page does not see yet. Make it before the page loads."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.add_init_script(WRAP_EVENT_SOURCE)

    def hold(self) -> None:
        self.page.evaluate("window.heldEvents = []")

    def release(self) -> None:
        """Let all of them through, at least one."""
        self.page.wait_for_function("() => window.heldEvents.length > 0")
        self.page.evaluate(RELEASE_EVENTS)


def requested_changes(page: Page) -> list[tuple[str, str]]:
    """A list that grows with every change that the page asks for: what, and against which version."""
    found: list[tuple[str, str]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and not request.url.endswith("/marks"):  # marks change nothing
            version = parse_qs(request.post_data or "").get("version", ["none"])[0]
            found.append((request.url.rsplit("/", 1)[-1], version))

    page.on("request", note)
    return found


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait for something that happens here and not in the page."""
    for _look in range(int(PATIENCE / 10)):
        if condition():
            return
        page.wait_for_timeout(10)
    raise AssertionError("it did not happen")
