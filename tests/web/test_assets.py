"""Static files: modules that import each other, under addresses that change with their content."""

from __future__ import annotations

import re
import struct

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import Player

from dicecup.web.assets import FOLDER, asset_address

pytestmark = pytest.mark.one_database
SCRIPT = re.compile(r'<script src="(/static/[^"]+)"([^>]*)>')
IMPORT = re.compile(r'^import .*"\./([\w.]+)";', re.MULTILINE)


def test_every_script_of_ours_is_a_module(client: TestClient, ann: Player) -> None:
    """Only htmx is a classic script. What modules import is there, in the same folder."""
    match, pad = ann.open()["id"], ann.open(dice="points")["id"]
    evening = ann.post("/evenings", {}).json()["evening"]["id"]
    found: set[str] = set()
    paths = ("/new/yatzy", "/mine", f"/t/{match}", f"/t/{match}/seat", f"/t/{match}/review", f"/t/{pad}")
    for path in (*paths, f"/e/{evening}"):
        for address, attributes in SCRIPT.findall(client.get(path).text):
            found.add(address.rsplit("/", 1)[-1])
            assert attributes == (" defer" if address.endswith("/htmx.js") else ' type="module"')
    waiting = sorted(found - {"htmx.js"})
    while waiting:
        text = client.get(asset_address(waiting.pop())).text
        new = set(IMPORT.findall(text)) - found
        found |= new
        waiting += new
    elsewhere = {"htmx.js", "site.js"}  # the latter is in the pages of a site only
    assert found - elsewhere == {path.name for path in FOLDER.glob("*.js")} - elsewhere


def test_pages_can_be_installed(client: TestClient) -> None:
    """The manifest is linked, and its icons are there in the sizes it names."""
    address = asset_address("dicecup.webmanifest")
    assert f'<link rel="manifest" href="{address}">' in client.get("/").text
    answer = client.get(address)
    assert answer.headers["content-type"].startswith("application/manifest+json")
    for icon in answer.json()["icons"]:
        picture = client.get(asset_address(icon["src"]))
        assert picture.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", picture.content[16:24])
            assert icon["sizes"] == f"{width}x{height}"


def test_only_current_addresses_are_cached_for_ever(client: TestClient) -> None:
    current = client.get(asset_address("match.js"))
    assert current.headers["content-type"].startswith("text/javascript")
    assert "immutable" in current.headers["cache-control"]
    for old in ("/static/match.js", "/static/0123456789ab/match.js"):
        answer = client.get(old)
        assert answer.text == current.text
        assert answer.headers["cache-control"] == "no-cache"
