#!/usr/bin/env python3
"""Draw docs/images/play.svg, the terminal picture in the README, from a real game.

python tools/terminal_picture.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "play.svg"
GAME = ["dice-in-dice", "--players", "Ann,Bo", "--seed", "5"]
TYPED = "two pairs, low straight\n"
LINE, COLUMN, MARGIN = 17, 8.43, 18
MOST_LINES = 34


def terminal() -> list[str]:
    """Return the last lines that the terminal shows after some moves."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "dicecup", "play", *GAME, "--lang", "en", "--record", "game.record"],
            cwd=folder,
            input=TYPED,
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout.rstrip("> \n").split("\n")[-MOST_LINES:] + ["> "]


def picture(lines: list[str]) -> str:
    width = max(map(len, lines)) * COLUMN + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    rows = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + (number + 1) * LINE - 4}">{escape(line)}</text>\n'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img" aria-label="A game in the terminal">\n'
        '<rect width="100%" height="100%" rx="10" fill="#16181d"/>\n'
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#e8e6df" '
        'xml:space="preserve" style="white-space: pre">\n'
        f"{rows}</g>\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(terminal()))
