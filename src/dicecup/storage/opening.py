"""Finds the database that an address means."""

from __future__ import annotations

import re
from pathlib import Path

from dicecup.errors import StorageError
from dicecup.storage.database import Database
from dicecup.storage.schema import migrate
from dicecup.storage.store import Store

POSTGRES = ("postgresql://", "postgres://")
SQLITE = "sqlite:///"
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def open_store(address: str) -> Store:
    """The store at `postgresql://…`, or in the SQLite file of that path; up to date and ready."""
    database = open_database(address)
    try:
        migrate(database)
        return Store(database)
    except BaseException:
        database.close()
        raise


def open_database(address: str) -> Database:
    if address.startswith(POSTGRES):
        try:
            from dicecup.storage.postgres import PostgresDatabase
        except ImportError:
            raise StorageError("postgres_missing") from None
        return PostgresDatabase(address)
    path = address.removeprefix(SQLITE)
    if scheme := SCHEME.match(path):  # only that: what follows may hold a password
        raise StorageError("database_unknown", scheme=scheme[0])
    from dicecup.storage.sqlite import SqliteDatabase

    return SqliteDatabase(Path(path))
