"""The review of a game: the page at once, the coach's part in a request of its own; positions to try."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from dicecup.errors import DicecupError, UsageError
from dicecup.web.pages.fields import number
from dicecup.web.pages.render import go_to, page
from dicecup.web.pages.review_view import review_view
from dicecup.web.pages.table import Asked
from dicecup.web.refusals import status_of
from dicecup.web.service.copying import keep_record, may_try, try_again
from dicecup.web.service.reviewing import Reviewed, check_may
from dicecup.web.service.table import Table
from dicecup.web.uploads import MOST_RECORD
from dicecup.web.viewer import Form, ReviewsNow, TablesNow, UploadsNow, Viewer, ViewerNow

router = APIRouter(include_in_schema=False)
PATIENCE = 10.0  # seconds until a page is answered without the coach, and asks again

Seat = Annotated[int | None, Query(ge=0, le=99)]


def draw(
    request: Request,
    viewer: Viewer,
    table: Table,
    template: str,
    seat: int | None,
    found: Reviewed | None,
    **more: Any,
) -> Response:
    """The page or a part of it, with the turns of one player: of the one asked for, else one's own."""
    record = found.record if found else table.playing().record
    if seat is None or seat >= len(record.header.players):
        seat = min(table.seats_of(viewer.holder), default=0)
    view = review_view(record, viewer.language, seat, found)
    tries = may_try(table, viewer.holder)
    return page(request, viewer, template, review=view, match=table.id, may_try=tries, **more)


async def show(*arguments: Any, **more: Any) -> Response:
    """Drawn in a thread: a long game has thousands of lines."""
    return await asyncio.to_thread(draw, *arguments, **more)


@router.get("/t/{match}/review")
async def review_match(
    request: Request,
    viewer: ViewerNow,
    reviews: ReviewsNow,
    table: Asked,
    seat: Seat = None,
    coach: str = "",
) -> Response:
    """The coach's part is there if it is known, or asked for by a browser without scripts."""
    found, problem = reviews.remembered(table), None
    try:
        if not found:
            check_may(table)
        if coach:
            found = await reviews.ask(table, PATIENCE)
    except DicecupError as error:
        problem = viewer.language.sentence(error, table.playing().rules)
    asking = not found and not problem
    return await show(request, viewer, table, "review.html", seat, found, asking=asking, problem=problem)


@router.get("/t/{match}/review/coach")
async def coach_part(
    request: Request, viewer: ViewerNow, reviews: ReviewsNow, table: Asked, seat: Seat = None
) -> Response:
    """What takes the place of the page's body when the coach has looked at the game."""
    try:
        found = await reviews.ask(table, PATIENCE)
    except DicecupError as error:
        busy = error.code == "coach_busy"
        problem = None if busy else viewer.language.sentence(error, table.playing().rules)
        answer = page(
            request, viewer, "review/asking.html", match=table.id, asking=busy, again=True, problem=problem
        )
        answer.headers.update({"HX-Retarget": "#asking", "HX-Reswap": "outerHTML"})
        return answer
    return await show(
        request, viewer, table, "review/body.html", seat, found, asking=False, problem=None, here=True
    )


@router.get("/t/{match}/review/turns")
async def turns_part(
    request: Request, viewer: ViewerNow, reviews: ReviewsNow, table: Asked, seat: Seat = None
) -> Response:
    """The turns of another player."""
    return await show(request, viewer, table, "review/turns.html", seat, reviews.remembered(table))


@router.get("/review")
async def ask_for_record(request: Request, viewer: ViewerNow) -> Response:
    return page(request, viewer, "upload.html", problem="")


@router.post("/review")
async def review_upload(
    request: Request, viewer: ViewerNow, tables: TablesNow, uploads: UploadsNow, form: Form
) -> Response:
    try:
        upload = form.get("record")
        if not isinstance(upload, UploadFile):
            raise UsageError("request_wrong", problem="record")
        async with uploads.reading(await upload.read(MOST_RECORD + 1)) as record:
            table = await keep_record(tables, record)
    except DicecupError as error:
        problem = viewer.language.sentence(error)
        return page(request, viewer, "upload.html", status_of(error), problem=problem, code=error.code)
    return go_to(request, viewer, f"/t/{table.id}/review")


@router.post("/t/{match}/try")
async def try_position(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form
) -> Response:
    """A table of one's own, from a position of this game on."""
    moves = number(form, "moves", 5) or 0
    tried = await try_again(tables, table, moves, viewer.key)
    return go_to(request, viewer, f"/t/{tried.id}")
