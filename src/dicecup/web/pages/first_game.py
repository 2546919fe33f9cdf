"""The guide through somebody's first turn: three steps, each said where it is done, and never again.

A cookie remembers, for each way to play, in which match the guide was shown, or that it was skipped: it
stays on the page of that match until the first turn is over, and other matches do not show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from dicecup.engine.state import State
from dicecup.messages import N_
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.viewer import GUIDE_COOKIE, Viewer, set_cookie

SKIPPED = "-"

# By the way to play: what is said before the first roll, while dice can be kept, and when a box is due. A pad
# needs one sentence for its two taps.
STEPS: Mapping[str, tuple[str, ...]] = {
    "screen": (
        N_("Roll the dice."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a number to fill that box."),
    ),
    "double": (
        N_("Roll the dice."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a red and a blue number."),
    ),
    "typed": (
        N_("Roll real dice and tap them in."),
        N_("Tap dice to keep, then roll again."),
        N_("Tap a number to fill that box."),
    ),
    "points": (N_("Tap a box, then its points."),),
}


@dataclass(frozen=True, slots=True)
class GuideStep:
    number: int
    of: int
    text: str


def read_guide(cookie: str) -> dict[str, str]:
    """The matches in which the guide was shown, by the way to play: `screen=abc&typed=-`."""
    pairs = (part.partition("=") for part in cookie.split("&"))
    return {way: match for way, _, match in pairs if way in STEPS and match}


def guide_cookie(shown: Mapping[str, str]) -> str:
    return "&".join(f"{way}={match}" for way, match in shown.items())


def way_to_play(live: LiveMatch) -> str:
    match = live.playing()
    kind = match.record.header.origin.kind
    if kind in ("typed", "points"):
        return kind
    return "double" if match.rules.has_layers else "screen"


def guide_step(live: LiveMatch, viewer: Viewer) -> GuideStep | None:
    """The step that somebody is to take who plays this way for the first time; None after the first turn."""
    match, seats = live.match, live.seats_of(viewer.holder)
    if match is None or not seats or match.state.finished or live.stored.opening.tried:
        return None
    way, state = way_to_play(live), match.state
    skipped = viewer.holder in live.company.unguided
    if skipped or read_guide(viewer.guide).get(way, live.id) != live.id:
        return None
    sheets = state.sheets if way == "points" else (state.sheet,)
    if any(points is not None for sheet in sheets for points in sheet.cells):
        return None
    at = step_due(state) if way != "points" else 0
    if at is None or (way != "points" and state.player not in seats):
        return None
    steps = STEPS[way]
    return GuideStep(at + 1, len(steps), viewer.language.gettext(steps[at]))


def step_due(state: State) -> int | None:
    if not state.dice:
        return 0
    if state.throw_due:
        return None  # the others are to be rolled on a real table: the page asks for them
    return 1 if state.throws_left else 2


def remember_guide(request: Request, response: Response, viewer: Viewer, live: LiveMatch) -> Response:
    """The first match of its kind that somebody plays is the one with the guide."""
    if live.match is None or not live.seats_of(viewer.holder):
        return response
    shown = read_guide(viewer.guide)
    way = way_to_play(live)
    if way not in shown:
        set_cookie(request, response, GUIDE_COOKIE, guide_cookie(shown | {way: live.id}))
    return response


def skip_guide(request: Request, response: Response, viewer: Viewer, live: LiveMatch) -> Response:
    shown = read_guide(viewer.guide) | {way_to_play(live): SKIPPED}
    set_cookie(request, response, GUIDE_COOKIE, guide_cookie(shown))
    return response
