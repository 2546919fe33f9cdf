"""Limits on subscribers: spectators cannot use up the connections of players."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from dicecup.errors import UsageError
from dicecup.web.service import subscribers as bounds
from dicecup.web.service.subscribers import (
    MOST_OF_ADDRESS,
    MOST_OF_PLAYER,
    MOST_WATCHERS,
    Subscriber,
    Subscribers,
)


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
    monkeypatch.setattr(bounds, "MOST_WATCHERS_IN_ALL", MOST_WATCHERS + 10)
    hub = Subscribers()
    with ExitStack() as places:
        strangers = [Subscriber(str(number)) for number in range(MOST_WATCHERS + 10)]
        assert fill(hub, places, strangers) == MOST_WATCHERS
        assert fill(hub, places, [Subscriber("0", "ann")] * (MOST_OF_PLAYER + 5)) == MOST_OF_PLAYER
        assert fill(hub, places, [Subscriber("0", "bo")]) == 1


def test_without_limits_addresses_are_not_counted() -> None:
    with ExitStack() as places:
        assert fill(Subscribers(limits=False), places, [Subscriber("one")] * MOST_WATCHERS) == MOST_WATCHERS
