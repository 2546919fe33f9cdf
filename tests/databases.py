"""Databases that tests use.

Those on PostgreSQL are used one after the other: making one takes 0.3 s, emptying one 0.01 s. Those on SQLite
are in memory where there is a folder for that: on a disk the end of a transaction takes ten times the
processor time, and many times the time.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from dicecup.storage.database import MIGRATIONS

IN_MEMORY = "/dev/shm"  # on Linux
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


@contextmanager
def quick_folder() -> Iterator[Path]:
    """An empty folder for databases, which is removed with them."""
    where = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    # Windows keeps files that a test has left open.
    with TemporaryDirectory(prefix="dicecup-", dir=where, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


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
def with_tables(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database with tables and nothing in them, for the folders and files of tests that import this."""
    if request.param == "sqlite":
        prepared: Path = request.getfixturevalue("prepared_file")
        with quick_folder() as folder:
            yield str(shutil.copy(prepared, folder / "games.db"))
        return
    databases: Databases = request.getfixturevalue("prepared_databases")
    with databases.lent() as address:
        yield address
