"""The program of a worker process: questions about games come in on stdin, answers go out on stdout.

This is the only module of the web app that runs the coach. Both ends are this program, so that the pickled
messages are trusted.
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, BinaryIO

from dicecup.bots import bot_called
from dicecup.coach import advice as advice_settings
from dicecup.coach.advice import Hint, WinHint, advise, known_values, values_at_once
from dicecup.coach.lessons import LISTED
from dicecup.coach.reasons import Reason, Reasons
from dicecup.coach.review import Review, WinChances, review, shares_of_win, shortened
from dicecup.coach.review_data import review_data
from dicecup.dice import all_dice
from dicecup.engine.play import apply, legal_scores
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_dice import verify
from dicecup.engine.state import Keep, State, Throw, TurnMove, dice_to_throw, empty_sheet, start
from dicecup.errors import DicecupError, UsageError
from dicecup.installation import house_folder, is_installed
from dicecup.rules.model import Ruleset
from dicecup.web.service.record_work import (
    continuing,
    read_upload,
    replay_match,
    standing_after,
    undone,
    with_last_states,
)
from dicecup.web.service.worker import LENGTH, NICEST, pack, refusal_of, unpack

if TYPE_CHECKING:
    from dicecup.coach.goals import Goal

LISTED_CHOICES = LISTED + 2  # what a puzzle lists, the choice that was taken, and the best of the others
COMPRESSION = 5
REASONS_OF_DOUBLE_DICE = 3  # each is sampled, and takes a tenth of a second


@dataclass(frozen=True)
class GameReport:
    """Luck and skill of each player so far, and the chances to win if there are several players."""

    review: Review
    wins: WinChances | None


@dataclass(frozen=True, slots=True)
class PackedReview:
    """The review of a game as bytes: the server keeps many, and a large one has 100,000 objects.

    Each of them would take part in garbage collection, which then stops the server for a third of a second.
    """

    review: bytes  # pickled, with the choices that pages list
    answers: dict[bool, bytes]  # JSON, compressed: with the options of each decision, and without
    wins: WinChances | None


def check(rules: Ruleset) -> bool:
    """Raise an error if there are no values for these rules; solve the game if that takes seconds."""
    return values_at_once(rules).exact


def load(rules: Ruleset) -> Hint:
    """Compute a hint, so that values are loaded and the kernels for hints are compiled."""
    return advise(values_at_once(rules), some_throw(rules, start(rules, 2)))


def prepare(rules: Ruleset) -> None:
    """Run everything once, so that kernels are compiled and tables are loaded before the first request.

    Chances only in the last turn: with double dice a whole game takes seconds.
    """
    values, state = values_at_once(rules), some_throw(rules, start(rules, 2))
    given = advise(values, state)
    keep = next(choice for choice in given.choices if isinstance(choice.move, Keep))
    Reasons(values, state).reason(keep)
    record = Record(Header(rules.id, rules, ("a", "b"), DiceOrigin("typed")))
    review(record.append(Throw(state.dice)).append(given.choices[0].move), values)
    if is_installed("solver"):
        chances_now(rules, last_turn(rules))


def some_throw(rules: Ruleset, state: State) -> State:
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    return apply(rules, state, Throw(tuple(sides[: dice_to_throw(rules, state)])))


def last_turn(rules: Ruleset) -> State:
    """Some state in the last turn of two players."""
    state = start(rules, 2)
    while any(sheet.cells.count(None) > len(rules.scored) for sheet in state.sheets):
        state = some_throw(rules, state)
        state = apply(rules, state, legal_scores(rules, state.sheet, state.dice)[0])
    return state


def prepare_to_win(rules: Ruleset) -> None:
    """Do the same for win chances and goals, which use the same kernels; only in the last turn."""
    to_win(rules, some_throw(rules, last_turn(rules)))


def warm_once(rules: Ruleset, prepare: Callable[[Ruleset], None]) -> None:
    """Prepare a game unless that was done before, or another process is doing it."""
    import numba
    from filelock import FileLock, Timeout

    from dicecup.solver.compiled import KEPT

    if not KEPT:  # no folder to write to: the first request has to wait
        return
    folder = Path(numba.config.CACHE_DIR)
    mark = folder / f"warm-{rules.id}"
    with suppress(Timeout), FileLock(folder / "warming", blocking=False):
        if not mark.exists():
            prepare(rules)
            mark.touch()


def warm(rules: Ruleset) -> None:
    def prepare_all(rules: Ruleset) -> None:
        prepare(rules)
        prepare_to_win(rules)

    warm_once(rules, prepare_all)


def advice(rules: Ruleset, state: State) -> Hint:
    return advise(values_at_once(rules), state)


def reasons(rules: Ruleset, state: State, most: int) -> list[Reason]:
    """Why the best choices are the best."""
    values = values_at_once(rules)
    asked = Reasons(values, state)
    most = min(most, REASONS_OF_DOUBLE_DICE) if rules.has_layers else most
    return [asked.reason(choice) for choice in advise(values, state).choices[:most]]


def to_win(rules: Ruleset, state: State) -> tuple[WinHint, ...]:
    """Every choice by the chance to win; nothing where that is not known."""
    from dicecup.coach.goals import win_hint

    found = win_hint(known_values(rules), state)
    return (found,) if found else ()


def goal_now(rules: Ruleset, state: State, seat: int, target: int) -> Goal:
    """The chance of a player to end with at least so many points."""
    from dicecup.coach.goals import goal
    from dicecup.coach.winning import each_player

    values = known_values(rules)
    return goal(values, each_player(values, state)[seat], target)


def report(record: Record) -> GameReport:
    """Report on a game; chances to win before its end need the solver."""
    known = len(record.header.players) > 1 and (record.state.finished or is_installed("solver"))
    wins = chances_now(record.rules, record.state) if known else None
    return GameReport(review(record, values_at_once(record.rules)), wins)


def so_far(record: Record) -> GameReport:
    """Report on a game, with the last decision of each player only: pages show no other, and keep many."""
    found = report(record)
    players = (
        replace(player, decisions=player.decisions[-1:], throws=[], course=[])
        for player in found.review.players
    )
    return replace(found, review=shortened(replace(found.review, players=tuple(players)), 1))


def look_back(record: Record) -> PackedReview:
    """Report on a whole game."""
    found = report(record)
    few = pack(shortened(found.review, LISTED_CHOICES))[LENGTH.size :]
    return PackedReview(few, {full: answer_of(record, found, full) for full in (False, True)}, found.wins)


def answer_of(record: Record, found: GameReport, options: bool) -> bytes:
    """The review as the API answers it, compressed."""
    data = review_data(record, found.review, found.wins, options=options)
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), COMPRESSION, mtime=0)


def chances_now(rules: Ruleset, state: State) -> WinChances:
    if state.finished:
        return shares_of_win(rules, state)
    from dicecup.coach.winning import effort_for, win_chances

    return win_chances(known_values(rules), state, effort=effort_for(rules, live=True))


def decide(bot: str, rules: Ruleset, state: State) -> TurnMove:
    """Return the decision of a bot that uses no randomness."""
    from random import Random

    return bot_called(bot).decide(rules, state, Random(0))


MOST_SOLVE_SECONDS = 60.0  # estimated, of house rules
UNFINISHED_FOR = 86_400.0  # seconds after which nobody resumes a solve
MOST_HOUSE_STATES = 50_000_000  # a table of 400 MB; one die and 40 boxes are solved fast, and fill the disk


def house_value(rules: Ruleset, base: Ruleset | None, note: str) -> tuple[float, float | None]:
    """Solve house rules; the expected final scores of them and of their base, if that is known exactly.

    The progress is written to the file `note`.
    """
    from dicecup.solver.files.tables import forget_oldest
    from dicecup.solver.find import estimate_seconds, solution_of
    from dicecup.solver.single.index import rounded, size_of
    from dicecup.solver.solution import Progress

    if not rules.has_layers and (states := size_of(rules).states) > MOST_HOUSE_STATES:
        raise UsageError("solve_too_large", ruleset=rules.id, states=rounded(states))
    seconds = estimate_seconds(rules, 64)
    if seconds > MOST_SOLVE_SECONDS:
        raise UsageError("house_too_large", ruleset=rules.id, minutes=round(seconds / 60) or 1)

    def write(progress: Progress) -> None:
        Path(note).write_text(f"{progress.done} {progress.total}", "ascii")

    solution = solution_of(rules, precision=64, backend="cpu", folder=house_folder(), on_progress=write)
    forget_oldest(house_folder())
    forget_unfinished(house_folder(), time() - UNFINISHED_FOR)
    return solution.expected, exact_value(base) if base else None


def forget_unfinished(folder: Path, before: float) -> None:
    """Remove what is left of solves that ended before a time: locks, and levels if they were interrupted."""
    for path in folder.iterdir():
        if path.suffix == ".lock" or path.suffix.startswith(".level"):
            with suppress(FileNotFoundError):  # another process removed it
                if path.stat().st_mtime < before:
                    path.unlink()


def exact_value(rules: Ruleset) -> float | None:
    """The expected final score of a game with perfect play; None where it is not known exactly."""
    try:
        values = values_at_once(rules)
    except DicecupError:
        return None
    return values.turn(empty_sheet(rules)).value if values.exact else None


QUESTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        check,
        load,
        prepare,
        prepare_to_win,
        warm,
        advice,
        reasons,
        to_win,
        goal_now,
        so_far,
        look_back,
        decide,
        house_value,
        read_upload,
        replay_match,
        with_last_states,
        standing_after,
        continuing,
        undone,
        verify,
    )
}


def answer_to(question: bytes) -> tuple[str, Any]:
    function, arguments = unpack(question)
    try:
        return "answer", QUESTIONS[function](*arguments)
    except DicecupError as error:
        return refusal_of(error)
    except Exception as error:  # its message could quote names of players, and it is logged
        return "failed", type(error).__name__ + "\n" + "".join(traceback.format_tb(error.__traceback__))


def lower_priority(niceness: int) -> None:
    """Let other processes go first, unless the operator wants it otherwise; Windows has two such classes."""
    if os.environ.get("DICECUP_NICE") == "off":
        return
    if hasattr(os, "nice"):
        os.nice(niceness)
    elif sys.platform == "win32" and niceness:
        import psutil

        idle = niceness >= NICEST
        psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS if idle else psutil.BELOW_NORMAL_PRIORITY_CLASS)


def spare_imported_objects() -> None:
    """Collect garbage rarely: the libraries that a first question loads make many objects, little garbage.

    Looking for it would take a tenth of the time until the first hint.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def main() -> None:
    spare_imported_objects()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes this pipe
    lower_priority(int(sys.argv[1]))
    advice_settings.solve_house_rules = False  # only when somebody asks for it, with progress: `house_value`
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write to this pipe
    serve(sys.stdin.buffer, answers)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer each question, and report the memory that this process takes by then."""
    import psutil  # not in a browser, which answers in its only process

    process = psutil.Process()
    while head := questions.read(LENGTH.size):
        (length,) = LENGTH.unpack(head)
        kind, answer = answer_to(questions.read(length))
        answers.write(pack((kind, answer, process.memory_info().rss)))
        answers.flush()
