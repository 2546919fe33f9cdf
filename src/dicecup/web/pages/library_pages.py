"""Pages for reading: rules, the guide, my games, proof, preferences."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.datastructures import QueryParams
from starlette.responses import Response

from dicecup.engine.record_dice import verify
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import UsageError
from dicecup.i18n.describe import describe_game, describe_turn
from dicecup.i18n.language import game_name, summary
from dicecup.i18n.score_sheet import pad_data, pdf_of
from dicecup.i18n.sentences import proof_statements
from dicecup.installation import is_installed
from dicecup.rules.house import is_house
from dicecup.rules.model import Ruleset
from dicecup.storage.stored import MatchPage, ResultPage
from dicecup.web.assets import GUIDE, guide_page, rules_page
from dicecup.web.guard import COOKIE
from dicecup.web.pages.match_page import Asked
from dicecup.web.pages.my_games import game_line, statistics_views
from dicecup.web.pages.render import go_to, page, path_here
from dicecup.web.pages.setup_page import GameAsked, games, in_groups, options_view
from dicecup.web.service.matches import Matches
from dicecup.web.service.opening import game_rules
from dicecup.web.service.personal_data import FILE_NAME, delete_person, export_person
from dicecup.web.service.reviewing import Reviews
from dicecup.web.texts import house_rules, line_names, player_name
from dicecup.web.viewer import (
    Form,
    MatchesNow,
    ReviewsNow,
    Viewer,
    ViewerNow,
    set_preferences,
    with_preferences,
)

router = APIRouter(include_in_schema=False)


@router.get("/rules")
async def all_rules(request: Request, viewer: ViewerNow) -> Response:
    named = [(game, game_name(game_rules(game), viewer.language.code)) for game in games()]
    cards, family = in_groups(named)
    return page(request, viewer, "rules_list.html", cards=cards, family=family)


@router.get("/rules/{game}")
async def rules(request: Request, viewer: ViewerNow, matches: MatchesNow, game: GameAsked) -> Response:
    """The essentials on a screen or two, from the rules as data, also with house rules."""
    return await matches.in_background(draw_rules, request, viewer, game)


def with_options(game: str, given: QueryParams) -> Ruleset:
    """The rules of a game with the options that an address names."""
    return game_rules(game, {option: given[option] for option in game_rules(game).choices if option in given})


def draw_rules(request: Request, viewer: Viewer, game: str) -> Response:
    spoken, known = viewer.language, with_options(game, request.query_params)
    names = line_names(known, spoken)
    return page(
        request,
        viewer,
        "rules.html",
        game=game,
        house=is_house(game),
        game_name=game_name(known, spoken.code),
        summary=summary(known, spoken.code),
        turn=describe_turn(known, spoken),
        notes=describe_game(known, spoken),
        house_rules=house_rules(known, spoken),
        options=options_view(known, known.options, spoken),
        pad_query=f"?{urlencode(unusual)}" if (unusual := known.non_default_options) else "",
        lines=[(line, *names[line], line in known.box_index) for line in known.lines],
    )


@router.get("/rules/{game}/pad.pdf")
async def printed_pad(
    request: Request,
    viewer: ViewerNow,
    matches: MatchesNow,
    game: GameAsked,
    players: Annotated[int, Query(ge=1, le=MOST_PLAYERS)] = 4,
    paper: Literal["a4", "letter"] = "a4",
) -> Response:
    """A score pad to print, as `dicecup sheet` makes it; also with house rules."""
    if not is_installed("pdf"):
        raise UsageError("typst_missing")

    def draw_pad() -> Response:
        known = with_options(game, request.query_params)
        return Response(
            pdf_of(pad_data(known, players, paper, viewer.language)),
            media_type="application/pdf",
            headers={"Content-Disposition": f'inline; filename="{known.id}.pdf"'},
        )

    return await matches.in_background(draw_pad)


@router.get("/rules/{game}/full")
async def full_rules(request: Request, viewer: ViewerNow, game: GameAsked) -> Response:
    """The whole text, with examples."""
    code = viewer.language.code
    name, text = game_name(game_rules(game), code), rules_page(game, code).html
    return page(request, viewer, "rules_full.html", game=game, game_name=name, text=text)


@router.get("/guide")
async def guide(request: Request, viewer: ViewerNow) -> Response:
    return show_guide(request, viewer, GUIDE[0])


@router.get("/guide/{name}")
async def guide_part(request: Request, viewer: ViewerNow, name: str) -> Response:
    return show_guide(request, viewer, name)


def show_guide(request: Request, viewer: Viewer, name: str) -> Response:
    document = guide_page(name, viewer.language.code)
    return page(request, viewer, "guide.html", name=name, document=document, names=GUIDE)


GAMES_ON_A_PAGE = 50
RESULTS_ON_A_PAGE = 250  # in the statistics
Count = Annotated[int, Query(ge=0, le=10_000_000)]
ListStart = Annotated[str, Query(max_length=80)]  # where a part of a list begins


@router.get("/mine")
async def mine(
    request: Request,
    viewer: ViewerNow,
    matches: MatchesNow,
    reviews: ReviewsNow,
    before: ListStart = "",
    results: ListStart = "",
) -> Response:
    """The newest games and their statistics; or, further back, one part of either."""
    return await show_mine(request, viewer, matches, reviews, "mine.html", before, results)


@router.get("/mine/statistics")
async def mine_again(
    request: Request, viewer: ViewerNow, matches: MatchesNow, reviews: ReviewsNow
) -> Response:
    """The body of the page again, while the coach reviews games that have no review yet."""
    return await show_mine(request, viewer, matches, reviews, "mine_body.html")


async def show_mine(
    request: Request,
    viewer: Viewer,
    matches: Matches,
    reviews: Reviews,
    template: str,
    before: str = "",
    results_before: str = "",
) -> Response:
    store, holder = matches.store, viewer.holder
    listed, counted, missing = MatchPage([]), ResultPage([], {}), False
    was_looking = reviews.is_looking(holder)  # if it ends after this, the page polls once more
    if not results_before:
        listed = await asyncio.to_thread(store.matches_of, holder, before, GAMES_ON_A_PAGE)
    if not before:
        counted, missing = await reviews.reviewed_results(holder, results_before, RESULTS_ON_A_PAGE)
    asked_again = template != "mine.html"
    looking = missing and (was_looking if asked_again else reviews.catch_up(holder))

    def draw() -> Response:
        return page(
            request,
            viewer,
            template,
            games=[game_line(line, viewer.language) for line in listed.lines],
            older_games=listed.older,
            statistics=statistics_views(counted, viewer.language),
            older_results=counted.older,
            results_at_a_time=RESULTS_ON_A_PAGE,
            further_back=bool(before or results_before),
            looking=looking,
        )

    return await matches.in_background(draw)


@router.get("/mine/data")
async def my_data(
    request: Request, viewer: ViewerNow, deleted: Count | None = None, kept: Count = 0
) -> Response:
    return page(request, viewer, "my_data.html", deleted=deleted, kept=kept)


@router.get("/mine/data/export")
async def export(viewer: ViewerNow, matches: MatchesNow) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{FILE_NAME}"'}
    return StreamingResponse(
        export_person(matches, viewer.holder), media_type="application/zip", headers=headers
    )


@router.post("/mine/data")
async def delete(request: Request, viewer: ViewerNow, matches: MatchesNow, form: Form) -> Response:
    """Delete what is stored about somebody, and their key in the browser, if they ticked the box."""
    if form.get("sure") != "yes":
        return page(request, viewer, "my_data.html", not_sure=True)
    found = await delete_person(matches, viewer.holder)
    # A new page, because this one was made for the key that is gone now.
    response = go_to(request, viewer, f"/mine/data?deleted={len(found.removed)}&kept={len(found.renamed)}")
    for cookie in (COOKIE, "name"):
        response.delete_cookie(cookie)
    return response


@router.get("/t/{match}/record")
async def record(matches: MatchesNow, live: Asked) -> Response:
    name = f"{game_rules(live.stored.opening.ruleset).id}-{live.id}.record"
    text = await matches.record_text(live)
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/t/{match}/proof")
async def proof(request: Request, viewer: ViewerNow, matches: MatchesNow, live: Asked) -> Response:
    known = live.playing().record
    found = await matches.work_on_record(len(known.entries), verify, known)
    problem = viewer.language.sentence(found.problem, known.rules) if found.problem else ""
    contributors = tuple(player_name(player, viewer.language) for player in found.contributors)
    named = replace(found, contributors=contributors)
    return page(
        request,
        viewer,
        "proof.html",
        match_id=live.id,
        game_name=game_name(known.rules, viewer.language.code),
        origin=known.header.origin,
        players=[player_name(player, viewer.language) for player in known.header.players],
        secret=known.secret,
        finished=known.state.finished,
        proof=found,
        problem=problem,
        statements=proof_statements(named, viewer.language),
    )


@router.post("/preferences")
async def preferences(request: Request, viewer: ViewerNow, form: Form) -> Response:
    response = go_to(request, viewer, path_here(form, "back"))
    return set_preferences(request, response, with_preferences(viewer, form))
