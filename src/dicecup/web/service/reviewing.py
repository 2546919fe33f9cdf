"""Reviews of whole games, cached and stored with the results; turns with the same dice, side by side.

A review takes from a tenth of a second to some seconds, and most of a minute if kernels have never been
compiled. So one is computed at a time, callers take turns, and a request whose patience runs out is answered
with `coach_busy`. Moves never wait for a review.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dicecup.coach.advice import is_coached
from dicecup.engine.record import Record
from dicecup.engine.record_dice import Decided, Round
from dicecup.engine.serialize import dice_to_data, move_to_data
from dicecup.errors import DicecupError, UsageError
from dicecup.installation import is_installed
from dicecup.rules.model import Ruleset
from dicecup.storage.results import add_verdicts, without_verdict
from dicecup.storage.stored import ResultPage, Verdict
from dicecup.web.service.advising import Advising, need_coach
from dicecup.web.service.grading import remember_review
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import game_rules
from dicecup.web.service.playing_apart import open_rounds
from dicecup.web.service.worker import Caller, FairTurns, caller_now, unpack, wait_with_others

if TYPE_CHECKING:
    from dicecup.coach.review import Review, WinChances
    from dicecup.web.service.worker_main import PackedReview


MOST_WAITING = 60  # reviews in the queue; further requests are answered with `coach_busy`
MOST_OF_CALLER = 5  # of them
MOST_MOVES = 4000  # ten players of the longest game
MOST_REMEMBERED = 60_000_000  # bytes, in all reviews together
BYTES_OF_ENTRY = 50  # of a record
MOST_CAUGHT_UP = 20  # games reviewed after one visit to the statistics
MOST_CATCHING_UP = 10  # devices whose games are reviewed at the same time

Moment = tuple[str, int]  # a match and how many entries it had


@dataclass(frozen=True)
class Reviewed:
    """The review of a game; with the chances to win while it is unfinished."""

    record: Record
    review: Review
    wins: WinChances | None


@dataclass(frozen=True)
class KeptReview:
    """A review as it is cached: in bytes, and the record without its states."""

    record: Record
    packed: PackedReview

    @property
    def wins(self) -> WinChances | None:
        return self.packed.wins

    @property
    def weight(self) -> int:
        contents = len(self.packed.review) + sum(map(len, self.packed.answers.values()))
        return contents + BYTES_OF_ENTRY * len(self.record.entries)

    def read(self) -> Reviewed:
        """The review to look at, in a thread: a long one takes a tenth of a second."""
        return Reviewed(replace(self.record), unpack(self.packed.review), self.wins)


def can_review(rules: Ruleset) -> bool:
    """Whether the coach can answer without installing anything."""
    return is_coached(rules) or is_installed("solver")


def check_may(live: LiveMatch) -> None:
    """Refuse while people play against each other with the coach off."""
    need_coach(live.playing().rules)
    if live.playing().record.header.origin.kind == "points":
        raise UsageError("coach_points_only")
    if live.coach_waits:
        raise UsageError("coach_later")


def entries_of(record: Record) -> int:
    """The number of entries of the game, without the reveal that may follow."""
    return len(record.entries) - (record.secret is not None)


async def take_apart(advising: Advising, record: Record) -> KeptReview:
    return KeptReview(record, await advising.look_back(record))


class Reviews:
    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.turns = FairTurns(MOST_WAITING, MOST_OF_CALLER, "coach_busy")
        self.known: OrderedDict[Moment, KeptReview] = OrderedDict()
        self.asked: dict[Moment, asyncio.Task[KeptReview]] = {}
        self.asked_by: Counter[Caller] = Counter()
        self.catching_up: dict[str, asyncio.Task[None]] = {}

    def remembered(self, live: LiveMatch) -> KeptReview | None:
        """Return the cached review of the current state."""
        record = live.playing().record
        moment = (live.id, entries_of(record))
        if moment in self.known:
            self.known.move_to_end(moment)
            if self.known[moment].record.header != record.header:  # a player deleted their data
                del self.known[moment]
        return self.known.get(moment)

    async def ask(self, live: LiveMatch, patience: float) -> KeptReview:
        """Return the review; `coach_busy` if it takes longer. The work continues."""
        if found := self.remembered(live):
            return found
        task = self.begin(live)
        if not await wait_with_others(task, patience):
            raise UsageError("coach_busy")
        return task.result()

    def begin(self, live: LiveMatch) -> asyncio.Task[KeptReview]:
        """Return the task for the current state, shared by all requests."""
        record = live.playing().record
        moment = (live.id, entries_of(record))
        if moment not in self.asked:
            check_may(live)
            if record.moves_made > MOST_MOVES:
                raise UsageError("review_too_long", most=MOST_MOVES)
            if len(self.asked) >= MOST_WAITING:
                raise UsageError("coach_busy")
            caller = caller_now()
            if self.asked_by[caller] >= MOST_OF_CALLER:
                raise UsageError("still_working")
            finished = record.state.finished
            # A copy without states, which are not found again here: that takes long, and they are large.
            task = asyncio.create_task(self.work(live, moment, replace(record), finished))
            self.asked[moment] = task
            self.asked_by[caller] += 1
            task.add_done_callback(lambda task: self.done(moment, caller, task))
        return self.asked[moment]

    def done(self, moment: Moment, caller: Caller, task: asyncio.Task[KeptReview]) -> None:
        del self.asked[moment]
        self.asked_by[caller] -= 1
        self.asked_by += Counter()  # forgets those who wait for nothing
        if not task.cancelled():
            task.exception()  # marks it as retrieved: the request may be gone

    async def work(self, live: LiveMatch, moment: Moment, record: Record, finished: bool) -> KeptReview:
        async with self.turns.turn():
            found = await take_apart(self.matches.advising, record)
        self.remember(moment, found)
        if finished:
            await asyncio.to_thread(self.store_review, live, found)
        return found

    def store_review(self, live: LiveMatch, found: KeptReview) -> None:
        """Store what the statistics show, and what the players can learn from it."""
        store = self.matches.store
        read = found.read()
        add_verdicts(store, live.id, entries_of(read.record), verdicts_in(read.review))
        remember_review(store, live, read.record, read.review)

    def remember(self, moment: Moment, found: KeptReview) -> None:
        self.known[moment] = found
        while len(self.known) > 1 and sum(one.weight for one in self.known.values()) > MOST_REMEMBERED:
            self.known.popitem(last=False)

    def catch_up(self, holder: str) -> bool:
        """Start reviewing finished games of a device that have no review; False if not possible now."""
        if holder not in self.catching_up:
            if len(self.catching_up) >= MOST_CATCHING_UP:
                return False
            task = asyncio.create_task(self.look_at_games(holder))
            self.catching_up[holder] = task
            task.add_done_callback(lambda _task: self.catching_up.pop(holder, None))
        return True

    async def reviewed_results(self, holder: str, before: str, most: int) -> tuple[ResultPage, bool]:
        """Return results of a device, and whether games that can be reviewed have not been yet.

        If nothing is missing the results have every review: the last may be stored after they were read.
        """
        read = partial(self.matches.store.results_of, holder, before, most)
        page = await asyncio.to_thread(read)
        if all((result.match, result.seat) in page.verdicts for result in page.results):
            return page, False
        if await self.are_missing(holder):
            return page, True
        return await asyncio.to_thread(read), False  # pads have no reviews

    async def are_missing(self, holder: str) -> bool:
        """Whether finished games of a device can be reviewed that have not been yet."""
        most = 1 if is_installed("solver") else MOST_CAUGHT_UP
        for match in await asyncio.to_thread(without_verdict, self.matches.store, holder, most):
            if can_review((await self.matches.get(match)).playing().rules):
                return True
        return False

    def is_looking(self, holder: str) -> bool:
        return holder in self.catching_up

    async def look_at_games(self, holder: str) -> None:
        """Review one game after the other, leaving room in the queue for requests."""
        store = self.matches.store
        for match in await asyncio.to_thread(without_verdict, store, holder, MOST_CAUGHT_UP):
            try:
                live = await self.matches.get(match)
                if not can_review(live.playing().rules):
                    continue
                if found := self.remembered(live):
                    await asyncio.to_thread(self.store_review, live, found)
                elif some_rolls_known(live.playing().record):
                    await self.begin(live)
            except DicecupError:
                continue  # its rules have no values, or the queue is full

    async def stop(self) -> None:
        tasks = [*self.catching_up.values(), *self.asked.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def some_rolls_known(record: Record) -> bool:
    """Whether luck and skill can be computed for any player: otherwise there is nothing to store."""
    from dicecup.coach.review import rolls_known

    return any(rolls_known(record, seat) for seat in range(len(record.header.players)))


def verdicts_in(review: Review) -> list[Verdict]:
    return [
        Verdict(seat, player.luck, player.skill, player.error_rate)
        for seat, player in enumerate(review.players)
        if player.rolls_known
    ]


PATIENCE = 3.0  # seconds in which the coach may say what the decisions cost


@dataclass(frozen=True, slots=True)
class Rounds:
    """What may be seen of a match with the same dice for all."""

    rules: Ruleset
    seats: list[int]  # in the order of the turns of a round
    rounds: list[Round]
    losses: list[list[list[float]]] | None = None  # by seat, turn and decision, once the coach knows
    pending: bool = False  # the coach is still working

    def loss(self, place: int, turn: int, decision: int) -> float | None:
        return self.losses[place][turn][decision] if self.losses else None


async def rounds_of(reviews: Reviews, live: LiveMatch) -> Rounds:
    """What may be seen now; after the game with the losses, as far as the coach knows them in time."""
    if not live.stored.opening.same:
        raise UsageError("same_dice_not")
    seats, found = open_rounds(live)
    opening = live.stored.opening
    rules = live.match.rules if live.match else game_rules(opening.ruleset, opening.options)
    if live.apart:
        return Rounds(rules, seats, found)
    try:
        reviewed = await reviews.ask(live, PATIENCE)
    except DicecupError as error:
        return Rounds(rules, seats, found, pending=error.code in ("coach_busy", "still_working"))
    losses = await reviews.matches.in_background(losses_of, reviewed, found)
    return Rounds(rules, seats, found, losses)


def losses_of(reviewed: KeptReview, found: list[Round]) -> list[list[list[float]]]:
    """The losses of every decision, in the turns in which they were taken."""
    losses = []
    for place, player in enumerate(reviewed.read().review.players):
        left = iter(decision.loss for decision in player.decisions)
        losses.append([[next(left) for _ in one.turns[place].decisions] for one in found])
    return losses


def rounds_data(found: Rounds, live: LiveMatch) -> dict[str, Any]:
    return {
        "opens": live.stored.opening.same,
        "finished": not live.apart,
        "rounds": [
            {
                "turn": turn + 1,
                "parted": one.parted,
                "players": [turn_data(found, place, turn) for place in range(len(found.seats))],
            }
            for turn, one in enumerate(found.rounds)
        ],
    }


def turn_data(found: Rounds, place: int, turn: int) -> dict[str, Any]:
    played = found.rounds[turn].turns[place]
    losses = found.losses[place][turn] if found.losses else None
    return {
        "seat": found.seats[place],
        "points": played.points,
        "loss": sum(losses) if losses else None,
        "decisions": [
            decided_data(found.rules, one, found.loss(place, turn, number))
            for number, one in enumerate(played.decisions)
        ],
    }


def decided_data(rules: Ruleset, decided: Decided, loss: float | None) -> dict[str, Any]:
    return {"dice": dice_to_data(decided.dice), "move": move_to_data(rules, decided.move), "loss": loss}
