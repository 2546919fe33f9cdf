"""The review page: shown at once, the coach's part in a separate request; trying a position again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.responses import Response

from dicecup.bots import BOT_PREFIX
from dicecup.engine.record import Record
from dicecup.engine.record_dice import verify
from dicecup.engine.state import Score, Write, final_score, standings
from dicecup.errors import DicecupError, UsageError
from dicecup.i18n.language import Language, game_name
from dicecup.i18n.sentences import (
    chances_text,
    learned_text,
    lesson_text,
    percent_text,
    rating_text,
    rolls_unknown_text,
    unfinished_text,
)
from dicecup.rules.model import Ruleset
from dicecup.web.pages.coach_view import figure
from dicecup.web.pages.match_page import Asked
from dicecup.web.pages.my_games import lines
from dicecup.web.pages.render import go_to, number, page
from dicecup.web.pages.turns_page import SeatView, seat_view
from dicecup.web.refusals import status_of
from dicecup.web.service.grading import OverGames, habits_over_games
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.opening import go_on, keep_record, may_try, try_again
from dicecup.web.service.record_work import MOST_RECORD
from dicecup.web.service.reviewing import KeptReview, Reviewed, check_may
from dicecup.web.texts import house_rules, player_name
from dicecup.web.viewer import Form, MatchesNow, ReviewsNow, UploadsNow, Viewer, ViewerNow, matches_of


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """One player's game in a few figures; without a coach only the points."""

    seat: int
    name: str
    bot: bool
    place: int
    points: int
    expected: str = ""
    final: str = ""  # of an unfinished game: the expected final score
    luck: str = ""
    skill: str = ""
    luck_share: float = 0.0  # from -100 to 100, the most of all players
    skill_share: float = 0.0
    error_rate: str = ""
    rating: str = ""
    rating_name: str = ""
    blunders: int = 0
    inaccuracies: int = 0
    rolls_known: bool = True


@dataclass(frozen=True, slots=True)
class OverGamesView:
    """The habits that cost most over all games of somebody."""

    games: int
    lessons: list[str]


def over_games_view(found: OverGames, rules: Ruleset, language: Language) -> OverGamesView:
    lessons = [
        lesson_text(rules, one.habit.kind, one.habit.box, one.per_game, language, per_game=True)
        for one in found.habits
    ]
    return OverGamesView(found.games, lessons)


@dataclass(frozen=True, slots=True)
class ReviewView:
    game_name: str
    house_rules: list[str]
    date: str
    finished: bool
    players: list[PlayerCard]  # the best first
    names: list[str]  # by seat
    layers: int
    chart: Markup
    notes: list[str]
    seat: SeatView  # the one whose turns are shown
    over_games: OverGamesView | None  # of the viewer, if it is their seat
    coached: bool
    proved: bool
    dice: str
    throws: int


def review_view(
    record: Record,
    language: Language,
    seat: int,
    found: Reviewed | None,
    habits: OverGames | None = None,
) -> ReviewView:
    rules, proof = record.rules, verify(record)
    names = names_of(record, language)
    return ReviewView(
        game_name=game_name(rules, language.code),
        house_rules=house_rules(rules, language),
        date=record.header.date,
        finished=record.state.finished,
        players=cards(record, names, language, found),
        names=names,
        layers=len(rules.dice.layers),
        chart=chart(record, names, language, found),
        notes=notes(record, names, language, found),
        seat=seat_view(record, names[seat], seat, language, found),
        over_games=over_games_view(habits, rules, language) if habits else None,
        coached=found is not None,
        proved=proof.proved,
        dice=proof.kind,
        throws=proof.throws,
    )


def names_of(record: Record, language: Language) -> list[str]:
    """The players by seat; equal names get a number."""
    names = [player_name(player, language) for player in record.header.players]
    return [
        name if names.count(name) == 1 else f"{name} {number}" for number, name in enumerate(names, start=1)
    ]


def cards(record: Record, names: list[str], language: Language, found: Reviewed | None) -> list[PlayerCard]:
    placed = standings(record.rules, record.state)
    bots = [player.startswith(BOT_PREFIX) for player in record.header.players]
    if found is None:
        return [PlayerCard(seat, names[seat], bots[seat], place, points) for place, seat, points in placed]
    reviews = found.review.players
    most = max(max(abs(one.luck), abs(one.skill)) for one in reviews) or 1.0
    made = []
    for place, seat, points in placed:
        one = reviews[seat]
        made.append(
            PlayerCard(
                seat=seat,
                name=names[seat],
                bot=bots[seat],
                place=place,
                points=points,
                expected=figure(one.expected_at_start, language),
                final=str(points) if one.finished else figure(one.final, language),
                luck=figure(one.luck, language, sign=True),
                skill=figure(one.skill, language, sign=True),
                luck_share=round(100 * one.luck / most, 1),
                skill_share=round(100 * one.skill / most, 1),
                error_rate=figure(one.error_rate, language, 2),
                rating=one.rating or "",
                rating_name=rating_text(one.rating, language),
                blunders=one.count("blunder"),
                inaccuracies=one.count("inaccuracy"),
                rolls_known=one.rolls_known,
            )
        )
    return made


def chart(record: Record, names: list[str], language: Language, found: Reviewed | None) -> Markup:
    """The expected final score through the game; without a coach the points."""
    _ = language.gettext
    across = _("turns played")
    if found is not None:
        players = dict(zip(names, found.review.players, strict=True))
        return lines(
            {name: player.course for name, player in players.items()},
            _("Expected final score through the game"),
            across,
            level=found.review.players[0].expected_at_start,
            under_way={name: player.under_way for name, player in players.items()},
        )
    totals = points_by_turn(record)
    return lines(dict(zip(names, totals, strict=True)), _("Points, turn by turn"), across)


def points_by_turn(record: Record) -> list[list[float]]:
    """Each player's points, at the start and after each turn."""
    totals = [[0.0] for _ in record.header.players]
    for move, before, after in zip(record.moves, record.states, record.states[1:], strict=False):
        if isinstance(move, Score | Write):
            seat = move.seat if isinstance(move, Write) else before.player
            total = float(final_score(record.rules, after.sheets[seat]))
            if isinstance(move, Write) and move.was is not None:  # a correction is no turn
                totals[seat][-1 if move.points is not None else -2 :] = [total]
            else:
                totals[seat].append(total)
    return totals


def notes(record: Record, names: list[str], language: Language, found: Reviewed | None) -> list[str]:
    """Notes on how to read the figures."""
    if found is None:
        return []
    said = [] if found.review.exact else [learned_text(language)]
    said += rolls_unknown_text([one.name for one in found.review.players if not one.rolls_known], language)
    if not record.state.finished:
        said.append(unfinished_text(language))
        if found.wins:
            percents = [percent_text(chance, language) for chance in found.wins.chances]
            chances = zip(names, percents, strict=True)
            said.append(chances_text(list(chances), found.wins.standard_error, found.wins.games, language))
    return said


router = APIRouter(include_in_schema=False)
PATIENCE = 10.0  # seconds; then the page is sent without the coach and asks again

Seat = Annotated[int | None, Query(ge=0, le=99)]


def draw(
    request: Request,
    viewer: Viewer,
    live: LiveMatch,
    template: str,
    seat: int | None,
    kept: KeptReview | None,
    **more: Any,
) -> Response:
    """Render the page or a part of it, with the turns of one player: the requested one, else the viewer."""
    found = kept.read() if kept else None
    record = found.record if found else replace(live.playing().record)  # a copy: it is replayed
    if seat is None or seat >= len(record.header.players):
        seat = min(live.seats_of(viewer.holder), default=0)
    mine = found is not None and seat in live.seats_of(viewer.holder)
    habits = habits_over_games(matches_of(request).store, viewer.holder, record.rules) if mine else None
    view = review_view(record, viewer.language, seat, found, habits)
    continues = live.shown_only and not record.state.finished
    about: dict[str, Any] = {
        "match_id": live.id,
        "may_try": may_try(live, viewer.holder),
        "may_continue": continues,
    }
    return page(request, viewer, template, review=view, **about, **more)


async def show(request: Request, *arguments: Any, **more: Any) -> Response:
    """Render in the background thread, through a fair queue: a long game has thousands of lines."""
    return await matches_of(request).in_background(partial(draw, request, *arguments, **more))


@router.get("/t/{match}/review")
async def review_match(
    request: Request,
    viewer: ViewerNow,
    reviews: ReviewsNow,
    live: Asked,
    seat: Seat = None,
    coach: str = "",
) -> Response:
    """Show the page; with the coach's part if it is known, or requested by a browser without scripts."""
    found, problem = reviews.remembered(live), None
    try:
        if not found:
            check_may(live)
        if coach:
            found = await reviews.ask(live, PATIENCE)
    except DicecupError as error:
        problem = viewer.language.sentence(error, live.playing().rules)
    asking = not found and not problem
    return await show(request, viewer, live, "review.html", seat, found, asking=asking, problem=problem)


@router.get("/t/{match}/review/coach")
async def coach_part(
    request: Request, viewer: ViewerNow, reviews: ReviewsNow, live: Asked, seat: Seat = None
) -> Response:
    """Return the body of the page once the coach has reviewed the game."""
    try:
        found = await reviews.ask(live, PATIENCE)
    except DicecupError as error:
        busy = error.code in ("coach_busy", "still_working")
        problem = None if busy else viewer.language.sentence(error, live.playing().rules)
        answer = page(
            request, viewer, "review/asking.html", match_id=live.id, asking=busy, again=True, problem=problem
        )
        answer.headers.update({"HX-Retarget": "#asking", "HX-Reswap": "outerHTML"})
        return answer
    return await show(
        request, viewer, live, "review/body.html", seat, found, asking=False, problem=None, here=True
    )


@router.get("/t/{match}/review/turns")
async def turns_part(
    request: Request, viewer: ViewerNow, reviews: ReviewsNow, live: Asked, seat: Seat = None
) -> Response:
    """Return the turns of another player."""
    found = reviews.remembered(live)
    return await show(request, viewer, live, "review/turns.html", seat, found, switched=True)


@router.get("/review")
async def ask_for_record(request: Request, viewer: ViewerNow) -> Response:
    return page(request, viewer, "upload.html", problem="")


@router.post("/review")
async def review_upload(
    request: Request, viewer: ViewerNow, matches: MatchesNow, uploads: UploadsNow, form: Form
) -> Response:
    upload = form.get("record")
    if not isinstance(upload, UploadFile):
        raise UsageError("request_wrong", problem="record")
    try:
        async with uploads.reading(await upload.read(MOST_RECORD + 1)) as uploaded:
            live = await keep_record(matches, uploaded)
    except DicecupError as error:
        problem = viewer.language.sentence(error)
        return page(request, viewer, "upload.html", status_of(error), problem=problem, code=error.code)
    return go_to(request, viewer, f"/t/{live.id}/review")


@router.post("/t/{match}/continue")
async def continue_game(
    request: Request,
    viewer: ViewerNow,
    matches: MatchesNow,
    live: Asked,
    form: Form,  # noqa: ARG001 - checked
) -> Response:
    """Open a match of one's own that continues the game of a file."""
    continued = await go_on(matches, live, viewer.key)
    return go_to(request, viewer, f"/t/{continued.id}")


@router.post("/t/{match}/try")
async def try_position(
    request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked, form: Form
) -> Response:
    """Open a match of one's own from a position of this one."""
    moves = number(form, "moves", 5) or 0
    tried = await try_again(matches, live, moves, viewer.key)
    return go_to(request, viewer, f"/t/{tried.id}")
