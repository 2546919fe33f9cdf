"""The rules pages of the documentation, as HTML."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import mistune
from markupsafe import Markup

from dicecup.errors import UsageError

# A wheel holds a copy of the pages; in a clone they lie in docs.
PLACES = (Path(__file__).parent.parent / "rules_pages", Path(__file__).parents[4] / "docs" / "rules")


@cache
def rules_html(game: str, language: str) -> Markup:
    for folder in PLACES:
        path = folder / language / f"{game}.md"
        if path.is_file():
            return html_of(path.read_text(encoding="utf-8"))
    raise UsageError("not_found")


def html_of(text: str) -> Markup:
    """Without its title and its line of languages, which the page around it has; links lead to our pages."""
    body = re.sub(r"\A# .*\n+(?:.*·.*\n)+(?:.*\.md\)\n)?", "", text)
    made = mistune.create_markdown(plugins=["table", "strikethrough"])(body)
    linked = re.sub(r'href="(?:\.\./\w\w/)?([\w-]+)\.md', r'href="/rules/\1', str(made))
    plain = re.sub(r' style="text-align:(\w+)"', r' class="\1"', linked)
    return Markup(plain)
