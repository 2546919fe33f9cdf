"""Evenings: who won how much, who beat whom, and the next game of the same people.

Everything is derived from the results of an evening's matches, so that undo and corrections count by
themselves. Only names, points, places and, where the dice are known, the best roll are used: how a match was
played does not matter. People are identified by what their names look like; a win that is tied is shared.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from statistics import fmean

from dicecup.bots import BOT_PREFIX
from dicecup.errors import MoveError, UsageError
from dicecup.storage.database import DELETED
from dicecup.storage.people import MOST_EVENINGS, MOST_GAMES
from dicecup.storage.results import MOST_LISTED
from dicecup.storage.store import Store
from dicecup.storage.stored import BestRoll, Ended, Evening, MatchLine, Notice
from dicecup.web.service.identity import is_match_id, key_hash, look_of, new_match_id, now
from dicecup.web.service.joining import following_match, play_again
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import NewMatch, open_evening

MOST_NAME = 60  # characters of the name of an evening
MOST_COUNTED = 500  # games in the statistics over evenings


@dataclass(frozen=True, slots=True)
class RollOfGame:
    """The best roll of somebody, and the game it was made in."""

    game: str
    match: str
    roll: BestRoll


@dataclass(slots=True)
class PersonTotals:
    """What somebody achieved in some finished games; bots are people here."""

    name: str
    games: int = 0
    won: Fraction = Fraction(0)  # a tied win counts in parts
    points: int = 0
    undone: int = 0  # games in which rolls of the server were taken back
    best_game: tuple[int, str] | None = None  # points, game
    best_roll: RollOfGame | None = None
    place: int = 0  # in the tally
    evenings: set[str] = field(default_factory=set)
    by_game: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # points
    won_by_game: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    @property
    def is_bot(self) -> bool:
        return self.name.startswith(BOT_PREFIX)

    def mean(self, game: str) -> float:
        return fmean(self.by_game[game])

    def add(self, line: MatchLine, end: Ended, won: Fraction) -> None:
        self.games += 1
        self.won += won
        self.points += end.points
        self.undone += line.undone
        self.by_game[line.ruleset].append(end.points)
        self.won_by_game[line.ruleset] += won
        if line.evening:
            self.evenings.add(line.evening)
        if self.best_game is None or end.points > self.best_game[0]:
            self.best_game = end.points, line.ruleset
        if end.best and (self.best_roll is None or end.best.points > self.best_roll.roll.points):
            self.best_roll = RollOfGame(line.ruleset, line.id, end.best)


@dataclass(frozen=True, slots=True)
class Duel:
    """Two people in the games that both played: how often each had more points than the other."""

    first: str
    second: str
    won: int  # by the first
    lost: int
    tied: int

    @property
    def games(self) -> int:
        return self.won + self.lost + self.tied


@dataclass(frozen=True, slots=True)
class EveningReport:
    """An evening with everything that follows from its games, as somebody sees it."""

    evening: Evening
    lines: list[MatchLine]  # its games, oldest first
    tally: list[PersonTotals]
    duels: list[Duel]
    belongs: bool  # whether whoever asks began it or has a seat in one of its games
    owns: bool

    @property
    def finished(self) -> int:
        return sum(bool(line.ended) for line in self.lines)

    @property
    def best_roll(self) -> tuple[PersonTotals, RollOfGame] | None:
        """The best roll of all, and whose it was."""
        rolls = [(person, person.best_roll) for person in self.tally if person.best_roll]
        return max(rolls, key=lambda one: one[1].roll.points, default=None)


def shares(line: MatchLine) -> Iterator[tuple[str, Ended, Fraction]]:
    """Yield everybody in a finished game with their part of the win; nobody wins alone."""
    winners = sum(end.place == 1 for end in line.ended)
    for end in line.ended:
        name = line.names[end.seat]
        if not name.startswith(DELETED):
            won = end.place == 1 and len(line.ended) > 1
            yield name, end, Fraction(1, winners) if won else Fraction(0)


def totals(lines: Sequence[MatchLine]) -> list[PersonTotals]:
    """Everybody's totals, the most games won first, then the most points; equal ones share a place."""
    found: dict[str, PersonTotals] = {}
    for line in lines:
        for name, end, won in shares(line):
            found.setdefault(look_of(name), PersonTotals(name)).add(line, end, won)
    ordered = sorted(found.values(), key=lambda one: (-one.won, -one.points))
    for place, one in enumerate(ordered):
        before = ordered[place - 1] if place else None
        tied = before is not None and (before.won, before.points) == (one.won, one.points)
        one.place = before.place if before is not None and tied else place + 1
    return ordered


def duels(lines: Sequence[MatchLine]) -> list[Duel]:
    """Every pair of people who have played together, the most frequent first."""
    names: dict[str, str] = {}
    counts: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for line in lines:
        people = []
        for name, end, _won in shares(line):
            if not name.startswith(BOT_PREFIX):
                names.setdefault(look_of(name), name)
                people.append((look_of(name), end.points))
        for (one, points), (other, others) in combinations(sorted(people), 2):
            counts[one, other][(points > others) - (points < others)] += 1
    found = [
        Duel(names[one], names[other], count[1], count[-1], count[0])
        for (one, other), count in counts.items()
    ]
    return sorted(found, key=lambda duel: (-duel.games, duel.first, duel.second))


def read_lines(store: Store, evenings: list[str], holder: str, most: int) -> list[MatchLine]:
    matches = store.matches_of_evenings(evenings, most)
    lines: list[MatchLine] = []
    for first in range(0, len(matches), MOST_LISTED):
        part = matches[first : first + MOST_LISTED]
        lines += store.match_lines(store.seats_in_matches(part, holder))
    return lines


async def find_evening(matches: Matches, evening: str) -> Evening:
    found = await asyncio.to_thread(matches.store.evening, evening) if is_match_id(evening) else None
    if found is None:
        raise UsageError("evening_unknown")
    return found


async def report(matches: Matches, evening: str, holder: str) -> EveningReport:
    """Return an evening as the holder of a key (its hash) sees it."""
    found = await find_evening(matches, evening)

    def read() -> EveningReport:
        lines = read_lines(matches.store, [found.id], holder, MOST_GAMES)
        belongs = matches.store.belongs_to_evening(found.id, holder)
        owns = found.owner == holder
        return EveningReport(found, lines, totals(lines), duels(lines), belongs, owns)

    return await matches.in_background(read)


@dataclass(frozen=True, slots=True)
class PeopleReport:
    """The newest evenings of a device, and everybody's totals and duels in them; bots are left out."""

    evenings: list[tuple[Evening, list[MatchLine]]]
    people: list[PersonTotals]
    duels: list[Duel]


async def people_report(matches: Matches, holder: str) -> PeopleReport:
    """Return what happened over the evenings of the holder of a key (its hash)."""

    def read() -> PeopleReport:
        evenings = matches.store.evenings_of(holder, MOST_EVENINGS)
        lines = read_lines(matches.store, [evening.id for evening in evenings], holder, MOST_COUNTED)
        grouped: dict[str, list[MatchLine]] = {evening.id: [] for evening in evenings}
        for line in lines:
            grouped[str(line.evening)].append(line)
        people = [one for one in totals(lines) if not one.is_bot]
        return PeopleReport([(one, grouped[one.id]) for one in evenings], people, duels(lines))

    return await matches.in_background(read)


# What people do


def read_evening_name(name: str) -> str:
    kept = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(kept) > MOST_NAME:
        raise UsageError("evening_name_wrong", most=MOST_NAME)
    return kept


async def begin_evening(matches: Matches, holder: str, name: str, live: LiveMatch | None = None) -> Evening:
    """Begin an evening; with a match that somebody has a seat in, it is its first game."""
    evening = Evening(new_match_id(), now(), key_hash(holder), read_evening_name(name))
    if live is None:
        await asyncio.to_thread(matches.store.begin_evening, evening)
        return evening
    check_may_add(live, holder)
    async with live.changing():
        if not await live.update(matches.store.begin_evening, evening, live.id):
            raise MoveError("evening_other")
    return evening


def check_may_add(live: LiveMatch, holder: str) -> None:
    """Refuse a match that somebody has no seat in, and one that is no game of people."""
    if not live.seats_of(key_hash(holder)):
        raise MoveError("seat_not_yours")
    if live.stored.opening.tried:
        raise MoveError("evening_other")


async def add_match(matches: Matches, evening: str, live: LiveMatch, holder: str) -> None:
    """Add a match to an evening: whoever knows the evening's id and has a seat in the match may do that."""
    found = await open_evening(matches, evening)
    check_may_add(live, holder)
    async with live.changing():
        added = live.stored.evening == found.id
        if not added and not await live.update(matches.store.add_to_evening, live.id, found.id):
            raise MoveError("evening_other")


async def take_match_out(matches: Matches, evening: str, live: LiveMatch, holder: str) -> None:
    """Let a match that somebody has a seat in be in no evening."""
    if not live.seats_of(key_hash(holder)):
        raise MoveError("seat_not_yours")
    async with live.changing():
        if not await live.update(matches.store.take_out_of_evening, live.id, evening):
            raise MoveError("evening_other")


async def rename(matches: Matches, evening: str, holder: str, name: str) -> None:
    found = await find_evening(matches, evening)
    if not await asyncio.to_thread(matches.store.belongs_to_evening, found.id, key_hash(holder)):
        raise MoveError("evening_not_yours")
    await asyncio.to_thread(matches.store.rename_evening, found.id, read_evening_name(name))


async def dissolve(matches: Matches, evening: str, holder: str) -> None:
    """Remove an evening that somebody began; its games remain."""
    found = await find_evening(matches, evening)
    if found.owner != key_hash(holder):
        raise MoveError("evening_not_yours")
    for match_id in await asyncio.to_thread(matches.store.remove_evening, found.id):
        await matches.refresh(Notice(match_id))


def holds_seat(report: EveningReport, match_id: str) -> bool:
    """Whether whoever asked for the report has a seat in this finished game."""
    return any(end.mine for line in report.lines if line.id == match_id for end in line.ended)


async def like_last_game(matches: Matches, evening: str, holder: str) -> NewMatch | None:
    """Return a match like the last one of an evening, the next player first; None for a newcomer."""
    found = await find_evening(matches, evening)
    ids = await asyncio.to_thread(matches.store.matches_of_evenings, [found.id], 1)
    last = await matches.get(ids[0]) if ids else None
    if last is None or not last.seats_of(key_hash(holder)):
        return None
    return following_match(last, key_hash(holder))


async def next_game(matches: Matches, evening: str, holder: str) -> LiveMatch:
    """Return the game that is going on, or else the next one, as whoever played the last one asks for it."""
    found = await find_evening(matches, evening)
    ids = await asyncio.to_thread(matches.store.matches_of_evenings, [found.id], 1)
    if not ids:
        raise MoveError("evening_empty")
    last = await matches.get(ids[0])
    if last.match is None or not last.match.state.finished:
        return last
    return await play_again(matches, last, holder)
