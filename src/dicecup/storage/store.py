"""The store of matches, for both databases."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from dicecup.errors import StorageError
from dicecup.installation import need
from dicecup.storage.database import PATIENCE, Database, RowTaken, StorePart, Transaction, migrate
from dicecup.storage.entries import StoredEntries, insert_entries, read_entries
from dicecup.storage.people import (
    HeaderOf,
    StoredEvenings,
    StoredSeats,
    begin_match,
    insert_key,
    insert_seat,
    keep_seats,
)
from dicecup.storage.results import StoredResults, insert_result, placeholders
from dicecup.storage.stored import Opening, Result, Seat, StoredMatch, read_opening

OPENING = (
    "id, created, owner, ruleset, options, dice, commitment, secret, coach, tried, statement, "
    "same, part_of, part_seat"
)


class PromiseTaken(Exception):  # noqa: N818 - an answer, not a failure
    """Raised when a dice commitment has already been used for another match, or has been forgotten."""


class StoredMatches(StorePart):
    def rotate_server_key(self) -> None:
        """Replace the server's key; form tokens derived from the old one become invalid."""
        with self.database.changes() as changes:
            changes.run("DELETE FROM settings WHERE name = 'server_key'")
        self.server_key()

    def server_key(self) -> bytes:
        """Return the key from which the tokens of forms are derived. It is drawn by the first server."""
        with self.database.changes() as changes:
            changes.run(
                "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                ("server_key", secrets.token_hex(32)),
            )
            ((value,),) = changes.rows("SELECT value FROM settings WHERE name = 'server_key'")
        return bytes.fromhex(value)

    def open_match(
        self,
        opening: Opening,
        seats: Sequence[Seat],
        holders: Iterable[tuple[int, str]],
        header: str | None = None,
        entries: Sequence[str] = (),
        promise: str = "",
        evening: str | None = None,
    ) -> None:
        """Open a match; `holders` are seats with the hash of the key that may act for them.

        With a header the game has already begun, and with entries it has been played so far. A promise can
        be used once.
        """
        values = (
            opening.id,
            opening.created,
            opening.owner,
            opening.ruleset,
            json.dumps(dict(opening.options)),
            opening.dice,
            opening.commitment,
            opening.secret,
            int(opening.coach),
            int(opening.tried),
            opening.statement,
            opening.same,
            opening.part_of,
            opening.part_seat,
        )
        marks = ", ".join("?" for _ in values)
        with self.database.changes() as changes:
            if promise and not changes.run("DELETE FROM promises WHERE name = ?", (promise,)):
                raise PromiseTaken
            try:
                changes.run(f"INSERT INTO matches ({OPENING}) VALUES ({marks})", values)
            except RowTaken:
                raise PromiseTaken from None
            for number, seat in enumerate(seats):
                insert_seat(changes, opening.id, number, seat)
            for number, key_hash in holders:
                insert_key(changes, opening.id, number, key_hash, "device")
            changes.run(
                "UPDATE matches SET header = ?, evening = ? WHERE id = ?", (header, evening, opening.id)
            )
            insert_entries(changes, opening.id, entries, opening.created)
            if opening.part_of:
                changes.run("UPDATE matches SET changes = changes + 1 WHERE id = ?", (opening.part_of,))
                changes.notify(f"{self.process} {opening.part_of}")

    def match(self, match: str) -> StoredMatch | None:
        with self.database.changes() as changes:
            changes.use_snapshot()
            return read_match(changes, match)

    def match_and_entries(self, match: str, after: int = 0) -> tuple[StoredMatch | None, list[str]]:
        """Return a match and its entries from a number on, both from one snapshot."""
        with self.database.changes() as changes:
            changes.use_snapshot()
            return read_match(changes, match), read_entries(changes, match, after)

    def ages(self, matches: list[str]) -> dict[str, tuple[int, int]]:
        """Return by match the change counter (entries not counted) and the number of entries."""
        # A power of two of them, so that there are few different statements: the database keeps their plans.
        asked = [*matches, *matches[:1] * ((1 << (len(matches) - 1).bit_length()) - len(matches))]
        found = self.database.rows(
            "SELECT id, changes, (SELECT COALESCE(MAX(number) + 1, 0) FROM entries WHERE match = id) "
            f"FROM matches WHERE id IN {placeholders(asked)}",
            asked,
        )
        return {match: (changes, entries) for match, changes, entries in found}

    def match_promised(self, commitment: str) -> str | None:
        """Return the match with this dice commitment."""
        found = self.database.rows("SELECT id FROM matches WHERE commitment = ?", (commitment,))
        return found[0][0] if found else None

    def begin(self, match: str, header_of: HeaderOf) -> bool:
        """Start the game with the seats that are taken and remove the others; False if it had begun."""
        return self.change(match, lambda changes: begin_match(changes, match, header_of))

    def begin_if_full(self, match: str, header_of: HeaderOf) -> bool:
        """Start the game if no seat is open; False if one is, or if the game had begun."""
        return self.change(match, lambda changes: begin_match(changes, match, header_of, if_full=True))

    def finish_same(
        self, match: str, kept: Sequence[int], header: str, texts: Sequence[str], results: Sequence[Result]
    ) -> bool:
        """Store the whole game of these seats, played in other matches; False if it is stored already."""

        def finish(changes: Transaction) -> bool:
            made = results[0].finished
            if not changes.run(
                "UPDATE matches SET header = ?, finished = ? WHERE id = ? AND header IS NULL",
                (header, made, match),
            ):
                return False
            keep_seats(changes, match, kept)
            insert_entries(changes, match, texts, made)
            for result in results:
                insert_result(changes, match, result)
            return True

        return self.change(match, finish)

    def share_part(self, match: str, key_hash: str) -> None:
        """Let another device of the same player play the match of their seat."""
        self.change(match, lambda changes: insert_key(changes, match, 0, key_hash, "device"))

    def set_next(self, match: str, following: str) -> bool:
        """Link the following match; return whether it is the first."""

        def follow(changes: Transaction) -> bool:
            return bool(
                changes.run("UPDATE matches SET next = ? WHERE id = ? AND next IS NULL", (following, match))
            )

        return self.change(match, follow)


def read_match(changes: Transaction, match: str) -> StoredMatch | None:
    found = changes.rows(
        f"SELECT {OPENING}, header, finished, next, changes, evening FROM matches WHERE id = ?", (match,)
    )
    if not found:
        return None
    seats = changes.rows("SELECT kind, name, seed FROM seats WHERE match = ? ORDER BY number", (match,))
    keys = changes.rows(
        "SELECT key_hash, seat FROM seat_keys WHERE match = ? AND purpose = 'device'", (match,)
    )
    consents = changes.rows(
        "SELECT seat, steps FROM consents WHERE match = ? AND version = "
        "(SELECT COUNT(*) FROM entries WHERE match = ?)",
        (match, match),
    )
    ((*plain, header, finished, following, counted, evening),) = found
    opening = read_opening(plain)
    parts = (
        changes.rows("SELECT part_seat, id FROM matches WHERE part_of = ? ORDER BY part_seat", (match,))
        if opening.same
        else []
    )
    holders: dict[str, frozenset[int]] = {}
    for key_hash, seat in keys:
        holders[key_hash] = holders.get(key_hash, frozenset()) | {seat}
    return StoredMatch(
        opening=opening,
        seats=tuple(Seat(*row) for row in seats),
        keys=holders,
        consents=dict(consents),
        header=header,
        finished=finished,
        next=following,
        changes=counted,
        evening=evening,
        parts=dict(parts),
    )


class StoredPromises(StorePart):
    """Secrets of dice whose commitments have been published, until a match is opened with them."""

    def add_promise(self, name: str, secret: str, made: str, forget_before: str) -> None:
        """Store a secret, and delete expired ones."""
        with self.database.changes() as changes:
            changes.run("DELETE FROM promises WHERE made < ?", (forget_before,))
            changes.run("INSERT INTO promises (name, secret, made) VALUES (?, ?, ?)", (name, secret, made))

    def promised_secret(self, name: str) -> str | None:
        found = self.database.rows("SELECT secret FROM promises WHERE name = ?", (name,))
        return found[0][0] if found else None


class Store(StoredMatches, StoredPromises, StoredSeats, StoredEntries, StoredResults, StoredEvenings):
    """The complete store, composed of its parts."""


POSTGRES = ("postgresql://", "postgres://")
SQLITE = "sqlite:///"
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def open_store(address: str, patience: float = PATIENCE, *, exclusive: bool = False) -> Store:
    """Open the store at `postgresql://…` or in the SQLite file at that path, and migrate its schema.

    `patience` is how many seconds to wait for a busy database. `exclusive` is for servers: an SQLite file
    cannot have two of them.
    """
    database = open_database(address, patience, exclusive=exclusive)
    try:
        migrate(database)
        return Store(database)
    except BaseException:
        database.close()
        raise


def open_database(address: str, patience: float = PATIENCE, *, exclusive: bool = False) -> Database:
    if address.startswith(POSTGRES):
        need("postgresql")
        from dicecup.storage.postgres import PostgresDatabase

        return PostgresDatabase(address, patience)
    path = address.removeprefix(SQLITE)
    if scheme := SCHEME.match(path):  # only the scheme: the rest may contain a password
        raise StorageError("database_unknown", scheme=scheme[0])
    from dicecup.storage.sqlite import SqliteDatabase

    return SqliteDatabase(Path(path), patience, exclusive=exclusive)
