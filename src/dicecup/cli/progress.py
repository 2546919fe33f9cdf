"""Progress of long work on the terminal: a bar, and the time left."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from dicecup.cli.common import _, speech, talk
from dicecup.i18n.formats import percent_text

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from dicecup.solver.progress import Progress

SILENT = 1.0  # seconds before anything is said
PAUSE = {True: 0.5, False: 30.0}  # seconds between two lines, on a terminal and elsewhere
BAR_STEPS, BAR_WIDTH = 1000, 20


class TerminalBar:
    """click's progress bar with a text, on stderr; nothing where that is not a terminal."""

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
        """Leave the line of the bar."""
        self.drawn.close()


class SolveProgress:
    """Reports how far a solve is and how long it still takes."""

    def __init__(self) -> None:
        self.bar = TerminalBar()
        self.began: float | None = None
        self.said = 0.0

    def __call__(self, progress: Progress) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if progress.stage == "compiling":
            talk(_("Compiling the solver for this machine, only once: less than half a minute …"))
            return
        if self.began is None:
            self.began, self.first = now, progress.done
            if progress.resumed > self.first // 2:
                talk(
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
            talk(line)

    def end(self) -> None:
        self.bar.end()


def percent(progress: Progress) -> str:
    return percent_text(100 * progress.done // progress.total / 100, speech.language)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


class ShareProgress:
    """A bar with the time left for work whose share done is known, on terminals only."""

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
