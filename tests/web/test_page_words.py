"""Error messages of pages, with and without scripts."""

from __future__ import annotations

import html
import re

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player, Visitor

from dicecup.errors import UsageError
from dicecup.i18n.language import LANGUAGES, language

pytestmark = pytest.mark.one_database


def test_a_refusal_in_the_setup_page_is_seen(client: TestClient) -> None:
    """The form swaps only #setup from a response; an error response must name another target."""
    client.get("/new/yatzy")
    client.cookies.clear()
    answer = client.post("/new/yatzy", data={"action": "play"}, headers={"HX-Request": "true"})
    assert answer.status_code == 403
    assert answer.headers["hx-retarget"] == "#problem"
    assert answer.headers["hx-reselect"] == ".problem"
    assert 'class="problem"' in answer.text


@pytest.mark.parametrize("code", LANGUAGES)
def test_pages_contain_their_error_messages(client: TestClient, ann: Player, code: str) -> None:
    """Shown by scripts when the server is unavailable, or without scripts."""
    _ = language(code).gettext
    seats = [{"kind": "bot", "name": "steady"}, {"kind": "open", "name": ""}]
    path = f"/t/{ann.open('yatzy', {'kind': 'person', 'name': 'Ann'}, *seats)['id']}"
    headers = {"Accept-Language": code}
    table = client.get(path, headers=headers).text
    setup = client.get("/new/yatzy", headers=headers).text
    away = _("The server didn’t answer. Check your connection and try again.")
    for page in (table, setup):
        assert f'<p id="unreachable" class="problem" role="alert" hidden>{away}</p>' in page
        assert re.search(r'<script src="/static/\w+/reach\.js" type="module">', page)
    live = _("The connection is lost. This page updates when it’s back.")
    assert f'<p id="not-live" class="problem" role="status" hidden>{live}</p>' in table
    look = _("Reload page")
    assert f'<noscript><p><a class="button" href="{path}">{look}</a></p></noscript>' in table
    scripts = _("This link needs JavaScript. Allow it for this page, then open the link again.")
    assert (
        f'<noscript><p class="problem">{scripts}</p></noscript>'
        in client.get(f"{path}/seat", headers=headers).text
    )


@pytest.mark.parametrize(
    ("host", "only_here"),
    [("127.0.0.1:8000", True), ("localhost", True), ("[::1]:8166", True), ("192.168.1.7:8000", False)],
)
def test_an_address_that_no_other_device_reaches(
    client: TestClient, ann: Player, host: str, only_here: bool
) -> None:
    path = f"/t/{ann.open()['id']}"
    page = client.get(path, headers={"Host": host}).text
    assert ("./dicecup serve --lan" in page) is only_here


def test_players_read_no_error_codes(client: TestClient) -> None:
    """The code is in an attribute, for tests and reports of errors."""
    page = client.get("/nothing", headers={"Accept-Language": "en"}).text
    assert 'data-code="not_found">There’s nothing at this address. Check the link.</p>' in page
    assert "[not_found]" not in page


WRONG_ADDRESSES = [
    ("/t/" + "a" * 50, "not_found", 404),
    ("/t/" + "a" * 50 + "/review", "not_found", 404),
    ("/e/" + "a" * 50, "not_found", 404),
    ("/rules/yatzy/pad.pdf?players=99", "request_wrong", 422),
    ("/rules/yatzy/pad.pdf?paper=a9", "request_wrong", 422),
    ("/new/yatzy?evening=" + "a" * 50, "request_wrong", 422),
    ("/workshop?rules=" + "a" * 40_000, "request_wrong", 422),
    ("/mine?before=" + "a" * 100, "request_wrong", 422),
]


@pytest.mark.parametrize("code", LANGUAGES)
def test_forms_without_their_file_are_answered_in_one_language(visitor: Visitor, code: str) -> None:
    headers = {"Accept-Language": code}
    for path in ("/review", "/workshop/file"):
        answer = visitor.client.post(path, data={"csrf": visitor.token()}, headers=headers)
        assert answer.status_code == 422
        sentence = language(code).gettext(
            "The request can’t be understood. Check the address, or go back and try again."
        )
        assert sentence in html.unescape(answer.text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_wrong_addresses_are_answered_in_one_language(client: TestClient, code: str) -> None:
    """What FastAPI says of them is English."""
    spoken = language(code)
    sentences = {
        "not_found": spoken.sentence(UsageError("not_found")),
        "request_wrong": spoken.gettext(
            "The request can’t be understood. Check the address, or go back and try again."
        ),
    }
    for path, refused, status in WRONG_ADDRESSES:
        answer = client.get(path, headers={"Accept-Language": code})
        assert answer.status_code == status, path
        found = re.search(r'<p class="problem" role="alert" data-code="(\w+)">(.*?)</p>', answer.text)
        assert found, answer.text
        assert (found[1], html.unescape(found[2])) == (refused, sentences[refused])
