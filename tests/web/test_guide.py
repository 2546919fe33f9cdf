"""The players' guide, which the server shows from the pages of the documentation."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from dicecup.i18n import LANGUAGES
from dicecup.web.assets import GUIDE, guide_address, guide_page

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_page_in_every_language(client: TestClient, code: str) -> None:
    """Each page leads to all the others, and every link of the guide leads to a page."""
    client.cookies.set("language", code)
    linked = set()
    for name in GUIDE:
        page = client.get(guide_address(name))
        assert page.status_code == 200
        assert f'<html lang="{code}"' in page.text
        assert page.text.count(f"<h1>{guide_page(name, code).title}</h1>") == 1
        assert page.text.count('aria-current="page"') == 1
        assert ".md" not in page.text
        assert " style=" not in page.text
        linked |= set(re.findall(r'href="(/(?:guide|rules)[^"]*)"', page.text))
    assert {guide_address(name) for name in GUIDE} <= linked
    assert {client.get(path).status_code for path in linked} == {200}


def test_there_is_no_other_page(client: TestClient) -> None:
    for name in ("nothing", "index.md", "..%2Frules%2Fen%2Fyatzy"):
        assert client.get(f"/guide/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/mine", "/rules/yatzy", "/new/yatzy"])
def test_pages_lead_to_the_guide(client: TestClient, path: str) -> None:
    assert 'href="/guide"' in client.get(path).text


def test_the_setup_page_leads_to_what_it_asks_about(client: TestClient) -> None:
    page = client.get("/new/yatzy").text
    for name in ("keeping-score", "fair-dice"):
        assert f'href="/guide/{name}"' in page
