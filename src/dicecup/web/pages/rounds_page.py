"""The same dice for all: playing one's own seat, playing dice again, and the turns side by side."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.engine.state import Keep
from dicecup.i18n.language import Language, game_name
from dicecup.web.pages.coach_view import DiceView, crossed_text, dice_view
from dicecup.web.pages.match_page import Asked, seat_in
from dicecup.web.pages.render import go_to, page
from dicecup.web.pages.review_turns import figure
from dicecup.web.pages.setup_page import default_name
from dicecup.web.service import playing_apart
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.rounds import Rounds, rounds_of
from dicecup.web.texts import player_name
from dicecup.web.viewer import Form, MatchesNow, ReviewsNow, ViewerNow

router = APIRouter(prefix="/t/{match}", include_in_schema=False)
LEAST_LOSS = 0.05  # smaller losses are shown as none


@dataclass(frozen=True, slots=True)
class WayView:
    """What one player did from where they parted."""

    name: str
    bot: bool
    choice: str  # where they parted
    keeps: bool  # whether that was a keep, so that the box is still to be shown
    box: str
    points: int
    cost: str  # of the whole turn, empty where nothing is known or lost


@dataclass(frozen=True, slots=True)
class RoundView:
    number: int
    first: DiceView  # the dice that all had first
    parted: DiceView | None  # those on which they parted
    roll: int
    ways: list[WayView]  # one for all if they did the same


@dataclass(frozen=True, slots=True)
class TotalView:
    name: str
    bot: bool
    points: int
    cost: str


def rounds_view(found: Rounds, names: list[tuple[str, bool]], language: Language) -> list[RoundView]:
    return [round_view(found, turn, names, language) for turn in range(len(found.rounds))]


def round_view(found: Rounds, turn: int, names: list[tuple[str, bool]], language: Language) -> RoundView:
    one = found.rounds[turn]
    shown = range(len(found.seats)) if one.parted is not None else range(1)
    place = 0 if one.parted is None else one.parted
    decisions = one.turns[0].decisions
    return RoundView(
        number=turn + 1,
        first=dice_view(decisions[0].dice),
        parted=dice_view(decisions[place].dice) if one.parted is not None else None,
        roll=place + 1,
        ways=[way_view(found, turn, player, place, names[player], language) for player in shown],
    )


def way_view(
    found: Rounds, turn: int, player: int, place: int, who: tuple[str, bool], language: Language
) -> WayView:
    played = found.rounds[turn].turns[player]
    parted, last = played.decisions[place], played.decisions[-1]
    lost = sum(found.losses[player][turn]) if found.losses else 0.0
    return WayView(
        *who,
        choice=crossed_text(found.rules, parted.move, parted.dice, played.points, language),
        keeps=isinstance(parted.move, Keep),
        box=crossed_text(found.rules, last.move, last.dice, played.points, language),
        points=played.points,
        cost=figure(-lost, language) if lost >= LEAST_LOSS else "",
    )


def totals(found: Rounds, names: list[tuple[str, bool]], language: Language) -> list[TotalView]:
    """The points so far and what the decisions cost, the best first."""
    made = []
    for player, who in enumerate(names):
        points = sum(one.turns[player].points for one in found.rounds)
        lost = sum(map(sum, found.losses[player])) if found.losses else 0.0
        made.append(TotalView(*who, points, figure(-lost, language) if found.losses else ""))
    return sorted(made, key=lambda total: -total.points)


@router.get("/rounds")
async def compare(request: Request, viewer: ViewerNow, reviews: ReviewsNow, live: Asked) -> Response:
    """Show what everybody did with the same dice, as far as it is open."""
    whole: LiveMatch = live.whole or live
    found = await rounds_of(reviews, whole)
    seats = whole.stored.seats
    names = [
        (player_name(seats[seat].name, viewer.language), seats[seat].kind == "bot") for seat in found.seats
    ]
    return page(
        request,
        viewer,
        "rounds.html",
        match_id=whole.id,
        game_name=game_name(found.rules, viewer.language.code),
        layers=len(found.rules.dice.layers),
        rounds=rounds_view(found, names, viewer.language),
        totals=totals(found, names, viewer.language) if found.rounds else [],
        finished=not whole.apart,
        coached=found.losses is not None,
        pending=found.pending,
        opens=whole.stored.opening.same,
    )


@router.post("/part")
async def play_part(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, _form: Form
) -> Response:
    """Go to the match in which one plays alone."""
    part = await playing_apart.own_part(matches, live, viewer.key)
    return go_to(request, viewer, f"/t/{part.id}")


@router.post("/replay")
async def replay(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form
) -> Response:
    """Play the dice of one's own finished game again, against what one did then."""
    name = viewer.name or default_name(viewer.language, 1)
    whole = await playing_apart.play_dice_again(matches, live, seat_in(form), viewer.key, name)
    part = await playing_apart.own_part(matches, whole, viewer.key)
    return go_to(request, viewer, f"/t/{part.id}")
