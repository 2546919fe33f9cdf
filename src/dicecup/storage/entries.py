"""Entries in the store, append-only and numbered, and who agrees to take some back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dicecup.storage.database import Changes
from dicecup.storage.part import Part
from dicecup.storage.results import insert_result
from dicecup.storage.rows import Addition


class EntryTaken(Exception):  # noqa: N818 - an answer: somebody else was quicker
    """Another process has written an entry with this number."""


class Entries(Part):
    def entries(self, match: str, after: int = 0) -> list[str]:
        rows = self.database.rows(
            "SELECT text FROM entries WHERE match = ? AND number >= ? ORDER BY number", (match, after)
        )
        return [text for (text,) in rows]

    def append(self, addition: Addition) -> None:
        """Add entries, or raise EntryTaken."""
        if not self.append_batch([addition])[0]:
            raise EntryTaken

    def append_batch(self, additions: Sequence[Addition]) -> list[bool]:
        """Add entries to several matches in one transaction; False for those whose number was taken."""
        added = [False] * len(additions)
        with self.database.changes() as changes:
            # Always in the same order, so that two processes never wait for each other.
            for place, addition in sorted(enumerate(additions), key=lambda item: item[1].match):
                added[place] = add_entries(changes, addition)
                if added[place]:
                    changes.tell(f"{self.process} {addition.match}")
        return added

    def consent(self, match: str, version: int, seats: Iterable[int], steps: int) -> None:
        """These seats would take back so many steps, as long as nothing new happens."""

        def agree(changes: Changes) -> None:
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
        """Nothing is proposed any more; the seats that did not want it stand there with 0 steps."""

        def forget(changes: Changes) -> None:
            changes.run("DELETE FROM consents WHERE match = ? AND version = ?", (match, version))
            for seat in seats:
                changes.run(
                    "INSERT INTO consents (match, version, seat, steps) VALUES (?, ?, ?, 0)",
                    (match, version, seat),
                )

        self.change(match, forget)


def add_entries(changes: Changes, addition: Addition) -> bool:
    for number, text in enumerate(addition.texts, start=addition.number):
        if not changes.run(
            "INSERT INTO entries (match, number, text, made) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (addition.match, number, text, addition.made),
        ):
            return False
        if text.startswith("undo "):  # takes an end back
            changes.run("UPDATE matches SET finished = NULL WHERE id = ?", (addition.match,))
            changes.run("DELETE FROM results WHERE match = ?", (addition.match,))
    if addition.results:
        changes.run("UPDATE matches SET finished = ? WHERE id = ?", (addition.made, addition.match))
        for result in addition.results:
            insert_result(changes, addition.match, result)
    return True
