"""Parts of a page: elements with an id that can be sent alone when they change.

In a template, `{% call part("banner") %}<div id="banner">…</div>{% endcall %}` is a part: one element with
that id. `{{ each_part("match/row.html", block, columns=columns) }}` is a part for each row of the block; the
template gets it as `item`. Those are cached: they may depend on nothing but the item and the values after it.

`{{ cached("match/pad_row.html", row, match_id=match.id) }}` is cached in the same way, and no part.

`{% call region("players", match.players_look) %}…{% endcall %}` is rendered again for spectators only if the
values differ from those of the drawing before. It may depend on nothing else that changes during a match,
except for the parts by `each_part` in it: they are brought up to date in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

from jinja2 import Environment
from markupsafe import Markup

from dicecup.web.service.frames import MARK, REGION, Drawing, PartGroup, Region, Seen

MOST_CACHED = 10_000  # texts of about 300 bytes, in each language
MOST_JOINED = 500  # … of sheets: up to 10 kB
MOST_ROWS = 200  # … of score pads: up to 50 kB with what they are made from

Caller = Callable[[], str]
Values = tuple[tuple[str, Any], ...]


class PartItem(Protocol):
    """What a part is made from. Equal ones look the same."""

    @property
    def part_id(self) -> str: ...

    def __hash__(self) -> int: ...


class PartSource(Protocol):
    """Some parts of a page that stand together."""

    @property
    def name(self) -> str: ...

    @property
    def part_ids(self) -> Iterable[str]: ...

    def items(self, before: Any) -> Iterable[PartItem]:
        """What the parts are made from; those are left out that are as in `before`."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class OnePart:
    """A source of a single part."""

    name: str
    item: PartItem

    @property
    def part_ids(self) -> Iterable[str]:
        return (self.item.part_id,)

    def items(self, before: OnePart | None) -> Iterable[PartItem]:
        return () if before and before.item == self.item else (self.item,)


class PageParts:
    """The parts of whole pages, where they stand; and the cache, which forgets the oldest."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.texts: dict[tuple[Any, ...], str] = {}
        self.joined = lru_cache(MOST_JOINED)(self.join)
        self.rows = lru_cache(MOST_ROWS)(self.render)

    def part(self, _part_id: str, caller: Caller) -> str:
        return caller()

    def region(self, _name: str, *_made_from: object, caller: Caller) -> str:
        return caller()

    def each_part(self, template: str, source: PartSource, **values: Any) -> str:
        return self.joined(template, source, tuple(values.items()))

    def join(self, template: str, source: PartSource, values: Values) -> str:
        texts = self.each_text(template, source.items(None), values)
        return Markup("\n").join(Markup(text) for _, text in texts)

    def each_text(
        self, template: str, items: Iterable[PartItem], values: Values
    ) -> Iterator[tuple[str, str]]:
        """Yield the ids of parts and their texts."""
        for item in items:
            text = self.texts.get((template, item, values))
            if text is None:
                text = self.render(template, item, values)
                if len(self.texts) >= MOST_CACHED:
                    self.forget_oldest()
                self.texts[template, item, values] = text
            yield item.part_id, text

    def render(self, template: str, item: Hashable, values: Values) -> str:
        return self.environment.get_template(template).render(item=item, **dict(values))

    def cached(self, template: str, item: Hashable, **values: Any) -> str:
        """Something that depends on nothing but the item and the values after it, and is no part."""
        return Markup(self.rows(template, item, tuple(values.items())))

    def forget_oldest(self) -> None:
        """Forget some of the oldest texts. Without any, the next pages of all matches would take long."""
        for key in list(islice(self.texts, MOST_CACHED // 10)):
            self.texts.pop(key, None)  # another thread may have been faster


class SeparateParts:
    """The parts of one rendering. In its text they are represented by their ids between two marks."""

    def __init__(self, cache: PageParts, before: Seen | None) -> None:
        self.cache = cache
        self.before = before
        self.texts: dict[str, str] = {}
        self.groups: list[PartGroup] = []
        self.regions: dict[str, Region] = {}
        self.as_before: dict[str, int] = {}  # marks of parts that were not made again

    def region(self, name: str, *made_from: object, caller: Caller) -> str:
        known = self.before.regions.get(name) if self.before else None
        if known is None or known.made_from != made_from:
            outside = self.texts, self.groups
            self.texts, self.groups = {}, []
            text = str(caller())
            known = Region(made_from, hash(text), text, tuple(self.texts), tuple(self.groups))
            self.texts, self.groups = {**outside[0], **self.texts}, outside[1]
        elif self.before:
            self.as_before |= {part_id: self.before.parts[part_id] for part_id in known.parts}
        self.regions[name] = known
        self.groups += known.groups
        return Markup(f"{MARK}{REGION}{name}{MARK}")

    def part(self, part_id: str, caller: Caller) -> str:
        self.texts[part_id] = str(caller())
        return Markup(f"{MARK}{part_id}{MARK}")

    def each_part(self, template: str, source: PartSource, **values: Any) -> str:
        self.groups.append(PartGroup(template, source.name, tuple(values.items())))
        return Markup("".join(f"{MARK}{part_id}{MARK}\n" for part_id in source.part_ids))

    def drawing(self, text: str, sources: Iterable[PartSource]) -> Drawing:
        """What was rendered, with the parts that have a source of their own."""
        by_name = {source.name: source for source in sources}
        used = {group.source: by_name[group.source] for group in self.groups}
        for group in self.groups:
            source, before = used[group.source], None
            if self.before and (before := self.before.sources.get(group.source)):
                marks = self.before.parts
                self.as_before |= {part_id: marks[part_id] for part_id in source.part_ids}
            made = dict(self.cache.each_text(group.template, source.items(before), group.values))
            for part_id in made:
                self.as_before.pop(part_id, None)
            self.texts |= made
        return Drawing(text, self.texts, self.as_before, self.regions, used)
