"""Static files (our own, and htmx from the package that carries it) and QR codes."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import segno
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from dicecup.errors import UsageError

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


def find_htmx() -> Path | None:
    """A wheel of Dicecup holds a copy made when it was built; a clone uses the installed package."""
    spec = find_spec("django_htmx")
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = Path(place) / "static" / "django_htmx" / "htmx-2.min.js"
        if path.exists():
            return path
    return None


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
    """Dark on light whatever the theme, so that every camera reads it."""
    code = segno.make(address, error="m", micro=False)
    text: str = code.svg_inline(border=2, omitsize=True, svgclass="code", lineclass=None, light="#fff")
    return Markup(text)
