"""SQLite in one file with write-ahead logging: the database of a single-process server."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from dicecup.errors import StorageError
from dicecup.installation import IN_BROWSER
from dicecup.storage.database import PATIENCE, Dialect, Row, RowTaken, Values

# In a browser the file is in memory, and stored after each transaction (see dicecup.web.in_browser).
JOURNAL = "MEMORY" if IN_BROWSER else "WAL"


class SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def run(self, statement: str, values: Values = ()) -> int:
        try:
            return self.connection.execute(statement, values).rowcount
        except sqlite3.IntegrityError as error:
            raise RowTaken(str(error)) from None

    def run_many(self, statement: str, values: Sequence[Values]) -> None:
        try:
            self.connection.executemany(statement, values)
        except sqlite3.IntegrityError as error:
            raise RowTaken(str(error)) from None

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        return self.connection.execute(question, values).fetchall()

    def use_snapshot(self) -> None:
        """Do nothing: no other connection writes during a transaction."""

    def limit_lock_wait(self) -> None:
        """Do nothing: no other connection writes during a transaction."""

    def notify(self, payload: str) -> None:
        """Do nothing: there are no other processes."""


class Turns:
    """A re-entrant lock with two priorities, which alternate while threads of both wait.

    So a thread of the first priority waits for one of the other at most, and neither is ever starved. The
    locks of `threading` guarantee no order.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.holder: int | None = None
        self.depth = 0
        self.went_first = False  # the last holder
        self.waiting = {True: 0, False: 0}  # by whether they have the first priority

    @contextmanager
    def take(self, *, first: bool = False) -> Iterator[None]:
        thread = threading.get_ident()
        with self.changed:
            if self.holder != thread:
                self.waiting[first] += 1
                try:
                    self.changed.wait_for(lambda: self.may_enter(first))
                except BaseException:  # interrupted: others may have waited for this one
                    self.waiting[first] -= 1
                    self.changed.notify_all()
                    raise
                self.waiting[first] -= 1
                self.holder, self.went_first = thread, first
            self.depth += 1
        try:
            yield
        finally:
            with self.changed:
                self.depth -= 1
                if not self.depth:
                    self.holder = None
                    self.changed.notify_all()

    def may_enter(self, first: bool) -> bool:
        return self.holder is None and (not self.waiting[not first] or self.went_first != first)


class SqliteDatabase:
    """One connection, guarded by a lock. A change is on disk when its transaction ends."""

    dialect: Dialect = "sqlite"
    shared = False

    def __init__(self, path: Path, patience: float = PATIENCE, *, exclusive: bool = False) -> None:
        """With `exclusive`, reject a file that another process has opened exclusively."""
        self.path = path
        self.lock = lock_of(path) if exclusive else None
        self.turns = Turns()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.lock:
                self.lock.acquire(blocking=False)
            create_for_owner(path)
            self.connection = sqlite3.connect(
                path, timeout=patience, isolation_level=None, check_same_thread=False
            )
            self.connection.execute(f"PRAGMA journal_mode = {JOURNAL}")
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.execute("PRAGMA foreign_keys = ON")
        except Timeout:
            raise StorageError("database_in_use", database=path) from None
        except (OSError, sqlite3.Error) as error:
            self.unlock()
            raise StorageError("database_unusable", database=path, problem=error) from None

    def rows(self, question: str, values: Values = ()) -> list[Row]:
        with self.turns.take():
            return self.connection.execute(question, values).fetchall()

    @contextmanager
    def changes(self, *, first: bool = False) -> Iterator[SqliteTransaction]:
        with self.turns.take(first=first):
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                yield SqliteTransaction(self.connection)
                self.connection.execute("COMMIT")
            except BaseException as error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise StorageError("database_unusable", database=self.path, problem=error) from None
                raise

    def migrating(self) -> AbstractContextManager[SqliteTransaction]:
        return self.changes()

    def listen(self, on_payload: Callable[[str], None]) -> Callable[[], None]:  # noqa: ARG002
        return lambda: None

    def close(self) -> None:
        with self.turns.take():
            self.connection.close()
            self.unlock()

    def unlock(self) -> None:
        if self.lock:
            self.lock.release()


def lock_of(path: Path) -> FileLock:
    """Return the lock of a database file, the same for all who open it in this process."""
    return FileLock(f"{path.resolve()}.lock", mode=0o600, thread_local=False, is_singleton=True)


def create_for_owner(path: Path) -> None:
    """Create the file readable by its owner only: it holds the server's key and the secrets of matches.

    SQLite gives its journal files the same permissions. An existing file keeps its own.
    """
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
