"""What the commands that solve or ask the coach share: progress with the time left, and advice as data."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from dicecup.cli.common import _, speech, talk
from dicecup.coach.advice import Advice, Choice, Values, find_values
from dicecup.coach.reasons import Reason
from dicecup.engine.state import Keep
from dicecup.errors import DicecupError, StorageError, UsageError
from dicecup.i18n.sentences import aims_text, learned_text, number_text, score_text
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.solver.single.solve import Progress


SILENT = 1.0  # seconds before anything is said
PAUSE = {True: 0.5, False: 30.0}  # seconds between two lines, on a terminal and elsewhere


def need_solver() -> None:
    """Say what to install where the packages of the solver are missing."""
    try:
        import numba  # noqa: F401
        import numpy  # noqa: F401
    except ImportError:
        raise UsageError("solver_missing") from None
    except OSError:  # a library of theirs found no room
        raise StorageError("memory_out") from None


@contextmanager
def telling_of_compiling() -> Iterator[None]:
    """Say so on a terminal where what happens in here has to be compiled first, which takes a while."""
    from dicecup.solver.compiled import before_compiling

    said = _("Compiling the coach for this machine: once, about a minute …")
    with before_compiling(lambda: talk(said) if sys.stderr.isatty() else None):
        yield


def tell(error: DicecupError) -> None:
    """Say why a table is not used."""
    talk(f"dicecup: {speech.language.sentence(error)} [{error.code}]")


class SolveProgress:
    """Says how far a solve is and how long it still takes."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.began: float | None = None
        self.said = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage == "compiling":
            talk(_("Compiling the solver for this machine: once, less than half a minute …"))
            return
        if self.began is None:
            self.began, self.first = now, progress.done
            if progress.resumed > self.first // 2:
                talk(
                    _("Going on where an earlier run stopped, at {percent}.").format(
                        percent=percent(progress)
                    )
                )
        passed, done = now - self.began, progress.done - self.first
        if passed < SILENT or not done or now - self.said < PAUSE[self.terminal]:
            return
        self.said = now
        left = passed * (progress.total - progress.done) / done
        line = _("{percent} of {states} states, {time} left").format(
            percent=percent(progress), states=f"{progress.total:,}".replace(",", " "), time=duration(left)
        )
        click.echo(f"\r{line}   " if self.terminal else line, err=True, nl=not self.terminal)

    def end(self) -> None:
        """Leave the line of the terminal."""
        if self.terminal and self.said:
            talk()


def percent(progress: Progress) -> str:
    return f"{100 * progress.done // progress.total}\N{NO-BREAK SPACE}%"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def values_of(rules: Ruleset) -> Values:
    """What is known about the game, solved first where that takes seconds; says how far it is."""
    speech.rules = rules
    need_solver()
    watcher = SolveProgress()
    try:
        return find_values(rules, watch=watcher, tell=tell)
    finally:
        watcher.end()


def learned_notes(values: Values) -> list[str]:
    """What a player must know about values that are not exact, and how to have exact ones."""
    if values.why_learned is None:
        return []
    said = learned_text(speech.language)
    if values.why_learned.code != "solve_takes_long":
        return [said]
    known = values.why_learned.values
    return [said, _("For exact values run once, about {minutes} minutes: {command}").format(**known)]


def expected_lines(values: Values, advice: Advice, decimals: int) -> list[str]:
    """What a position is worth, in words."""
    points = number_text(advice.expected, speech.language, decimals)
    if advice.exact:
        return [_("Expected final score: {points}").format(points=points)]
    said = _("Expected final score, estimated: {points}").format(points=points)
    return [said, *learned_notes(values)]


def reason_text(rules: Ruleset, choice: Choice, reason: Reason) -> str:
    if not isinstance(choice.move, Keep):
        return score_text(reason.points, reason.rest, speech.language)
    aims = [(aim.box, aim.column, aim.chance) for aim in reason.aims]
    return aims_text(rules, aims, reason.nothing, speech.language)
