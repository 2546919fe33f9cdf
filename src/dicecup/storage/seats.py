"""The seats of stored matches: who may act for them, by keys and links, and the moment a game begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dicecup.storage.database import RowTaken, StorePart, Transaction
from dicecup.storage.stored import Seat

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
