"""Finished matches of a device: how they ended, what the coach found, and what somebody learns from it.

Lists are read in pages, newest first, from an index: a page costs the same however many matches there are.

A person is the hash of the key of a browser or of an API client, as everywhere in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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

# A cursor in the list of a device's seats: when the match was opened, match, seat.
ListPlace = tuple[str, str, int]

# Repeating an undone roll of the server gives the same dice: they depend on the number of rolls not undone.
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

    def seats_from(self, key_hash: str, place: ListPlace | tuple[()], at_once: int) -> Iterator[ListPlace]:
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
        self, key_hash: str, place: ListPlace | tuple[()], at_once: int
    ) -> Iterator[tuple[ListPlace, Result, Verdict | None]]:
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


def place_text(place: ListPlace) -> str:
    """Return a place in a list as text; `before` takes it."""
    return "~".join(map(str, place))


def parse_place(text: str) -> ListPlace | tuple[()]:
    """Return the place in a list; the beginning if the text is invalid."""
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


MOST_MISTAKES = 200  # of one person; those already learned and the cheapest are removed first
TABLES = ("mistakes", "puzzle_answers", "puzzle_ratings")  # with rows of a person


@dataclass(frozen=True, slots=True)
class StoredMistake:
    """A mistake to be asked again: its position, when it is due, and how often it was solved in a row."""

    id: str  # the match and the number of moves before it
    game: str
    player: str
    puzzle: str  # JSON, with the solution
    lost: float
    solved: int
    due: str
    made: str


@dataclass(frozen=True, slots=True)
class PuzzleAnswer:
    """The first answer of a person to a puzzle."""

    puzzle: str
    day: str
    correct: bool
    loss: float


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """A person's rating for puzzles, and on how many days in a row they answered one."""

    rating: float
    answered: int = 0
    solved: int = 0
    days: int = 0
    last_day: str = ""


MISTAKE = "id, game, player, puzzle, lost, solved, due, made"


def add_habits(store: StorePart, match: str, habits: Mapping[int, str]) -> None:
    """Store the habits that a review found, as JSON by seat."""
    with store.database.changes() as changes:
        for seat, text in habits.items():
            changes.run("UPDATE results SET habits = ? WHERE match = ? AND seat = ?", (text, match, seat))


def habits_of(store: StorePart, matches: Sequence[str]) -> dict[tuple[str, int], str]:
    """Return the habits in some matches, by match and seat, where they are known."""
    if not matches:
        return {}
    rows = store.database.rows(
        f"SELECT match, seat, habits FROM results WHERE match IN {placeholders(matches)} "
        "AND habits IS NOT NULL",
        matches,
    )
    return {(match, seat): text for match, seat, text in rows}


def add_mistakes(store: StorePart, holder: str, mistakes: Iterable[StoredMistake]) -> None:
    """Store positions to ask again; those that are known already stay as they are."""
    with store.database.changes() as changes:
        for one in mistakes:
            changes.run(
                f"INSERT INTO mistakes (holder, {MISTAKE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (holder, id) DO NOTHING",
                (holder, one.id, one.game, one.player, one.puzzle, one.lost, one.solved, one.due, one.made),
            )
        changes.run(
            "DELETE FROM mistakes WHERE holder = ? AND id NOT IN (SELECT id FROM mistakes WHERE holder = ? "
            f"ORDER BY solved, lost DESC, id LIMIT {MOST_MISTAKES})",
            (holder, holder),
        )


def mistakes_of(store: StorePart, holder: str) -> list[StoredMistake]:
    """Return all mistakes of a person, in the order in which they are due."""
    rows = store.database.rows(
        f"SELECT {MISTAKE} FROM mistakes WHERE holder = ? ORDER BY due, lost DESC, id", (holder,)
    )
    return [StoredMistake(*row) for row in rows]


def find_mistake(store: StorePart, holder: str, mistake: str) -> StoredMistake | None:
    rows = store.database.rows(
        f"SELECT {MISTAKE} FROM mistakes WHERE holder = ? AND id = ?", (holder, mistake)
    )
    return StoredMistake(*rows[0]) if rows else None


def answer_mistake(store: StorePart, holder: str, mistake: str, solved: int, due: str) -> None:
    with store.database.changes() as changes:
        changes.run(
            "UPDATE mistakes SET solved = ?, due = ? WHERE holder = ? AND id = ?",
            (solved, due, holder, mistake),
        )


def answers_of(store: StorePart, holder: str) -> dict[str, PuzzleAnswer]:
    """Return a person's first answers, by puzzle."""
    rows = store.database.rows(
        "SELECT puzzle, day, correct, loss FROM puzzle_answers WHERE holder = ?", (holder,)
    )
    return {row[0]: PuzzleAnswer(row[0], row[1], bool(row[2]), row[3]) for row in rows}


def standing_of(store: StorePart, holder: str) -> PuzzleStanding | None:
    rows = store.database.rows(STANDING, (holder,))
    return PuzzleStanding(*rows[0]) if rows else None


STANDING = "SELECT rating, answered, solved, days, last_day FROM puzzle_ratings WHERE holder = ?"


def add_answer(
    store: StorePart,
    holder: str,
    answer: PuzzleAnswer,
    next_standing: Callable[[PuzzleStanding | None], PuzzleStanding],
) -> PuzzleStanding | None:
    """Store the first answer to a puzzle and return the new standing; None if it was answered before."""
    with store.database.changes() as changes:
        added = changes.run(
            "INSERT INTO puzzle_answers (holder, puzzle, day, correct, loss) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (holder, puzzle) DO NOTHING",
            (holder, answer.puzzle, answer.day, int(answer.correct), answer.loss),
        )
        if not added:
            return None
        rows = changes.rows(STANDING, (holder,))
        after = next_standing(PuzzleStanding(*rows[0]) if rows else None)
        save_standing(changes, holder, after)
    return after


def save_standing(changes: Transaction, holder: str, standing: PuzzleStanding) -> None:
    changes.run(
        "INSERT INTO puzzle_ratings (holder, rating, answered, solved, days, last_day) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (holder) DO UPDATE SET rating = excluded.rating, "
        "answered = excluded.answered, solved = excluded.solved, days = excluded.days, "
        "last_day = excluded.last_day",
        (holder, standing.rating, standing.answered, standing.solved, standing.days, standing.last_day),
    )


def remove_learning(store: StorePart, holder: str) -> None:
    """Remove everything that a person learned from; habits go with their matches."""
    with store.database.changes() as changes:
        for table in TABLES:
            changes.run(f"DELETE FROM {table} WHERE holder = ?", (holder,))
