"""Processes on one PostgreSQL database are notified of each other's changes, but not of their own."""

from __future__ import annotations

import queue
from pathlib import Path

import pytest
from tests.storage_databases.test_store import add, opened
from tests.waiting import PATIENCE

from dicecup.errors import StorageError
from dicecup.storage.store import open_store
from dicecup.storage.stored import Notice


def test_only_other_processes_are_notified_of_a_change(postgres_database: str) -> None:
    ours, theirs = open_store(postgres_database), open_store(postgres_database)
    our_notices: queue.Queue[Notice] = queue.Queue()
    their_notices: queue.Queue[Notice] = queue.Queue()
    stops = [ours.listen(our_notices.put), theirs.listen(their_notices.put)]
    assert our_notices.get(timeout=PATIENCE) == Notice()  # notifications may have been missed until now
    assert their_notices.get(timeout=PATIENCE) == Notice()
    opened(ours).append(add(0, "1 throw 1 2 3 4 5"))
    assert their_notices.get(timeout=PATIENCE) == Notice("table1", 0, ("1 throw 1 2 3 4 5",))
    theirs.append(add(1, "1 score chance 15"))
    assert our_notices.get(timeout=PATIENCE) == Notice("table1", 1, ("1 score chance 15",))
    theirs.append(add(2, "2 throw 1 2 3 4 5" + " " * 8_000))
    assert our_notices.get(timeout=PATIENCE) == Notice("table1")  # too long to be sent along
    theirs.begin("table1", lambda _seats: "header")
    assert our_notices.get(timeout=PATIENCE) == Notice("table1")
    for stop in stops:
        stop()
    assert our_notices.empty()
    ours.close()
    theirs.close()


def test_listening_goes_on_after_a_lost_connection(postgres_database: str) -> None:
    ours, theirs = open_store(postgres_database), open_store(postgres_database)
    notices: queue.Queue[Notice] = queue.Queue()
    stop = theirs.listen(notices.put)
    assert notices.get(timeout=PATIENCE) == Notice()
    with ours.database.changes() as changes:
        changes.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
    assert notices.get(timeout=PATIENCE) == Notice()
    opened(ours).append(add(0, "1 throw 1 2 3 4 5"))
    assert notices.get(timeout=PATIENCE) == Notice("table1", 0, ("1 throw 1 2 3 4 5",))
    stop()
    ours.close()
    theirs.close()


def test_a_missing_database_is_reported_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as refused:
        open_store(f"postgresql://ann:geheim@/games?host={tmp_path}&connect_timeout=1")
    assert refused.value.code == "database_unusable"
    assert "geheim" not in str(refused.value)
    with pytest.raises(StorageError):
        open_store(str(tmp_path / "file" / "x.db") if not (tmp_path / "file").write_text("") else "")
