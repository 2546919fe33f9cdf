"""A database of every earlier version is migrated with everything in it."""

from __future__ import annotations

import pytest
from tests.storage_databases.old_database import HEADER, KEY, MADE, make_old_database

from dicecup.storage.database import MIGRATIONS
from dicecup.storage.results import add_verdicts, without_verdict
from dicecup.storage.store import Store, open_store
from dicecup.storage.stored import Addition, Verdict


def check_everything_is_there(store: Store) -> None:
    assert store.server_key().hex() == KEY
    listed = store.matches_of("ann").lines
    assert [(line.id, line.names, line.finished) for line in listed] == [
        ("finished", ("Ann", "Bo"), MADE),
        ("running", ("Ann", "Bo"), None),
    ]
    assert [(one.match, one.points) for one in store.results_of("bo").results] == [("finished", 199)]
    for match in ("running", "finished", "upload"):
        stored = store.match(match)
        assert stored
        assert stored.header == HEADER
        assert stored.opening.statement == 1  # what its dice prove does not change
        assert store.entries(match) == ["1 throw 1 2 3 4 5", "1 score chance 15"]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_a_database_of_an_earlier_version_is_migrated(address: str, version: int) -> None:
    make_old_database(address, version)
    for _start in range(2):  # the second one finds nothing to do
        store = open_store(address)
        check_everything_is_there(store)
        store.close()
    store = open_store(address)
    store.append(Addition("running", 2, ("2 throw 1 1 1 1 1",), MADE))
    assert without_verdict(store, "ann", 5) == ["finished"]
    add_verdicts(store, "finished", 2, [Verdict(0, 1.0, -1.0, 0.5)])
    assert store.results_of("ann").verdicts["finished", 0] == Verdict(0, 1.0, -1.0, 0.5)
    store.close()
