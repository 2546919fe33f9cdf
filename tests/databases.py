"""Databases on PostgreSQL that tests use one after the other: making one takes 0.3 s, emptying one 0.01 s."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dicecup.storage.database import MIGRATIONS

OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class Databases:
    """Databases that are alike; those that no test uses wait for the next one."""

    def __init__(self, make: Callable[[], str], empty: Callable[[Any], None]) -> None:
        self.make = make
        self.empty = empty
        self.free: list[str] = []

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The URL of one; afterwards whoever still uses it is disconnected, and nothing is left in it."""
        import psycopg

        address = self.free.pop() if self.free else self.make()
        yield address
        with psycopg.connect(address) as connection:
            connection.execute(f"SELECT pg_terminate_backend(pid, 60000) {OTHERS}")
            self.empty(connection)
        self.free.append(address)


def drop_tables(connection: Any) -> None:
    """Remove everything, also triggers and their functions."""
    connection.execute("DROP SCHEMA public CASCADE")
    connection.execute("CREATE SCHEMA public")


def delete_rows(connection: Any) -> None:
    """Remove the rows of all tables; the tables stay as they are."""
    connection.execute("SET session_replication_role = replica")  # no triggers: they keep most rows forever
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    for (table,) in found:
        kept = f"WHERE number > {len(MIGRATIONS)}" if table == "migrations" else ""
        connection.execute(f"DELETE FROM {table} {kept}")


@pytest.fixture(name="database")
def with_tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database with tables and nothing in them, for the folders and files of tests that import this."""
    if request.param == "sqlite":
        prepared: Path = request.getfixturevalue("prepared_file")
        yield str(shutil.copy(prepared, tmp_path / "games.db"))
        return
    databases: Databases = request.getfixturevalue("prepared_databases")
    with databases.lent() as address:
        yield address
