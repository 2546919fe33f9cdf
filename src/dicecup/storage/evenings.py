"""Evenings: groups of matches of the same people. Everything about them is derived from their matches.

Whoever holds a seat in one of its matches belongs to an evening, and so does whoever began it.
"""

from __future__ import annotations

from dicecup.storage.database import StorePart, Transaction
from dicecup.storage.removal import BATCH, NOBODY
from dicecup.storage.stored import Evening

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
                changes.tell(f"{self.process} {match}")
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
