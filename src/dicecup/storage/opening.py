"""Finds the database that an address means."""

from __future__ import annotations

from pathlib import Path

from dicecup.errors import StorageError
from dicecup.storage.database import Database
from dicecup.storage.schema import migrate
from dicecup.storage.store import Store

POSTGRES = ("postgresql://", "postgres://")


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
    from dicecup.storage.sqlite import SqliteDatabase

    return SqliteDatabase(Path(address.removeprefix("sqlite:///")))
