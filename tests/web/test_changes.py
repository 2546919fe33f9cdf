"""What a spectator sees after any sequence of changes is what a page that is loaded then shows."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader
from starlette.requests import Request
from starlette.testclient import TestClient
from tests.web.conftest import ANN, FRIEND, Player, turn
from tests.web.drawn import Element, Spectator, tree
from tests.web.killing import a_move

from dicecup.engine.play import fill_cell
from dicecup.engine.state import empty_sheet
from dicecup.i18n.language import LANGUAGES, language
from dicecup.rules import load_ruleset, main_ids
from dicecup.web import live_routes
from dicecup.web.pages.render import InliningLoader, OnePart, PageParts, SeparateParts, TranslatedEnvironment
from dicecup.web.pages.sheet_view import SheetView
from dicecup.web.service.matches import Matches
from dicecup.web.service.snapshot import Drawing, Seen
from dicecup.web.service.subscribers import EventStream
from dicecup.web.viewer import viewer_of

STEPS = 40
pytestmark = pytest.mark.one_database


@pytest.fixture
def client(coached_client: TestClient) -> TestClient:
    return coached_client


class Watching:
    """A stream of events of a match, whose events are taken when the test wants them."""

    def __init__(self, client: TestClient, match: str, language: str = "en", key: str = "") -> None:
        self.client = client
        self.match = match
        headers = [(b"accept-language", language.encode())]
        headers += [(b"cookie", f"dicecup={key}".encode())] if key else []
        scope = {"type": "http", "headers": headers, "client": ("192.0.2.1", 1), "app": client.app}
        self.request = Request(scope)
        self.stream = self.call(self.open)

    def call(self, what: Any) -> Any:
        assert self.client.portal
        return self.client.portal.call(what)

    async def open(self) -> EventStream:
        matches: Matches = self.request.app.state.matches
        live = await matches.get(self.match)
        return await live_routes.events(self.request, viewer_of(self.request), matches, live)

    def event(self) -> bytes:
        return self.event_and_drawing()[0]

    def event_and_drawing(self) -> tuple[bytes, str]:
        """What the stream sends now, and the match as it is drawn for somebody who comes now."""

        async def both() -> tuple[bytes, str]:  # at the same moment: bots play on
            self.stream.sent = asyncio.get_running_loop().time()  # no heartbeat is due
            return self.stream.next_event(), self.stream.draw(self.stream.live, None).whole()

        found: tuple[bytes, str] = self.call(both)
        return found


def loaded(client: TestClient, match: str, language: str) -> Element:
    """The match in the page, without the token of its viewer: what is drawn for many has none."""
    client.cookies.clear()
    text = client.get(f"/t/{match}", headers={"Accept-Language": language}).text
    found = re.search(r'<div id="match-frame"[^\n]*>\n(.*?)<details class="more around"', text, re.DOTALL)
    assert found
    page = tree(found[1].strip().removesuffix("</div>"))
    for token in page.form_fields("csrf"):
        token.attributes["value"] = ""
    return page


def something_happens(ann: Player, bo: Player, state: dict[str, Any], chance: Random) -> None:
    """A move, or something beside the moves; much of it is refused."""
    match, version = state["id"], {"version": state["version"]}
    kind = chance.random()
    if state["seats"][1]["kind"] == "open" and kind < 0.5:
        joined = bo.post(f"/matches/{match}/join", {"name": "Bo", "seat": 1})
        bo.key = joined.json()["key"]
    elif kind < 0.8:
        if state["turn"]:
            player = (ann, bo, ann)[state["turn"]["seat"]]
            player.move(state, a_move(state, chance))
    elif kind < 0.88:
        ann.post(f"/matches/{match}/undo", version | {"steps": chance.randrange(1, 4)})
    elif kind < 0.92:
        bo.post(f"/matches/{match}/undo/agree", version | {"steps": state["undo"]["proposed"]})
    elif kind < 0.96:
        bo.post(f"/matches/{match}/undo/refuse", version)
    else:
        bo.post(f"/matches/{match}/leave", {"seat": 1})


@pytest.mark.parametrize("game", main_ids())
def test_changes_lead_to_the_same_page(client: TestClient, ann: Player, bo: Player, game: str) -> None:
    chance = Random(game)
    state = ann.open(game, ANN, FRIEND, {"kind": "bot", "name": "greedy"}, coach=chance.random() < 0.5)
    watching = [(Watching(client, state["id"], language), Spectator()) for language in LANGUAGES]
    for _ in range(STEPS):
        for seen, page in watching:
            if chance.random() < 0.8:  # else the stream is slow, and two changes become one event
                event, drawing = seen.event_and_drawing()
                if event:
                    page.receive(event)
                assert page.match == tree(drawing)
        something_happens(ann, bo, ann.look(state), chance)
    for _, page in watching:
        assert page.wholes <= 2 < page.changes  # when it is opened, and when the game begins


def test_the_same_points_of_other_dice_are_a_change() -> None:
    """Sheets of two players are shown in the same place, one after the other."""
    rules = load_ruleset("dice-in-dice")
    sheet = fill_cell(rules, empty_sheet(rules), (1, 1, 1, 1, 1, 1), rules.box_index["chance"], 20)
    cell = rules.box_index["chance"]
    inner, outer = (
        SheetView(rules, sheet, "row", language("en"), layers=((cell, layer),))
        for layer in ("inner", "outer")
    )
    rows = [
        row.part_id
        for before, after in zip(inner.blocks, outer.blocks, strict=True)
        for row in after.items(before)
        if row.part_id == "row-chance"
    ]
    assert rows == ["row-chance"]
    assert not any(after.items(after) for after in outer.blocks)


def test_a_page_that_is_loaded_shows_the_same(client: TestClient, ann: Player) -> None:
    state = ann.open("dice-in-dice", ANN, {"kind": "person", "name": "Bo"})
    seen, page = Watching(client, state["id"], "de"), Spectator()
    page.receive(seen.event())
    chance = Random(1)
    for _ in range(20):
        state = ann.play(state, a_move(state, chance))
        page.receive(seen.event())
    assert page.match == loaded(client, state["id"], "de")
    assert (page.wholes, page.changes) == (1, 20)


def test_a_roll_sends_no_sheet(client: TestClient, ann: Player) -> None:
    state = ann.open("yatzy", ANN, {"kind": "person", "name": "Bo"})
    seen = Watching(client, state["id"])
    assert b"event: match" in seen.event()
    state = ann.play(state, {"throw": True})
    event = seen.event()
    parts = [tree(part).attributes["id"] for part in json.loads(event.split(b"data: ")[1])["parts"]]
    assert parts == ["match", "match-banner", "match-tray"]
    assert not seen.event()
    state = ann.play(state, {"box": "chance"})
    parts = [tree(part).attributes["id"] for part in json.loads(seen.event().split(b"data: ")[1])["parts"]]
    assert "row-0-chance" in parts
    assert not {"row-0-ones", "row-1-chance", "row-ones"} & set(parts)


def test_players_get_the_whole_match(client: TestClient, ann: Player) -> None:
    """Their pages may show what the server does not know."""
    state = ann.open()
    seen = Watching(client, state["id"], key=ann.key)
    for _ in range(3):
        event = seen.event()
        assert b"event: match" in event
        assert b'id="throw"' in event or b"data-version" in event
        state = turn(ann, state)


def test_who_takes_a_seat_meanwhile_sees_it_as_their_own(client: TestClient, ann: Player, bo: Player) -> None:
    state = ann.open("yatzy", ANN, FRIEND)
    bo.key = "a key that is long enough to be one"
    seen, page = Watching(client, state["id"], key=bo.key), Spectator()
    page.receive(seen.event())
    assert page.match.find("join-name")
    bo.post(f"/matches/{state['id']}/join", {"name": "Bo"})
    event = seen.event()
    page.receive(event)
    assert (page.wholes, page.changes) == (2, 0)
    assert b'class="chip-head mine"' in event


def test_what_an_audience_saw_is_forgotten_with_it(client: TestClient, ann: Player) -> None:
    state = ann.open()
    one, two = Watching(client, state["id"], "fr"), Watching(client, state["id"], "sv")
    one.event()
    two.event()
    channel = one.stream.channel
    channel.streams.add(two.stream)
    assert len(channel.frames) == 2
    one.stream.leave_audience()
    assert [audience[1] for audience in channel.frames] == ["sv"]
    channel.streams.clear()
    two.stream.leave_audience()
    assert not channel.frames


def test_a_difference_outside_the_parts_sends_everything() -> None:
    one, other = Drawing("a \0x\0", {"x": "1"}), Drawing("b \0x\0", {"x": "1"})
    assert one.whole() == "a 1"
    assert other.changes_since(one.seen()) is None
    assert one.changes_since(Drawing("a \0x\0", {"x": "0"}).seen()) == ["1"]
    assert one.changes_since(Drawing("a \0x\0", {"y": "1"}).seen()) is None
    assert Drawing("state").changes_since(Drawing("state").seen()) is None


def test_a_region_is_rendered_again_only_if_it_was_made_from_something_else() -> None:
    environment = Environment(autoescape=True)
    template = environment.from_string(
        "{% call region('all', number) %}<b>{{ look }}</b>"
        "{% call part('one') %}<p>{{ number }}{{ other }}</p>{% endcall %}{% endcall %}"
    )

    def draw(before: Seen | None, number: int, other: str, look: str = "") -> Drawing:
        parts = SeparateParts(PageParts(environment), before)
        values = {"number": number, "other": other, "look": look}
        return parts.drawing(template.render(region=parts.region, part=parts.part, **values), ())

    first = draw(None, 1, "a")
    assert first.whole() == "<b></b><p>1a</p>"
    before = first.seen()
    second = draw(before, 1, "b")
    assert second.parts == {}
    third = draw(second.seen(), 2, "b")
    assert third.changes_since(before) == ["<p>2b</p>"]
    assert draw(before, 3, "b", "other").changes_since(before) is None


def test_parts_are_made_again_in_a_region_that_is_not() -> None:
    environment = Environment(autoescape=True, loader=DictLoader({"item": "<i>{{ item.text }}</i>"}))
    template = environment.from_string(
        "{% call region('all') %}<b>{{ each_part('item', source) }}</b>{% endcall %}"
    )

    def draw(before: Seen | None, text: str) -> Drawing:
        parts = SeparateParts(PageParts(environment), before)
        source = OnePart("it", Item(text))
        given = {"region": parts.region, "each_part": parts.each_part, "source": source}
        return parts.drawing(template.render(**given), [source])

    first = draw(None, "a")
    assert first.whole() == "<b><i>a</i>\n</b>"
    before = first.seen()
    assert draw(before, "a").parts == {}
    assert draw(before, "b").changes_since(before) == ["<i>b</i>"]


def test_templates_are_joined_and_translated_when_they_are_compiled(tmp_path: Path) -> None:
    (tmp_path / "outer.html").write_text('<p>\n  {% include "inner.html" %}\n</p>{% include "inner.html" %}!')
    (tmp_path / "inner.html").write_text('{{ _("<b>") }}{{ _("{} dice").format(count) }}\n')
    options: dict[str, Any] = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    slow = Environment(loader=FileSystemLoader(tmp_path), **options)
    quick = TranslatedEnvironment(loader=InliningLoader(tmp_path), **options)
    slow.globals["_"] = str.upper
    quick.gettext = str.upper  # is not called while a page is rendered
    assert quick.get_template("outer.html").render(count=5) == slow.get_template("outer.html").render(count=5)


@dataclass(frozen=True)
class Item:
    text: str
    part_id: str = "item"
