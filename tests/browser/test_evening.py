"""An evening in the browser: its tally on one screen, the next game by keyboard, and the picture to share."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from tests.browser.accessibility import violations
from tests.browser.conftest import NewPage

from dicecup.rules.loader import load_ruleset
from dicecup.web.guard import COOKIE

NAMES = ("Ann", "Björn", "Charlotte-Élise Lindqvist", "Dmitri")
SMALL = {"width": 360, "height": 640}
MOST_BYTES = 80_000


def begin_evening(page: Page, name: str = "Friday") -> str:
    """Play a whole pad with four people, through the API with the browser's own key; return the evening."""
    page.goto("/")
    (key,) = [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == COOKIE]

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = page.request.post(f"/api{path}", data=body, headers={"Authorization": f"Bearer {key}"})
        assert answer.ok, answer.text()
        found: dict[str, Any] = answer.json()
        return found

    evening: str = post("/evenings", {"name": name})["evening"]["id"]
    seats = [{"kind": "person", "name": name} for name in NAMES]
    wish = {"game": "yatzy", "seats": seats, "dice": "points", "evening": evening}
    state = post("/matches", wish)["state"]
    for box, seat in product(load_ruleset("yatzy").boxes, range(len(NAMES))):
        points = 6 * seat if box.id == "sixes" else 0
        move = {"seat": seat, "box": box.id, "points": points}
        state = post(f"/matches/{state['id']}/moves", {"version": state["version"], "move": move})
    return evening


def test_the_tally_fits_on_one_screen_and_leads_to_the_next_game(new_page: NewPage, tmp_path: Path) -> None:
    page = new_page(SMALL)
    evening = begin_evening(page)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(f"/e/{evening}")
    rows = page.locator(".tally tbody tr")
    expect(rows).to_have_count(len(NAMES))
    expect(rows.first).to_contain_text("Dmitri")
    for part in (*rows.all(), page.get_by_role("button", name="Next game")):
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= SMALL["height"]
        assert box["x"] + box["width"] <= SMALL["width"]

    page.locator("#card").scroll_into_view_if_needed()
    expect(page.locator("#plain-card")).to_be_hidden()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save picture").click()
    assert saved.value.suggested_filename == "Friday.png"
    saved.value.save_as(tmp_path / "card.png")
    data = (tmp_path / "card.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">I", data[16:20]) == (1080,)
    assert len(sizes) >= 4
    assert sum(sizes) < MOST_BYTES

    page.get_by_role("button", name="Next game").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    expect(page.locator("#match")).to_contain_text("Björn")


def test_the_tally_is_brought_up_to_date(new_page: NewPage) -> None:
    page = new_page(SMALL)
    page.add_init_script("window.setInterval = () => 0;")  # it would also look again by itself
    evening = begin_evening(page)
    page.goto(f"/e/{evening}")
    other = page.context.new_page()
    other.goto(page.url)
    other.click("details:has(.name-form) > summary")
    other.fill(".name-form input[name=name]", "Saturday")
    other.click(".name-form button")
    expect(other.locator(".evening-name")).to_have_text("Saturday")
    expect(page.locator(".evening-name")).to_have_text("Friday")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".evening-name")).to_have_text("Saturday")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save picture").click()
    assert saved.value.suggested_filename == "Saturday.png"


def test_no_text_of_the_picture_is_clipped(new_page: NewPage) -> None:
    page = new_page(locale="de")
    evening = begin_evening(page, name="")
    for name in ("", "Mittwochswürfelrunde WWWWWWW", "M" * 60):
        if name:
            page.goto(f"/e/{evening}")
            page.click("details:has(.name-form) > summary")
            page.fill(".name-form input[name=name]", name)
            page.click(".name-form button")
        page.goto(f"/e/{evening}/card.svg")
        ends = page.evaluate(
            "[...document.querySelectorAll('text')].map(t => t.getBBox().x + t.getBBox().width)"
        )
        assert len(ends) > len(NAMES)
        assert max(ends) <= 1080


def test_the_pages_of_evenings_are_accessible(new_page: NewPage) -> None:
    page = new_page()
    evening = begin_evening(page)
    found = {}
    for path in ("/evenings", f"/e/{evening}"):
        page.goto(path)
        found[path] = violations(page)
    assert found == {path: [] for path in found}
