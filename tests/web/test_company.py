"""Who is here, and short reactions: from open streams, by seat, not stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message
from tests.waiting import PATIENCE
from tests.web.conftest import Player, Visitor, code, two_players

from dicecup.i18n.language import LANGUAGES, language
from dicecup.web.service import presence as bounds
from dicecup.web.service import subscribers
from dicecup.web.service.identity import key_hash
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.presence import REACTIONS, Company
from dicecup.web.service.snapshot import Drawing, Seen
from dicecup.web.service.subscribers import EventStream

pytestmark = pytest.mark.one_database
SEATS = {"ann": frozenset({0, 2}), "bo": frozenset({1})}


def seats_of(holder: str) -> frozenset[int]:
    return SEATS.get(holder, frozenset())


def test_somebody_is_here_while_any_of_their_streams_is_open() -> None:
    company = Company()
    assert company.arrive("ann", seats_of)
    assert not company.arrive("ann", seats_of)  # a second page changes nothing
    assert company.arrive("bo", seats_of)
    assert company.presence == "0 1 2"
    company.depart("ann")
    assert not company.update_presence(seats_of)
    company.depart("ann")
    assert company.update_presence(seats_of)
    assert company.presence == "1"


def test_other_processes_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    company = Company()
    assert company.receive("here other 1", seats_of)
    assert company.presence == "1"
    company.arrive("ann", seats_of)
    assert company.seats_here(seats_of) == "0 2"
    assert company.receive("here other", seats_of)
    assert company.presence == "0 2"
    assert company.receive("reaction 1 ouch", seats_of)
    assert (company.reaction.seat, company.reaction.id) == (1, "ouch")
    for nonsense in ("", "reaction", "reaction x ouch", "reaction 1 nothing", "other words"):
        assert not company.receive(nonsense, seats_of)
    company.receive("here other 1", seats_of)
    monkeypatch.setattr(bounds, "MOST_SILENT", -1.0)  # the other process has died
    assert company.update_presence(seats_of)
    assert company.presence == "0 2"


class Listener:
    """A stream of a page, as somebody with this key reads it."""

    def __init__(self, matches: Matches, live: LiveMatch, holder: str) -> None:
        request = Request({"type": "http", "headers": [], "client": ("192.0.2.1", 1)})
        self.heard: list[str] = []
        self.left = asyncio.Event()
        self.stream = EventStream(
            request, matches, live, holder, "match", lambda _live: "page", self.draw, with_marks=True
        )
        self.task = asyncio.create_task(self.stream({}, self.receive, self.send))

    def draw(self, _live: LiveMatch, _before: Seen | None) -> Drawing:
        return Drawing("drawn")

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.heard += message.get("body", b"").decode().split("\n\n")

    async def leave(self) -> None:
        self.left.set()
        await self.task

    async def hears(self, text: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while text not in self.heard:
                await asyncio.sleep(0.01)


def test_everybody_sees_who_comes_and_goes(
    client: TestClient, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribers, "AWAY_AFTER", 0.0)
    state = two_players(ann, bo)
    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]

    async def visit() -> None:
        live = await matches.get(state["id"])
        spectator = Listener(matches, live, "")
        first = Listener(matches, live, key_hash(ann.key))
        await spectator.hears("event: presence\ndata: 0")
        second = Listener(matches, live, key_hash(bo.key))
        await spectator.hears("event: presence\ndata: 0 1")
        drawings = spectator.heard.count("event: match\nid: 0.1\ndata: drawn")
        await first.leave()
        await spectator.hears("event: presence\ndata: 1")
        matches.react(live, frozenset({1}), "lucky")
        await spectator.hears("event: reaction\ndata: 1 lucky")
        late = Listener(matches, live, "")  # what was said before is not said again
        await late.hears("event: presence\ndata: 1")
        assert not any(text.startswith("event: reaction") for text in late.heard)
        assert spectator.heard.count("event: match\nid: 0.1\ndata: drawn") == drawings  # drawn only once
        for listener in (spectator, second, late):
            await listener.leave()

    assert client.portal
    client.portal.call(visit)
    assert [seat["here"] for seat in ann.look(state)["seats"]] == [False, False]


def test_reactions_come_from_ones_own_seat(ann: Player, bo: Player, client: TestClient) -> None:
    state = two_players(ann, bo)
    path = f"/matches/{state['id']}/reactions"
    assert ann.post(path, {"reaction": "ouch"}).status_code == 204
    assert code(ann.post(path, {"reaction": "ouch", "seat": 1})) == "seat_not_yours"
    assert code(Player(client).post(path, {"reaction": "ouch"})) == "seat_not_yours"
    assert code(bo.post(path, {"reaction": "<script>"})) == "reaction_unknown"
    assert ann.look(state)["version"] == 0
    assert "ouch" not in ann.get(f"/matches/{state['id']}/record").text


def test_reactions_are_few(ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "BETWEEN", 600.0)
    state = two_players(ann, bo)
    path = f"/matches/{state['id']}/reactions"
    answers = [ann.post(path, {"reaction": reaction}) for reaction in ("ouch", "thanks")]
    assert [answer.status_code for answer in answers] == [204, 429]
    assert code(answers[1]) == "reaction_too_soon"
    assert bo.post(path, {"reaction": "thanks"}).status_code == 204


def test_reactions_without_scripts(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", kind="person", name="Zoë", action="play-open")
    assert visitor.page.count('name="reaction"') == len(REACTIONS)
    visitor.send(f"{visitor.path}/reaction", reaction="thanks")
    assert visitor.page.count('name="reaction"') == len(REACTIONS)


def test_nobody_reacts_alone(visitor: Visitor) -> None:
    visitor.go("/new/yatzy")
    visitor.send("/new/yatzy", kind="person", name="Zoë", action="play-bot")
    assert 'name="reaction"' not in visitor.page
    assert "Your turn" not in visitor.page


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_reactions_differ_in_every_language(spoken: str) -> None:
    words: list[Any] = [language(spoken).gettext(text) for text in REACTIONS.values()]
    assert len(set(words)) == len(REACTIONS)
