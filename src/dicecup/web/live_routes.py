"""Live play as plain ASGI: moves, states and event streams, which are nearly all requests of a busy server.

The routes of FastAPI describe them, and answer whatever is unusual about such a request. FastAPI's search
for the route, its dependencies and its validation of answers took more time than the move itself.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.engine.state import Announce, Keep, Score
from dicecup.errors import DicecupError
from dicecup.web import refusals
from dicecup.web.guard import COOKIE
from dicecup.web.pages.match_page import (
    Asked,
    Picked,
    draw_sheets,
    read_marked,
    read_version,
    render_fragment,
    router,
    show,
    view_for,
)
from dicecup.web.pages.render import render_parts
from dicecup.web.pages.sheet_view import by_layer, read_picked, read_target, toggled
from dicecup.web.service.identity import is_match_id, key_hash
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.presence import slots_of
from dicecup.web.service.snapshot import Drawing, Seen, state_data
from dicecup.web.service.subscribers import EventStream
from dicecup.web.viewer import Form, MatchesNow, ViewerNow, checked_form, matches_of, viewer_of

JSON = "application/json"
LEAST_COMPRESSED = 1000  # bytes
COMPRESSION = 5
Handler = Callable[[Request, LiveMatch], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class LiveRoute:
    path: str  # as in FastAPI
    handler: Handler


class Unusual(Exception):  # noqa: N818 - leads to FastAPI
    """Raised when a request has to be answered by FastAPI."""


class LiveRoutes:
    """Answer live play here, and let FastAPI answer everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route, match = find_route(scope)
        if route is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = route  # by which requests are counted
        request = Request(scope, receive, send)
        try:
            response = await answer(request, route, match)
        except Unusual:
            await self.app(scope, again(await request.body(), receive), send)
            return
        except ClientDisconnect:
            return
        if not isinstance(response, EventStream):
            compress(request, response)
        await response(scope, receive, send)


async def visible_match(request: Request, match: str) -> LiveMatch:
    """Return the match if the client may see it: by its key in the API, by its cookie on pages."""
    if request.scope["path"].startswith("/api/"):
        from dicecup.web.viewer import caller_key

        key = await caller_key(request)
        return await matches_of(request).seen_by(match, key_hash(key) if key else None)
    return await matches_of(request).seen_by(match, key_hash(request.cookies.get(COOKIE, "")))


async def answer(request: Request, route: LiveRoute, match: str) -> Response:
    """Answer a request for live play, also if it is refused or fails."""
    try:
        return await route.handler(request, await visible_match(request, match))
    except DicecupError as error:
        return refusals.refuse(request, error)
    except HTTPException as error:
        return await refusals.by_status(request, error)
    except (Unusual, ClientDisconnect):
        raise
    except Exception as error:
        return refusals.failed(request, error)


def compress(request: Request, response: Response) -> None:
    """Compress a response as the middleware of FastAPI does."""
    if len(response.body) < LEAST_COMPRESSED:
        return
    response.headers.add_vary_header("Accept-Encoding")
    if "gzip" in request.headers.get("accept-encoding", ""):
        response.body = gzip.compress(response.body, COMPRESSION, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))


def find_route(scope: Scope) -> tuple[LiveRoute | None, str]:
    """Return what answers a request, and the match it is about."""
    if scope["type"] != "http":
        return None, ""
    place, _, last = scope["path"].rpartition("/")
    area, _, match = place.rpartition("/")
    path = f"{area}/{{match}}/{last}"
    if is_match_id(last):
        match, path = last, f"{place}/{{match}}"
    route = ROUTES.get((scope["method"], path))
    return (route, match) if route and is_match_id(match) else (None, "")


def again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that repeats a body that was read already, and then continues with the original."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


# The API is imported where it is used: in a browser pages need nothing of it, and it takes long there.


async def move(request: Request, live: LiveMatch) -> Response:
    from dicecup.web.api import match_requests
    from dicecup.web.api.models import MoveRequest
    from dicecup.web.viewer import caller_key

    body = await request.body()
    refusals.check_text(body)
    if request.headers.get("content-type") != JSON:
        raise Unusual
    try:
        wish = MoveRequest.model_validate_json(body)
    except ValidationError:
        raise Unusual from None
    key = await caller_key(request)
    request.state.live = live  # an error is answered with the current state
    request.state.seats = seats = live.seats_of(key_hash(key) if key else None)
    await match_requests.play(live, seats, wish)
    return state_answer(live, seats)


async def look(request: Request, live: LiveMatch) -> Response:
    from dicecup.web.viewer import caller_key

    key = await caller_key(request)
    return state_answer(live, live.seats_of(key_hash(key) if key else None))


def state_answer(live: LiveMatch, seats: frozenset[int]) -> Response:
    data = json.dumps(state_data(live, seats), ensure_ascii=False, separators=(",", ":"))
    return Response(data, media_type=JSON)


async def state_events(request: Request, live: LiveMatch) -> Response:
    from dicecup.web.api import match_requests
    from dicecup.web.viewer import caller_key

    return await match_requests.events(request, matches_of(request), live, await caller_key(request))


@router.get("/events")
async def events(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> EventStream:
    """Send the fragment, and after every change what is different for spectators.

    It is rendered once for all spectators of one language. Players get the whole fragment each time: their
    pages may show what the server does not know, such as a box that was picked.
    """
    holder, anybody = viewer.holder, viewer.anybody()
    spectators = "page", viewer.language.code, ""

    def is_mine(current: LiveMatch) -> bool:
        return holder in current.stored.keys or current.stored.opening.owner == holder

    def audience(current: LiveMatch) -> tuple[object, ...]:
        return ("page", viewer.language.code, holder) if is_mine(current) else spectators

    def fragment(current: LiveMatch, before: Seen | None) -> Drawing:
        if is_mine(current):
            return Drawing(render_fragment(viewer, view_for(matches, current, viewer)))
        view = view_for(matches, current, anybody)
        return render_parts(anybody, "match/fragment.html", before, view.sources(), match=view)

    await draw_sheets(matches, live, viewer if is_mine(live) else anybody)
    player = holder if is_mine(live) else ""
    return EventStream(request, matches, live, player, "match", audience, fragment, with_marks=True)


@router.post("/throw")
async def throw(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Throw the dice that are due, or keep the marked ones and throw the others."""
    seats = live.seats_of(viewer.holder)
    try:
        version, match = read_version(form), live.playing()
        if match.state.throw_due:
            await live.throw(seats, version)
        else:
            marked = read_marked(form)
            slots = slots_of(live.id, match.record, live.draft.kept)
            kept = tuple(slot.die for place, slot in enumerate(slots) if place in marked)
            await live.decide(seats, version, Keep(kept), marked)
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


@router.post("/score")
async def score(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Fill a box. Where a turn fills several, they are picked in any order and then sent together."""
    picked: Picked = {}
    try:
        rules, version = live.playing().rules, read_version(form)
        seats = live.seats_of(viewer.holder)
        picked = read_picked(str(form.get("picked", "")))
        if "box" in form:
            layer, place = read_target(rules, str(form["box"])[:80])
            if layer == "announce":
                await live.decide(seats, version, Announce(place.box, place.column))
                return show(request, viewer, live)
            picked = toggled(picked, layer, replace(place, strike=bool(form.get("strike"))))
        if len(rules.scored) > 1 and "send" not in form:
            live.pick(seats, version, picked)
            return show(request, viewer, live, picked)
        live.pace = viewer.pace if seats else live.pace  # the bots play after this
        await live.decide(seats, version, Score(tuple(by_layer(rules, picked))))
    except DicecupError as error:
        return show(request, viewer, live, picked if "send" in form else {}, error)
    return show(request, viewer, live)


async def page_events(request: Request, live: LiveMatch) -> Response:
    return await events(request, viewer_of(request), matches_of(request), live)


async def page_throw(request: Request, live: LiveMatch) -> Response:
    viewer = viewer_of(request)
    return await throw(request, viewer, live, await checked_form(request, viewer))


async def page_score(request: Request, live: LiveMatch) -> Response:
    viewer = viewer_of(request)
    return await score(request, viewer, live, await checked_form(request, viewer))


ROUTES = {
    (method, path): LiveRoute(path, handler)
    for method, path, handler in (
        ("GET", "/api/matches/{match}", look),
        ("POST", "/api/matches/{match}/moves", move),
        ("GET", "/api/matches/{match}/events", state_events),
        ("GET", "/t/{match}/events", page_events),
        ("POST", "/t/{match}/throw", page_throw),
        ("POST", "/t/{match}/score", page_score),
    )
}
