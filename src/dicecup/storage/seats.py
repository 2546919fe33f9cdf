"""Seats in the store, and the keys that may act for them."""

from __future__ import annotations

from collections.abc import Sequence

from dicecup.storage.database import Changes
from dicecup.storage.part import Part
from dicecup.storage.rows import Seat


class Seats(Part):
    def take_seat(self, match: str, number: int, seat: Seat, key_hash: str) -> bool:
        """Whether the seat was open; if so it is this person's now."""

        def take(changes: Changes) -> bool:
            taken = changes.run(
                "UPDATE seats SET kind = ?, name = ?, seed = ? "
                "WHERE match = ? AND number = ? AND kind = 'open'",
                (seat.kind, seat.name, seat.seed, match, number),
            )
            if taken:
                insert_key(changes, match, number, key_hash, "device")
            return bool(taken)

        return self.change(match, take)

    def leave_seat(self, match: str, number: int, key_hash: str) -> None:
        """The device lets the seat go; when nobody else holds it, it is open."""

        def leave(changes: Changes) -> None:
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

    def add_link(self, match: str, number: int, key_hash: str) -> None:
        """A private link that lets another device into the seat."""
        with self.database.changes() as changes:
            insert_key(changes, match, number, key_hash, "link")

    def follow_link(self, match: str, link_hash: str, key_hash: str) -> int | None:
        """The seat that the link leads to, now also held by the device; None if there is no such link."""

        def follow(changes: Changes) -> int | None:
            found = changes.rows(
                "SELECT seat FROM seat_keys WHERE match = ? AND key_hash = ? AND purpose = 'link'",
                (match, link_hash),
            )
            if not found:
                return None
            number = int(found[0][0])
            changes.run(
                "INSERT INTO seat_keys (match, seat, key_hash, purpose) VALUES (?, ?, ?, 'device') "
                "ON CONFLICT DO NOTHING",
                (match, number, key_hash),
            )
            return number

        return self.change(match, follow)


def insert_seat(changes: Changes, match: str, number: int, seat: Seat) -> None:
    changes.run(
        "INSERT INTO seats (match, number, kind, name, seed) VALUES (?, ?, ?, ?, ?)",
        (match, number, seat.kind, seat.name, seat.seed),
    )


def keep_seats(changes: Changes, match: str, kept: Sequence[int]) -> None:
    """Take away all other seats and number those that stay from 0, in their order."""
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


def insert_key(changes: Changes, match: str, number: int, key_hash: str, purpose: str) -> None:
    changes.run(
        "INSERT INTO seat_keys (match, seat, key_hash, purpose) VALUES (?, ?, ?, ?)",
        (match, number, key_hash, purpose),
    )
