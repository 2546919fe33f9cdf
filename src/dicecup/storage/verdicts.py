"""What the coach found about finished games. It stands in the rows of the results and goes with them."""

from __future__ import annotations

from collections.abc import Sequence

from dicecup.storage.results import MINE, MOST_RESULTS
from dicecup.storage.rows import Verdict
from dicecup.storage.store import Store


def add_verdicts(store: Store, match: str, version: int, verdicts: Sequence[Verdict]) -> None:
    """Keep what was found about a match at this version, unless something was taken back since."""
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


def verdicts_of(store: Store, key_hash: str) -> dict[tuple[str, int], Verdict]:
    """By match and seat, for the seats that a device holds."""
    rows = store.database.rows(
        "SELECT results.match, results.seat, luck, skill, error_rate "
        f"{MINE} AND luck IS NOT NULL ORDER BY finished DESC LIMIT {MOST_RESULTS}",
        (key_hash,),
    )
    return {(match, seat): Verdict(seat, *found) for match, seat, *found in rows}


def without_verdict(store: Store, key_hash: str, most: int) -> list[str]:
    """The newest finished matches of a device that the coach has not looked at."""
    rows = store.database.rows(
        f"SELECT DISTINCT results.match, finished {MINE} AND luck IS NULL "
        f"ORDER BY finished DESC, results.match LIMIT {most}",
        (key_hash,),
    )
    return [match for match, _ in rows]
