"""Limits on subscribers: spectators cannot use up the connections of players."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import ExitStack
from itertools import count as numbers

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message
from tests.waiting import awaited
from tests.web.conftest import Player

from dicecup.errors import UsageError
from dicecup.web.service import presence
from dicecup.web.service import subscribers as bounds
from dicecup.web.service.matches import Matches
from dicecup.web.service.presence import MOST_OF_ADDRESS, MOST_OF_PLAYER, MOST_WATCHERS, Subscriber
from dicecup.web.service.snapshot import Drawing
from dicecup.web.service.subscribers import Channel, Deliveries, EventStream, Subscribers


def fill(hub: Subscribers, places: ExitStack, watchers: list[Subscriber]) -> int:
    """Return how many of the subscribers one match accepts."""
    for count, watcher in enumerate(watchers):
        try:
            places.enter_context(hub.subscribe("table", watcher))
        except UsageError:
            return count
    return len(watchers)


def test_one_address_cannot_use_up_all_streams() -> None:
    hub = Subscribers()
    with ExitStack() as places:
        assert fill(hub, places, [Subscriber("one")] * MOST_WATCHERS) == MOST_OF_ADDRESS
        assert fill(hub, places, [Subscriber("two")]) == 1
        assert fill(hub, places, [Subscriber("one", "ann")]) == 1  # a player at the same address
    assert not hub.taken
    assert fill(hub, ExitStack(), [Subscriber("one")]) == 1


def test_players_have_reserved_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "MOST_WATCHERS_IN_ALL", MOST_WATCHERS + 10)
    hub = Subscribers()
    with ExitStack() as places:
        strangers = [Subscriber(str(number)) for number in range(MOST_WATCHERS + 10)]
        assert fill(hub, places, strangers) == MOST_WATCHERS
        assert fill(hub, places, [Subscriber("0", "ann")] * (MOST_OF_PLAYER + 5)) == MOST_OF_PLAYER
        assert fill(hub, places, [Subscriber("0", "bo")]) == 1


def test_without_limits_addresses_are_not_counted() -> None:
    with ExitStack() as places:
        assert fill(Subscribers(limits=False), places, [Subscriber("one")] * MOST_WATCHERS) == MOST_WATCHERS


def test_seats_do_not_evade_the_limit_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "MOST_PLAYERS_OF_ADDRESS", 30)
    hub = Subscribers()
    with ExitStack() as places:
        seated = [Subscriber("one", f"player {number}") for number in range(40)]
        assert fill(hub, places, seated) == 30
        assert fill(hub, places, [Subscriber("two", "player 0")]) == 1


def test_a_stream_subscribes_before_it_begins(client: TestClient, ann: Player) -> None:
    """Else too many could begin at the same moment, and no status could be sent to the last."""
    match = ann.open()["id"]
    matches: Matches = client.app.state.matches  # type: ignore[attr-defined]
    request = Request({"type": "http", "headers": [], "client": ("192.0.2.1", 1)})

    async def begin_many() -> list[EventStream]:
        live = await matches.get(match)
        matches.subscribers.limits = True

        def begin() -> EventStream:
            return EventStream(request, matches, live, "", "state", lambda _: (), lambda *_: Drawing(""))

        streams = [begin() for _ in range(MOST_OF_ADDRESS)]
        with pytest.raises(UsageError):
            begin()
        return streams

    async def end(streams: list[EventStream]) -> None:
        async def receive() -> Message:
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            raise OSError

        for begun in streams:
            with contextlib.suppress(Exception):
                await begun({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)

    assert client.portal
    client.portal.call(end, client.portal.call(begin_many))
    assert not matches.subscribers.taken


def test_streams_are_told_once_that_the_server_stops() -> None:
    """Every open connection announces it: to tell each stream each time took seconds with thousands."""
    told = 0

    class Watched:
        def deliver(self) -> None:
            nonlocal told
            told += 1

    hub = Subscribers()
    with hub.subscribe("table", Subscriber("one")) as channel:
        channel.streams.add(Watched())  # type: ignore[arg-type]
        for _connection in range(3):
            hub.close()
    assert told == 1


class SeenChannel(Channel):
    """A channel that notes in which round of the event loop it was looked at."""

    def __init__(self, rounds: list[int], seen: dict[Channel, int]) -> None:
        super().__init__()
        self.rounds = rounds
        self.seen = seen

    def deliver(self) -> None:
        self.seen[self] = self.rounds[0]


async def rounds_until_delivered(added: int) -> list[int]:
    """The rounds of the event loop in which so many channels are looked at, which are added in the first."""
    rounds, seen = [0], dict[Channel, int]()
    deliveries = Deliveries()
    channels = [SeenChannel(rounds, seen) for _ in range(added)]
    for channel in (*channels, *channels):
        deliveries.add(channel)
    while len(seen) < added:
        await asyncio.sleep(0)
        rounds[0] += 1
        assert rounds[0] < 10_000, "some are never looked at"
    assert list(seen) == channels  # those that wait longest first
    assert not deliveries.due
    return list(seen.values())


def test_channels_are_looked_at_one_in_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "perf_counter", lambda: 0.0)  # nothing takes any time
    assert awaited(rounds_until_delivered(4)) == [0, 1, 2, 3]


def test_moves_are_answered_before_spectators_see_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = numbers()
    monkeypatch.setattr(bounds, "perf_counter", lambda: next(ticks) / 1000)  # the loop is busy
    rounds = awaited(rounds_until_delivered(2))
    assert rounds[0] > 10
    assert rounds[1] == rounds[0] + 1  # it has waited as long
