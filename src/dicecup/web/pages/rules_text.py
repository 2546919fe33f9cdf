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
def rules_markdown(game: str, language: str) -> str:
    """Without its title and its line of languages, which whatever shows it has around it."""
    for folder in PLACES:
        path = folder / language / f"{game}.md"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            return re.sub(r"\A# .*\n+(?:.*·.*\n)+(?:.*\.md\)\n)?", "", text)
    raise UsageError("not_found")


@cache
def rules_html(game: str, language: str) -> Markup:
    """Links lead to our pages."""
    made = mistune.create_markdown(plugins=["table", "strikethrough"])(rules_markdown(game, language))
    linked = re.sub(r'href="(?:\.\./\w\w/)?([\w-]+)\.md', r'href="/rules/\1', str(made))
    plain = re.sub(r' style="text-align:(\w+)"', r' class="\1"', linked)
    return Markup(plain)
