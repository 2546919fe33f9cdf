"""PostgreSQL, for several server processes, which notify each other by LISTEN and NOTIFY."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.errors import UniqueViolation
from psycopg_pool import ConnectionPool, PoolTimeout

from dicecup.errors import StorageError
from dicecup.storage.database import Dialect, Row, RowTaken, Values

CHANNEL = "dicecup"
CONNECTIONS = 8
PATIENCE = 10.0  # seconds to wait for a connection
PAUSE = 1.0  # seconds between attempts to reconnect the listener

Connection = psycopg.Connection[tuple[Any, ...]]


def in_its_words(statement: str) -> LiteralString:
    """Convert the placeholders. All statements are written in this package; none contains user input."""
    return statement.replace("?", "%s")  # type: ignore[return-value,unused-ignore]


class PostgresTransaction:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def run(self, statement: str, values: Values = ()) -> int:
        try:
            return self.connection.execute(in_its_words(statement), values or None).rowcount
        except UniqueViolation as error:
            raise RowTaken(str(error)) from None

    def run_many(self, statement: str, values: Sequence[Values]) -> None:
        try:
            with self.connection.cursor() as cursor:
                cursor.executemany(in_its_words(statement), values)
        except UniqueViolation as error:
            raise RowTaken(str(error)) from None

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        return self.connection.execute(in_its_words(question), values or None).fetchall()

    def tell(self, word: str) -> None:
        self.connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, word))


class PostgresDatabase:
    """A small connection pool shared by threads, and one more connection that listens in its own thread."""

    dialect: Dialect = "postgresql"
    shared = True

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            psycopg.connect(url, connect_timeout=int(PATIENCE)).close()  # fail at once: the pool would retry
        except psycopg.Error as error:
            raise unusable(error) from None
        self.pool: ConnectionPool[Connection] = ConnectionPool(
            url, min_size=1, max_size=CONNECTIONS, timeout=PATIENCE, open=True
        )

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        with self.changes() as changes:
            return changes.rows(question, values)

    @contextmanager
    def changes(self) -> Iterator[PostgresTransaction]:
        try:
            with self.pool.connection() as connection:
                yield PostgresTransaction(connection)
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise unusable(error) from None

    def listen(self, heard: Callable[[str], None]) -> Callable[[], None]:
        ended = threading.Event()

        def run() -> None:
            while not ended.is_set():
                try:
                    self.hear(heard, ended)
                except psycopg.Error:
                    ended.wait(PAUSE)
                else:
                    continue

        thread = threading.Thread(target=run, name="listen", daemon=True)
        thread.start()

        def stop() -> None:
            ended.set()
            thread.join()

        return stop

    def hear(self, heard: Callable[[str], None], ended: threading.Event) -> None:
        """Listen until stopped. An empty payload means that notifications may have been missed."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            heard("")
            while not ended.is_set():
                for notice in connection.notifies(timeout=0.5):
                    heard(notice.payload)

    def close(self) -> None:
        self.pool.close()


def unusable(error: Exception) -> StorageError:
    """Return the error without the URL, which may contain a password."""
    return StorageError("database_unusable", database="PostgreSQL", problem=str(error).split("\n")[0])
