"""What the commands that solve or ask the coach share: progress with the time left, values, and advice in
words.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dicecup.cli.common import (
    Function,
    _,
    echo_stderr,
    option,
    read_json,
    read_ruleset,
    read_text_file,
    speech,
)
from dicecup.coach.advice import Hint, Values, find_values, ready_values, values_without_solver
from dicecup.coach.review import WinChances, shares_of_win
from dicecup.engine.record import Record
from dicecup.engine.serialize import position_from_data
from dicecup.engine.state import State, start
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.sentences import learned_text, number_text, percent_text
from dicecup.installation import is_available, is_installed
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from dicecup.solver.solution import Progress


SILENT = 1.0  # seconds before anything is said
PAUSE = {True: 0.5, False: 30.0}  # seconds between two lines, on a terminal and elsewhere
BAR_STEPS, BAR_WIDTH = 1000, 20


class TerminalBar:
    """click's progress bar with a text, on stderr; disabled where that is not a terminal."""

    def __init__(self) -> None:
        self.drawn = ExitStack()
        self.bar: ProgressBar[int] | None = None
        self.text = ""

    def show(self, share: float, text: str) -> None:
        if not sys.stderr.isatty():
            return
        self.text = text
        if self.bar is None:
            bar: ProgressBar[int] = click.progressbar(
                length=BAR_STEPS,
                width=BAR_WIDTH,
                file=sys.stderr,
                fill_char="█",
                empty_char="░",
                show_eta=False,  # resumed work would make it wrong: the text has the time left
                show_percent=False,
                item_show_func=lambda _item: self.text,
            )
            self.bar = self.drawn.enter_context(bar)
        self.bar.update(round(share * BAR_STEPS) - self.bar.pos)

    def end(self) -> None:
        """Finish the line of the bar."""
        self.drawn.close()


class SolveProgress:
    """Shows the progress of a solve and the time left."""

    def __init__(self) -> None:
        self.bar = TerminalBar()
        self.began: float | None = None
        self.said = 0.0

    def __call__(self, progress: Progress) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if progress.stage == "compiling":
            echo_stderr(_("Compiling the solver for this machine, only once: less than half a minute …"))
            return
        if self.began is None:
            self.began, self.first = now, progress.done
            if progress.resumed > self.first // 2:
                echo_stderr(
                    _("Continuing where an earlier run stopped, at {percent}.").format(
                        percent=percent(progress)
                    )
                )
        passed, done = now - self.began, progress.done - self.first
        if passed < SILENT or not done or now - self.said < PAUSE[terminal]:
            return
        self.said = now
        left = passed * (progress.total - progress.done) / done
        line = _("{percent} of {states} states, {time} left").format(
            percent=percent(progress), states=f"{progress.total:,}".replace(",", " "), time=duration(left)
        )
        if terminal:
            self.bar.show(progress.done / progress.total, line)
        else:
            echo_stderr(line)

    def end(self) -> None:
        self.bar.end()


def percent(progress: Progress) -> str:
    return percent_text(100 * progress.done // progress.total / 100, speech.language)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


class ShareProgress:
    """A progress bar with the time left for work that reports its share done, on terminals only."""

    def __init__(self) -> None:
        self.bar = TerminalBar()
        self.began = time.monotonic()

    def __call__(self, share: float) -> None:
        passed = time.monotonic() - self.began
        if passed >= SILENT and share:
            left = duration(passed * (1 - share) / share)
            text = _("{percent}, {time} left").format(percent=percent_text(share, speech.language), time=left)
            self.bar.show(share, text)

    def end(self) -> None:
        self.bar.end()


@contextmanager
def compilation_announced(values: Values | None = None) -> Iterator[None]:
    """Show a message on a terminal if the code in this context has to compile kernels first.

    Values that need no compiled code may be used where nothing can be compiled.
    """
    if values is not None and (values is ready_values(values.rules) or not is_installed("solver")):
        yield
        return
    from dicecup.solver.compiled import before_compiling

    said = _("Compiling the coach for this machine, only once: about a minute …")
    with before_compiling(lambda: echo_stderr(said) if sys.stderr.isatty() else None):
        yield


def show_warning(error: DicecupError) -> None:
    """Show why a table is not used."""
    echo_stderr(f"dicecup: {speech.language.sentence(error)} [{error.code}]")


def position_option(function: Function) -> Function:
    return option(
        "--position",
        type=click.Path(path_type=Path),
        help=N_("A file with a position as JSON, or - for stdin; its own options apply."),
    )(function)


def read_moment(game: str, options: tuple[str, ...], position: Path | None) -> tuple[Ruleset, State]:
    """The rules and the state that a command is asked about: of a position, or the beginning of a game."""
    rules = read_ruleset(game, options)
    if position is None:
        return rules, start(rules)
    found = position_from_data(read_json(read_text_file(position), str(position)))
    if found.rules.id != rules.id:
        raise UsageError("position_of_other_game", found=found.rules.id, ruleset=rules.id)
    return found.rules, found.state


def values_of(rules: Ruleset) -> Values:
    """Return the values of a game, solved first if that takes seconds, with a progress bar."""
    speech.rules = rules
    progress = SolveProgress()
    try:
        return find_values(rules, on_progress=progress, on_warning=show_warning)
    finally:
        progress.end()


def hint_values(rules: Ruleset) -> Values:
    """Return the values that came with the package, or those of `values_of`; as `values_at_once` does."""
    found = ready_values(rules) or (None if is_installed("solver") else values_without_solver(rules))
    return found or values_of(rules)


def learned_notes(values: Values) -> list[str]:
    """Return notes about values that are not exact, and how to get exact ones."""
    if values.why_learned is None:
        return []
    said = learned_text(speech.language)
    if values.why_learned.code != "solve_takes_long":
        return [said]
    known = values.why_learned.values
    run = speech.language.ngettext(
        "For exact values, run once (about {minutes} minute): {command}",
        "For exact values, run once (about {minutes} minutes): {command}",
        int(str(known["minutes"])),
    )
    return [said, run.format(**known)]


def expected_lines(values: Values, advice: Hint, decimals: int) -> list[str]:
    """Return the expected final score of a position in words."""
    points = number_text(advice.expected, speech.language, decimals)
    if advice.exact:
        return [_("Expected final score: {points}").format(points=points)]
    said = _("Expected final score, estimated: {points}").format(points=points)
    return [said, *learned_notes(values)]


def chances_to_win(found: Record) -> WinChances | None:
    """Return each player's win chance (or who has won); None without a solver."""
    if found.state.finished:
        return shares_of_win(found.rules, found.state)
    if not is_available("solver"):
        show_warning(UsageError("chances_missing"))
        return None
    from dicecup.coach.winning import win_chances

    values = values_of(found.rules)
    if found.rules.has_layers and sys.stderr.isatty():
        echo_stderr(_("Simulating the rest of the game to see who wins: a few seconds …"))
    with compilation_announced():
        return win_chances(values, found.state)
