"""Removing matches: a person's data on request, and abandoned matches.

The database allows a match to be deleted only as a whole, and only if nobody holds a seat in it
(`database.REMOVAL`). Matches are removed in batches, so that no transaction grows with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dicecup.storage.database import DELETED, StorePart, Transaction

BATCH = 100  # matches removed in one transaction
NOBODY = "deleted"  # in place of the hash of a key

# Which matches are old enough to go; each question mark is the time before which nothing may have happened.
# Matches of one seat of another match go with that one.
ABANDONED = (
    "owner <> '' AND finished IS NULL AND part_of IS NULL AND created < ? "
    "AND NOT EXISTS (SELECT 1 FROM entries WHERE match = matches.id AND made >= ?) "
    "AND NOT EXISTS (SELECT 1 FROM matches AS part JOIN entries ON entries.match = part.id "
    "WHERE part.part_of = matches.id AND made >= ?)"
)
UPLOADED = "owner = '' AND part_of IS NULL AND created < ?"
# The finished games of an evening go together, so that its tally never loses a part.
FINISHED = (
    "owner <> '' AND finished < ? AND NOT EXISTS "
    "(SELECT 1 FROM matches AS other WHERE other.evening = matches.evening "
    "AND COALESCE(other.finished, other.created) >= ?)"
)

Rename = Callable[[str, Mapping[int, str]], str]  # a header with new names at these seats


@dataclass(frozen=True, slots=True)
class Removal:
    """The result of a removal: matches removed, and matches kept for the other players under another name."""

    removed: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()

    def __add__(self, other: Removal) -> Removal:
        return Removal(self.removed + other.removed, self.renamed + other.renamed)


def remove_old(store: StorePart, condition: str, before: str) -> list[str]:
    """Remove up to `BATCH` of the matches in one of the conditions above; return which."""
    with store.database.changes() as changes:
        found = changes.rows(
            f"SELECT id FROM matches WHERE {condition} ORDER BY created, id LIMIT {BATCH}",
            (before,) * condition.count("?"),
        )
        matches = sorted(match for (match,) in found)
        for match in matches:
            remove_match(changes, match)
            changes.notify(f"{store.process} {match}")
    return matches


def remove_person(store: StorePart, key_hash: str, rename: Rename) -> Removal:
    """Remove a person from up to `BATCH` of their matches; when none is returned, nothing is left."""
    removed, renamed = [], []
    with store.database.changes() as changes:
        for match in matches_of_person(changes, key_hash):
            # As in every change of a match: two processes cannot deadlock.
            changes.run("UPDATE matches SET changes = changes + 1 WHERE id = ?", (match,))
            seats = seats_of(changes, match, key_hash)
            if has_others(changes, match, seats):
                forget_person(changes, match, seats, key_hash, rename)
                renamed.append(match)
            else:
                remove_match(changes, match)
                removed.append(match)
            changes.notify(f"{store.process} {match}")
    return Removal(tuple(removed), tuple(renamed))


def matches_of_person(changes: Transaction, key_hash: str) -> list[str]:
    """Return matches in which a device has a seat or which it opened, always in the same order."""
    found = changes.rows(
        "SELECT match FROM seat_keys WHERE key_hash = ? AND purpose = 'device' "
        f"UNION SELECT id FROM matches WHERE owner = ? ORDER BY 1 LIMIT {BATCH}",
        (key_hash, key_hash),
    )
    return [match for (match,) in found]


def seats_of(changes: Transaction, match: str, key_hash: str) -> list[int]:
    found = changes.rows(
        "SELECT seat FROM seat_keys WHERE match = ? AND key_hash = ? AND purpose = 'device' ORDER BY seat",
        (match, key_hash),
    )
    return [seat for (seat,) in found]


def has_others(changes: Transaction, match: str, seats: Sequence[int]) -> bool:
    """Whether somebody holds another seat. All devices that hold the same seat are one person's."""
    found = changes.rows("SELECT seat FROM seat_keys WHERE match = ? AND purpose = 'device'", (match,))
    return any(seat not in seats for (seat,) in found)


def discard_match(store: StorePart, match: str) -> None:
    """Remove a match that was opened but is not needed."""
    with store.database.changes() as changes:
        remove_match(changes, match)
        changes.notify(f"{store.process} {match}")


def remove_match(changes: Transaction, match: str) -> None:
    """Remove a match with everything that belongs to it."""
    for (part,) in changes.rows("SELECT id FROM matches WHERE part_of = ?", (match,)):
        remove_match(changes, part)
    changes.run("DELETE FROM seat_keys WHERE match = ?", (match,))
    changes.run("UPDATE matches SET next = NULL WHERE next = ?", (match,))
    changes.run("DELETE FROM matches WHERE id = ?", (match,))


def forget_person(
    changes: Transaction, match: str, seats: Sequence[int], key_hash: str, rename: Rename
) -> None:
    """Take a person's name and keys out of a match that others play; the moves stay.

    The seat can be taken by somebody else unless the game is over.
    """
    ((header, finished),) = changes.rows("SELECT header, finished FROM matches WHERE id = ?", (match,))
    names = {seat: f"{DELETED}{seat + 1}" if header else "" for seat in seats}
    for seat, name in names.items():
        changes.run("DELETE FROM seat_keys WHERE match = ? AND seat = ?", (match, seat))
        changes.run("UPDATE seats SET name = ? WHERE match = ? AND number = ?", (name, match, seat))
        changes.run("UPDATE results SET name = ? WHERE match = ? AND seat = ?", (name, match, seat))
        if finished is None:
            changes.run("UPDATE seats SET kind = 'open' WHERE match = ? AND number = ?", (match, seat))
    if header and names:
        changes.run("UPDATE matches SET header = ? WHERE id = ?", (rename(header, names), match))
    changes.run("UPDATE matches SET owner = ? WHERE id = ? AND owner = ?", (NOBODY, match, key_hash))
