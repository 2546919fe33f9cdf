"""The game page: looking, throwing, filling boxes, taking back."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.responses import Response

from dicecup.dice import Dice, Die, parse_dice
from dicecup.engine.moves import Keep, Placement, Score
from dicecup.errors import DicecupError, DiceError
from dicecup.rules.model import Ruleset
from dicecup.web.events import stream
from dicecup.web.pages.fields import number
from dicecup.web.pages.render import base_address, go_to, is_fragment, only_here, page, render
from dicecup.web.pages.sheet_view import placement_text, read_placement
from dicecup.web.pages.table_view import TableView, table_view
from dicecup.web.qr import qr_svg
from dicecup.web.refusals import status_of
from dicecup.web.service import playing, undo
from dicecup.web.service.table import Table
from dicecup.web.service.tables import Tables
from dicecup.web.viewer import Form, TablesNow, Viewer, ViewerNow, remember, tables_of

router = APIRouter(prefix="/t/{match}", include_in_schema=False)


async def asked_table(request: Request, match: Annotated[str, Path(max_length=40)]) -> Table:
    return await tables_of(request).get(match)


Asked = Annotated[Table, Depends(asked_table)]


def seen(
    tables: Tables, table: Table, viewer: Viewer, picked: tuple[Placement, ...] = (), problem: str = ""
) -> TableView:
    so_far = tables.advising.known.get(table)
    return table_view(table, viewer.holder, viewer.language, picked, problem, so_far)


def draw(viewer: Viewer, view: TableView) -> str:
    return render(viewer, "table/fragment.html", table=view)


def show(
    request: Request,
    viewer: Viewer,
    table: Table,
    picked: tuple[Placement, ...] = (),
    error: DicecupError | None = None,
) -> Response:
    """The fragment for htmx; without it a redirect, or the page with what was wrong."""
    if error is None and not is_fragment(request):
        chosen = "?picked=" + quote(",".join(map(placement_text, picked))) if picked else ""
        return go_to(request, viewer, f"/t/{table.id}{chosen}")
    rules = table.match.rules if table.match else None
    problem = viewer.language.sentence(error, rules) if error else ""
    status = status_of(error) if error else 200
    if is_fragment(request):
        view = seen(tables_of(request), table, viewer, picked, problem)
        return remember(request, viewer, HTMLResponse(draw(viewer, view), status))
    return whole_page(request, viewer, table, picked, problem, status)


def whole_page(
    request: Request,
    viewer: Viewer,
    table: Table,
    picked: tuple[Placement, ...] = (),
    problem: str = "",
    status: int = 200,
) -> Response:
    address = f"{base_address(request)}/t/{table.id}"
    view = seen(tables_of(request), table, viewer, picked, problem)
    return page(
        request,
        viewer,
        "table/page.html",
        status,
        table=view,
        address=address,
        code=qr_svg(address),
        only_here=only_here(address),
    )


@router.get("")
async def look(request: Request, viewer: ViewerNow, table: Asked, picked: str = "") -> Response:
    return whole_page(request, viewer, table, read_picked(picked))


@router.get("/events")
async def events(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked) -> StreamingResponse:
    """The table's fragment after every change; all spectators of one language share a drawing."""

    def is_mine(now: Table) -> bool:
        return bool(now.seats_of(viewer.holder)) or now.stored.opening.owner == viewer.holder

    def kind(now: Table) -> tuple[object, ...]:
        return "page", viewer.language.code, viewer.holder if is_mine(now) else ""

    def drawing(now: Table) -> str:
        whose = viewer if is_mine(now) else viewer.anybody()
        return draw(whose, seen(tables, now, whose))

    player = viewer.holder if is_mine(table) else ""
    return stream(request, tables, table, player, "table", kind, drawing)


@router.post("/throw")
async def throw(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form) -> Response:
    """Throw what is due, or keep the marked dice and throw the others."""
    seats = table.seats_of(viewer.holder)
    try:
        version, match = read_version(form), table.playing()
        if match.state.throw_due:
            await playing.throw(tables, table, seats, version)
        else:
            kept = marked(form, match.state.dice)
            await playing.decide(tables, table, seats, version, Keep(kept))
    except DicecupError as error:
        return show(request, viewer, table, error=error)
    return show(request, viewer, table)


@router.post("/type")
async def type_dice(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form
) -> Response:
    """Dice that fell on the table, as digits in any spelling."""
    try:
        dice = typed_dice(table.playing().rules, str(form.get("dice", "")))
        await playing.throw(tables, table, table.seats_of(viewer.holder), read_version(form), dice)
    except DicecupError as error:
        return show(request, viewer, table, error=error)
    return show(request, viewer, table)


@router.post("/score")
async def score(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form) -> Response:
    """Fill a box. Where a turn fills several, the first ones are only remembered by the page."""
    picked: tuple[Placement, ...] = ()
    try:
        rules = table.playing().rules
        picked = read_picked(str(form.get("picked", "")))
        if "box" in form:
            strike = "!" if form.get("strike") else ""
            picked += (read_placement(str(form["box"])[:80] + strike),)
        else:
            picked = picked[:-1]  # the last one is taken back
        if len(picked) < len(rules.scored):
            playing.check_turn(table, table.seats_of(viewer.holder), read_version(form))
            return show(request, viewer, table, picked)
        seats = table.seats_of(viewer.holder)
        await playing.decide(tables, table, seats, read_version(form), Score(picked))
    except DicecupError as error:
        return show(request, viewer, table, picked[:-1], error)
    return show(request, viewer, table)


@router.post("/undo")
async def take_back(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form
) -> Response:
    try:
        seats = table.seats_of(viewer.holder)
        if form.get("answer") == "no":
            await undo.refuse(tables, table, seats, read_version(form))
        elif "agree" in form:
            await undo.agree(tables, table, seats, read_version(form), number(form, "agree", 7) or 0)
        else:
            await undo.undo(tables, table, seats, read_version(form), number(form, "steps", 7) or None)
    except DicecupError as error:
        return show(request, viewer, table, error=error)
    return show(request, viewer, table)


def read_version(form: Form) -> int:
    version = number(form, "version", 7)
    return -1 if version is None else version


def read_picked(text: str) -> tuple[Placement, ...]:
    return tuple(read_placement(part) for part in text[:200].split(",") if part)


def marked(form: Form, dice: Dice) -> Dice:
    """The dice whose boxes are ticked, by their places."""
    ticked = form.get("keep", [])
    places = {str(place) for place in (ticked if isinstance(ticked, list) else [ticked])}
    return tuple(die for place, die in enumerate(dice) if str(place) in places)


def typed_dice(rules: Ruleset, text: str) -> Dice:
    digits = re.findall(r"\d", text[:200])
    layers = len(rules.dice.layers)
    if len(digits) % layers:
        raise DiceError("die_unreadable", text=text[:40], example="-".join("65432"[:layers]))
    words = ["-".join(digits[place : place + layers]) for place in range(0, len(digits), layers)]
    dice: tuple[Die, ...] = parse_dice(words, rules.dice.faces, layers)
    return dice
