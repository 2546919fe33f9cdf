"""When the server does not answer or rejects a request, the page says so and recovers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.conftest import PATIENCE, open_match
from tests.browser.holding import HeldAnswers, intercept, until
from tests.browser.late import delay
from tests.web.serving import Server

from dicecup.web.pages.render import FOLDER

# Whoever hears of the match has a server that answers: the notice that it does not is hidden then.
NOTE_LIVE = """
window.EventSource = class extends EventSource {
  constructor(...all) {
    super(...all);
    this.addEventListener("match", () => setTimeout(() => (window.isLive = true)), { once: true });
  }
};
"""


@pytest.fixture
def page(chromium: Browser, server: Server) -> Iterator[Page]:
    """A page that, unlike `new_page`, may log errors: the browser logs every failed request."""
    context = chromium.new_context(base_url=server.address, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    delay(context)
    yield context.new_page()
    context.close()


def test_a_refusal_in_the_setup_page_is_seen(page: Page) -> None:
    page.goto("/new/yatzy")
    page.context.clear_cookies()
    page.click("#play")
    expect(page.locator("#problem .problem")).to_have_attribute("data-code", "form_expired")
    assert page.locator("#setup").count() == 1


def open_live_match(page: Page) -> None:
    """Open a match, and wait until the page has heard of it by the live stream."""
    page.add_init_script(NOTE_LIVE)
    open_match(page)
    page.wait_for_function("() => window.isLive")


def throw_in_vain(page: Page) -> None:
    """Open a match, and throw while the server can't be reached."""
    open_live_match(page)
    intercept(page, "**/throw", lambda route: route.abort())
    page.click("#throw")
    expect(page.locator("#unreachable")).to_be_visible()
    page.unroute("**/throw")


def test_an_unavailable_server_is_reported(page: Page) -> None:
    throw_in_vain(page)
    page.click("#throw")
    expect(page.locator("#unreachable")).to_be_hidden()
    expect(page.locator("#match")).to_have_attribute("data-version", "1")


def test_the_report_ends_when_the_change_comes_before_the_answer(page: Page) -> None:
    """The live change draws the match anew; the answer then belongs to a form that is no longer there."""
    throw_in_vain(page)
    held = HeldAnswers(page, "**/throw")
    page.click("#throw")
    expect(page.locator("#match")).to_have_attribute("data-version", "1")
    expect(page.locator("#unreachable")).to_be_hidden()
    until(page, lambda: bool(held.waiting))
    held.waiting.pop()()


def test_the_report_ends_when_the_browser_is_online_again(page: Page) -> None:
    open_live_match(page)
    page.context.set_offline(True)
    page.click("#throw")
    expect(page.locator("#unreachable")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#unreachable")).to_be_hidden()


def test_a_failed_review_is_reported(page: Page) -> None:
    page.route("**/review/coach*", lambda route: route.abort())
    open_match(page)
    page.goto(f"{page.url}/review")
    expect(page.locator("#unreachable")).to_be_visible()


def test_every_page_with_requests_can_report_a_missing_response() -> None:
    asking = [text for path in FOLDER.rglob("*.html") if "htmx.js" in (text := path.read_text())]
    assert len(asking) >= 4
    for text in asking:
        assert "reach.js" in text
        assert 'include "notices.html"' in text


def test_a_refused_stream_is_asked_for_again(page: Page) -> None:
    refusing, refused = True, 0

    def refuse(route: Route) -> None:
        nonlocal refused
        if refusing:
            refused += 1
            route.fulfill(status=429, body="{}")
        else:
            route.continue_()

    page.route("**/events", refuse)
    open_match(page)
    expect(page.locator("#not-live")).to_be_visible()
    until(page, lambda: refused >= 2)
    refusing = False
    expect(page.locator("#not-live")).to_be_hidden()
