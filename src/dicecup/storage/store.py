"""The store of matches, for both databases. Entries are append-only, with unique numbers per match."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dicecup.errors import StorageError
from dicecup.installation import need
from dicecup.storage.database import PATIENCE, Database, RowTaken, StorePart, Transaction, migrate
from dicecup.storage.evenings import StoredEvenings
from dicecup.storage.results import StoredResults, insert_result, placeholders
from dicecup.storage.rows import Addition, Opening, Result, Seat, StoredMatch

OPENING = (
    "id, created, owner, ruleset, options, dice, commitment, secret, coach, tried, statement, "
    "same, part_of, part_seat"
)


class PromiseTaken(Exception):  # noqa: N818 - an answer, not a failure
    """Raised when a dice commitment has already been used for another match, or is not known any more."""


class StoredMatches(StorePart):
    def rotate_server_key(self) -> None:
        """Replace the key: what was derived from it, the tokens of forms, is not valid any more."""
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
                changes.tell(f"{self.process} {opening.part_of}")

    def match(self, match: str) -> StoredMatch | None:
        with self.database.changes() as changes:
            changes.use_snapshot()
            return read_match(changes, match)

    def match_and_entries(self, match: str, after: int = 0) -> tuple[StoredMatch | None, list[str]]:
        """Return a match and its entries from a number on, both of the same moment."""
        with self.database.changes() as changes:
            changes.use_snapshot()
            return read_match(changes, match), read_entries(changes, match, after)

    def age(self, match: str) -> tuple[int, int] | None:
        """Return the match's change counter (entries not counted) and its number of entries, if it exists."""
        found = self.database.rows(
            "SELECT changes, (SELECT COALESCE(MAX(number) + 1, 0) FROM entries WHERE match = id) "
            "FROM matches WHERE id = ?",
            (match,),
        )
        return (found[0][0], found[0][1]) if found else None

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
        """Store the whole game of these seats, which was played elsewhere; False if that was done before."""

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


def insert_entries(changes: Transaction, match: str, texts: Sequence[str], made: str) -> None:
    changes.run_many(
        "INSERT INTO entries (match, number, text, made) VALUES (?, ?, ?, ?)",
        [(match, number, text, made) for number, text in enumerate(texts)],
    )


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


def read_entries(changes: Transaction | Database, match: str, after: int) -> list[str]:
    rows = changes.rows(
        "SELECT text FROM entries WHERE match = ? AND number >= ? ORDER BY number", (match, after)
    )
    return [text for (text,) in rows]


def read_opening(row: Sequence[Any]) -> Opening:
    match, created, owner, ruleset, options, dice, commitment, secret, coach, tried, statement, *same = row
    return Opening(
        match,
        created,
        owner,
        ruleset,
        json.loads(options),
        dice,
        commitment,
        secret,
        coach=bool(coach),
        tried=bool(tried),
        statement=statement,
        same=same[0],
        part_of=same[1],
        part_seat=same[2],
    )


class StoredPromises(StorePart):
    """Secrets of dice whose commitments have been published, until a match is opened with them."""

    def add_promise(self, name: str, secret: str, made: str, forget_before: str) -> None:
        """Store a secret, and forget those that were made too long ago."""
        with self.database.changes() as changes:
            changes.run("DELETE FROM promises WHERE made < ?", (forget_before,))
            changes.run("INSERT INTO promises (name, secret, made) VALUES (?, ?, ?)", (name, secret, made))

    def promised_secret(self, name: str) -> str | None:
        found = self.database.rows("SELECT secret FROM promises WHERE name = ?", (name,))
        return found[0][0] if found else None


HeaderOf = Callable[[Sequence[Seat]], str]  # the text of the header of a game between these seats


def begin_match(changes: Transaction, match: str, header_of: HeaderOf, *, if_full: bool = False) -> bool:
    """Whether the game begins now, in this transaction."""
    begun = "SELECT 1 FROM matches WHERE id = ? AND (header IS NOT NULL OR same <> '')"
    if changes.rows(begun, (match,)):  # with the same dice for all it is played elsewhere
        return False
    rows = changes.rows("SELECT kind, name, seed FROM seats WHERE match = ? ORDER BY number", (match,))
    taken = [number for number, (kind, _name, _seed) in enumerate(rows) if kind != "open"]
    if if_full and len(taken) < len(rows):
        return False
    header = header_of([Seat(*rows[number]) for number in taken])
    changes.run("UPDATE matches SET header = ? WHERE id = ?", (header, match))
    keep_seats(changes, match, taken)
    return True


class StoredSeats(StorePart):
    def take_seat(self, match: str, number: int, seat: Seat, key_hash: str, header_of: HeaderOf) -> bool:
        """Whether the seat was open; then it is this person's now, and with the last seat the game begins."""

        def take(changes: Transaction) -> bool:
            taken = changes.run(
                "UPDATE seats SET kind = ?, name = ?, seed = ? "
                "WHERE match = ? AND number = ? AND kind = 'open'",
                (seat.kind, seat.name, seat.seed, match, number),
            )
            if taken:
                insert_key(changes, match, number, key_hash, "device")
                begin_match(changes, match, header_of, if_full=True)
            return bool(taken)

        return self.change(match, take)

    def add_seat(self, match: str, number: int, seat: Seat, key_hash: str, header: str) -> bool:
        """Add a seat to a pad that has begun, whose header then names one more player.

        False if another process has added the seat already.
        """

        def add(changes: Transaction) -> bool:
            try:
                insert_seat(changes, match, number, seat)
            except RowTaken:
                return False
            insert_key(changes, match, number, key_hash, "device")
            changes.run("UPDATE matches SET header = ? WHERE id = ?", (header, match))
            changes.run("UPDATE matches SET finished = NULL WHERE id = ?", (match,))
            changes.run("DELETE FROM results WHERE match = ?", (match,))
            return True

        return self.change(match, add)

    def leave_seat(self, match: str, number: int, key_hash: str) -> None:
        """Release the device's hold on the seat; it is open if no other device holds it."""

        def leave(changes: Transaction) -> None:
            changes.run(
                "DELETE FROM seat_keys WHERE match = ? AND seat = ? AND key_hash = ?",
                (match, number, key_hash),
            )
            left = changes.rows(
                "SELECT 1 FROM seat_keys WHERE match = ? AND seat = ? AND purpose = 'device'", (match, number)
            )
            if not left:
                changes.run("DELETE FROM seat_keys WHERE match = ? AND seat = ?", (match, number))
                changes.run(
                    "UPDATE seats SET kind = 'open' WHERE match = ? AND number = ? AND kind = 'person'",
                    (match, number),
                )

        self.change(match, leave)

    def add_link(self, match: str, number: int, key_hash: str, expires: str) -> None:
        """Store a private link that lets another device take the seat until then."""
        with self.database.changes() as changes:
            insert_key(changes, match, number, key_hash, "link")
            changes.run(
                "UPDATE seat_keys SET expires = ? WHERE match = ? AND seat = ? AND key_hash = ?",
                (expires, match, number, key_hash),
            )

    def revoke_links(self, match: str, number: int, devices_but: str | None = None) -> None:
        """Make the private links of a seat invalid; with a device's key, release all other devices too."""

        def revoke(changes: Transaction) -> None:
            changes.run(
                "DELETE FROM seat_keys WHERE match = ? AND seat = ? AND "
                "(purpose = 'link' OR (CAST(? AS TEXT) IS NOT NULL AND key_hash <> ?))",
                (match, number, devices_but, devices_but),
            )

        self.change(match, revoke)

    def follow_link(self, match: str, link_hash: str, key_hash: str, now: str) -> int | None:
        """Return the seat of the link, now also held by the device; None if there is no such valid link."""

        def follow(changes: Transaction) -> int | None:
            found = changes.rows(
                "SELECT seat FROM seat_keys WHERE match = ? AND key_hash = ? AND purpose = 'link' "
                "AND expires > ?",
                (match, link_hash, now),
            )
            if not found:
                return None
            number = int(found[0][0])
            insert_key(changes, match, number, key_hash, "device")
            return number

        return self.change(match, follow)


def insert_seat(changes: Transaction, match: str, number: int, seat: Seat) -> None:
    changes.run(
        "INSERT INTO seats (match, number, kind, name, seed) VALUES (?, ?, ?, ?, ?)",
        (match, number, seat.kind, seat.name, seat.seed),
    )


def keep_seats(changes: Transaction, match: str, kept: Sequence[int]) -> None:
    """Remove all other seats and renumber the remaining ones from 0, in order."""
    there = [number for (number,) in changes.rows("SELECT number FROM seats WHERE match = ?", (match,))]
    for number in there:
        if number not in kept:
            for table, column in (("seat_keys", "seat"), ("seats", "number")):
                changes.run(f"DELETE FROM {table} WHERE match = ? AND {column} = ?", (match, number))
    for new, old in enumerate(kept):
        if new != old:
            for table, column in (("seat_keys", "seat"), ("seats", "number")):
                statement = f"UPDATE {table} SET {column} = ? WHERE match = ? AND {column} = ?"
                changes.run(statement, (new, match, old))


def insert_key(changes: Transaction, match: str, number: int, key_hash: str, purpose: str) -> None:
    """Store a key that holds a seat, unless it does already; with the date by which matches are listed."""
    changes.run(
        "INSERT INTO seat_keys (match, seat, key_hash, purpose, opened) "
        "VALUES (?, ?, ?, ?, (SELECT created FROM matches WHERE id = ?)) ON CONFLICT DO NOTHING",
        (match, number, key_hash, purpose, match),
    )


class EntryTaken(Exception):  # noqa: N818 - an answer: somebody else was quicker
    """Raised when another process has written an entry with this number."""


class StoredEntries(StorePart):
    def entries(self, match: str, after: int = 0) -> list[str]:
        return read_entries(self.database, match, after)

    def records(self, matches: Sequence[str]) -> list[tuple[str, str, list[str]]]:
        """Return of each match that has begun its id, the header of its record, and its entries."""
        if not matches:
            return []
        these = placeholders(matches)
        texts: dict[str, list[str]] = {}
        for match, text in self.database.rows(
            f"SELECT match, text FROM entries WHERE match IN {these} ORDER BY match, number", matches
        ):
            texts.setdefault(match, []).append(text)
        headers = self.database.rows(
            f"SELECT id, header FROM matches WHERE id IN {these} AND header IS NOT NULL", matches
        )
        return [(match, header, texts.get(match, [])) for match, header in headers]

    def append(self, addition: Addition) -> None:
        """Append entries, or raise EntryTaken."""
        if not self.append_batch([addition])[0]:
            raise EntryTaken

    def append_batch(self, additions: Sequence[Addition]) -> list[bool]:
        """Append entries to several matches in one transaction; return False where the number was taken."""
        added = [False] * len(additions)
        with self.database.changes() as changes:
            # Always in the same order, to avoid deadlocks between processes.
            for place, addition in sorted(enumerate(additions), key=lambda item: item[1].match):
                added[place] = add_entries(changes, addition)
                if added[place]:
                    self.tell_of_entries(changes, addition)
        return added

    def consent(self, match: str, version: int, seats: Iterable[int], steps: int) -> None:
        """Record that these seats agree to undo this many steps, until the next entry."""

        def agree(changes: Transaction) -> None:
            changes.run(
                "DELETE FROM consents WHERE match = ? AND version = ? AND steps = 0", (match, version)
            )
            for seat in seats:
                changes.run(
                    "INSERT INTO consents (match, version, seat, steps) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (match, version, seat) DO UPDATE SET steps = excluded.steps",
                    (match, version, seat, steps),
                )

        self.change(match, agree)

    def refuse(self, match: str, version: int, seats: Iterable[int] = ()) -> None:
        """Withdraw the proposal; seats that declined are stored with 0 steps."""

        def forget(changes: Transaction) -> None:
            changes.run("DELETE FROM consents WHERE match = ? AND version = ?", (match, version))
            for seat in seats:
                changes.run(
                    "INSERT INTO consents (match, version, seat, steps) VALUES (?, ?, ?, 0)",
                    (match, version, seat),
                )

        self.change(match, forget)


def add_entries(changes: Transaction, addition: Addition) -> bool:
    """Whether the entries were added: their numbers were free, and the match has not been removed."""
    for number, text in enumerate(addition.texts, start=addition.number):
        if not changes.run(
            "INSERT INTO entries (match, number, text, made) SELECT id, ?, ?, ? FROM matches WHERE id = ? "
            "ON CONFLICT DO NOTHING",
            (number, text, addition.made, addition.match),
        ):
            return False
        if text.startswith("undo ") or " nothing was " in text:  # undoes the end of the game
            changes.run("UPDATE matches SET finished = NULL WHERE id = ?", (addition.match,))
            changes.run("DELETE FROM results WHERE match = ?", (addition.match,))
    if addition.results:
        changes.run("UPDATE matches SET finished = ? WHERE id = ?", (addition.made, addition.match))
        changes.run("DELETE FROM results WHERE match = ?", (addition.match,))  # those before a correction
        for result in addition.results:
            insert_result(changes, addition.match, result)
    return True


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
