"""Backups: everything in one SQLite file, whichever database it comes from or goes to.

A backup is a consistent copy made while servers run. It keeps the version of the schema, so that an earlier
version of the program can read the backups that were made with it: that is how an upgrade is undone.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from dicecup.errors import Phrase, StorageError, problem_of
from dicecup.installation import check_replaceable
from dicecup.storage.database import MIGRATIONS, PATIENCE, Dialect, Step, Transaction, take_steps
from dicecup.storage.sqlite import SqliteTransaction, create_for_owner, lock_of
from dicecup.storage.store import POSTGRES, SQLITE, open_database

AT_ONCE = 1000  # rows copied at a time
CREATED = re.compile(r"CREATE (TABLE|FUNCTION) (\w+)")
MIGRATIONS_TABLE = "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)"


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    schema: int  # how many migrations its database had
    matches: int
    entries: int


def make_backup(address: str, file: Path) -> Backup:
    """Write a backup of a database; a file that was there is replaced when the new one is complete."""
    with new_file(file) as aside:
        if address.startswith(POSTGRES):
            copy_from_postgres(address, aside)
        else:
            copy_sqlite(Path(address.removeprefix(SQLITE)), aside)
        return check_backup(aside)


def restore_backup(address: str, file: Path, *, replace: bool = False) -> Backup:
    """Put a backup into an empty database, or with `replace` into one that no server uses; all or nothing."""
    found = check_backup(file)
    if found.schema > len(MIGRATIONS):
        raise StorageError("database_newer", found=found.schema, known=len(MIGRATIONS))
    if address.startswith(POSTGRES):
        restore_to_postgres(address, file, found, replace)
    else:
        restore_to_sqlite(Path(address.removeprefix(SQLITE)), file, replace)
    return found


def check_backup(file: Path) -> Backup:
    """Read the whole file; refuse one that is damaged or something else."""
    check_is_file(file)
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            ((healthy,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
            counts = [
                connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
                for table in ("migrations", "matches", "entries")
            ]
    except sqlite3.Error:
        raise StorageError("backup_wrong", file=file) from None
    if healthy != "ok":
        raise StorageError("backup_wrong", file=file)
    return Backup(*counts)


def check_is_file(file: Path) -> None:
    if not file.is_file():
        known = "system_folder" if file.is_dir() else "system_device" if file.exists() else "system_missing"
        raise StorageError("file_unreadable", file=file, problem=Phrase(known))


@contextmanager
def new_file(file: Path) -> Iterator[Path]:
    """A file beside this one, readable for its owner only, that replaces it when the block succeeds."""
    check_replaceable(file)
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        aside.unlink(missing_ok=True)
        create_for_owner(aside)
        yield aside
        aside.replace(file)
    except OSError as error:
        raise StorageError("file_unwritable", file=file, problem=problem_of(error)) from None
    except sqlite3.Error as error:
        raise StorageError("database_unusable", database=file, problem=error) from None
    finally:
        for left in (aside, Path(f"{aside}-journal"), Path(f"{aside}-wal"), Path(f"{aside}-shm")):
            left.unlink(missing_ok=True)


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database in one step. In write-ahead mode neither readers nor writers wait for it."""
    check_is_file(source)
    with (
        closing(sqlite3.connect(source, timeout=PATIENCE)) as here,
        closing(sqlite3.connect(target)) as there,
    ):
        try:
            here.execute("SELECT 1 FROM migrations LIMIT 1").fetchall()
        except sqlite3.Error as error:  # it is not a database, or one of another program
            raise StorageError("database_unusable", database=source, problem=error) from None
        here.backup(there)
        there.execute("PRAGMA journal_mode = DELETE")  # a backup is one file


def copy_from_postgres(address: str, target: Path) -> None:
    from dicecup.storage.postgres import PostgresDatabase

    database = open_database(address)
    assert isinstance(database, PostgresDatabase)
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as there, database.snapshot() as snapshot:
            there.execute("BEGIN")
            changes = SqliteTransaction(there)
            ((count,),) = snapshot.rows("SELECT COUNT(*) FROM migrations")
            create_schema(changes, "sqlite", count)
            for table, columns in database_tables(there):
                for rows in snapshot.pieces(f"SELECT {', '.join(columns)} FROM {table}", AT_ONCE):
                    changes.run_many(insertion(table, columns), rows)
            there.execute("COMMIT")
    finally:
        database.close()


def restore_to_sqlite(target: Path, file: Path, replace: bool) -> None:
    """Replace the file of a database in one step."""
    check_replaceable(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = lock_of(target)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StorageError("database_in_use", database=target) from None
    try:
        if target.exists() and has_matches(target) and not replace:
            raise StorageError("restore_not_empty", database=target)
        with new_file(target) as aside:
            copy_sqlite(file, aside)
            finish_journal(target)
    finally:
        lock.release()


def has_matches(target: Path) -> bool:
    """Return whether there are games in a file; refuse one that is anything but a database of games."""
    try:
        with closing(sqlite3.connect(target)) as connection:
            filled = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
            return bool(filled and connection.execute("SELECT 1 FROM matches LIMIT 1").fetchall())
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT:  # damaged: what to restore a backup for
            return True
        raise StorageError("database_unusable", database=target, problem=error) from None


def finish_journal(target: Path) -> None:
    """Write the journal into the database file: beside its replacement SQLite would apply it to that one."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(target)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    for left in (Path(f"{target}-wal"), Path(f"{target}-shm")):  # of a damaged one
        left.unlink(missing_ok=True)


def restore_to_postgres(address: str, file: Path, backup: Backup, replace: bool) -> None:
    """Create all tables anew and fill them, in one transaction."""
    database = open_database(address)
    try:
        with (
            database.migrating() as changes,
            closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
        ):
            ((found,),) = changes.rows("SELECT to_regclass('matches') IS NOT NULL")
            if found and not replace and changes.rows("SELECT 1 FROM matches LIMIT 1"):
                raise StorageError("restore_not_empty", database="PostgreSQL")
            drop_schema(changes)
            create_schema(changes, "postgresql", backup.schema)
            for table, columns in database_tables(source):
                rows = source.execute(f"SELECT {', '.join(columns)} FROM {table}")
                while piece := rows.fetchmany(AT_ONCE):
                    changes.run_many(insertion(table, columns), piece)
    finally:
        database.close()


def create_schema(changes: Transaction, dialect: Dialect, count: int) -> None:
    """Create the tables as they were after so many migrations."""
    changes.run(MIGRATIONS_TABLE)
    for steps in MIGRATIONS[:count]:
        take_steps(changes, dialect, steps)


def drop_schema(changes: Transaction) -> None:
    """Remove everything that any migration creates in PostgreSQL."""
    changes.run("DROP TABLE IF EXISTS migrations")
    for steps in reversed(MIGRATIONS):
        for kind, name in reversed(list(created_by(steps))):
            changes.run(f"DROP {kind} IF EXISTS {name}{'()' if kind == 'FUNCTION' else ''} CASCADE")


def created_by(steps: list[Step]) -> Iterator[tuple[str, str]]:
    for step in steps:
        statement = step if isinstance(step, str) else step.get("postgresql", "")
        if found := CREATED.match(statement):
            yield found[1], found[2]


def database_tables(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """Return the tables in the order of their creation, so that no row refers to a later one."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid"
    ).fetchall()
    return [
        (name, [row[1] for row in connection.execute(f"PRAGMA table_info({name})").fetchall()])
        for (name,) in names
    ]


def insertion(table: str, columns: list[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
