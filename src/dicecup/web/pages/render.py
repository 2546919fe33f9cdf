"""Templates, the context every page shares (language, theme, form token), form fields, and the error page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast
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
from dicecup.web.assets import asset_address
from dicecup.web.documents import guide_address, guide_page
from dicecup.web.pages.parts import PageParts, PartSource, SeparateParts
from dicecup.web.service.company import REACTIONS
from dicecup.web.service.frames import Drawing, Seen
from dicecup.web.viewer import THEMES, Viewer, remember, viewer_of

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
    """Redirect; htmx is asked to load a whole page."""
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
