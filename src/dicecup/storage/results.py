"""Finished matches of a device: how they ended, and what the coach found about them.

Lists are read in pages, newest first, from an index: a page costs the same however many matches there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from dicecup.storage.database import StorePart, Transaction
from dicecup.storage.stored import BestRoll, Ended, MatchLine, MatchPage, Result, ResultPage, Verdict


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


def without_verdict(store: StoredResults, key_hash: str, most: int) -> list[str]:
    """Return finished matches of a device, among the newest, that have not been reviewed; pads never are."""
    found: dict[str, None] = {}
    pads = "SELECT 1 FROM matches WHERE id = ? AND dice = 'points'"
    for place, _result, verdict in islice(store.results_from(key_hash, (), AT_ONCE), MOST_RESULTS):
        if verdict is None and not store.database.rows(pads, (place[1],)):
            found[place[1]] = None
        if len(found) == most:
            break
    return list(found)


RESULT = "seat, name, ruleset, identity, points, place, players, sheet, finished, match"
VERDICT = "luck, skill, error_rate"
BEST = "best_points, best_box, best_dice"
MOST_LISTED = 200
AT_ONCE = 50  # results looked through for those without a verdict
MOST_RESULTS = 500

# Of a seat in the list of a device's seats: when its match was opened, match, seat.
Place = tuple[str, str, int]

# After a roll of the server is undone it is the same again: it depends on the number of rolls that stand.
UNDONE = (
    "SELECT DISTINCT entries.match FROM entries JOIN matches ON matches.id = entries.match "
    "WHERE matches.id IN {these} AND entries.match IN {these} "
    "AND dice NOT IN ('typed', 'points') AND text LIKE ? AND (text <> 'undo 1' "
    "OR EXISTS (SELECT 1 FROM entries AS before WHERE before.match = entries.match "
    "AND before.number = entries.number - 1 AND before.text LIKE ?))"
)
UNDO_OF_ROLLS = ("undo %", "% throw %")  # of more than one move, or of a roll


class StoredResults(StorePart):
    def matches_of(self, key_hash: str, before: str = "", most: int = MOST_LISTED) -> MatchPage:
        """Return the matches in which a device has a seat, newest first; `before` continues a page."""
        found: dict[str, set[int]] = {}  # the seats in each match
        last, older = "", ""
        for place in self.seats_from(key_hash, parse_place(before), most + 1):
            _, match, seat = place
            if len(found) == most and match not in found:
                older = last
                break
            found.setdefault(match, set()).add(seat)
            last = place_text(place)
        return MatchPage(self.match_lines(found), older)

    def seats_from(self, key_hash: str, place: Place | tuple[()], at_once: int) -> Iterator[Place]:
        """Yield the seats of a device after this place in the list, newest first, from an index."""
        while True:
            after = "AND (opened, match, seat) < (?, ?, ?) " if place else ""
            rows = self.database.rows(
                "SELECT opened, match, seat FROM seat_keys WHERE key_hash = ? AND purpose = 'device' "
                f"{after}ORDER BY opened DESC, match DESC, seat DESC LIMIT {at_once}",
                (key_hash, *place),
            )
            for opened, match, seat in rows:
                place = (opened, match, seat)
                yield place
            if len(rows) < at_once:
                return

    def match_lines(self, mine: Mapping[str, Collection[int]]) -> list[MatchLine]:
        """Return what a list shows of these matches, in the same order; with the seats of the device."""
        if not mine:
            return []
        matches = list(mine)
        these = placeholders(matches)
        names: dict[str, list[str]] = {}
        for match, name in self.database.rows(
            f"SELECT match, name FROM seats WHERE match IN {these} ORDER BY match, number", matches
        ):
            names.setdefault(match, []).append(name)
        ended: dict[str, list[Ended]] = {}
        for match, seat, points, place, luck, skill, error_rate, *best in self.database.rows(
            f"SELECT match, seat, points, place, {VERDICT}, {BEST} FROM results WHERE match IN {these} "
            "ORDER BY match, seat",
            matches,
        ):
            verdict = None if luck is None else Verdict(seat, luck, skill, error_rate)
            end = Ended(seat, points, place, seat in mine[match], verdict, read_best(best))
            ended.setdefault(match, []).append(end)
        undone = self.undone_among(matches)
        rows = self.database.rows(
            "SELECT id, created, ruleset, header IS NOT NULL, finished, tried, evening "
            f"FROM matches WHERE id IN {these} AND COALESCE(part_of, '') = ''",
            matches,
        )
        lines = {
            match: MatchLine(
                id=match,
                created=created,
                ruleset=ruleset,
                names=tuple(names.get(match, ())),
                begun=bool(begun),
                finished=finished,
                tried=bool(tried),
                undone=match in undone,
                ended=tuple(ended.get(match, ())),
                evening=evening,
            )
            for match, created, ruleset, begun, finished, tried, evening in rows
        }
        return [lines[match] for match in matches if match in lines]

    def undone_among(self, matches: Sequence[str]) -> frozenset[str]:
        """Return those of the matches in which a roll of the server was taken back."""
        if not matches:
            return frozenset()
        # The matches are named twice: PostgreSQL would otherwise go through all there are.
        question = UNDONE.format(these=placeholders(matches))
        rows = self.database.rows(question, (*matches, *matches, *UNDO_OF_ROLLS))
        return frozenset(match for (match,) in rows)

    def results_of(self, key_hash: str, before: str = "", most: int = MOST_RESULTS) -> ResultPage:
        """Return the newest results of the seats that a device holds, oldest first; `before` continues."""
        results: list[Result] = []
        verdicts: dict[tuple[str, int], Verdict] = {}
        last, older = "", ""
        for place, result, verdict in self.results_from(key_hash, parse_place(before), most + 1):
            if len(results) == most:
                older = last
                break
            last = place_text(place)
            results.append(result)
            if verdict:
                verdicts[result.match, result.seat] = verdict
        results.sort(key=lambda result: (result.finished, result.match, result.seat))
        undone = self.undone_among(sorted({result.match for result in results}))
        return ResultPage(results, verdicts, older, undone)

    def results_from(
        self, key_hash: str, place: Place | tuple[()], at_once: int
    ) -> Iterator[tuple[Place, Result, Verdict | None]]:
        """Yield the results of a device's seats, newest first. Retries of a position do not count."""
        seats = self.seats_from(key_hash, place, at_once)
        while places := list(islice(seats, at_once)):
            matches = sorted({match for _, match, _ in places})
            these = placeholders(matches)
            rows = self.database.rows(
                f"SELECT {VERDICT}, {BEST}, {RESULT} FROM results WHERE match IN {these}", matches
            )
            retries = self.database.rows(f"SELECT id FROM matches WHERE id IN {these} AND tried = 1", matches)
            tried = {match for (match,) in retries}
            found = {}
            for luck, skill, error_rate, *values in rows:
                result = Result(*[*values[3:], read_best(values[:3])])
                verdict = None if luck is None else Verdict(result.seat, luck, skill, error_rate)
                found[result.match, result.seat] = result, verdict
            for seat in places:
                if seat[1:] in found and seat[1] not in tried:
                    yield seat, *found[seat[1:]]


def read_best(values: Sequence[Any]) -> BestRoll | None:
    points, box, dice = values
    return None if points is None else BestRoll(points, box, dice)


def placeholders(values: Sequence[str]) -> str:
    return f"({', '.join('?' * len(values))})"


def place_text(place: Place) -> str:
    """Return a place in a list as text; `before` takes it."""
    return "~".join(map(str, place))


def parse_place(text: str) -> Place | tuple[()]:
    """Return the place in a list; that of an unknown text is the beginning."""
    opened, _, rest = text.partition("~")
    match, _, seat = rest.partition("~")
    known = opened and match and seat.isascii() and seat.isdigit() and len(seat) < 4
    return (opened, match, int(seat)) if known else ()


def insert_result(changes: Transaction, match: str, result: Result) -> None:
    changes.run(
        f"INSERT INTO results ({RESULT}, {BEST}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            *((best.points, best.box, best.dice) if (best := result.best) else (None, None, None)),
        ),
    )
