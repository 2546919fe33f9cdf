"""Parts of a page: elements with an id that can be sent alone when they change.

In a template, `{% call part("banner") %}<div id="banner">…</div>{% endcall %}` is a part: one element with
that id. Given everything that it depends on, as in `part("row-ones", row)`, it is rendered once and cached.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from markupsafe import Markup

from dicecup.i18n.language import LANGUAGES
from dicecup.web.service.streams import MARK

MOST_CACHED = 10_000  # texts of parts, of about 300 bytes each, in each language

Caller = Callable[[], str]


class PartCache:
    """The texts of parts that were given what they depend on. All are dropped when there are too many."""

    def __init__(self) -> None:
        self.texts: dict[tuple[Hashable, ...], str] = {}

    def text(self, caller: Caller, part: str, depends_on: tuple[Hashable, ...]) -> str:
        if not depends_on:
            return caller()
        key = (part, *depends_on)
        found = self.texts.get(key)
        if found is None:
            if len(self.texts) >= MOST_CACHED:
                self.texts.clear()
            found = self.texts[key] = caller()
        return found

    def part(self, part: str, *depends_on: Hashable, caller: Caller) -> str:
        """Render a part where it stands, as a page needs it."""
        return self.text(caller, part, depends_on)


@lru_cache(maxsize=len(LANGUAGES))
def part_cache(_language: str) -> PartCache:
    """The cache of one language."""
    return PartCache()


class Parts:
    """The parts of one rendering, each represented in the text by its id between two marks."""

    def __init__(self, cache: PartCache) -> None:
        self.cache = cache
        self.texts: dict[str, str] = {}

    def part(self, part: str, *depends_on: Hashable, caller: Caller) -> str:
        self.texts[part] = str(self.cache.text(caller, part, depends_on))
        return Markup(f"{MARK}{part}{MARK}")
