"""Templates and their parts, the context every page shares, form fields, and the error page.

In a template, `{% call part("banner") %}<div id="banner">…</div>{% endcall %}` is a part: one element with
that id. `{{ each_part("match/row.html", block, columns=columns) }}` is a part for each row of the block; the
template gets it as `item`. Those are cached: they may depend on nothing but the item and the values after it.
`{{ cached("match/pad_row.html", row, match_id=match.id) }}` is cached in the same way, and no part.

`{% call region("players", match.players_look) %}…{% endcall %}` is rendered again for spectators only if the
values differ from those of the drawing before. It may depend on nothing else that changes during a match,
except for the parts by `each_part` in it: they are brought up to date in any case.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from fastapi import Request
from jinja2 import BytecodeCache, Environment, FileSystemLoader, nodes, select_autoescape
from jinja2.visitor import NodeTransformer
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dicecup.errors import DicecupError
from dicecup.i18n.language import LANGUAGE_NAMES, LANGUAGES, Language
from dicecup.i18n.sentences import date_text, ordinal_text, rolls_verified_text
from dicecup.installation import IN_BROWSER
from dicecup.web.assets import asset_address, guide_address, guide_page
from dicecup.web.service.presence import REACTIONS
from dicecup.web.service.snapshot import MARK, REGION, Drawing, PartGroup, Region, Seen
from dicecup.web.viewer import THEMES, Viewer, remember, viewer_of

MOST_CACHED = 10_000  # texts of about 300 bytes, in each language
MOST_JOINED = 500  # … of sheets: up to 10 kB
MOST_ROWS = 200  # … of score pads: up to 50 kB with what they are made from
Caller = Callable[[], str]
TemplateValues = tuple[tuple[str, Any], ...]


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

    def join(self, template: str, source: PartSource, values: TemplateValues) -> str:
        texts = self.each_text(template, source.items(None), values)
        return Markup("\n").join(Markup(text) for _, text in texts)

    def each_text(
        self, template: str, items: Iterable[PartItem], values: TemplateValues
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

    def render(self, template: str, item: Hashable, values: TemplateValues) -> str:
        return self.environment.get_template(template).render(item=item, **dict(values))

    def cached(self, template: str, item: Hashable, **values: Any) -> str:
        """Something that depends on nothing but the item and the values after it, and is no part."""
        return Markup(self.rows(template, item, tuple(values.items())))

    def forget_oldest(self) -> None:
        """Forget some of the oldest texts. Without any, the next pages of all matches would take long."""
        for key in list(islice(self.texts, MOST_CACHED // 10)):
            self.texts.pop(key, None)  # another thread may have removed it already


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


Gettext = Callable[[str], str]
PATH = re.compile(r"/(?:[!-.0-\[\]-~][!-\[\]-~]*)?")


def number(form: Mapping[str, Any], name: str, digits: int) -> int | None:
    """Parse a number of at most so many ASCII digits."""
    text = str(form.get(name, ""))
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def path_here(form: Mapping[str, Any], name: str) -> str:
    """Return a path of this server; never another host, and nothing that breaks a header."""
    text = str(form.get(name, "/"))
    return text if PATH.fullmatch(text) else "/"


FOLDER = Path(__file__).parent.parent / "templates"


INCLUDE = re.compile(r"""(?m)(?:^[ \t]*)?\{% include "([\w/.]+)" %\}\n?""")


class InliningLoader(FileSystemLoader):
    """Load templates with what they include in its place: an include at run time costs a context."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, filename, uptodate = super().get_source(environment, template)

        def included(found: re.Match[str]) -> str:
            return self.get_source(environment, found[1])[0].removesuffix("\n")

        return INCLUDE.sub(included, source), filename, uptodate


class Translated(NodeTransformer):
    """Replace texts that are translated without any values by their translations."""

    def __init__(self, gettext: Gettext) -> None:
        self.gettext = gettext

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - the name is Jinja's
        match node:
            case nodes.Call(node=nodes.Name(name="_"), args=[nodes.Const(value=str(text))]):
                return nodes.Const(self.gettext(text), lineno=node.lineno)
        return self.generic_visit(node)


class TranslatedEnvironment(Environment):
    """An environment of one language: translating happens when a template is compiled."""

    gettext: Gettext

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        translated: nodes.Template = Translated(self.gettext).visit(tree)
        return translated


# Where compiled templates are kept, if anywhere: a server compiles them once, a browser at every start.
template_cache: BytecodeCache | None = None


@lru_cache(maxsize=len(LANGUAGES))
def environment(code: str) -> Environment:
    """One environment per language, so that `_` in a template needs no context."""
    from dicecup.i18n.language import language

    spoken = language(code)
    made = TranslatedEnvironment(
        loader=InliningLoader(FOLDER),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=template_cache,
        extensions=["jinja2.ext.i18n"],
    )
    made.gettext = spoken.gettext
    made.globals |= {
        "_": spoken.gettext,
        "gettext": spoken.gettext,
        "ngettext": spoken.ngettext,
        "pgettext": spoken.pgettext,
        "language": code,
        "languages": {known: LANGUAGE_NAMES.get(known, known) for known in LANGUAGES},
        "themes": theme_names(spoken),
        "asset": asset_address,
        "in_browser": IN_BROWSER,
        "guide_address": guide_address,
        "guide_title": lambda name: guide_page(name, code).title,
        "date": partial(date_text, language=spoken),
        "ordinal": partial(ordinal_text, language=spoken),
        "rolls_texts": partial(rolls_texts, spoken),
        "reactions": lambda: {id: spoken.gettext(words) for id, words in REACTIONS.items()},
        "rolls_verified": partial(rolls_verified_text, language=spoken),
    }
    parts = PageParts(made)
    made.globals |= {
        "page_parts": parts,
        "part": parts.part,
        "each_part": parts.each_part,
        "region": parts.region,
        "cached": parts.cached,
        # Here and not imported by the templates of a match, which are rendered after every move.
        "dice": dice_macros(made),
        "bots": made.get_template("bots.html").module,
    }
    return made


def page_parts(code: str) -> PageParts:
    """The cache of the parts of pages in one language."""
    return cast("PageParts", environment(code).globals["page_parts"])


async def compile_templates() -> None:
    """Compile all templates in a thread: the first page of each kind would take up to 0.2 s."""
    for code in LANGUAGES:
        made = await asyncio.to_thread(environment, code)
        for name in made.list_templates():
            await asyncio.to_thread(made.get_template, name)


def dice_macros(environment: Environment) -> dict[str, Any]:
    """The macros of dice.html; pictures of single dice, of which there are few, are cached."""
    macros = vars(environment.get_template("dice.html").module)
    cached = {"die": lru_cache(maxsize=100)(macros["die"]), "still": lru_cache(maxsize=2500)(macros["still"])}
    return {**macros, **cached}


def theme_names(spoken: Language) -> dict[str, str]:
    _ = spoken.gettext
    names = {"auto": _("System"), "light": _("Light"), "dark": _("Dark")}
    return {theme: names[theme] for theme in THEMES}


def rolls_texts(spoken: Language, count: int) -> list[str]:
    """What the button says that rolls none, one … all dice: scripts know no plural forms."""
    rolls = [
        spoken.ngettext("Roll {count} die", "Roll {count} dice", rolled).format(count=rolled)
        for rolled in range(1, count + 1)
    ]
    return [spoken.gettext("Choose a box"), *rolls]


def render(viewer: Viewer, template: str, **values: Any) -> str:
    return environment(viewer.language.code).get_template(template).render(viewer=viewer, **values)


def render_parts(
    viewer: Viewer, template: str, before: Seen | None, sources: Iterable[PartSource], **values: Any
) -> Drawing:
    """Render a template, and its parts separately; regions that are as they were before are taken over."""
    made = environment(viewer.language.code)
    parts = SeparateParts(page_parts(viewer.language.code), before)
    own = {"viewer": viewer, "part": parts.part, "each_part": parts.each_part, "region": parts.region}
    found = made.get_template(template)
    # Not `render`, which collects the globals one by one each time.
    context = found.new_context({**made.globals, **own, **values}, shared=True)
    return parts.drawing("".join(found.root_render_func(context)), sources)


def page(request: Request, viewer: Viewer, template: str, status: int = 200, **values: Any) -> Response:
    text = render(viewer, template, path=path_to_get(request), **values)
    return remember(request, viewer, HTMLResponse(text, status))


def path_to_get(request: Request) -> str:
    """The page to return to. Forms of matches and evenings post to paths that GET does not know."""
    path = request.url.path
    if request.method != "POST":
        return path
    if path.startswith(("/t/", "/e/")):
        return "/".join(path.split("/")[:3])
    return "/" if path == "/preferences" else path


def go_to(request: Request, viewer: Viewer, address: str) -> Response:
    """Redirect; htmx is told to load a full page."""
    if request.headers.get("hx-request"):
        return remember(request, viewer, Response(status_code=204, headers={"HX-Redirect": address}))
    return remember(request, viewer, RedirectResponse(address, status_code=303))


def base_address(request: Request) -> str:
    """The address by which other devices reach this server."""
    settings_address: str = request.app.state.matches.settings.address
    return settings_address or str(request.base_url).rstrip("/")


def only_here(address: str) -> bool:
    """Whether an address is a loopback address, which leads every device to itself."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def is_fragment(request: Request) -> bool:
    return request.headers.get("hx-request") == "true" and request.headers.get("hx-boosted") != "true"


def markup(text: str) -> Markup:
    """Mark our own text as HTML."""
    return Markup(text)


# Whatever target the form has: the sentence goes where errors are shown.
INTO_THE_PAGE = {"HX-Retarget": "#problem", "HX-Reswap": "innerHTML", "HX-Reselect": ".problem"}


def refused_page(request: Request, error: DicecupError, status: int) -> Response:
    viewer = viewer_of(request)
    sentence = viewer.language.sentence(error)
    if error.code == "request_wrong":  # what is wrong is said in English, for those who write programs
        _ = viewer.language.gettext
        sentence = _("The request can’t be understood. Check the address, or go back and try again.")
    template = "refused_fragment.html" if is_fragment(request) else "refused.html"
    text = render(viewer, template, path=path_to_get(request), sentence=sentence, code=error.code)
    return HTMLResponse(text, status, headers=INTO_THE_PAGE if is_fragment(request) else None)
