"""The people of stored matches: the seats they hold by keys and links, what they agree to, their evenings.

Whoever holds a seat in one of its matches belongs to an evening, and so does whoever began it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dicecup.storage.database import StorePart, Transaction
from dicecup.storage.removal import BATCH, NOBODY
from dicecup.storage.stored import Evening, Seat

HeaderOf = Callable[[Sequence[Seat]], str]  # the text of the header of a game between these seats


def begin_match(changes: Transaction, match: str, header_of: HeaderOf, *, if_full: bool = False) -> bool:
    """Begin the game in this transaction; return whether it began."""
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
        """Take an open seat, and begin the game with the last one; return False if the seat was taken."""

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

    def add_seat(self, match: str, number: int, seat: Seat, key_hash: str, before: str, header: str) -> bool:
        """Add a seat to a pad that has begun, whose header then names one more player.

        False if the header is not what it was before: another process has added a seat, or somebody has
        deleted their data.
        """

        def add(changes: Transaction) -> bool:
            if not changes.run(
                "UPDATE matches SET header = ?, finished = NULL WHERE id = ? AND header = ?",
                (header, match, before),
            ):
                return False
            insert_seat(changes, match, number, seat)
            insert_key(changes, match, number, key_hash, "device")
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


MOST_GAMES = 100  # of one evening
MOST_EVENINGS = 100  # that a list or statistics go back

# The matches of a device's seats that are in an evening.
OF_DEVICE = (
    "SELECT matches.evening FROM seat_keys JOIN matches ON matches.id = seat_keys.match "
    "WHERE key_hash = ? AND purpose = 'device' AND matches.evening IS NOT NULL"
)


class StoredEvenings(StorePart):
    def begin_evening(self, evening: Evening, match: str | None = None) -> bool:
        """Store a new evening, with its first match if one is named; False if that is in another evening."""

        def begin(changes: Transaction) -> bool:
            if match and not set_evening(changes, match, evening.id):
                return False
            changes.run(
                "INSERT INTO evenings (id, created, owner, name) VALUES (?, ?, ?, ?)",
                (evening.id, evening.created, evening.owner, evening.name),
            )
            return True

        if match:
            return self.change(match, begin)
        with self.database.changes() as changes:
            return begin(changes)

    def evening(self, evening: str) -> Evening | None:
        found = self.database.rows("SELECT id, created, owner, name FROM evenings WHERE id = ?", (evening,))
        return Evening(*found[0]) if found else None

    def matches_of_evenings(self, evenings: list[str], most: int) -> list[str]:
        """Return the newest matches of these evenings, oldest first."""
        if not evenings:
            return []
        these = ", ".join("?" * len(evenings))
        found = self.database.rows(
            f"SELECT id FROM matches WHERE evening IN ({these}) "
            f"ORDER BY created DESC, finished IS NULL DESC, id DESC LIMIT {most}",
            evenings,
        )
        return [match for (match,) in reversed(found)]

    def add_to_evening(self, match: str, evening: str) -> bool:
        """Add a match to an evening; False if it is in one already."""
        return self.change(match, lambda changes: set_evening(changes, match, evening))

    def take_out_of_evening(self, match: str, evening: str) -> bool:
        """Let a match be in no evening; False if it was not in this one."""

        def take_out(changes: Transaction) -> bool:
            statement = "UPDATE matches SET evening = NULL WHERE id = ? AND evening = ?"
            return bool(changes.run(statement, (match, evening)))

        return self.change(match, take_out)

    def rename_evening(self, evening: str, name: str) -> None:
        with self.database.changes() as changes:
            changes.run("UPDATE evenings SET name = ? WHERE id = ?", (name, evening))

    def remove_evening(self, evening: str) -> list[str]:
        """Remove an evening; its matches remain, and are returned."""
        with self.database.changes() as changes:
            found = changes.rows("SELECT id FROM matches WHERE evening = ? ORDER BY id", (evening,))
            matches = [match for (match,) in found]
            changes.run(
                "UPDATE matches SET evening = NULL, changes = changes + 1 WHERE evening = ?", (evening,)
            )
            changes.run("DELETE FROM evenings WHERE id = ?", (evening,))
            for match in matches:
                changes.notify(f"{self.process} {match}")
        return matches

    def evenings_of(self, key_hash: str, most: int = MOST_EVENINGS) -> list[Evening]:
        """Return the evenings that a device belongs to, newest first."""
        rows = self.database.rows(
            f"SELECT id, created, owner, name FROM evenings WHERE owner = ? OR id IN ({OF_DEVICE}) "
            f"ORDER BY created DESC, id DESC LIMIT {most}",
            (key_hash, key_hash),
        )
        return [Evening(*row) for row in rows]

    def belongs_to_evening(self, evening: str, key_hash: str) -> bool:
        """Whether a device began an evening or holds a seat in one of its matches."""
        found = self.database.rows(
            "SELECT 1 FROM evenings WHERE id = ? AND (owner = ? OR EXISTS "
            "(SELECT 1 FROM matches JOIN seat_keys ON seat_keys.match = matches.id "
            "WHERE matches.evening = evenings.id AND key_hash = ? AND purpose = 'device'))",
            (evening, key_hash, key_hash),
        )
        return bool(found)

    def seats_in_matches(self, matches: list[str], key_hash: str) -> dict[str, set[int]]:
        """Return the seats that a device holds in each of these matches, in the same order."""
        seats: dict[str, set[int]] = {match: set() for match in matches}
        these = ", ".join("?" * len(matches))
        if matches:
            for match, seat in self.database.rows(
                "SELECT match, seat FROM seat_keys WHERE key_hash = ? AND purpose = 'device' "
                f"AND match IN ({these})",
                (key_hash, *matches),
            ):
                seats[match].add(seat)
        return seats


def set_evening(changes: Transaction, match: str, evening: str) -> bool:
    statement = "UPDATE matches SET evening = ? WHERE id = ? AND evening IS NULL"
    return bool(changes.run(statement, (evening, match)))


def remove_empty_evenings(store: StorePart, before: str) -> int:
    """Remove up to `BATCH` of the evenings that were begun before and have no match; return how many."""
    with store.database.changes() as changes:
        return changes.run(
            "DELETE FROM evenings WHERE id IN (SELECT id FROM evenings WHERE created < ? AND NOT EXISTS "
            f"(SELECT 1 FROM matches WHERE evening = evenings.id) ORDER BY created LIMIT {BATCH})",
            (before,),
        )


def forget_owner(store: StorePart, key_hash: str) -> int:
    """Take a person out of the evenings they began: those of others lose their name, the rest are removed.

    The person's matches have been removed or renamed before. The number of evenings is returned.
    """
    with store.database.changes() as changes:
        removed = changes.run(
            "DELETE FROM evenings WHERE owner IN (?, ?) "
            "AND NOT EXISTS (SELECT 1 FROM matches WHERE evening = evenings.id)",
            (key_hash, NOBODY),
        )
        left = changes.run("UPDATE evenings SET owner = ?, name = '' WHERE owner = ?", (NOBODY, key_hash))
    return removed + left
