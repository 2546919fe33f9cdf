"""What the commands that solve share: progress with the time left, and why a table was not used."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from dicecup.cli.common import _, speech, talk
from dicecup.errors import DicecupError, StorageError, UsageError

if TYPE_CHECKING:
    from dicecup.solver.solve import Progress

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


class Watcher:
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
