"""The viewer of a request: key, language and preferences from cookies and headers; and the form fields."""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from dicecup.errors import UsageError
from dicecup.i18n.language import LANGUAGES, Language, language
from dicecup.web.guard import COOKIE
from dicecup.web.service.identity import MOST_KEY, derived, key_hash, new_key
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.record_work import Uploads
from dicecup.web.service.reviewing import Reviews
from dicecup.web.service.runner import PACES

TWO_YEARS = 2 * 365 * 24 * 3600
THEMES = ("auto", "light", "dark")
MOST_NAME = 60
SURROGATE = re.compile("[\ud800-\udfff]")
MOST_FIELDS = 500  # the workshop has six for each box
GUIDE_COOKIE, MOST_GUIDE = "guide", 200


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person with a browser. The key is created on the first visit and kept in a cookie."""

    key: str
    new: bool  # whether the cookie has to be set
    language: Language
    theme: str
    name: str  # as they entered it last time
    csrf: str
    pace: str = "normal"  # at which bots play
    guide: str = ""  # in which matches the guide of a first game was shown

    @property
    def holder(self) -> str:
        return key_hash(self.key)

    def anybody(self) -> Viewer:
        """An anonymous viewer with this language: for content that is rendered once and shown to many."""
        return replace(self, key="", name="", csrf="")


def matches_of(request: Request) -> Matches:
    matches: Matches = request.app.state.matches
    return matches


def language_of(request: Request) -> Language:
    """The chosen language, else the first of ours that the browser asks for, else English."""
    chosen = request.cookies.get("language", "")
    if chosen in LANGUAGES:
        return language(chosen)
    wishes = []
    for place, part in enumerate(request.headers.get("accept-language", "")[:200].split(",")):
        tag, _, weight = part.partition(";q=")
        code = tag.strip().partition("-")[0].lower()
        if code in LANGUAGES:
            wishes.append((-quality(weight), place, code))
    return language(min(wishes)[2] if wishes else "en")


def quality(weight: str) -> float:
    try:
        return float(weight or 1)
    except ValueError:
        return 0.0


def viewer_of(request: Request) -> Viewer:
    cookies = request.cookies
    key = cookies.get(COOKIE, "")
    new = not 20 <= len(key) <= MOST_KEY
    key = new_key() if new else key
    theme = cookies.get("theme", "auto")
    return Viewer(
        key=key,
        new=new,
        language=language_of(request),
        theme=theme if theme in THEMES else "auto",
        name=cookie_text(cookies.get("name", "")),
        csrf=derived(matches_of(request).server_key, "csrf", key).hex(),
        guide=cookies.get(GUIDE_COOKIE, "")[:MOST_GUIDE],
        pace=pace if (pace := cookies.get("pace", "")) in PACES else "normal",
    )


def cookie_text(value: str) -> str:
    from urllib.parse import unquote

    return unquote(value)[:MOST_NAME]


def check_csrf(viewer: Viewer, token: str) -> None:
    """Refuse a form that this server did not give to this browser."""
    if viewer.new or not hmac.compare_digest(viewer.csrf.encode(), token.encode()):
        raise UsageError("form_expired")


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    response.set_cookie(
        name,
        value,
        max_age=TWO_YEARS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def with_preferences(viewer: Viewer, form: dict[str, Any]) -> Viewer:
    """The viewer with the language and theme just chosen, if they are known."""
    chosen, theme = form.get("language"), form.get("theme")
    return replace(
        viewer,
        language=language(chosen) if chosen in LANGUAGES else viewer.language,
        theme=str(theme) if theme in THEMES else viewer.theme,
    )


def set_preferences(request: Request, response: Response, viewer: Viewer) -> Response:
    set_cookie(request, response, "language", viewer.language.code)
    set_cookie(request, response, "theme", viewer.theme)
    return response


def remember(request: Request, viewer: Viewer, response: Response) -> Response:
    if viewer.new:
        set_cookie(request, response, COOKIE, viewer.key)
    return response


# FastAPI runs plain functions in threads; async ones that only read the request are faster.


async def viewer_now(request: Request) -> Viewer:
    return viewer_of(request)


async def matches_now(request: Request) -> Matches:
    return matches_of(request)


async def reviews_now(request: Request) -> Reviews:
    reviews: Reviews = request.app.state.reviews
    return reviews


async def uploads_now(request: Request) -> Uploads:
    uploads: Uploads = request.app.state.uploads
    return uploads


ViewerNow = Annotated[Viewer, Depends(viewer_now)]
MatchesNow = Annotated[Matches, Depends(matches_now)]
ReviewsNow = Annotated[Reviews, Depends(reviews_now)]
UploadsNow = Annotated[Uploads, Depends(uploads_now)]


def fields_of(given: FormData) -> dict[str, Any]:
    """The fields of a form; a repeated field is a list."""
    fields: dict[str, Any] = {}
    for name in given:
        values = given.getlist(name)
        fields[name] = values if len(values) > 1 else values[0]
        for text in (name, *values):
            if isinstance(text, str) and "\0" in text:
                raise UsageError("request_wrong", problem="NUL")
            if isinstance(text, str) and SURROGATE.search(text):
                raise UsageError("request_wrong", problem="UTF-8")
    return fields


async def form_of(request: Request, viewer: ViewerNow) -> AsyncIterator[dict[str, Any]]:
    """The fields of a form whose token has been checked."""
    async with request.form(max_files=1, max_fields=MOST_FIELDS) as form:
        yield checked_fields(request, viewer, form)


async def checked_form(request: Request, viewer: Viewer) -> dict[str, Any]:
    """The fields of a form without files whose token has been checked."""
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as form:
        return checked_fields(request, viewer, form)


def checked_fields(request: Request, viewer: Viewer, form: FormData) -> dict[str, Any]:
    fields = fields_of(form)
    check_csrf(viewer, str(request.headers.get("x-csrf") or fields.get("csrf", "")))
    return fields


Form = Annotated[dict[str, Any], Depends(form_of)]


async def caller_key(request: Request) -> str:
    """Return the key in `Authorization: Bearer KEY`. Cookies are ignored: other sites cannot use them."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    usable = scheme.lower() == "bearer" and 20 <= len(key) <= MOST_KEY and key.isprintable()
    return key if usable else ""


async def asked_match(
    request: Request, match: Annotated[str, Path(max_length=40)], key: Annotated[str, Depends(caller_key)]
) -> LiveMatch:
    holder = key_hash(key) if key else None
    live = await matches_of(request).seen_by(match, holder)
    request.state.live = live  # an error is answered with the current state
    request.state.seats = live.seats_of(holder)
    return live


async def held_seats(request: Request, live: Annotated[LiveMatch, Depends(asked_match)]) -> frozenset[int]:  # noqa: ARG001
    seats: frozenset[int] = request.state.seats
    return seats


Key = Annotated[str, Depends(caller_key)]
Asked = Annotated[LiveMatch, Depends(asked_match)]
Seats = Annotated[frozenset[int], Depends(held_seats)]
