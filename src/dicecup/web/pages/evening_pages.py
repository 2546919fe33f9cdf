"""The pages of evenings: one with its tally, games and a picture to share; and all, with the people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from dicecup.i18n.language import Language, game_name
from dicecup.storage.people import MOST_EVENINGS
from dicecup.web.assets import qr_svg
from dicecup.web.pages.coach_view import figure
from dicecup.web.pages.my_games import GameLine, game_line
from dicecup.web.pages.render import base_address, go_to, only_here, page, render
from dicecup.web.pages.setup_page import games
from dicecup.web.pages.sheet_view import number
from dicecup.web.service import evening_tally as evenings
from dicecup.web.service.evening_tally import MOST_NAME, Duel, EveningReport, PeopleReport, PersonTotals
from dicecup.web.service.opening import game_rules
from dicecup.web.texts import best_roll_text, evening_card, evening_name, player_name, won_text
from dicecup.web.viewer import Form, MatchesNow, Viewer, ViewerNow

router = APIRouter(include_in_schema=False)
EveningAsked = Annotated[str, Path(max_length=40)]
MOST_DUELS = 30  # that a page shows


@dataclass(frozen=True, slots=True)
class PersonView:
    place: int
    name: str
    bot: bool
    evenings: int
    games: int
    won: str
    points: str
    undone: int
    best_game: str
    best_roll: str


@dataclass(frozen=True, slots=True)
class PersonGameView:
    """Somebody's results in one game."""

    name: str
    games: int
    won: str
    mean: str
    best: str


@dataclass(frozen=True, slots=True)
class EveningView:
    """An evening in the list."""

    id: str
    name: str
    day: str
    games: int
    names: str  # who won most, first


def person_view(one: PersonTotals, language: Language) -> PersonView:
    return PersonView(
        place=one.place,
        name=player_name(one.name, language),
        bot=one.is_bot,
        evenings=len(one.evenings),
        games=one.games,
        won=won_text(one.won, language),
        points=number(one.points),
        undone=one.undone,
        best_game=number(one.best_game[0]) if one.best_game else "",
        best_roll=best_roll_text(one.best_roll, language) if one.best_roll else "",
    )


def by_game(people: list[PersonTotals], language: Language) -> list[tuple[str, list[PersonGameView]]]:
    """Every game that was played, with the people who played it, the best mean first."""
    found = []
    for game in games():
        players = [one for one in people if game in one.by_game]
        views = [
            PersonGameView(
                name=player_name(one.name, language),
                games=len(one.by_game[game]),
                won=won_text(one.won_by_game[game], language),
                mean=figure(one.mean(game), language),
                best=number(max(one.by_game[game])),
            )
            for one in sorted(players, key=lambda one: -one.mean(game))
        ]
        if views:
            found.append((game_name(game_rules(game), language.code), views))
    return found


def tally_line(report: EveningReport, language: Language) -> str:
    """The tally in one line, for the page of a game: `Ann 2 · Bo 1`."""
    return " · ".join(
        f"{player_name(one.name, language)} {won_text(one.won, language)}" for one in report.tally
    )


@router.get("/evenings")
async def all_evenings(request: Request, viewer: ViewerNow, matches: MatchesNow) -> Response:
    """The evenings of this device, and the people over all of them."""
    report: PeopleReport = await evenings.people_report(matches, viewer.holder)
    return await matches.in_background(draw_evenings, request, viewer, report)


def draw_evenings(request: Request, viewer: Viewer, report: PeopleReport) -> Response:
    language = viewer.language
    finished = [line for _, lines in report.evenings for line in lines if line.ended]
    return page(
        request,
        viewer,
        "evenings.html",
        evenings=[
            EveningView(
                id=one.id,
                name=evening_name(one, language),
                day=one.created[:10],
                games=len(lines),
                names=", ".join(player_name(person.name, language) for person in evenings.totals(lines)),
            )
            for one, lines in report.evenings
        ],
        most_evenings=MOST_EVENINGS,
        people=[person_view(one, language) for one in report.people],
        duels=report.duels[:MOST_DUELS],
        games=by_game(report.people, language),
        finished=len(finished),
        undone=sum(line.undone for line in finished),
        most_name=MOST_NAME,
    )


@router.post("/evenings")
async def begin(request: Request, viewer: ViewerNow, matches: MatchesNow, form: Form) -> Response:
    begun = await evenings.begin_evening(matches, viewer.key, str(form.get("name", ""))[:200])
    return go_to(request, viewer, f"/e/{begun.id}")


@router.get("/e/{evening}")
async def look(request: Request, viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked) -> Response:
    report = await evenings.report(matches, evening, viewer.holder)
    return await matches.in_background(draw_evening, request, viewer, report)


def draw_evening(request: Request, viewer: Viewer, report: EveningReport) -> Response:
    language = viewer.language
    last = report.lines[-1] if report.lines else None
    lines: list[GameLine] = [game_line(line, language) for line in reversed(report.lines)]
    address = f"{base_address(request)}/e/{report.evening.id}"
    duels: list[Duel] = report.duels[:MOST_DUELS]
    return page(
        request,
        viewer,
        "evening.html",
        evening=report.evening,
        title=evening_name(report.evening, language),
        day=report.evening.created[:10],
        report=report,
        tally=[person_view(one, language) for one in report.tally],
        lines=lines,
        last=last,
        may_go_on=bool(last and last.ended and evenings.holds_seat(report, last.id)),
        duels=duels,
        games=[(game, game_name(game_rules(game), language.code)) for game in games()],
        address=address,
        code=qr_svg(address),
        only_here=only_here(address),
        most_name=MOST_NAME,
    )


@router.get("/e/{evening}/line")
async def line(viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked) -> Response:
    """The tally in one line, which the page of a game loads when the game is over."""
    report = await evenings.report(matches, evening, viewer.holder)
    text = tally_line(report, viewer.language)
    return HTMLResponse(render(viewer, "evening_line.html", evening=evening, line=text))


@router.get("/e/{evening}/card.svg")
async def card(viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked) -> Response:
    """The tally as a picture to share."""
    report = await evenings.report(matches, evening, viewer.holder)
    return Response(evening_card(report, viewer.language), media_type="image/svg+xml")


@router.post("/e/{evening}/next")
async def next_game(
    request: Request, viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked, _form: Form
) -> Response:
    live = await evenings.next_game(matches, evening, viewer.key)
    return go_to(request, viewer, f"/t/{live.id}")


@router.post("/e/{evening}/name")
async def rename(
    request: Request, viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked, form: Form
) -> Response:
    await evenings.rename(matches, evening, viewer.key, str(form.get("name", ""))[:200])
    return go_to(request, viewer, f"/e/{evening}")


@router.post("/e/{evening}/dissolve")
async def dissolve(
    request: Request, viewer: ViewerNow, matches: MatchesNow, evening: EveningAsked, _form: Form
) -> Response:
    await evenings.dissolve(matches, evening, viewer.key)
    return go_to(request, viewer, "/evenings")
