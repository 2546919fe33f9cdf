"""Games and their rules, languages, bots; one's own matches, results and statistics."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from dicecup.bots import BOT_PREFIX
from dicecup.bots.strength import usual_score
from dicecup.i18n.language import LANGUAGE_NAMES, LANGUAGES, language
from dicecup.i18n.names import game_name, option_name, option_text, summary
from dicecup.rules.loader import builtin_ids
from dicecup.rules.model import Ruleset
from dicecup.storage.verdicts import verdicts_of
from dicecup.web.api.common import REFUSALS, Key
from dicecup.web.api.library_models import (
    BotAnswer,
    GameAnswer,
    Language,
    LanguageAnswer,
    LineText,
    MatchSummary,
    MyStatistics,
    OptionAnswer,
    OptionText,
    OptionValueText,
    ResultAnswer,
    RulesAnswer,
    StatisticsAnswer,
)
from dicecup.web.api.models import Standing
from dicecup.web.pages.names import bot_text, line_names, player_name
from dicecup.web.pages.rules_text import rules_markdown
from dicecup.web.service.advising import bots_here
from dicecup.web.service.keys import key_hash
from dicecup.web.service.opening import game_rules
from dicecup.web.service.statistics import Statistics, statistics
from dicecup.web.viewer import ReviewsNow, TablesNow, language_of

router = APIRouter(prefix="/api", tags=["library"], responses=REFUSALS)


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
        for bot in bots_here()
    ]


def usual_scores(bot: str) -> dict[str, int]:
    scores = {game: usual_score(game_rules(game), bot) for game in builtin_ids()}
    return {game: score for game, score in scores.items() if score is not None}


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
    game: Annotated[str, Path(max_length=40)],
    wanted: Annotated[Language | None, Query(alias="language")] = None,
) -> RulesAnswer:
    """The rules in words, and what each line of the sheet gives; in your language if none is named."""
    known, spoken = game_rules(game), language(wanted) if wanted else language_of(request)
    code = spoken.code
    names = line_names(known, spoken)
    return RulesAnswer(
        game=game,
        language=code,
        name=game_name(known, code),
        summary=summary(known, code),
        text=rules_markdown(game, code),
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


@router.get("/my/matches")
async def my_matches(tables: TablesNow, key: Key) -> list[MatchSummary]:
    """The matches that your key has a seat in."""
    lines = await asyncio.to_thread(tables.store.matches_of, key_hash(key))
    return [
        MatchSummary(
            id=line.id,
            created=line.created,
            game=line.ruleset,
            names=list(line.names),
            begun=line.begun,
            finished=line.finished,
            tried=line.tried,
            standings=[Standing(place=end.place, seat=end.seat, points=end.points) for end in line.ended],
        )
        for line in lines
    ]


@router.get("/my/results")
async def my_results(tables: TablesNow, key: Key) -> list[ResultAnswer]:
    """How your finished games ended, the oldest first."""
    results = await asyncio.to_thread(tables.store.results_of, key_hash(key))
    verdicts = await asyncio.to_thread(verdicts_of, tables.store, key_hash(key))
    found = []
    for result in results:
        verdict = verdicts.get((result.match, result.seat))
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
async def my_statistics(tables: TablesNow, reviews: ReviewsNow, key: Key) -> MyStatistics:
    """What your results say, game by game. Asking has the coach look at games that it has not seen."""
    holder = key_hash(key)
    results = await asyncio.to_thread(tables.store.results_of, holder)
    verdicts = await asyncio.to_thread(verdicts_of, tables.store, holder)
    missing = any((result.match, result.seat) not in verdicts for result in results)
    return MyStatistics(
        statistics=[statistics_answer(one) for one in statistics(results, verdicts)],
        looking=missing and reviews.catch_up(holder),
    )


def statistics_answer(one: Statistics) -> StatisticsAnswer:
    points = [result.points for result in one.results]
    seen = bool(one.judged)
    return StatisticsAnswer(
        game=one.rules.id,
        options=dict(one.rules.options),
        name=one.name,
        games=len(points),
        mean=one.mean,
        best=max(points),
        worst=min(points),
        against=one.against,
        wins=one.wins,
        boxes=one.boxes,
        looked_at=len(one.judged),
        luck=one.mean_luck if seen else None,
        skill=one.mean_skill if seen else None,
        error_rate=one.error_rate if seen else None,
        rating=one.rating if seen else None,
    )
