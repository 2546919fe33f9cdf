"""The review page and the statistics with the real coach, in a real browser, in every language."""

from __future__ import annotations

import httpx2 as httpx
import pytest
from playwright.sync_api import Page, expect
from tests.browser.accessibility import violations
from tests.browser.conftest import DESK, PHONE, READY, NewPage
from tests.waiting import PATIENCE
from tests.web.coaching import record_of
from tests.web.conftest import best_score
from tests.web.serving import Server

from dicecup.i18n.language import LANGUAGES, language
from dicecup.web.guard import COOKIE

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def matches(server: Server) -> dict[str, str]:
    """Uploaded matches by key."""
    records = {
        "three": record_of("yatzy", 3),
        "double": record_of("dice-in-dice", 1, 15),
        "triple": record_of("triple-yum-plus", 1, 30),
    }
    return {word: upload(server, text) for word, text in records.items()}


def upload(server: Server, text: str) -> str:
    match: str = httpx.post(f"{server.address}/api/records", json={"record": text}, timeout=PATIENCE).json()[
        "id"
    ]
    return match


def open_review(page: Page, match: str) -> None:
    page.goto(f"/t/{match}/review")
    page.wait_for_selector(".card-class", timeout=READY)


def fits(page: Page, size: dict[str, int]) -> None:
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_review_page_is_accessible(new_page: NewPage, matches: dict[str, str]) -> None:
    """Check accessibility in each language, with a section expanded: the others are collapsed.

    Each kind of game is looked at in one language: what a page says in another has the same elements.
    """
    found: dict[str, list[str]] = {}
    for code, game in zip(LANGUAGES, ["three", "double", "triple", "double"], strict=True):
        page = new_page(PHONE, locale=code)
        open_review(page, matches[game])
        expect(page.locator("#turns-head")).to_contain_text(
            language(code).gettext("How {player} played").partition("{player}")[0].strip()
        )
        page.locator("ul.folds .fold > summary").first.click()
        page.locator("ol.folds .fold > summary").first.click()
        page.locator("ol.folds .fold").first.locator(".more-choices > summary").first.click()
        found[f"{game} in {code}"] = violations(page)
        for size in (PHONE, DESK):
            fits(page, size)
    assert {where: what for where, what in found.items() if what} == {}


def test_a_position_is_opened_and_tried_again(new_page: NewPage, server: Server) -> None:
    page = new_page(PHONE)
    open_review(page, upload(server, record_of("yatzy", 3)))
    expect(page.locator("#review-news")).to_have_text("The coach has reviewed the game.")
    expect(page.locator(".player-card")).to_have_count(3)
    expect(page.locator("figure .series")).to_have_count(3)
    page.locator(".seat-tabs a").nth(1).click()
    expect(page.locator(".seat-tabs a").nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator(".seat-tabs a").nth(1)).to_be_focused()
    fold = page.locator("ol.folds .fold").nth(2)
    fold.locator("> summary").click()
    decision = fold.locator(".decisions > li").first
    dice = (decision.locator(".decision .throw").get_attribute("aria-label") or "").split()
    decision.locator(".more-choices > summary").click()
    expect(decision.locator(".choices .taken")).to_have_count(1)
    decision.locator(".try").click()
    page.wait_for_url("**/t/*")
    expect(page.locator(".banner")).to_have_class("banner yours")
    expect(page.locator("input[name=keep]")).to_have_count(len(dice))


def test_the_game_is_there_before_the_coach(new_page: NewPage, matches: dict[str, str]) -> None:
    """A browser without scripts gets the page at once, with a link to the coach's part."""
    page = new_page(DESK, java_script_enabled=False)
    page.goto(f"/t/{matches['double']}/review")
    expect(page.locator(".player-card")).to_have_count(1)
    expect(page.locator("ol.folds .fold").first).to_be_visible()
    for _load in range(int(READY / 10_000)):
        if page.locator(".card-class").count():
            break
        page.goto(f"/t/{matches['double']}/review?coach=yes")
    expect(page.locator(".moment")).to_have_count(3)


def test_by_keyboard(new_page: NewPage, matches: dict[str, str]) -> None:
    page = new_page()
    open_review(page, matches["double"])
    page.locator("ol.folds .fold > summary").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("ol.folds .fold").first).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("ol.folds .more-choices").first).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    expect(page.locator("ol.folds .try").first).to_be_focused()


def test_statistics_with_luck_and_skill(new_page: NewPage, server: Server) -> None:
    key = ""
    for _game in range(2):
        key = finish(server, key)
    page = new_page(PHONE)
    page.context.add_cookies([{"name": COOKIE, "value": key, "url": server.address}])
    page.goto("/mine")
    page.wait_for_selector(".statistics .rating", timeout=READY)
    expect(page.locator(".thinking")).to_have_count(0, timeout=READY)
    expect(page.locator(".statistics figure")).to_have_count(3)
    expect(page.locator(".games .figures")).to_have_count(2)
    assert violations(page) == []
    for size in (PHONE, DESK):
        fits(page, size)


def finish(server: Server, key: str) -> str:
    """Play a complete game through the API and return the key that holds its seat."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    wish = {"game": "yatzy", "seats": [{"kind": "person", "name": "Ann"}]}
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        opened = client.post("/api/matches", json=wish, headers=headers).json()
        state, headers = opened["state"], {"Authorization": f"Bearer {opened['key']}"}
        while state["status"] == "playing":
            move = {"throw": True} if state["turn"]["throw_due"] else best_score(state)
            body = {"version": state["version"], "move": move}
            state = client.post(f"/api/matches/{state['id']}/moves", json=body, headers=headers).json()
    found: str = opened["key"]
    return found
