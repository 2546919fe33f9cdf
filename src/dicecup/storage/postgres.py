"""PostgreSQL, for several server processes, which notify each other by LISTEN and NOTIFY."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, LiteralString

import psycopg
from psycopg import IsolationLevel
from psycopg.errors import LockNotAvailable, QueryCanceled, UniqueViolation
from psycopg_pool import ConnectionPool, PoolTimeout

from dicecup.errors import StorageError
from dicecup.storage.database import PATIENCE, Dialect, Row, RowLocked, RowTaken, Values

CHANNEL = "dicecup"
CONNECTIONS = 8
MOST_WAITING = 100  # requests for a connection; more are rejected at once
LOCK_WAIT = 50  # milliseconds that a transaction of several matches waits for the row of one
PAUSE = 1.0  # seconds between attempts to reconnect, after the database did not answer
MIGRATION_LOCK = 0x64696365  # any number that no other program on this database uses

Connection = psycopg.Connection[tuple[Any, ...]]


class Unanswered(psycopg.OperationalError):
    """Raised when the server accepted a statement and did not answer in time."""


class TimedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed if the server does not answer in time.

    `statement_timeout` makes a busy server give up; this is for one that hangs or cannot be reached.
    """

    patience = PATIENCE

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:
        try:
            return super().wait(within(gen, self.patience), *arguments, **named)
        except Unanswered:
            self.pgconn.finish()  # otherwise the pool would wait again for a rollback
            raise


def within(steps: Generator[Any, Any, Any], seconds: float) -> Generator[Any, Any, Any]:
    """Pass on the steps of an operation, which psycopg resumes regularly; raise if they take longer."""
    deadline = monotonic() + seconds
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if monotonic() > deadline:
                raise Unanswered("no answer")
            wanted = steps.send(ready)
    except StopIteration as end:
        return end.value


def with_placeholders(statement: str) -> LiteralString:
    """Convert the placeholders; statements come from this package and never contain user input."""
    return statement.replace("?", "%s")  # type: ignore[return-value,unused-ignore]


class PostgresTransaction:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.limits_lock_wait = False
        self.payloads: list[str] = []

    def run(self, statement: str, values: Values = ()) -> int:
        try:
            return self.connection.execute(with_placeholders(statement), values or None).rowcount
        except UniqueViolation as error:
            raise RowTaken(str(error)) from None
        except LockNotAvailable as error:
            if not self.limits_lock_wait:  # because of a `lock_timeout` that the operator has set
                raise
            raise RowLocked(str(error)) from None

    def run_many(self, statement: str, values: Sequence[Values]) -> None:
        try:
            with self.connection.cursor() as cursor:
                cursor.executemany(with_placeholders(statement), values)
        except UniqueViolation as error:
            raise RowTaken(str(error)) from None

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        return self.connection.execute(with_placeholders(question), values or None).fetchall()

    def use_snapshot(self) -> None:
        self.connection.isolation_level = IsolationLevel.REPEATABLE_READ  # goes along with BEGIN

    def limit_lock_wait(self) -> None:
        self.limits_lock_wait = True
        self.connection.execute(f"SET LOCAL lock_timeout = {LOCK_WAIT}")

    def pieces(self, question: str, size: int) -> Iterator[list[Row]]:
        """Yield the rows of a result that may exceed the memory, in lists of this size."""
        with self.connection.cursor("pieces") as cursor:
            cursor.execute(with_placeholders(question))
            while rows := cursor.fetchmany(size):
                yield rows

    def notify(self, payload: str) -> None:
        self.payloads.append(payload)

    def send_notifications(self) -> None:
        """Send all notifications by one statement."""
        if self.payloads:
            statement = "SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload"
            self.connection.execute(statement, (CHANNEL, self.payloads))


class PostgresDatabase:
    """A small connection pool shared by threads, and one more connection that listens in its own thread."""

    dialect: Dialect = "postgresql"
    shared = True

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        self.url = url
        self.patience = patience
        self.silent_until = 0.0  # no queries until then: the database did not answer
        try:
            self.connect().close()  # fail at once: the pool would retry
        except psycopg.Error as error:
            raise unusable(error) from None
        self.pool: ConnectionPool[TimedConnection] = ConnectionPool(
            url,
            connection_class=TimedConnection,
            kwargs={"connect_timeout": seconds_to_connect(patience)},
            configure=self.configure,
            min_size=1,
            max_size=CONNECTIONS,
            max_waiting=MOST_WAITING,
            timeout=patience,
            open=True,
        )

    def connect(self) -> Connection:
        return psycopg.connect(self.url, connect_timeout=seconds_to_connect(self.patience))

    def configure(self, connection: TimedConnection) -> None:
        """Limit the time of statements on a new connection of the pool."""
        connection.patience = 2 * self.patience  # the server gives up first, if it can
        connection.execute(f"SET statement_timeout = {int(1000 * self.patience)}")
        connection.commit()

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        """Run one query without a transaction, whose BEGIN and COMMIT would be extra round trips."""
        with self.changes() as changes:
            changes.connection.autocommit = True
            try:
                return changes.rows(question, values)
            finally:
                if not changes.connection.closed:
                    changes.connection.autocommit = False

    @contextmanager
    def changes(self, *, first: bool = False) -> Iterator[PostgresTransaction]:  # noqa: ARG002 - none waits
        if monotonic() < self.silent_until:
            raise unusable(Unanswered("no answer"))
        try:
            with self.pool.connection() as connection:
                if connection.isolation_level is not None:
                    connection.isolation_level = None  # the last transaction used a snapshot
                transaction = PostgresTransaction(connection)
                yield transaction
                transaction.send_notifications()
        except (psycopg.OperationalError, PoolTimeout) as error:
            if isinstance(error, Unanswered | PoolTimeout):
                self.silent_until = monotonic() + PAUSE
            elif not isinstance(
                error, QueryCanceled | LockNotAvailable
            ):  # it was restarted: the others are lost, too
                self.pool.check()
            raise unusable(error) from None

    @contextmanager
    def migrating(self) -> Iterator[PostgresTransaction]:
        """Hold an advisory lock, which needs no table: several servers may start on an empty database."""
        try:
            with self.connect() as connection:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
                yield PostgresTransaction(connection)
        except psycopg.OperationalError as error:
            raise unusable(error) from None

    @contextmanager
    def snapshot(self) -> Iterator[PostgresTransaction]:
        """Begin a read-only transaction without time limits that sees one snapshot."""
        try:
            with self.connect() as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield PostgresTransaction(connection)
        except psycopg.Error as error:
            raise unusable(error) from None

    def listen(self, on_payload: Callable[[str], None]) -> Callable[[], None]:
        ended = threading.Event()

        def run() -> None:
            while not ended.is_set():
                try:
                    self.receive(on_payload, ended)
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

    def receive(self, on_payload: Callable[[str], None], ended: threading.Event) -> None:
        """Listen until stopped. An empty payload means that notifications may have been missed."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            on_payload("")
            while not ended.is_set():
                for notice in connection.notifies(timeout=0.5):
                    on_payload(notice.payload)

    def close(self) -> None:
        self.pool.close()


def seconds_to_connect(patience: float) -> int:
    return max(2, int(patience))  # libpq takes no less


def unusable(error: Exception) -> StorageError:
    """Return the error without the URL, which may contain a password."""
    return StorageError("database_unusable", database="PostgreSQL", problem=str(error).split("\n")[0])
