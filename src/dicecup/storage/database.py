"""The database protocol: queries, transactions, notifications to other processes, and the schema.

The schema is a list of migrations that is only ever appended to: a database of any age is migrated step
by step.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

from dicecup.errors import StorageError
from dicecup.storage.stored import TRANSIENT, Addition, Notice

MOST_NOTIFIED = 7_000  # bytes of a notification; PostgreSQL allows 8,000
PATIENCE = 5.0  # seconds to wait for a connection, a lock, or the answer to a statement

Row = tuple[Any, ...]
Values = Sequence[str | int | float | None]
Dialect = Literal["sqlite", "postgresql"]


class RowTaken(Exception):  # noqa: N818 - the store turns it into an answer
    """Raised when a row with this key already exists."""


class RowLocked(Exception):  # noqa: N818 - the store turns it into an answer
    """Raised when another transaction holds a row for longer than this one is willing to wait."""


class Transaction(Protocol):
    """An open transaction."""

    def run(self, statement: str, values: Values = ()) -> int:
        """Execute a statement and return the number of affected rows; raise RowTaken for an existing key."""

    def run_many(self, statement: str, values: Sequence[Values]) -> None:
        """Execute a statement for many values at once; raise RowTaken for an existing key."""

    def rows(self, question: str, values: Values = ()) -> list[Row]: ...

    def use_snapshot(self) -> None:
        """Let all reads of the transaction see one snapshot. Call it before anything else."""

    def limit_lock_wait(self) -> None:
        """Let `run` raise RowLocked soon instead of waiting for a lock that another transaction holds."""

    def notify(self, payload: str) -> None:
        """Notify the other processes when the transaction is committed."""


class Database(Protocol):
    """A database connection. Statements use `?` placeholders and SQL that both databases support."""

    dialect: Dialect
    shared: bool  # whether other processes may change it too

    def rows(self, question: str, values: Values = ()) -> list[Row]: ...

    def changes(self, *, first: bool = False) -> AbstractContextManager[Transaction]:
        """Run a transaction: committed when the block ends, rolled back when it raises.

        With `first` it waits for at most one other transaction, where transactions are serialised.
        """

    def migrating(self) -> AbstractContextManager[Transaction]:
        """A transaction without time limits that one process at a time can have."""

    def listen(self, on_payload: Callable[[str], None]) -> Callable[[], None]:
        """Call `on_payload` in a separate thread for each notification; return a function that stops it."""

    def close(self) -> None: ...


Step = str | dict[Dialect, str]  # a step that one database does not need is missing there

FIRST: list[Step] = [
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE matches (
        id TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        owner TEXT NOT NULL,          -- hash of the key of whoever opened the table
        ruleset TEXT NOT NULL,
        options TEXT NOT NULL,        -- JSON
        dice TEXT NOT NULL,           -- where the dice come from, as in a record
        commitment TEXT UNIQUE,       -- a promise serves one match only
        secret TEXT,                  -- of verifiable dice; published by a reveal among the entries
        coach INTEGER NOT NULL,
        header TEXT,                  -- the record's first lines, from the moment the game begins
        finished TEXT,
        next TEXT                     -- the match that these players went on with
    )""",
    """CREATE TABLE seats (
        match TEXT NOT NULL REFERENCES matches (id),
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,           -- person, bot or open
        name TEXT NOT NULL,
        seed TEXT NOT NULL,           -- the player's share in verifiable dice
        PRIMARY KEY (match, number)
    )""",
    """CREATE TABLE seat_keys (
        match TEXT NOT NULL REFERENCES matches (id),
        seat INTEGER NOT NULL,
        key_hash TEXT NOT NULL,
        purpose TEXT NOT NULL,        -- device: may act; link: lets another device in
        PRIMARY KEY (match, seat, key_hash)
    )""",
    "CREATE INDEX seat_keys_by_key ON seat_keys (key_hash, match)",
    """CREATE TABLE entries (
        match TEXT NOT NULL REFERENCES matches (id),
        number INTEGER NOT NULL,
        text TEXT NOT NULL,           -- a line of the record
        made TEXT NOT NULL,
        PRIMARY KEY (match, number)
    )""",
    """CREATE TABLE consents (
        match TEXT NOT NULL REFERENCES matches (id),
        version INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        steps INTEGER NOT NULL,
        PRIMARY KEY (match, version, seat)
    )""",
    """CREATE TABLE results (
        match TEXT NOT NULL REFERENCES matches (id),
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        ruleset TEXT NOT NULL,
        identity TEXT NOT NULL,
        points INTEGER NOT NULL,
        place INTEGER NOT NULL,
        players INTEGER NOT NULL,
        sheet TEXT NOT NULL,          -- JSON, as in a position
        finished TEXT NOT NULL,
        PRIMARY KEY (match, seat)
    )""",
    # Entries are never changed or deleted.
    {
        "sqlite": "CREATE TRIGGER entries_stay BEFORE UPDATE ON entries "
        "BEGIN SELECT RAISE(ABORT, 'entries are only added'); END",
        "postgresql": "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'entries are only added'; END $$",
    },
    {
        "sqlite": "CREATE TRIGGER entries_remain BEFORE DELETE ON entries "
        "BEGIN SELECT RAISE(ABORT, 'entries are only added'); END",
        "postgresql": "CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    },
]

# Retries of a position do not count in the statistics.
TRIES: list[Step] = ["ALTER TABLE matches ADD COLUMN tried INTEGER NOT NULL DEFAULT 0"]

# The coach's review of a finished game; null until it has been made.
VERDICTS: list[Step] = [
    "ALTER TABLE results ADD COLUMN luck DOUBLE PRECISION",
    "ALTER TABLE results ADD COLUMN skill DOUBLE PRECISION",
    "ALTER TABLE results ADD COLUMN error_rate DOUBLE PRECISION",
]

# A change counter (entries not counted), by which a process sees whether its cached match is stale.
COUNTED: list[Step] = ["ALTER TABLE matches ADD COLUMN changes INTEGER NOT NULL DEFAULT 0"]

# Rows that belong to a match are deleted with it.
CASCADE = (
    "ALTER TABLE {table} DROP CONSTRAINT {table}_match_fkey, ADD CONSTRAINT {table}_match_fkey "
    "FOREIGN KEY (match) REFERENCES matches (id) ON DELETE CASCADE"
)
PARTS = ("entries", "consents", "results", "seat_keys", "seats")  # the tables with rows of a match
CASCADES: list[Step] = [{"postgresql": CASCADE.format(table=table)} for table in PARTS]
DELETED = "deleted:"  # begins the name that replaces the name of a player who deleted their data

# Retention, and the deletion of a person's data. A match that nobody holds a seat in can be removed as a
# whole: its entries go with it, and never alone. A header changes only to lose the name of a player who
# deleted their data. The dates let a page of one's matches be read from an index.
REMOVAL: list[Step] = [
    "ALTER TABLE seat_keys ADD COLUMN opened TEXT NOT NULL DEFAULT ''",
    "UPDATE seat_keys SET opened = (SELECT created FROM matches WHERE id = seat_keys.match)",
    "CREATE INDEX seat_keys_by_date ON seat_keys (key_hash, purpose, opened, match, seat)",
    "CREATE INDEX matches_by_date ON matches (created)",
    "CREATE INDEX matches_by_next ON matches (next)",
    "CREATE INDEX matches_by_owner ON matches (owner)",
    {"sqlite": "DROP TRIGGER entries_remain", "postgresql": "DROP TRIGGER entries_stay ON entries"},
    {
        "sqlite": "CREATE TRIGGER entries_remain BEFORE DELETE ON entries "
        "WHEN EXISTS (SELECT 1 FROM matches WHERE id = OLD.match) "
        "BEGIN SELECT RAISE(ABORT, 'entries are only added'); END",
        "postgresql": "CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM matches WHERE id = OLD.match) "
        "THEN RAISE EXCEPTION 'entries are only added'; END IF; RETURN OLD; END $$",
    },
    {
        "postgresql": "CREATE TRIGGER entries_stay BEFORE UPDATE OR TRUNCATE ON entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    },
    {
        "postgresql": "CREATE TRIGGER entries_remain BEFORE DELETE ON entries "
        "FOR EACH ROW EXECUTE FUNCTION refuse_removal()",
    },
    {
        "sqlite": "CREATE TRIGGER matches_remain BEFORE DELETE ON matches "
        "WHEN EXISTS (SELECT 1 FROM seat_keys WHERE match = OLD.id AND purpose = 'device') "
        "BEGIN SELECT RAISE(ABORT, 'a match with players stays'); END",
        "postgresql": "CREATE FUNCTION refuse_match_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM seat_keys WHERE match = OLD.id AND purpose = 'device') "
        "THEN RAISE EXCEPTION 'a match with players stays'; END IF; RETURN OLD; END $$",
    },
    {
        "postgresql": "CREATE TRIGGER matches_remain BEFORE DELETE ON matches "
        "FOR EACH ROW EXECUTE FUNCTION refuse_match_removal()",
    },
    {
        "sqlite": "CREATE TRIGGER matches_removed AFTER DELETE ON matches BEGIN "
        + "".join(f"DELETE FROM {table} WHERE match = OLD.id; " for table in PARTS)
        + "END",
    },
    *CASCADES,
    {
        "sqlite": "CREATE TRIGGER headers_stay BEFORE UPDATE OF header ON matches "
        "WHEN OLD.header IS NOT NULL AND NEW.header IS NOT OLD.header AND NOT EXISTS "
        "(SELECT 1 FROM seats WHERE match = OLD.id AND name LIKE 'deleted:%' "
        "AND instr(OLD.header, 'player ' || name || ' ') = 0) "
        "BEGIN SELECT RAISE(ABORT, 'a header only loses names'); END",
        "postgresql": "CREATE FUNCTION refuse_header() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF OLD.header IS NOT NULL AND NEW.header IS DISTINCT FROM OLD.header AND NOT EXISTS "
        "(SELECT 1 FROM seats WHERE match = OLD.id AND name LIKE 'deleted:%' "
        "AND strpos(OLD.header, 'player ' || name || ' ') = 0) "
        "THEN RAISE EXCEPTION 'a header only loses names'; END IF; RETURN NEW; END $$",
    },
    {
        "postgresql": "CREATE TRIGGER headers_stay BEFORE UPDATE OF header ON matches "
        "FOR EACH ROW EXECUTE FUNCTION refuse_header()",
    },
]

# The secret of a commitment until a match is opened with it; and the statement that a match's dice prove.
PROMISES: list[Step] = [
    "CREATE TABLE promises (name TEXT PRIMARY KEY, secret TEXT NOT NULL, made TEXT NOT NULL)",
    "CREATE INDEX promises_by_age ON promises (made)",
    "ALTER TABLE matches ADD COLUMN statement INTEGER NOT NULL DEFAULT 1",
]

# When a private link of a seat stops being valid. Those of earlier versions are not valid any more.
EXPIRY: list[Step] = ["ALTER TABLE seat_keys ADD COLUMN expires TEXT"]

# Evenings: the games of one group of people. A match is in one evening at most; its tally is derived from the
# results of its matches. The best roll of a seat is null where its dice are not known.
EVENINGS: list[Step] = [
    """CREATE TABLE evenings (
        id TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        owner TEXT NOT NULL,          -- hash of the key of whoever began it
        name TEXT NOT NULL            -- empty: it is called by its date
    )""",
    "CREATE INDEX evenings_by_owner ON evenings (owner)",
    "ALTER TABLE matches ADD COLUMN evening TEXT",
    "CREATE INDEX matches_by_evening ON matches (evening, created)",
    "ALTER TABLE results ADD COLUMN best_points INTEGER",
    "ALTER TABLE results ADD COLUMN best_box TEXT",
    "ALTER TABLE results ADD COLUMN best_dice TEXT",
]

# People may join a pad late: its header then names one more player.
PAD_HEADERS: list[Step] = [
    {"sqlite": "DROP TRIGGER headers_stay"},
    {
        "sqlite": "CREATE TRIGGER headers_stay BEFORE UPDATE OF header ON matches "
        "WHEN OLD.header IS NOT NULL AND NEW.header IS NOT OLD.header AND OLD.dice <> 'points' "
        "AND NOT EXISTS (SELECT 1 FROM seats WHERE match = OLD.id AND name LIKE 'deleted:%' "
        "AND instr(OLD.header, 'player ' || name || ' ') = 0) "
        "BEGIN SELECT RAISE(ABORT, 'a header only loses names'); END",
        "postgresql": "CREATE OR REPLACE FUNCTION refuse_header() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN "
        "IF OLD.header IS NOT NULL AND NEW.header IS DISTINCT FROM OLD.header AND OLD.dice <> 'points' "
        "AND NOT EXISTS (SELECT 1 FROM seats WHERE match = OLD.id AND name LIKE 'deleted:%' "
        "AND strpos(OLD.header, 'player ' || name || ' ') = 0) "
        "THEN RAISE EXCEPTION 'a header only loses names'; END IF; RETURN NEW; END $$",
    },
]

# A match with the same dice for all, and the matches in which its players play alone.
SAME_DICE: list[Step] = [
    "ALTER TABLE matches ADD COLUMN same TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE matches ADD COLUMN part_of TEXT",
    "ALTER TABLE matches ADD COLUMN part_seat INTEGER",
    "CREATE UNIQUE INDEX matches_by_part ON matches (part_of, part_seat)",
]

# What somebody learns, by the hash of their key: habits of reviewed games, mistakes, puzzles, a rating.
LEARNING: list[Step] = [
    "ALTER TABLE results ADD COLUMN habits TEXT",  # JSON: kind, box, loss, count of each
    """CREATE TABLE mistakes (
        holder TEXT NOT NULL,
        id TEXT NOT NULL,             -- the match and the number of moves before the decision
        game TEXT NOT NULL,
        player TEXT NOT NULL,
        puzzle TEXT NOT NULL,         -- JSON: the position, its choices and their losses
        lost DOUBLE PRECISION NOT NULL,
        solved INTEGER NOT NULL,      -- how often in a row
        due TEXT NOT NULL,            -- the day on which it is asked again
        made TEXT NOT NULL,
        PRIMARY KEY (holder, id)
    )""",
    """CREATE TABLE puzzle_answers (
        holder TEXT NOT NULL,
        puzzle TEXT NOT NULL,
        day TEXT NOT NULL,
        correct INTEGER NOT NULL,
        loss DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (holder, puzzle)
    )""",
    """CREATE TABLE puzzle_ratings (
        holder TEXT PRIMARY KEY,
        rating DOUBLE PRECISION NOT NULL,
        answered INTEGER NOT NULL,
        solved INTEGER NOT NULL,
        days INTEGER NOT NULL,        -- in a row, up to the last one
        last_day TEXT NOT NULL
    )""",
]

MIGRATIONS: list[list[Step]] = [
    FIRST,
    TRIES,
    VERDICTS,
    COUNTED,
    REMOVAL,
    PROMISES,
    EXPIRY,
    EVENINGS,
    PAD_HEADERS,
    SAME_DICE,
    LEARNING,
]


def migrate(database: Database) -> None:
    """Apply all pending migrations, in one transaction, by one process at a time."""
    with database.migrating() as changes:
        changes.run("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done = len(changes.rows("SELECT number FROM migrations"))
        if done > len(MIGRATIONS):
            raise StorageError("database_newer", found=done, known=len(MIGRATIONS))
        for number, steps in enumerate(MIGRATIONS[done:], start=done + 1):
            take_steps(changes, database.dialect, steps)
            changes.run("INSERT INTO migrations (number) VALUES (?)", (number,))


def take_steps(changes: Transaction, dialect: Dialect, steps: list[Step]) -> None:
    for step in steps:
        statement = step if isinstance(step, str) else step.get(dialect)
        if statement:
            changes.run(statement)


Answer = TypeVar("Answer")


class StorePart:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.process = secrets.token_hex(4)

    def change(self, match: str, what: Callable[[Transaction], Answer]) -> Answer:
        """Change a match and notify the other processes, in one transaction."""
        with self.database.changes() as changes:
            # First, so that two processes that change one match cannot deadlock.
            changes.run("UPDATE matches SET changes = changes + 1 WHERE id = ?", (match,))
            answer = what(changes)
            changes.notify(f"{self.process} {match}")
        return answer

    def listen(self, on_notice: Callable[[Notice], None]) -> Callable[[], None]:
        """Call `on_notice` in a separate thread for each change that another process made."""

        def on_payload(text: str) -> None:
            first, *texts = text.split("\n")
            process, match, number = (*first.split(" "), "", "", "")[:3]
            if process != self.process:
                on_notice(Notice(match, int(number or 0), tuple(texts)))

        return self.database.listen(on_payload)

    def publish_transient(self, match: str, text: str) -> None:
        """Send the other processes one line about a match, without storing it."""
        with self.database.changes() as changes:
            changes.notify(f"{self.process} {match} {TRANSIENT}\n{text}")

    def notify_of_entries(self, changes: Transaction, addition: Addition) -> None:
        """Send the entries along, so that other processes need not read them, if they are not too long."""
        text = "\n".join([f"{self.process} {addition.match} {addition.number}", *addition.texts])
        whole = len(text.encode()) <= MOST_NOTIFIED
        changes.notify(text if whole else f"{self.process} {addition.match}")

    def close(self) -> None:
        self.database.close()
