"""Plain tables for the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


def width(text: str) -> int:
    """How many columns a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def pad(text: str, columns: int, *, right: bool = False) -> str:
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def shorten(text: str, columns: int) -> str:
    """The text, cut with an ellipsis if it is too wide."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def table_text(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = (), indent: str = ""
) -> str:
    """Columns that line up, with a head and a line below it."""
    lines = [list(head), *map(list, rows)]
    widths = [max(width(line[place]) for line in lines) for place in range(len(head))]
    texts = [
        indent
        + "  ".join(
            pad(cell, widths[place], right=place in right) for place, cell in enumerate(line)
        ).rstrip()
        for line in lines
    ]
    texts.insert(1, indent + "  ".join("─" * columns for columns in widths))
    return "\n".join(texts)
