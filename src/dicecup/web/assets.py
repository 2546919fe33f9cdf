"""What the server shows from files: static files, QR codes, and pages of the documentation."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path

import mistune
import segno
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from dicecup.errors import UsageError
from dicecup.installation import find_htmx

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
ONE_YEAR = "public, max-age=31536000, immutable"
HTMX = "htmx.js"


@cache
def assets() -> dict[str, Path]:
    """Return every asset by its name; no other file can be named."""
    own = {path.name: path for path in FOLDER.iterdir() if path.suffix in TYPES}
    htmx = None if HTMX in own else find_htmx()
    return own | ({HTMX: htmx} if htmx else {})


@cache
def fingerprint() -> str:
    """Return a hash of all assets together.

    It is a folder in their addresses, so that it also covers what one module imports from another.
    """
    digest = hashlib.sha256()
    for name, path in sorted(assets().items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def asset_address(name: str) -> str:
    """The address of an asset, which changes with the content so that browsers may cache it for ever."""
    return f"/static/{fingerprint()}/{name}"


async def send_asset(request: Request) -> Response:
    path = assets().get(request.path_params["name"])
    if path is None:
        raise UsageError("not_found")
    current = request.path_params.get("fingerprint") == fingerprint()
    caching = ONE_YEAR if current else "no-cache"
    return FileResponse(path, media_type=TYPES[path.suffix], headers={"Cache-Control": caching})


@lru_cache(maxsize=512)  # of 3 kB each; it takes as long as the rest of a small page
def qr_svg(address: str) -> Markup:
    """Return a QR code as SVG, dark on light in every theme so that all cameras read it."""
    code = segno.make(address, error="m", micro=False)
    text: str = code.svg_inline(border=2, omitsize=True, svgclass="code", lineclass=None, light="#fff")
    return Markup(text)


# The pages of the guide in the order of its list; the first one is its front page.
GUIDE = ("index", "playing", "games", "keeping-score", "house-rules", "coach", "fair-dice")
# A wheel holds a copy of the pages; in a clone they are in docs.
FOLDERS = (Path(__file__).parent / "reading", Path(__file__).parents[3] / "docs")
# A title, a line of languages, and the text.
PAGE = re.compile(r"# (?P<title>[^\n]+)\n\n(?:[^\n]+\n)+\n(?P<text>.+)", re.DOTALL)
LINK = re.compile(r'href="(?:(?:\.\./)+(?:(?P<section>rules|guide)/)?\w\w/)?(?P<name>[\w-]+)\.md')
# On a phone the style sheet stacks the cells of a row; the roles keep it a table for screen readers.
ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}


@dataclass(frozen=True)
class Document:
    """A page in one language, without its line of languages."""

    title: str
    markdown: str
    html: Markup


def rules_page(game: str, language: str) -> Document:
    return document("rules", game, language)


def guide_page(name: str, language: str) -> Document:
    if name not in GUIDE:
        raise UsageError("not_found")
    return document("guide", name, language)


def guide_address(name: str) -> str:
    return "/guide" if name == GUIDE[0] else f"/guide/{name}"


@lru_cache(maxsize=200)
def document(section: str, name: str, language: str) -> Document:
    for folder in FOLDERS:
        path = folder / section / language / f"{name}.md"
        if path.is_file():
            found = PAGE.fullmatch(path.read_text(encoding="utf-8"))
            assert found, path
            return Document(found["title"], found["text"], as_html(found["text"], section))
    raise UsageError("not_found")


def as_html(text: str, section: str) -> Markup:
    """A page as HTML, its links leading to our pages."""
    made = str(mistune.create_markdown(plugins=["table", "strikethrough"])(text))
    linked = LINK.sub(partial(link_here, section), made)
    plain = re.sub(r' style="text-align:(\w+)"', r' class="\1"', linked)
    return Markup(re.sub(r"<(table|thead|tbody|tr|th|td)\b", with_role, plain))


def link_here(section: str, link: re.Match[str]) -> str:
    if (link["section"] or section) == "guide":
        return f'href="{guide_address(link["name"])}'
    return f'href="/rules/{link["name"]}'


def with_role(tag: re.Match[str]) -> str:
    return f'<{tag[1]} role="{ROLES[tag[1]]}"'
