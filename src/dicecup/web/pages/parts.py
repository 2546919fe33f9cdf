"""Parts of a page: elements with an id that can be sent alone when they change.

In a template, `{% call part("banner") %}<div id="banner">…</div>{% endcall %}` is a part: one element with
that id. `{{ each_part("match/row.html", rows, columns=columns) }}` is a part for each row, which the template
gets as `item`. Those are cached: they may depend on nothing but the item and the values that follow.

`{% call region("players", match.players) %}…{% endcall %}` is rendered again for spectators only if the
values differ from those of the drawing before. It may depend on nothing else that changes during a match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from jinja2 import Environment
from markupsafe import Markup

from dicecup.web.service.subscribers import MARK, Region

MOST_CACHED = 10_000  # texts of about 300 bytes, in each language

Caller = Callable[[], str]


class PartItem(Protocol):
    """What a part is made from. Equal ones look the same."""

    @property
    def part_id(self) -> str: ...

    def __hash__(self) -> int: ...


class PageParts:
    """The parts of whole pages, where they stand; and the cache. It is cleared when it is full."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.texts: dict[tuple[Any, ...], str] = {}

    def part(self, _part_id: str, caller: Caller) -> str:
        return caller()

    def region(self, _name: str, *_made_from: object, caller: Caller) -> str:
        return caller()

    def each_part(self, template: str, items: Iterable[PartItem], **values: Any) -> str:
        return Markup("\n").join(map(Markup, self.each_text(template, items, values).values()))

    def each_text(self, template: str, items: Iterable[PartItem], values: dict[str, Any]) -> dict[str, str]:
        """Return the texts of parts by their ids."""
        beside = tuple(values.items())
        found = {}
        for item in items:
            text = self.texts.get((template, item, beside))
            if text is None:
                text = self.environment.get_template(template).render(item=item, **values)
                if len(self.texts) >= MOST_CACHED:
                    self.texts.clear()
                self.texts[template, item, beside] = text
            found[item.part_id] = text
        return found


class SeparateParts:
    """The parts of one rendering, each represented in its text by the id between two marks."""

    def __init__(self, cache: PageParts, before: Mapping[str, Region]) -> None:
        self.cache = cache
        self.before = before
        self.texts: dict[str, str] = {}
        self.regions: dict[str, Region] = {}

    def region(self, name: str, *made_from: object, caller: Caller) -> str:
        known = self.before.get(name)
        if known is None or known.made_from != made_from:
            outside, self.texts = self.texts, {}
            known = Region(made_from, str(caller()), self.texts)
            self.texts = outside
        self.regions[name] = known
        self.texts |= known.parts
        return Markup(known.text)

    def part(self, part_id: str, caller: Caller) -> str:
        self.texts[part_id] = str(caller())
        return Markup(f"{MARK}{part_id}{MARK}")

    def each_part(self, template: str, items: Iterable[PartItem], **values: Any) -> str:
        found = self.cache.each_text(template, items, values)
        self.texts |= found
        return Markup("".join(f"{MARK}{part_id}{MARK}\n" for part_id in found))
