"""Games and their rules, languages, bots; one's own matches, results and statistics."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from dicecup.bots import BOT_PREFIX, BOTS
from dicecup.bots.registry import usual_score
from dicecup.i18n.describe import describe_game, describe_turn
from dicecup.i18n.language import (
    LANGUAGE_NAMES,
    LANGUAGES,
    game_name,
    language,
    option_name,
    option_text,
    summary,
)
from dicecup.i18n.language import Language as Spoken
from dicecup.rules.house import MOST_REFERENCE, is_house
from dicecup.rules.loader import builtin_ids
from dicecup.rules.model import Ruleset
from dicecup.storage.results import MOST_LISTED, MOST_RESULTS
from dicecup.web.api.models import StandingAnswer, new_router
from dicecup.web.assets import rules_page
from dicecup.web.service.advising import bots_here
from dicecup.web.service.identity import key_hash
from dicecup.web.service.opening import game_rules
from dicecup.web.service.personal_data import FILE_NAME, delete_person, export_person
from dicecup.web.service.statistics import Statistics, statistics
from dicecup.web.texts import bot_text, line_names, player_name
from dicecup.web.viewer import Key, MatchesNow, ReviewsNow, language_of

Language = Literal["en", "fr", "de", "sv"]


class LanguageAnswer(BaseModel):
    code: str
    name: str


class BotAnswer(BaseModel):
    """A bot for a seat, and how it plays, in your language."""

    id: str
    name: str
    text: str
    usual_scores: Annotated[dict[str, int], Field(description="Its mean score in each game.")]


class OptionAnswer(BaseModel):
    id: str
    values: list[str]
    chosen: str


class GameAnswer(BaseModel):
    id: str
    identity: str
    dice: dict[str, Any]
    throws: int
    turns: int
    scored: list[str]
    boxes: list[str]
    columns: list[str]
    lines: list[str]
    options: list[OptionAnswer]


class LineText(BaseModel):
    id: str
    name: str
    gives: str
    box: Annotated[bool, Field(description="False for totals and bonuses.")]


class OptionValueText(BaseModel):
    id: str
    text: str


class OptionText(BaseModel):
    id: str
    name: str
    values: list[OptionValueText]


class RulesAnswer(BaseModel):
    """The rules of a game in one language, next to the terms of its sheet."""

    game: str
    language: str
    name: str
    summary: str
    essentials: Annotated[list[str], Field(description="The steps of a turn, and what else is good to know.")]
    text: Annotated[str, Field(description="Markdown.")]
    lines: list[LineText]
    options: list[OptionText]


class MatchSummary(BaseModel):
    id: str
    created: str
    game: str
    names: list[str]
    begun: bool
    finished: str | None
    tried: Annotated[bool, Field(description="From a position of another game on; in no statistics.")]
    undone: Annotated[bool, Field(description="A roll of the server was undone, and could be seen before.")]
    standings: Annotated[list[StandingAnswer], Field(description="Of a finished match, by seat.")]


class ResultAnswer(BaseModel):
    match: str
    seat: int
    name: str
    game: str
    points: int
    place: int
    players: int
    finished: str
    sheet: dict[str, Any]
    luck: Annotated[float | None, Field(description="In points; null until the coach has looked at it.")]
    skill: float | None
    error_rate: float | None


class StatisticsAnswer(BaseModel):
    """One player's results in one game with the same options.

    Luck and skill are means over the reviewed games.
    """

    game: str
    options: dict[str, str]
    name: str
    games: int
    mean: float
    best: int
    worst: int
    against: Annotated[int, Field(description="How many of the games had other players.")]
    wins: int
    undone: Annotated[int, Field(description="Games in which rolls were undone; not in luck and skill.")]
    boxes: dict[str, float]
    looked_at: int
    luck: float | None
    skill: float | None
    error_rate: float | None
    rating: str | None


class DeletionAnswer(BaseModel):
    """What became of your games."""

    deleted: int
    kept_for_others: Annotated[
        int, Field(description="Games with others: your name was replaced, the moves stay.")
    ]


class ZipResponse(StreamingResponse):
    media_type = "application/zip"


class MyStatistics(BaseModel):
    statistics: list[StatisticsAnswer]
    looking: Annotated[bool, Field(description="Whether the coach is looking at more games now.")]


router = new_router("library")


@router.get("/languages")
async def languages() -> list[LanguageAnswer]:
    """The languages of texts and refusals: ask with `Accept-Language`."""
    return [LanguageAnswer(code=code, name=LANGUAGE_NAMES[code]) for code in LANGUAGES]


@router.get("/bots")
async def bots(request: Request) -> list[BotAnswer]:
    """The bots that can play here, the weakest first."""
    spoken = language_of(request)
    return [
        BotAnswer(
            id=bot,
            name=player_name(f"{BOT_PREFIX}{bot}", spoken),
            text=bot_text(bot, spoken),
            usual_scores={
                game: score for game in builtin_ids() if (score := usual_score(game_rules(game), bot))
            },
        )
        for bot in BOTS
        if any(bot in bots_here(game_rules(game)) for game in builtin_ids())
    ]


def game_answer(rules: Ruleset) -> GameAnswer:
    return GameAnswer(
        id=rules.id,
        identity=rules.identity,
        dice=asdict(rules.dice),
        throws=rules.throws,
        turns=rules.turns,
        scored=list(rules.scored),
        boxes=[box.id for box in rules.boxes],
        columns=[column.id for column in rules.columns],
        lines=list(rules.lines),
        options=[
            OptionAnswer(id=option, values=list(values), chosen=rules.options[option])
            for option, values in rules.choices.items()
        ],
    )


@router.get("/games")
async def games() -> list[GameAnswer]:
    return [game_answer(game_rules(game)) for game in builtin_ids()]


@router.get("/games/{game}/rules")
async def rules(
    request: Request,
    matches: MatchesNow,
    game: Annotated[str, Path(max_length=MOST_REFERENCE)],
    wanted: Annotated[Language | None, Query(alias="language")] = None,
) -> RulesAnswer:
    """The rules in words, and what each line of the sheet gives; in your language if none is named."""
    spoken = language(wanted) if wanted else language_of(request)
    return await matches.in_background(rules_answer, game, spoken)


def rules_answer(game: str, spoken: Spoken) -> RulesAnswer:
    known, code = game_rules(game), spoken.code
    names = line_names(known, spoken)
    return RulesAnswer(
        game=game,
        language=code,
        name=game_name(known, code),
        summary=summary(known, code),
        essentials=[*describe_turn(known, spoken), *describe_game(known, spoken)],
        text="" if is_house(game) else rules_page(game, code).markdown,
        lines=[
            LineText(id=line, name=names[line][0], gives=names[line][1], box=line in known.box_index)
            for line in known.lines
        ],
        options=[
            OptionText(
                id=option,
                name=option_name(known, option, code),
                values=[
                    OptionValueText(id=value, text=option_text(known, option, value, code) or value)
                    for value in values
                ],
            )
            for option, values in known.choices.items()
        ],
    )


Before = Annotated[str, Query(max_length=80, description="Where a page begins: from the `Link` header.")]
MostMatches = Annotated[int, Query(ge=1, le=MOST_LISTED)]
MostResults = Annotated[int, Query(ge=1, le=MOST_RESULTS)]


def link_older(response: Response, request: Request, older: str) -> None:
    """Name the next page in the header `Link`, as GitHub does."""
    if older:
        address = request.url.include_query_params(before=older)
        response.headers["Link"] = f'<{address.path}?{address.query}>; rel="next"'


@router.get("/my/matches")
async def my_matches(
    request: Request,
    response: Response,
    matches: MatchesNow,
    key: Key,
    before: Before = "",
    most: MostMatches = MOST_LISTED,
) -> list[MatchSummary]:
    """The matches that your key has a seat in, newest first; the header `Link` leads to older ones."""
    page = await asyncio.to_thread(matches.store.matches_of, key_hash(key), before, most)
    link_older(response, request, page.older)
    return [
        MatchSummary(
            id=line.id,
            created=line.created,
            game=line.ruleset,
            names=list(line.names),
            begun=line.begun,
            finished=line.finished,
            tried=line.tried,
            undone=line.undone,
            standings=[
                StandingAnswer(place=end.place, seat=end.seat, points=end.points) for end in line.ended
            ],
        )
        for line in page.lines
    ]


@router.get("/my/results")
async def my_results(
    request: Request,
    response: Response,
    matches: MatchesNow,
    key: Key,
    before: Before = "",
    most: MostResults = MOST_RESULTS,
) -> list[ResultAnswer]:
    """How your newest finished games ended, the oldest first; the header `Link` leads to older ones."""
    page = await asyncio.to_thread(matches.store.results_of, key_hash(key), before, most)
    link_older(response, request, page.older)
    found = []
    for result in page.results:
        verdict = page.verdicts.get((result.match, result.seat))
        found.append(
            ResultAnswer(
                match=result.match,
                seat=result.seat,
                name=result.name,
                game=result.ruleset,
                points=result.points,
                place=result.place,
                players=result.players,
                finished=result.finished,
                sheet=json.loads(result.sheet),
                luck=verdict.luck if verdict else None,
                skill=verdict.skill if verdict else None,
                error_rate=verdict.error_rate if verdict else None,
            )
        )
    return found


@router.get("/my/statistics")
async def my_statistics(
    request: Request,
    response: Response,
    reviews: ReviewsNow,
    key: Key,
    before: Before = "",
    most: MostResults = MOST_RESULTS,
) -> MyStatistics:
    """Statistics of your newest results, game by game; the header `Link` leads to those of older ones.

    Asking starts the review of games that have none yet.
    """
    holder = key_hash(key)
    page, missing = await reviews.reviewed_results(holder, before, most)
    link_older(response, request, page.older)
    return MyStatistics(
        statistics=[statistics_answer(one) for one in statistics(page.results, page.verdicts, page.undone)],
        looking=missing and reviews.catch_up(holder),
    )


@router.get("/my/data", response_class=ZipResponse)
async def my_data(matches: MatchesNow, key: Key) -> StreamingResponse:
    """Everything stored under your key, as a ZIP archive: `games.json`, `evenings.json` and the records."""
    headers = {"Content-Disposition": f'attachment; filename="{FILE_NAME}"'}
    return ZipResponse(export_person(matches, key_hash(key)), headers=headers)


@router.delete("/my/data")
async def delete_my_data(matches: MatchesNow, key: Key) -> DeletionAnswer:
    """Delete everything that is stored under your key. It cannot be undone."""
    found = await delete_person(matches, key_hash(key))
    return DeletionAnswer(deleted=len(found.removed), kept_for_others=len(found.renamed))


def statistics_answer(one: Statistics) -> StatisticsAnswer:
    points = [result.points for result in one.results]
    seen = bool(one.judged)
    return StatisticsAnswer(
        game=one.rules.reference,
        options=dict(one.rules.options),
        name=one.name,
        games=len(points),
        mean=one.mean,
        best=max(points),
        worst=min(points),
        against=one.against,
        wins=one.wins,
        undone=one.undone,
        boxes=one.boxes,
        looked_at=len(one.judged),
        luck=one.mean_luck if seen else None,
        skill=one.mean_skill if seen else None,
        error_rate=one.error_rate if seen else None,
        rating=one.rating if seen else None,
    )
