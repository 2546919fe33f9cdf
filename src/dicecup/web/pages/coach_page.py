"""The coach on the game page: hints and their reasons, luck so far, the choices that win most, and a goal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.bots.registry import usual_score
from dicecup.engine.serialize import move_from_data
from dicecup.engine.state import State, TurnMove
from dicecup.errors import DicecupError, MoveError, UsageError
from dicecup.i18n.language import Language
from dicecup.i18n.sentences import percent_text, said_text
from dicecup.rules.model import Ruleset
from dicecup.web.pages.coach_view import hint_view, so_far_view
from dicecup.web.pages.match_page import Asked, read_version, show
from dicecup.web.pages.render import is_fragment, page
from dicecup.web.refusals import status_of
from dicecup.web.service.advising import LEAST_GOAL, MOST_GOAL, PATIENCE, check_on, has_solver, in_time
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.matches import Matches
from dicecup.web.viewer import Form, MatchesNow, Viewer, ViewerNow, set_cookie

if TYPE_CHECKING:
    from dicecup.coach.advice import Hint, WinHint
    from dicecup.coach.goals import Goal

router = APIRouter(prefix="/t/{match}", include_in_schema=False)
SOON = 0.4  # seconds that a hint waits for its reasons
MOST_MOVE = 300  # characters of a move as JSON
MOST_SHOWN = 5  # choices
COOKIE = "goal"
RECENT = 200  # results that the player's best is looked for in
STEPS = ((1000, 50), (10**6, 500))  # between round goals, for usual scores up to the first number


@router.get("/hint")
async def hint(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> Response:
    """Show what to do, and the value of every choice; with the reasons if they are there soon."""
    return await show_hint(request, viewer, matches, live, "hint", SOON)


@router.get("/why")
async def why(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> Response:
    """Show the hint again, with the reasons of its best choices."""
    return await show_hint(request, viewer, matches, live, "why", PATIENCE)


async def show_hint(
    request: Request, viewer: Viewer, matches: Matches, live: LiveMatch, name: str, patience: float
) -> Response:
    try:
        check_on(live)
        advice = await in_time(matches.advising.advice(live))
        due = advice is not None and bool(advice.choices)
        reasons = await in_time(matches.advising.reasons(live), patience) if due else None
    except DicecupError as error:
        return sentence(request, viewer, error)
    if advice is None:
        address = f"/t/{live.id}/{name}"
        return say(request, viewer, "match/preparing.html", address=address, match_id=live.id)
    match = live.playing()
    return say(
        request,
        viewer,
        "match/hint.html",
        hint=hint_view(match, advice, viewer.language, reasons),
        match_id=live.id,
        version=match.version,
        layers=len(match.rules.dice.layers),
        may_do=match.state.player in live.seats_of(viewer.holder),
        asks=due and reasons is None,
        several=len(match.state.sheets) > 1 and has_solver(),
    )


@router.post("/do")
async def do(request: Request, viewer: ViewerNow, live: Asked, form: Form) -> Response:
    """Make the move that a hint names."""
    try:
        move = read_move(live.playing().rules, str(form.get("move", "")))
        live.pace = viewer.pace if live.seats_of(viewer.holder) else live.pace
        await live.decide(live.seats_of(viewer.holder), read_version(form), move)
    except DicecupError as error:
        return show(request, viewer, live, error=error)
    return show(request, viewer, live)


def read_move(rules: Ruleset, text: str) -> TurnMove:
    """Read a decision that a page sends as JSON."""
    try:
        move = move_from_data(rules, json.loads(text[:MOST_MOVE]))
    except (ValueError, RecursionError):
        raise MoveError("move_unreadable") from None
    if not isinstance(move, TurnMove):
        raise MoveError("move_unreadable")
    return move


@router.get("/so-far")
async def so_far(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> Response:
    """Show luck, skill, the last choices and the chances to win."""
    try:
        check_on(live)
        found = await in_time(matches.advising.so_far(live))
    except DicecupError as error:
        return sentence(request, viewer, error)
    if found is None:
        return say(request, viewer, "match/preparing.html", address=f"/t/{live.id}/so-far", match_id=live.id)
    view = so_far_view(live.playing().rules, found, viewer.language)
    return say(request, viewer, "match/so_far.html", so_far=view, match_id=live.id)


def say(request: Request, viewer: Viewer, template: str, status: int = 200, **values: Any) -> Response:
    """Return a part of the page; without scripts a page of its own."""
    shell = template if is_fragment(request) else "match/coach_page.html"
    return page(request, viewer, shell, status, part=template, **values)


def sentence(request: Request, viewer: Viewer, error: DicecupError) -> Response:
    """Show an error in the place of the coach's answer."""
    return say(
        request,
        viewer,
        "refused_fragment.html",
        status_of(error),
        sentence=viewer.language.sentence(error),
        code=error.code,
    )


@dataclass(frozen=True, slots=True)
class ChanceView:
    text: str
    chance: str
    for_points: bool = False  # the best choice for points


@dataclass(frozen=True, slots=True)
class WinView:
    chance: str
    choices: list[ChanceView]
    differs: bool  # from the best choice for points
    standard_error: str  # empty if exact


@dataclass(frozen=True, slots=True)
class GoalView:
    target: int
    chance: str
    choices: list[ChanceView]
    best: bool
    standard_error: str


def win_view(rules: Ruleset, state: State, advice: Hint, found: WinHint, language: Language) -> WinView:
    """The best choices for winning; the best one for points is among them."""
    by_points = advice.choices[0].move if advice.choices else None
    shown = [
        choice for place, choice in enumerate(found.choices) if place < MOST_SHOWN or choice.move == by_points
    ]
    return WinView(
        chance=percent_text(found.chance, language, 1),
        choices=[
            ChanceView(
                said_text(rules, state, choice.move, language),
                percent_text(choice.expected, language, 1),
                choice.move == by_points,
            )
            for choice in shown
        ],
        differs=found.parts_from(advice),
        standard_error="" if found.exact else percent_text(found.standard_error, language, 1),
    )


def goal_view(rules: Ruleset, state: State, found: Goal, language: Language) -> GoalView:
    return GoalView(
        target=found.target,
        chance=percent_text(found.chance, language, 1),
        choices=[
            ChanceView(
                said_text(rules, state, choice.move, language), percent_text(choice.expected, language, 1)
            )
            for choice in found.choices[:MOST_SHOWN]
        ],
        best=found.best,
        standard_error="" if found.exact else percent_text(found.standard_error, language, 1),
    )


@router.get("/to-win")
async def to_win(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> Response:
    """Show the chance to win of the best choices."""
    try:
        check_on(live)
        advice = await in_time(matches.advising.advice(live))
        rules, state = (
            live.playing().rules,
            live.playing().state,
        )  # it may have moved on when the answer comes
        found = await in_time(matches.advising.to_win(live))
    except DicecupError as error:
        return sentence(request, viewer, error)
    if advice is None or found is None:
        address = f"/t/{live.id}/to-win"
        return say(request, viewer, "match/preparing.html", address=address, match_id=live.id)
    views = [win_view(rules, state, advice, one, viewer.language) for one in found]
    return say(request, viewer, "match/to_win.html", to_win=views, match_id=live.id)


@router.get("/goal")
async def goal(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, points: str | None = None
) -> Response:
    """Show the form for a goal, and the chance of the goal that was set; an empty one removes it."""
    kept = kept_goal(request, live) if points is None else points.strip()
    problem, view, offered = "", None, list[int]()
    try:
        check_on(live)
        seat = seat_of(live, viewer)
        if kept:
            rules, state = (
                live.playing().rules,
                live.playing().state,
            )  # it may have moved on when the answer comes
            found = await in_time(matches.advising.goal(live, seat, read_goal(kept)))
            if found is None:
                address = f"/t/{live.id}/goal" + (f"?points={read_goal(kept)}" if points else "")
                return say(request, viewer, "match/preparing.html", address=address, match_id=live.id)
            view = goal_view(rules, state, found, viewer.language)
        else:
            offered = await offered_goals(matches, live, viewer)
    except UsageError as error:
        if error.code != "goal_out_of_range":
            return sentence(request, viewer, error)
        problem = viewer.language.sentence(error)
    except DicecupError as error:
        return sentence(request, viewer, error)
    response = say(
        request,
        viewer,
        "match/goal.html",
        422 if problem else 200,
        goal=view,
        typed=kept[:10],
        problem=problem,
        offered=offered,
        least=LEAST_GOAL,
        most=MOST_GOAL,
        match_id=live.id,
    )
    if points is not None and not problem:
        set_cookie(request, response, COOKIE, f"{live.id}.{kept}" if kept else "")
    return response


def kept_goal(request: Request, live: LiveMatch) -> str:
    """The goal that this browser has set in this match."""
    match, _, points = request.cookies.get(COOKIE, "").partition(".")
    return points[:10] if match == live.id else ""


def read_goal(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(MOST_GOAL)):
        raise UsageError("goal_out_of_range", low=LEAST_GOAL, high=MOST_GOAL)
    return int(text)


def seat_of(live: LiveMatch, viewer: Viewer) -> int:
    """Whose goal it is: the viewer's seat whose turn it is, else the first one."""
    seats, now = live.seats_of(viewer.holder), live.playing().state.player
    return now if now in seats or not seats else min(seats)


async def offered_goals(matches: Matches, live: LiveMatch, viewer: Viewer) -> list[int]:
    """Two round numbers that are hard to reach, and the viewer's best score in this game."""
    rules = live.playing().rules

    def best() -> int | None:
        results = matches.store.results_of(viewer.holder, most=RECENT).results
        return max((result.points for result in results if result.identity == rules.identity), default=None)

    found = set[int]()
    if usual := usual_score(rules, "optimal"):
        step = next(step for most, step in STEPS if usual < most)
        found = {first := ceil(usual / step) * step, first + step}
    mine = None if viewer.new else await matches.in_background(best)
    return sorted(found | ({mine} if mine and LEAST_GOAL <= mine <= MOST_GOAL else set()))
