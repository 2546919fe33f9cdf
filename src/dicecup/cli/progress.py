"""A progress bar for work whose share done is known."""

from __future__ import annotations

import sys
import time

import click

from dicecup.cli.common import _, talk
from dicecup.cli.solving import SILENT, duration

BAR = 30  # columns


class Bar:
    """A progress bar with the time left, on terminals only."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.drawn = False

    def __call__(self, share: float) -> None:
        passed = time.monotonic() - self.began
        if not self.terminal or passed < SILENT or not share:
            return
        self.drawn = True
        filled = round(BAR * share)
        left = duration(passed * (1 - share) / share)
        line = _("{percent} %, {time} left").format(percent=int(100 * share), time=left)
        click.echo(f"\r{'█' * filled}{'░' * (BAR - filled)} {line}   ", err=True, nl=False)

    def end(self) -> None:
        if self.drawn:
            talk()
