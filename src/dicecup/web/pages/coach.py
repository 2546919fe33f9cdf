"""What the coach says at a table that has it on: a hint when asked, and how the game stands so far.

Whatever takes longer than a moment is answered with a note that asks again by itself.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.errors import DicecupError
from dicecup.web.pages.coach_view import hint_view, so_far_view
from dicecup.web.pages.render import is_fragment, page
from dicecup.web.pages.table import Asked
from dicecup.web.refusals import status_of
from dicecup.web.service.advising import check_on, in_time
from dicecup.web.viewer import TablesNow, Viewer, ViewerNow

router = APIRouter(prefix="/t/{match}", include_in_schema=False)


@router.get("/hint")
async def hint(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked) -> Response:
    """The value of every choice."""
    try:
        check_on(table)
        advice = await in_time(tables.advising.advice(table))
    except DicecupError as error:
        return sentence(request, viewer, error)
    if advice is None:
        return say(request, viewer, "table/preparing.html", address=f"/t/{table.id}/hint", match=table.id)
    view = hint_view(table.playing(), advice, viewer.language)
    return say(request, viewer, "table/hint.html", hint=view, match=table.id, asks=bool(advice.choices))


@router.get("/why")
async def why(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked) -> Response:
    """The hint again, with the reasons of its best choices."""
    try:
        check_on(table)
        advice = await in_time(tables.advising.advice(table))
        reasons = await in_time(tables.advising.reasons(table))
    except DicecupError as error:
        return sentence(request, viewer, error)
    if advice is None:
        return say(request, viewer, "table/preparing.html", address=f"/t/{table.id}/why", match=table.id)
    view = hint_view(table.playing(), advice, viewer.language, reasons)
    return say(request, viewer, "table/hint.html", hint=view, match=table.id, asks=reasons is None)


@router.get("/so-far")
async def so_far(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked) -> Response:
    """Luck, skill, the last choices and the chances to win."""
    try:
        check_on(table)
        found = await in_time(tables.advising.so_far(table))
    except DicecupError as error:
        return sentence(request, viewer, error)
    if found is None:
        return say(request, viewer, "table/preparing.html", address=f"/t/{table.id}/so-far", match=table.id)
    view = so_far_view(table.playing().rules, found, viewer.language)
    return say(request, viewer, "table/so_far.html", so_far=view, match=table.id)


def say(request: Request, viewer: Viewer, template: str, status: int = 200, **values: Any) -> Response:
    """A part of the table; without scripts a page of its own."""
    shell = template if is_fragment(request) else "table/coach_page.html"
    return page(request, viewer, shell, status, part=template, **values)


def sentence(request: Request, viewer: Viewer, error: DicecupError) -> Response:
    """What is wrong, in the coach's own place."""
    return say(
        request,
        viewer,
        "refused_fragment.html",
        status_of(error),
        sentence=viewer.language.sentence(error),
        code=error.code,
    )
