"""Extension of Griffe: examples in docstrings become blocks of code on the documentation site."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

# From the first prompt to the next empty line, as doctest reads it.
EXAMPLE = re.compile(r"^>>> (?:.+\n?)+", re.MULTILINE)


class Examples(Extension):
    """Put each example of a docstring into a fence."""

    def on_object(self, *, obj: Object, **_more: Any) -> None:
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(fenced, obj.docstring.value)


def fenced(example: re.Match[str]) -> str:
    return f"```pycon\n{example[0].rstrip()}\n```\n"
