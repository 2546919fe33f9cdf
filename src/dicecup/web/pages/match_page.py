"""The game page: looking, typing dice, undo; joining, leaving, playing again, moving a seat elsewhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from dicecup.dice import Dice, Die, parse_dice
from dicecup.engine.state import Placement
from dicecup.errors import DicecupError, DiceError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.web.assets import qr_svg
from dicecup.web.pages.match_view import MatchView, match_view
from dicecup.web.pages.pad_view import ChooserView, chooser_view, read_write
from dicecup.web.pages.render import (
    base_address,
    go_to,
    is_fragment,
    number,
    only_here,
    page,
    page_parts,
    render,
)
from dicecup.web.pages.sheet_view import picked_text, read_picked
from dicecup.web.pages.turn_view import guide_step, remember_guide, skip_guide
from dicecup.web.refusals import status_of
from dicecup.web.service import joining, opening, undoing
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.service.runner import PACES
from dicecup.web.viewer import Form, MatchesNow, Viewer, ViewerNow, matches_of, remember, set_cookie

Picked = Mapping[str, Placement]  # boxes by layer
FEW_SHEETS = 4  # that are rendered together

router = APIRouter(prefix="/t/{match}", include_in_schema=False)


async def asked_match(
    request: Request, viewer: ViewerNow, match: Annotated[str, Path(max_length=40)]
) -> LiveMatch:
    return await matches_of(request).seen_by(match, viewer.holder)


Asked = Annotated[LiveMatch, Depends(asked_match)]


def view_for(
    matches: Matches, live: LiveMatch, viewer: Viewer, picked: Picked | None = None, problem: str = ""
) -> MatchView:
    so_far = matches.advising.known.get(live)
    view = match_view(live, viewer.holder, viewer.language, picked, problem, so_far)
    step = guide_step(live, viewer) if view.seated else None
    return replace(view, guide=step) if step else view


async def draw_sheets(matches: Matches, live: LiveMatch, viewer: Viewer) -> None:
    """Render the sheets of many players before they are needed, one at a time: the page finds them cached.

    The sheets of 24 players take 50 ms if they are rendered for the first time, and would block all other
    requests meanwhile.
    """
    if len(live.stored.seats) <= FEW_SHEETS:
        return
    parts, view = page_parts(viewer.language.code), view_for(matches, live, viewer)
    for row in view.pad.rows if view.pad else ():
        parts.cached("match/pad_row.html", row, match_id=live.id)
        await asyncio.sleep(0)
    for player in view.players:
        if player.sheet and not view.pad:
            columns = len(player.sheet.heads) or 1
            for block in player.sheet.blocks:
                parts.each_part("match/row.html", block, columns=columns, explains=False)
            await asyncio.sleep(0)


def render_fragment(viewer: Viewer, view: MatchView) -> str:
    return render(viewer, "match/fragment.html", match=view)


def show(
    request: Request,
    viewer: Viewer,
    live: LiveMatch,
    picked: Picked | None = None,
    error: DicecupError | None = None,
) -> Response:
    """Return the fragment for htmx; without htmx a redirect, or the whole page with the error."""
    if error is None and not is_fragment(request):
        chosen = "?picked=" + quote(picked_text(picked)) if picked else ""
        return go_to(request, viewer, f"/t/{live.id}{chosen}")
    rules = live.match.rules if live.match else None
    problem = viewer.language.sentence(error, rules) if error else ""
    status = status_of(error) if error else 200
    if is_fragment(request):
        view = view_for(matches_of(request), live, viewer, picked, problem)
        return remember(request, viewer, HTMLResponse(render_fragment(viewer, view), status))
    return whole_page(request, viewer, live, picked, problem, status)


def whole_page(
    request: Request,
    viewer: Viewer,
    live: LiveMatch,
    picked: Picked | None = None,
    problem: str = "",
    status: int = 200,
    chooser: ChooserView | None = None,
) -> Response:
    address = f"{base_address(request)}/t/{live.id}"
    view = view_for(matches_of(request), live, viewer, picked, problem)
    return page(
        request,
        viewer,
        "match/page.html",
        status,
        match=view,
        address=address,
        code=qr_svg(address),
        only_here=only_here(address),
        chooser=chooser,
    )


@router.get("")
async def look(request: Request, viewer: ViewerNow, live: Asked, picked: str = "", at: str = "") -> Response:
    """Show the match; of a score pad also the values of one box, or with htmx only those."""
    chooser = None
    if at and live.is_pad and live.seats_of(viewer.holder):
        chooser = chooser_view(live.playing(), at, viewer.language)
        if is_fragment(request):
            return page(request, viewer, "match/chooser.html", match_id=live.id, chooser=chooser)
    await draw_sheets(matches_of(request), live, viewer)
    response = whole_page(request, viewer, live, read_picked(picked) or None, chooser=chooser)
    return remember_guide(request, response, viewer, live)


@router.post("/guide")
async def end_guide(request: Request, viewer: ViewerNow, live: Asked, _form: Form) -> Response:
    """Dismiss the guide through a first game."""
    live.playing()
    live.company.unguided.add(viewer.holder)  # also for streams that began with the cookie as it was
    return skip_guide(request, show(request, viewer, live), viewer, live)


@router.post("/marks")
async def mark(viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form) -> Response:
    """Show others which dice are marked; sent only by scripts, which do not wait for the response."""
    matches.mark(live, live.seats_of(viewer.holder), read_version(form), read_marked(form))
    return Response(status_code=204)


@router.post("/reaction")
async def react(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form
) -> Response:
    """Say one of a few short things to everybody who has the match open."""
    seats = live.seats_of(viewer.holder)
    matches.react(live, seats, str(form.get("reaction", "")), number(form, "seat", 2))
    if request.headers.get("x-csrf"):  # sent by a script, which stays on the page
        return Response(status_code=204)
    return go_to(request, viewer, f"/t/{live.id}")


@router.post("/write")
async def write_points(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Write points in a box of a score pad."""
    try:
        at, points, was = (str(form.get(key, "")) for key in ("at", "points", "was"))
        move = read_write(live.playing(), at, points, was)
        await live.write(live.seats_of(viewer.holder), move)
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


@router.post("/players")
async def add_player(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Give somebody who comes late an empty sheet on a score pad."""
    try:
        await joining.add_player(live, viewer.key, str(form.get("name", "")).strip())
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


@router.post("/type")
async def type_dice(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Enter physical dice, as digits with anything between them."""
    try:
        dice = typed_dice(live.playing().rules, str(form.get("dice", "")))
        final_only = "final" in form
        final = final_only and not live.playing().state.dice and not live.bot_is_next()
        await live.throw(live.seats_of(viewer.holder), read_version(form), dice, final=final)
        live.final_only = final_only
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


@router.post("/skip")
async def skip(request: Request, viewer: ViewerNow, live: Asked, _form: Form) -> Response:
    """Skip the display of the bots' turns."""
    live.skip_bots(live.seats_of(viewer.holder))
    return show(request, viewer, live)


@router.post("/pace")
async def set_pace(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """How fast bots play for this viewer, in this match and in those to come."""
    pace = str(form.get("pace", ""))
    if pace not in PACES:
        raise UsageError("request_wrong", problem="pace")
    if live.seats_of(viewer.holder):
        live.pace = pace
    response = go_to(request, viewer, f"/t/{live.id}")
    set_cookie(request, response, "pace", pace)
    return response


@router.post("/undo")
async def undo(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    try:
        seats = live.seats_of(viewer.holder)
        if form.get("answer") == "no":
            await undoing.refuse(live, seats, read_version(form))
        elif "agree" in form:
            await undoing.agree(live, seats, read_version(form), number(form, "agree", 7) or 0)
        else:
            await undoing.undo(live, seats, read_version(form), number(form, "steps", 7) or None)
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


def read_version(form: Form) -> int:
    version = number(form, "version", 7)
    return -1 if version is None else version


def read_marked(form: Form) -> frozenset[int]:
    """The slots whose check boxes are ticked."""
    ticked = form.get("keep", [])
    places = ticked if isinstance(ticked, list) else [ticked]
    return frozenset(int(place) for place in map(str, places) if re.fullmatch("[0-9]", place))


def typed_dice(rules: Ruleset, text: str) -> Dice:
    digits = re.findall(r"\d", text[:200])
    layers = len(rules.dice.layers)
    if len(digits) % layers:
        raise DiceError("die_unreadable", text=text[:40], example="-".join("65432"[:layers]))
    words = ["-".join(digits[place : place + layers]) for place in range(0, len(digits), layers)]
    dice: tuple[Die, ...] = parse_dice(words, rules.dice.faces, layers)
    return dice


@router.post("/join")
async def join(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    name = str(form.get("name", "")).strip()
    seed = str(form.get("seed", "")).strip()
    await joining.join(live, viewer.key, name, number(form, "seat", 2), seed)
    response = go_to(request, viewer, f"/t/{live.id}")
    if name:
        set_cookie(request, response, "name", quote(name))
    return response


@router.post("/leave")
async def leave(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    for seat in sorted(live.seats_of(viewer.holder)):
        if form.get("seat") in (None, str(seat)):
            await joining.leave(live, viewer.key, seat)
    return go_to(request, viewer, "/")


@router.post("/begin")
async def begin(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, _form: Form
) -> Response:
    await opening.begin(matches, live, viewer.key)
    return go_to(request, viewer, f"/t/{live.id}")


@router.post("/again")
async def again(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, _form: Form
) -> Response:
    following = await joining.play_again(matches, live, viewer.key)
    return go_to(request, viewer, f"/t/{following.id}")


@router.post("/link")
async def private_link(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form
) -> Response:
    """Show the link to one's own seat. Its secret follows the #, which browsers never send."""
    seat = seat_in(form)
    hours = matches.settings.link_hours
    token = await joining.seat_link(live, viewer.key, seat, hours)
    address = f"{base_address(request)}/t/{live.id}/seat#{token}"
    name = live.stored.seats[seat].name
    return page(
        request,
        viewer,
        "match/link.html",
        address=address,
        code=qr_svg(address),
        name=name,
        seat=seat,
        hours=hours,
        match_id=live.id,
        only_here=only_here(address),
    )


def seat_in(form: Form) -> int:
    seat = number(form, "seat", 2)
    if seat is None:
        raise UsageError("request_wrong", problem="seat")
    return seat


@router.post("/link/revoke")
async def revoke_link(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Make the links to one's seat invalid; and release its other devices, if asked to."""
    devices = form.get("devices") == "others"
    await joining.revoke_links(live, viewer.key, seat_in(form), devices=devices)
    return go_to(request, viewer, f"/t/{live.id}")


@router.get("/seat")
async def come_back(request: Request, viewer: ViewerNow, live: Asked) -> Response:
    """The target of a private link: its script submits the secret."""
    return page(request, viewer, "match/seat.html", match_id=live.id)


@router.post("/claim")
async def claim(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    await joining.follow_link(live, viewer.key, str(form.get("token", ""))[:100])
    return go_to(request, viewer, f"/t/{live.id}")
