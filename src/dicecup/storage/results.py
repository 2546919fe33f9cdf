"""Finished matches of a device: how they ended, and what the coach found about them."""

from __future__ import annotations

from collections.abc import Sequence

from dicecup.storage.database import StorePart, Transaction
from dicecup.storage.rows import Ended, MatchLine, Result, Verdict


def add_verdicts(store: StorePart, match: str, version: int, verdicts: Sequence[Verdict]) -> None:
    """Store the review of a match at this version, unless moves were undone since."""
    with store.database.changes() as changes:
        taken_back = changes.rows(
            "SELECT 1 FROM entries WHERE match = ? AND number >= ? AND text LIKE ? LIMIT 1",
            (match, version, "undo %"),
        )
        for verdict in () if taken_back else verdicts:
            changes.run(
                "UPDATE results SET luck = ?, skill = ?, error_rate = ? WHERE match = ? AND seat = ?",
                (verdict.luck, verdict.skill, verdict.error_rate, match, verdict.seat),
            )


def verdicts_of(store: StorePart, key_hash: str) -> dict[tuple[str, int], Verdict]:
    """Return the reviews by match and seat, for the seats that a device holds."""
    rows = store.database.rows(
        "SELECT results.match, results.seat, luck, skill, error_rate "
        f"{MINE} AND luck IS NOT NULL ORDER BY finished DESC LIMIT {MOST_RESULTS}",
        (key_hash,),
    )
    return {(match, seat): Verdict(seat, *found) for match, seat, *found in rows}


def without_verdict(store: StorePart, key_hash: str, most: int) -> list[str]:
    """Return the newest finished matches of a device that have not been reviewed."""
    rows = store.database.rows(
        f"SELECT DISTINCT results.match, finished {MINE} AND luck IS NULL "
        f"ORDER BY finished DESC, results.match LIMIT {most}",
        (key_hash,),
    )
    return [match for match, _ in rows]


RESULT = "seat, name, ruleset, identity, points, place, players, sheet, finished, match"
MOST_LISTED = 200
MOST_RESULTS = 2000
# The results of the seats that a device holds. Retries of a position do not count as games.
MINE = (
    "FROM results JOIN seat_keys ON seat_keys.match = results.match AND seat_keys.seat = results.seat "
    "WHERE key_hash = ? AND purpose = 'device' "
    "AND NOT EXISTS (SELECT 1 FROM matches WHERE matches.id = results.match AND tried = 1)"
)


class StoredResults(StorePart):
    def matches_of(self, key_hash: str) -> list[MatchLine]:
        """Return the matches in which a device has a seat, newest first."""
        rows = self.database.rows(
            "SELECT id, created, ruleset, header IS NOT NULL, finished, tried FROM matches WHERE id IN "
            "(SELECT match FROM seat_keys WHERE key_hash = ? AND purpose = 'device') "
            f"ORDER BY created DESC, id LIMIT {MOST_LISTED}",
            (key_hash,),
        )
        names: dict[str, list[str]] = {}
        for match, name in self.database.rows(
            "SELECT match, name FROM seats WHERE match IN "
            "(SELECT match FROM seat_keys WHERE key_hash = ? AND purpose = 'device') ORDER BY match, number",
            (key_hash,),
        ):
            names.setdefault(match, []).append(name)
        ended: dict[str, list[Ended]] = {}
        for match, seat, points, place, mine in self.database.rows(
            "SELECT match, seat, points, place, EXISTS (SELECT 1 FROM seat_keys WHERE key_hash = ? "
            "AND purpose = 'device' AND seat_keys.match = results.match AND seat_keys.seat = results.seat) "
            "FROM results WHERE match IN "
            "(SELECT match FROM seat_keys WHERE key_hash = ? AND purpose = 'device') ORDER BY match, seat",
            (key_hash, key_hash),
        ):
            ended.setdefault(match, []).append(Ended(seat, points, place, bool(mine)))
        return [
            MatchLine(
                id=match,
                created=created,
                ruleset=ruleset,
                names=tuple(names.get(match, ())),
                begun=bool(begun),
                finished=finished,
                tried=bool(tried),
                ended=tuple(ended.get(match, ())),
            )
            for match, created, ruleset, begun, finished, tried in rows
        ]

    def results_of(self, key_hash: str) -> list[Result]:
        """Return the results of the seats that a device holds, oldest first."""
        columns = ", ".join(f"results.{column.strip()}" for column in RESULT.split(","))
        rows = self.database.rows(
            f"SELECT {columns} {MINE} "
            f"ORDER BY results.finished DESC, results.match, results.seat LIMIT {MOST_RESULTS}",
            (key_hash,),
        )
        return [Result(*row) for row in reversed(rows)]


def insert_result(changes: Transaction, match: str, result: Result) -> None:
    changes.run(
        f"INSERT INTO results ({RESULT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            result.seat,
            result.name,
            result.ruleset,
            result.identity,
            result.points,
            result.place,
            result.players,
            result.sheet,
            result.finished,
            match,
        ),
    )
