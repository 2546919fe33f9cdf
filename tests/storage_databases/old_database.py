"""A database as an earlier version left it, filled with plain SQL: the code writes today's columns."""

from __future__ import annotations

from dicecup.storage.database import MIGRATIONS, REMOVAL, Transaction, take_steps
from dicecup.storage.store import open_database

KEY = "5a" * 32
HEADER = "header of Ann and Bo"
MADE = "2025-01-01T10:05:00+00:00"


def make_old_database(address: str, version: int) -> None:
    """Create the schema of this version, with a running match, a finished one, and an upload."""
    database = open_database(address)
    with database.migrating() as changes:
        changes.run("CREATE TABLE migrations (number INTEGER PRIMARY KEY)")
        for number, steps in enumerate(MIGRATIONS[:version], start=1):
            take_steps(changes, database.dialect, steps)
            changes.run("INSERT INTO migrations (number) VALUES (?)", (number,))
        fill(changes)
        if version >= MIGRATIONS.index(REMOVAL) + 1:
            changes.run("UPDATE seat_keys SET opened = (SELECT created FROM matches WHERE id = match)")
    database.close()


def fill(changes: Transaction) -> None:
    changes.run("INSERT INTO settings (name, value) VALUES ('server_key', ?)", (KEY,))
    for day, match in enumerate(("running", "finished", "upload"), start=1):
        owner = "" if match == "upload" else "ann"
        finished = MADE if match == "finished" else None
        changes.run(
            "INSERT INTO matches (id, created, owner, ruleset, options, dice, coach, header, finished) "
            "VALUES (?, ?, ?, 'yatzy', '{}', 'typed', 0, ?, ?)",
            (match, f"2025-01-0{day}T10:00:00+00:00", owner, HEADER, finished),
        )
        for number, name in enumerate(("Ann", "Bo")):
            kind = "person" if owner else "open"
            changes.run("INSERT INTO seats VALUES (?, ?, ?, ?, '')", (match, number, kind, name))
            if owner:
                changes.run(
                    "INSERT INTO seat_keys (match, seat, key_hash, purpose) VALUES (?, ?, ?, 'device')",
                    (match, number, name.lower()),
                )
            if finished:
                changes.run(
                    "INSERT INTO results (match, seat, name, ruleset, identity, points, place, players, "
                    "sheet, finished) VALUES (?, ?, ?, 'yatzy', '1d', ?, ?, 2, '{}', ?)",
                    (match, number, name, 200 - number, number + 1, finished),
                )
        for number, text in enumerate(("1 throw 1 2 3 4 5", "1 score chance 15")):
            changes.run("INSERT INTO entries VALUES (?, ?, ?, ?)", (match, number, text, MADE))
