"""Games, records and one's own results."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

from fastapi import APIRouter

from dicecup.engine.record import verify
from dicecup.engine.totals import standings
from dicecup.rules.loader import builtin_ids
from dicecup.rules.model import Ruleset
from dicecup.web.api.common import REFUSALS, Key
from dicecup.web.api.models import (
    GameAnswer,
    MatchSummary,
    OptionAnswer,
    Proof,
    RecordText,
    ResultAnswer,
    Review,
    Standing,
)
from dicecup.web.service.keys import key_hash
from dicecup.web.service.opening import game_rules
from dicecup.web.uploads import read_upload
from dicecup.web.viewer import TablesNow

router = APIRouter(prefix="/api", tags=["library"], responses=REFUSALS)


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
        )
        for line in lines
    ]


@router.get("/my/results")
async def my_results(tables: TablesNow, key: Key) -> list[ResultAnswer]:
    """How your finished games ended, the oldest first."""
    results = await asyncio.to_thread(tables.store.results_of, key_hash(key))
    return [
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
        )
        for result in results
    ]


@router.post("/reviews")
async def review(text: RecordText) -> Review:
    """Look at any record: is it in order, are its dice proved, how did it end."""
    record = await asyncio.to_thread(read_upload, text.record.encode())
    found = verify(record)
    return Review(
        game=record.header.reference,
        options=dict(record.rules.options),
        players=list(record.header.players),
        finished=record.state.finished,
        standings=[
            Standing(place=place, seat=seat, points=points)
            for place, seat, points in standings(record.rules, record.state)
        ],
        proof=Proof(
            dice=found.kind,
            proved=found.proved,
            throws=found.throws,
            error=found.problem.code if found.problem else None,
        ),
    )
