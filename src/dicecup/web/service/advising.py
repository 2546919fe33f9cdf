"""The coach: advice for the current decision, luck and losses so far, chances to win; and its best bot.

All of it runs in two worker processes: one for interactive requests, one for background work.
A browser has only one process, which computes hints in advance while it is idle.
Answers are cached by match and version. Before the first answer about a game the game is prepared, which
takes seconds, and a minute if its kernels have never been compiled; `in_time` lets pages say so.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from dicecup.bots import BOT_PREFIX, BOTS
from dicecup.coach.advice import is_coached
from dicecup.engine.record import Record
from dicecup.engine.state import State, TurnMove
from dicecup.errors import MoveError, UsageError
from dicecup.installation import IN_BROWSER, ensure, is_available, is_installed
from dicecup.match import Match
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.components import check_rules
from dicecup.solver.ready import double_table_name, has_ready, quick_name, ready_name
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.worker import LENGTH, MOST_MEMORY, Caller, Worker, understood, wait_with_others

if TYPE_CHECKING:
    from dicecup.coach.advice import Hint, WinHint
    from dicecup.coach.goals import Goal
    from dicecup.coach.reasons import Reason
    from dicecup.web.service.worker_main import GameReport, PackedReview

MOST_REMEMBERED, MOST_IN_BROWSER = 500, 20  # answers
LULL = 0.3  # seconds without a request, after which a hint is computed in advance
LEAST_GOAL, MOST_GOAL = 1, 9999  # points
MOST_CHOICES = 8  # that get reasons
PATIENCE = 2.0  # seconds before a page says that the coach is being prepared
CHECK_PATIENCE = 1.0  # … in which rules without values are refused; later a hint says so
QUICK_NICE, NICE = 5, 10  # niceness of the quick process and of the patient one: moves come first
BOTS_BY_VALUES = frozenset({"optimal", "winner"})  # bots that need the coach's values

Found = TypeVar("Found")


@cache
def has_solver() -> bool:
    """Whether the packages that solve and simulate are installed, or will be when somebody needs them."""
    return is_available("solver")


further_values: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
"""In a site: by the name of a file of values, what fetches it if it is not there yet."""


def values_to_fetch(rules: Ruleset) -> str | None:
    """The name of the file of values of these rules, if it is missing here and can be fetched."""
    if not further_values or is_coached(rules):
        return None
    names = (ready_name(rules), quick_name(rules), double_table_name(rules))
    return next((name for name in names if name in further_values), None)


def has_coach(rules: Ruleset) -> bool:
    """Whether the coach can answer: from values that came with the package, or with the solver's packages."""
    return is_coached(rules) or values_to_fetch(rules) is not None or has_solver()


def need_coach(rules: Ruleset) -> None:
    if not has_coach(rules):
        raise UsageError("coach_missing")


def need_chances() -> None:
    """Refuse questions about chances of winning and of goals where nothing can work them out."""
    if not has_solver():
        raise UsageError("chances_missing")


def bots_here(rules: Ruleset) -> list[str]:
    """The bots that can play this game here; without the solver's packages, those that do not need them."""
    missing = set() if has_solver() else {"winner"} if has_coach(rules) else BOTS_BY_VALUES
    if why_no_values(rules):
        missing = BOTS_BY_VALUES
    return [bot for bot in BOTS if bot not in missing]


def why_no_values(rules: Ruleset) -> UsageError | None:
    """The reason why the coach cannot value a game, whatever its options; None if it may be able to."""
    return known_reason(rules.reference, tuple(rules.options.items()))


@lru_cache(maxsize=256)
def known_reason(reference: str, options: tuple[tuple[str, str], ...]) -> UsageError | None:
    """Return the reason, cached by reference and options: equal rulesets may differ in both."""
    rules = load_ruleset(reference, dict(options))
    problem = no_values(rules)
    if problem is None:
        return None
    chosen = [{option: value} for option, values in rules.choices.items() for value in values]
    return problem if all(no_values(load_ruleset(reference, option)) for option in chosen) else None


def no_values(rules: Ruleset) -> UsageError | None:
    """The reason why these rules have no values, if that is known without looking for them."""
    try:
        check_rules(rules)
    except UsageError as error:
        return error
    return None


def check_on(live: LiveMatch) -> None:
    """Refuse unless the coach is on in this match."""
    rules = live.playing().rules
    if not live.stored.opening.coach:
        raise MoveError("coach_off")
    need_coach(rules)


async def in_time(task: asyncio.Task[Found], seconds: float | None = None) -> Found | None:
    """Return the answer, or None if it takes longer; the work continues."""
    if not await wait_with_others(task, PATIENCE if seconds is None else seconds) or task.cancelled():
        return None
    return task.result()


class DirectWorker(Worker):
    """Answers in this process, for places that have no others: a browser."""

    async def exchange(self, question: bytes) -> tuple[bool, Any]:
        from dicecup.web.service.worker_main import answer_to

        return understood(*answer_to(question[LENGTH.size :]))


def make_worker(niceness: int = 0, most_memory: int = MOST_MEMORY, **more: Any) -> Worker:
    kind = DirectWorker if IN_BROWSER else Worker
    return kind(niceness, most_memory, **more)


class Advising:
    def __init__(self, most_memory: int = MOST_MEMORY) -> None:
        self.quick = make_worker(QUICK_NICE, most_memory)
        self.patient = make_worker(NICE, most_memory)
        self.answers: OrderedDict[tuple[object, ...], asyncio.Task[Any]] = OrderedDict()
        self.asked: WeakKeyDictionary[LiveMatch, asyncio.Task[GameReport]] = WeakKeyDictionary()
        self.known: WeakKeyDictionary[LiveMatch, GameReport] = WeakKeyDictionary()
        self.direct = isinstance(self.quick, DirectWorker)
        self.most_remembered = MOST_IN_BROWSER if self.direct else MOST_REMEMBERED
        self.lull: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """How many questions wait for the worker processes."""
        return len(self.quick.waiting) + len(self.patient.waiting)

    def remembered(self, key: tuple[object, ...], work: Coroutine[Any, Any, Found]) -> asyncio.Task[Found]:
        """Return the cached task for this key, or start a new one. Failures are not cached."""
        if key in self.answers:
            work.close()
            self.answers.move_to_end(key)
            return self.answers[key]
        task = asyncio.create_task(work)
        self.answers[key] = task

        def done(task: asyncio.Task[Any]) -> None:
            if task.cancelled() or task.exception() is not None:
                self.answers.pop(key, None)

        task.add_done_callback(done)
        if len(self.answers) > self.most_remembered:
            self.answers.popitem(last=False)
        return task

    def install(self) -> asyncio.Task[None]:
        """Ensure that the coach's packages are installed; in a clone they are downloaded on first use."""
        return self.remembered(("install",), asyncio.to_thread(ensure, "solver"))

    def load(self, rules: Ruleset) -> asyncio.Task[None]:
        """Let the quick process load a game, or compile what hints need, and no more: somebody is waiting."""

        async def work() -> None:
            if has_solver():
                await asyncio.shield(self.install())
            await self.quick.ask("load", rules, urgency=1)

        return self.remembered(("load", rules), work())

    def prepare(self, rules: Ruleset) -> asyncio.Task[None]:
        """Prepare a game in advance: hints first, then everything else, in the background process.

        Without the solver nothing is compiled, and nothing needs to be prepared.
        """

        async def work() -> None:
            if not has_solver():
                await self.until_fetched(rules)
                return
            await asyncio.shield(self.load(rules))
            await self.patient.ask("prepare", rules, urgency=1)

        return self.remembered(("prepare", rules), work())

    async def until_values(self, rules: Ruleset) -> None:
        """Wait until hints can be answered: at once where the values come with the package."""
        await self.until_fetched(rules)
        if not has_ready(rules) and (is_installed("solver") or not is_coached(rules)):
            await asyncio.shield(self.load(rules))

    async def until_fetched(self, rules: Ruleset) -> None:
        if name := values_to_fetch(rules):
            await asyncio.shield(self.remembered(("fetch", rules), further_values[name]()))

    def prepare_to_win(self, rules: Ruleset) -> asyncio.Task[None]:
        """Compile what chances to win need, in the patient process, so that no hint waits for it."""

        async def work() -> None:
            await asyncio.shield(self.prepare(rules))
            await self.patient.ask("prepare_to_win", rules, urgency=1)

        return self.remembered(("prepare to win", rules), work())

    async def check(self, rules: Ruleset) -> None:
        """Refuse rules that have no values, if that is known quickly; prepare the others."""
        need_coach(rules)
        if problem := no_values(rules):
            raise problem
        if values_to_fetch(rules):  # a game can begin without them
            self.prepare(rules)
            return

        async def work() -> None:
            if not is_coached(rules):
                await asyncio.shield(self.install())
            await self.patient.ask("check", rules, urgency=3)

        await in_time(self.remembered(("check", rules), work()), CHECK_PATIENCE)
        self.prepare(rules)

    def advice(self, live: LiveMatch) -> asyncio.Task[Hint]:
        match = live.playing()

        async def work() -> Hint:
            await self.until_values(match.rules)
            found: Hint = await self.quick.ask("advice", match.rules, match.state, urgency=2)
            return found

        return self.remembered(("advice", live.id, match.version), work())

    def reasons(self, live: LiveMatch) -> asyncio.Task[list[Reason]]:
        """Why the best choices are the best."""
        match = live.playing()

        async def work() -> list[Reason]:
            await self.until_values(match.rules)
            found: list[Reason] = await self.patient.ask(
                "reasons", match.rules, match.state, MOST_CHOICES, urgency=2
            )
            return found

        return self.remembered(("reasons", live.id, match.version), work())

    def work_ahead(self, live: LiveMatch) -> None:
        """Compute the current hint once the queue is empty, where hints and moves share one process."""
        if not self.direct:
            return
        if self.lull:
            self.lull.cancel()
        self.lull = asyncio.get_running_loop().call_later(LULL, self.advise_ahead, live)

    def advise_ahead(self, live: LiveMatch) -> None:
        match = live.match
        if match is None or match.state.finished or live.bot_is_next() or live.is_pad:
            return
        if live.stored.opening.coach and has_coach(match.rules):
            self.advice(live)
            if not match.state.throw_due:
                self.reasons(live)

    def to_win(self, live: LiveMatch) -> asyncio.Task[tuple[WinHint, ...]]:
        """Every choice by the chance to win; nothing early in a game."""
        match = live.playing()
        need_chances()

        async def work() -> tuple[WinHint, ...]:
            await asyncio.shield(self.prepare_to_win(match.rules))
            found: tuple[WinHint, ...] = await self.patient.ask("to_win", match.rules, match.state, urgency=2)
            return found

        return self.remembered(("to win", live.id, match.version), work())

    def goal(self, live: LiveMatch, seat: int, target: int) -> asyncio.Task[Goal]:
        """The chance of a seat to end with at least so many points."""
        match = live.playing()
        need_chances()
        if not LEAST_GOAL <= target <= MOST_GOAL:
            raise UsageError("goal_out_of_range", low=LEAST_GOAL, high=MOST_GOAL)
        if not 0 <= seat < len(match.state.sheets):
            raise UsageError("request_wrong", problem="seat")

        async def work() -> Goal:
            await asyncio.shield(self.prepare(match.rules))
            found: Goal = await self.patient.ask(
                "goal_now", match.rules, match.state, seat, target, urgency=1
            )
            return found

        # Of the others' actions, only the start of a turn changes what a seat can reach.
        mine = match.state.sheets[seat], match.version if match.state.player == seat else None
        return self.remembered(("goal", live.id, seat, target, *mine), work())

    def so_far(self, live: LiveMatch) -> asyncio.Task[GameReport]:
        """Report on the current state; a request for an earlier state is cancelled."""
        match = live.playing()

        async def work() -> GameReport:
            await asyncio.shield(self.prepare(match.rules))
            found: GameReport = await self.patient.ask("so_far", match.record, urgency=1)
            self.known[live] = found
            return found

        before = self.asked.get(live)
        task = self.asked[live] = self.remembered(("so far", live.id, match.version), work())
        if before is not None and before is not task:
            before.cancel()
        return task

    async def look_back(self, record: Record) -> PackedReview:
        """Report on a whole game, in the patient process."""
        need_coach(record.rules)
        await self.until_values(record.rules)
        found: PackedReview = await self.patient.ask("look_back", record)
        return found

    async def decision_of_bot(self, match: Match, owner: str) -> TurnMove:
        """Return the decision of the bot whose turn it is, in a match that this key has opened."""
        bot = match.player.removeprefix(BOT_PREFIX)
        if bot in BOTS_BY_VALUES:
            return await self.decide(bot, match.rules, match.state, owner)
        return await asyncio.to_thread(match.decision_of_bot)

    async def decide(self, bot: str, rules: Ruleset, state: State, owner: str) -> TurnMove:
        """Return the decision of a bot in a match that this key has opened."""
        need_coach(rules)
        if bot == "winner":
            need_chances()
            await asyncio.shield(self.prepare_to_win(rules))
        else:
            await self.until_values(rules)
        caller = Caller("bots", owner)
        move: TurnMove = await self.quick.ask("decide", bot, rules, state, caller=caller)
        return move

    async def stop(self) -> None:
        if self.lull:
            self.lull.cancel()
        for task in list(self.answers.values()):
            task.cancel()
        await asyncio.gather(self.quick.stop(), self.patient.stop())
