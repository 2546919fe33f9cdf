"""Live play as plain ASGI: moves and event streams, which are nearly all requests of a busy server.

The routes of FastAPI describe them, and answer whatever is unusual about such a request. FastAPI's search
for the route, its dependencies and its validation of answers took more time than the move itself.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.errors import DicecupError
from dicecup.web import refusals
from dicecup.web.api import match_requests
from dicecup.web.api.models import MoveRequest, caller_key
from dicecup.web.pages import match_page
from dicecup.web.service.keys import is_match_id, key_hash
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.snapshot import state_data
from dicecup.web.viewer import checked_form, matches_of, viewer_of

JSON = "application/json"
Handler = Callable[[Request, LiveMatch], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class LiveRoute:
    path: str  # as in FastAPI
    handler: Handler


class Unusual(Exception):  # noqa: N818 - leads to FastAPI
    """The request has to be answered by FastAPI."""


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
            response = await route.handler(request, await matches_of(request).get(match))
        except Unusual:
            await self.app(scope, again(await request.body(), receive), send)
            return
        except DicecupError as error:
            response = refusals.refuse(request, error)
        except HTTPException as error:
            response = await refusals.by_status(request, error)
        await response(scope, receive, send)


def find_route(scope: Scope) -> tuple[LiveRoute | None, str]:
    """Return what answers a request, and the match it is about."""
    if scope["type"] != "http":
        return None, ""
    place, _, what = scope["path"].rpartition("/")
    area, _, match = place.rpartition("/")
    route = ROUTES.get((scope["method"], f"{area}/{{match}}/{what}"))
    return (route, match) if route and is_match_id(match) else (None, "")


def again(body: bytes, receive: Receive) -> Receive:
    """Receive a body that has been read already, and then whatever follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


async def move(request: Request, live: LiveMatch) -> Response:
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
    data = json.dumps(state_data(live, seats), ensure_ascii=False, separators=(",", ":"))
    return Response(data, media_type=JSON)


async def state_events(request: Request, live: LiveMatch) -> Response:
    return await match_requests.events(request, matches_of(request), live, await caller_key(request))


async def page_events(request: Request, live: LiveMatch) -> Response:
    return await match_page.events(request, viewer_of(request), matches_of(request), live)


async def throw(request: Request, live: LiveMatch) -> Response:
    viewer = viewer_of(request)
    return await match_page.throw(request, viewer, live, await checked_form(request, viewer))


async def score(request: Request, live: LiveMatch) -> Response:
    viewer = viewer_of(request)
    return await match_page.score(request, viewer, live, await checked_form(request, viewer))


ROUTES = {
    (method, path): LiveRoute(path, handler)
    for method, path, handler in (
        ("POST", "/api/matches/{match}/moves", move),
        ("GET", "/api/matches/{match}/events", state_events),
        ("GET", "/t/{match}/events", page_events),
        ("POST", "/t/{match}/throw", throw),
        ("POST", "/t/{match}/score", score),
    )
}
