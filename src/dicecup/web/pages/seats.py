"""Around the table: joining, leaving, beginning, playing again, bringing a seat to another device."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.errors import UsageError
from dicecup.web.pages.fields import number
from dicecup.web.pages.render import base_address, go_to, only_here, page
from dicecup.web.pages.table import Asked
from dicecup.web.qr import qr_svg
from dicecup.web.service import joining, opening
from dicecup.web.viewer import Form, TablesNow, ViewerNow, set_cookie

router = APIRouter(prefix="/t/{match}", include_in_schema=False)


@router.post("/join")
async def join(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form) -> Response:
    name = str(form.get("name", "")).strip()
    seed = str(form.get("seed", "")).strip()
    await joining.join(tables, table, viewer.key, name, number(form, "seat", 2), seed)
    response = go_to(request, viewer, f"/t/{table.id}")
    if name:
        set_cookie(request, response, "name", quote(name))
    return response


@router.post("/leave")
async def leave(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form) -> Response:
    for seat in sorted(table.seats_of(viewer.holder)):
        if form.get("seat") in (None, str(seat)):
            await joining.leave(tables, table, viewer.key, seat)
    return go_to(request, viewer, "/")


@router.post("/begin")
async def begin(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, _form: Form
) -> Response:
    await opening.begin(tables, table, viewer.key)
    return go_to(request, viewer, f"/t/{table.id}")


@router.post("/again")
async def again(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, _form: Form
) -> Response:
    following = await joining.play_again(tables, table, viewer.key)
    return go_to(request, viewer, f"/t/{following.id}")


@router.post("/link")
async def private_link(
    request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form
) -> Response:
    """The link to one's own seat. Its secret stands behind the #, which browsers send to nobody."""
    seat = number(form, "seat", 2)
    if seat is None:
        raise UsageError("request_wrong", problem="seat")
    token = await joining.seat_link(tables, table, viewer.key, seat)
    address = f"{base_address(request)}/t/{table.id}/seat#{token}"
    name = table.stored.seats[seat].name
    return page(
        request,
        viewer,
        "table/link.html",
        address=address,
        code=qr_svg(address),
        name=name,
        match=table.id,
        only_here=only_here(address),
    )


@router.get("/seat")
async def come_back(request: Request, viewer: ViewerNow, table: Asked) -> Response:
    """Where a private link leads: the page itself hands the secret over."""
    return page(request, viewer, "table/seat.html", match=table.id)


@router.post("/claim")
async def claim(request: Request, viewer: ViewerNow, tables: TablesNow, table: Asked, form: Form) -> Response:
    await joining.follow_link(tables, table, viewer.key, str(form.get("token", ""))[:100])
    return go_to(request, viewer, f"/t/{table.id}")
