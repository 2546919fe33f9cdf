"""The application: middleware, routes, and the objects that live as long as the server."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from dicecup import __version__
from dicecup.coach.puzzles import daily_puzzles, puzzle_games
from dicecup.installation import IN_BROWSER
from dicecup.storage.store import open_store
from dicecup.web import observing, refusals
from dicecup.web.assets import send_asset
from dicecup.web.guard import Guard, HeadRequests
from dicecup.web.live_routes import COMPRESSION, LEAST_COMPRESSED, LiveRoutes
from dicecup.web.logs import configure_logs
from dicecup.web.observing import Metrics, Observe
from dicecup.web.pages import (
    coach_page,
    evening_pages,
    library_pages,
    match_page,
    puzzle_pages,
    review_page,
    setup_page,
    turns_page,
    workshop_page,
)
from dicecup.web.pages.render import compile_templates, refused_page
from dicecup.web.service.grading import today
from dicecup.web.service.house_values import HouseValues
from dicecup.web.service.matches import Matches
from dicecup.web.service.personal_data import keep_to_retention
from dicecup.web.service.record_work import Uploads
from dicecup.web.service.reviewing import Reviews
from dicecup.web.service.subscribers import when_server_stops
from dicecup.web.service.worker import DELAY
from dicecup.web.settings import Settings, settings_of_process

ABOUT = """Play every game of the Yatzy family.

Open or join a match and keep the `key` of the answer: send it as `Authorization: Bearer KEY`; it holds
your seats. Every move names the `version` it was made against; a stale or illegal one is refused with a code
and the state as it stands. `GET /api/matches/{match}/events` sends an event for every change."""


@cache
def spare_long_lived_objects() -> None:
    """Keep long-lived objects out of garbage collection.

    Matches live long and are many: with 300 games each full collection paused the server for 40 to 200 ms.
    Full collections are therefore rare, and the others look at 25,000 objects at most, which takes 6 ms.
    Nothing is collected before: a start leaves hardly any garbage, and finding it takes 80 ms.
    """
    gc.freeze()
    gc.set_threshold(5_000, 5, 400)
    gc.enable()


def share_interpreter() -> None:
    """Let the event loop have the GIL soon while a thread computes.

    By default a thread gives it up after 5 ms, and a move needs it some dozens of times: reading an upload of
    600 kB delayed moves by up to half a second, and with 0.5 ms reviews delayed one in a hundred by 230 ms.
    """
    sys.setswitchinterval(0.0001)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Create the application. uvicorn calls it without settings: then they come from the environment."""
    chosen = settings or settings_of_process()
    if settings is None:
        configure_logs(chosen.logs)
    metrics = create_metrics(chosen)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store = open_store(chosen.database, chosen.database_seconds, exclusive=True)
        matches = Matches(store, chosen, metrics)
        app.state.matches = matches
        app.state.metrics = metrics
        app.state.reviews = Reviews(matches)
        app.state.uploads = Uploads(None if IN_BROWSER else matches.reader)
        app.state.house_values = HouseValues()
        if not IN_BROWSER:  # there a snapshot is made after it
            spare_long_lived_objects()
        share_interpreter()
        matches.start()
        matches.runner.spawn(keep_to_retention(matches))
        if chosen.warm:
            matches.runner.spawn(prepare_pages(app))
        with when_server_stops(matches.subscribers.close):
            yield
        app.state.uploads.stop()
        await app.state.house_values.stop()
        await app.state.reviews.stop()
        await matches.stop()

    app = WebApp(
        title="Dicecup",
        version=__version__,
        description=ABOUT,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        routes=list(shared_routes()),
    )
    refusals.install(app, refused_page)
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED, compresslevel=COMPRESSION)
    app.add_middleware(HeadRequests)
    app.outermost.append(LiveRoutes)
    app.outermost.append(partial(Guard, settings=chosen, refuse=refusals.refuse))
    if metrics or chosen.logs.requests:
        app.outermost.append(partial(Observe, metrics=metrics))
    return app


@cache
def shared_routes() -> list[BaseRoute]:
    """The routes of every application in this process: FastAPI takes 0.2 s to read what they ask for."""
    pages = (
        setup_page.router,
        workshop_page.router,
        match_page.router,
        coach_page.router,
        review_page.router,
        turns_page.router,
        puzzle_pages.router,
        library_pages.router,
        evening_pages.router,
        observing.router,
    )
    routes = routes_of(*pages) if IN_BROWSER else [*api_routes(), *routes_of(*pages)]
    for path in ("/static/{name}", "/static/{fingerprint}/{name}"):
        routes.append(Route(path, send_asset, include_in_schema=False))
    return routes


def api_routes() -> list[BaseRoute]:
    """The routes of the API. They take a third of the start: a browser adds them when something asks."""
    from dicecup.web.api import (
        evening_requests,
        house_rules,
        library,
        match_requests,
        puzzle_requests,
        reviews,
    )

    matches = (match_requests.router, match_requests.moves_router)
    others = (reviews.router, house_rules.router, puzzle_requests.router, library.router)
    return routes_of(*matches, *others, evening_requests.router)


def routes_of(*routers: APIRouter) -> list[BaseRoute]:
    """Return all routes of the routers; including one router in another would read each route again."""
    return [route for router in routers for route in router.routes]


class WebApp(FastAPI):
    """FastAPI with outer middleware; live play bypasses FastAPI and its middleware (see `live_routes`)."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.outermost: list[Callable[[ASGIApp], ASGIApp]] = []  # the last one is the first to see a request

    def build_middleware_stack(self) -> ASGIApp:
        stack = super().build_middleware_stack()
        for layer in self.outermost:
            stack = layer(stack)
        return stack

    __call__ = Starlette.__call__  # FastAPI's telemetry is not used


async def prepare_pages(app: FastAPI) -> None:
    """Prepare, in the background, what later requests would otherwise have to wait for."""
    await asyncio.sleep(DELAY)
    await compile_templates()
    await asyncio.to_thread(app.openapi)
    for game in puzzle_games():
        await asyncio.to_thread(daily_puzzles, game, today())


def create_metrics(settings: Settings) -> Metrics | None:
    return Metrics() if settings.metrics.on else None
