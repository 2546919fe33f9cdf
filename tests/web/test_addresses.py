"""URLs: the page to return to, pages that do not exist, and HEAD."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, Visitor, code

from dicecup.i18n.language import LANGUAGES

pytestmark = pytest.mark.one_database  # URLs do not depend on the database: one kind is enough


def back_from(page: str) -> str:
    found = re.search(r'name="back" value="([^"]*)"', page)
    assert found
    return found[1]


def test_preferences_return_to_a_page_that_supports_get(visitor: Visitor) -> None:
    visitor.send("/new/yatzy", kind="person", name="Ann")
    address = visitor.path
    for page in (
        visitor.page,
        visitor.send(f"{address}/link", seat="0"),
        visitor.send(f"{address}/throw", 409, version="7"),
        visitor.send(f"{address}/link", 422, seat="x"),
    ):
        assert back_from(page) == address
        visitor.send("/preferences", language="sv", theme="dark", back=back_from(page))
        assert visitor.path == address
    assert back_from(visitor.go(f"{address}/proof")) == f"{address}/proof"
    assert back_from(visitor.send("/new/yatzy", action="add-person", kind="person", name="A")) == "/new/yatzy"
    assert back_from(visitor.client.post("/preferences").text) == "/"


def test_pages_of_unknown_games(client: TestClient, visitor: Visitor) -> None:
    for path in ("/new/nothing", "/rules/nothing"):
        assert client.get(path).status_code == 404
        assert "There’s nothing at this address. Check the link." in client.get(path).text
    visitor.send("/new/nothing", 404, kind="person", name="Ann")


def test_head_is_get_without_a_body(client: TestClient, ann: Player) -> None:
    state = ann.open()
    page = f"/t/{state['id']}"
    for path in (
        "/",
        "/rules/yatzy",
        page,
        f"{page}/record",
        f"/api{page.replace('/t/', '/matches/')}",
    ):
        got, asked = client.get(path), client.head(path)
        assert (asked.status_code, asked.content) == (200, b"")
        for name in ("content-type", "content-security-policy", "cache-control"):
            assert asked.headers[name] == got.headers[name]
    assert client.head("/rules/nothing").status_code == 404
    assert client.head(f"{page}/events").status_code == 405  # the stream never ends
    assert client.head(f"{page}/throw").status_code == 405


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_a_name_with_the_mark_of_the_bots_is_refused_for_that(ann: Player, spoken: str) -> None:
    wish = {"game": "yatzy", "seats": [{"kind": "person", "name": "bot:x"}]}
    ann.client.cookies.clear()
    answer = ann.client.post("/api/matches", json=wish, headers={"Accept-Language": spoken})
    assert (answer.status_code, code(answer)) == (422, "name_of_bot")
    message = answer.json()["error"]["message"]
    assert "60" not in message
    assert message.count("bot:") == 2


def test_sentences_end_with_one_full_stop(visitor: Visitor) -> None:
    headers = {"Content-Type": "multipart/form-data"}
    page = visitor.client.post("/preferences", content=b"x", headers=headers).text
    assert re.search(
        r"The request can’t be understood. Check the address, or go back and try again\.[^.]", page
    )
