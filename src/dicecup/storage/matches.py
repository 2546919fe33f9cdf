"""Matches in the store: opened, begun, looked at, followed by another."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from dicecup.storage.database import Changes, RowTaken
from dicecup.storage.part import Part
from dicecup.storage.rows import Opening, Seat, StoredMatch
from dicecup.storage.seats import insert_key, insert_seat, keep_seats

OPENING = "id, created, owner, ruleset, options, dice, commitment, secret, coach, tried"


class PromiseTaken(Exception):  # noqa: N818 - an answer, not a failure
    """A promise for dice serves one match only."""


class Matches(Part):
    def server_key(self) -> bytes:
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
    ) -> None:
        """A new table; `holders` are seats with the hash of the key that may act for them.

        With a header the game has begun already, and with entries it has gone so far.
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
        )
        with self.database.changes() as changes:
            try:
                changes.run(f"INSERT INTO matches ({OPENING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            except RowTaken:
                raise PromiseTaken from None
            for number, seat in enumerate(seats):
                insert_seat(changes, opening.id, number, seat)
            for number, key_hash in holders:
                insert_key(changes, opening.id, number, key_hash, "device")
            changes.run("UPDATE matches SET header = ? WHERE id = ?", (header, opening.id))
            changes.run_many(
                "INSERT INTO entries (match, number, text, made) VALUES (?, ?, ?, ?)",
                [(opening.id, number, text, opening.created) for number, text in enumerate(entries)],
            )

    def match(self, match: str) -> StoredMatch | None:
        with self.database.changes() as changes:
            found = changes.rows(
                f"SELECT {OPENING}, header, finished, next, changes FROM matches WHERE id = ?", (match,)
            )
            if not found:
                return None
            seats = changes.rows(
                "SELECT kind, name, seed FROM seats WHERE match = ? ORDER BY number", (match,)
            )
            keys = changes.rows(
                "SELECT key_hash, seat FROM seat_keys WHERE match = ? AND purpose = 'device'", (match,)
            )
            consents = changes.rows(
                "SELECT seat, steps FROM consents WHERE match = ? AND version = "
                "(SELECT COUNT(*) FROM entries WHERE match = ?)",
                (match, match),
            )
        ((*plain, header, finished, following, counted),) = found
        holders: dict[str, frozenset[int]] = {}
        for key_hash, seat in keys:
            holders[key_hash] = holders.get(key_hash, frozenset()) | {seat}
        return StoredMatch(
            opening=read_opening(plain),
            seats=tuple(Seat(*row) for row in seats),
            keys=holders,
            consents=dict(consents),
            header=header,
            finished=finished,
            next=following,
            changes=counted,
        )

    def age(self, match: str) -> tuple[int, int]:
        """How often the match was changed beside its entries, and how many entries it has."""
        found = self.database.rows(
            "SELECT changes, (SELECT COALESCE(MAX(number) + 1, 0) FROM entries WHERE match = id) "
            "FROM matches WHERE id = ?",
            (match,),
        )
        return found[0][0], found[0][1]

    def match_promised(self, commitment: str) -> str | None:
        """The match whose dice come from this promise."""
        found = self.database.rows("SELECT id FROM matches WHERE commitment = ?", (commitment,))
        return found[0][0] if found else None

    def begin(self, match: str, header: str, seats: Sequence[int]) -> bool:
        """The game begins with this header and these seats, others are taken away; False if it had begun."""

        def start(changes: Changes) -> bool:
            statement = "UPDATE matches SET header = ? WHERE id = ? AND header IS NULL"
            begun = bool(changes.run(statement, (header, match)))
            if begun:
                keep_seats(changes, match, seats)
            return begun

        return self.change(match, start)

    def set_next(self, match: str, following: str) -> bool:
        """Whether this is the first match that follows."""

        def follow(changes: Changes) -> bool:
            return bool(
                changes.run("UPDATE matches SET next = ? WHERE id = ? AND next IS NULL", (following, match))
            )

        return self.change(match, follow)


def read_opening(row: Sequence[Any]) -> Opening:
    match, created, owner, ruleset, options, dice, commitment, secret, coach, tried = row
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
    )
