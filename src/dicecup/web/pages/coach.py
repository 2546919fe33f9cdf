"""What the coach says at a table that has it on: a hint when asked, and how the game stands so far."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.engine.moves import Keep, Score
from dicecup.engine.record import Record
from dicecup.errors import MoveError
from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.rules.model import Ruleset
from dicecup.web.pages.names import dice_text, player_name
from dicecup.web.pages.render import page
from dicecup.web.pages.table import Asked
from dicecup.web.service.coaching import coach
from dicecup.web.service.table import Table
from dicecup.web.viewer import ViewerNow

router = APIRouter(prefix="/t/{match}", include_in_schema=False)
MOST_CHOICES = 8


@dataclass(frozen=True, slots=True)
class ChoiceView:
    text: str
    expected: float
    loss: float


@dataclass(frozen=True, slots=True)
class PlayerSoFar:
    name: str
    luck: float
    skill: float
    chance: float | None  # to win, in per cent
    last: str  # the last decision
    loss: float


def move_text(rules: Ruleset, move: Keep | Score, language: Language) -> str:
    _ = language.gettext
    if isinstance(move, Keep):
        if not move.dice:
            return _("throw all")
        return _("keep {dice}").format(dice=dice_text(move.dice))
    boxes = [
        " ".join(name(rules, part, language.code) for part in (place.box, place.column) if part)
        + (" 0" if place.strike else "")
        for place in move.placements
    ]
    return language.join(boxes)


def check_coach(table: Table) -> None:
    table.playing()
    if not table.stored.opening.coach:
        raise MoveError("coach_off")


@router.get("/hint")
async def hint(request: Request, viewer: ViewerNow, table: Asked) -> Response:
    check_coach(table)
    match = table.playing()
    advice = await asyncio.to_thread(coach().advice, match.rules, match.state)
    choices = [
        ChoiceView(move_text(match.rules, choice.move, viewer.language), choice.expected, choice.loss)
        for choice in advice.choices[:MOST_CHOICES]
    ]
    return page(
        request,
        viewer,
        "table/hint.html",
        choices=choices,
        more=len(advice.choices) - len(choices),
        expected=advice.expected,
        exact=advice.exact,
    )


@router.get("/so-far")
async def so_far(request: Request, viewer: ViewerNow, table: Asked) -> Response:
    check_coach(table)
    match = table.playing()
    review, chances = await asyncio.to_thread(look_back, match.record)
    players = [
        player_so_far(match.rules, found, chances[number] if chances else None, viewer.language)
        for number, found in enumerate(review.players)
    ]
    return page(request, viewer, "table/so_far.html", players=players, exact=review.exact)


def look_back(record: Record) -> tuple[Any, Any]:
    asked = coach()
    several = len(record.header.players) > 1 and not record.state.finished
    chances = asked.win_chances(record.rules, record.state)[0] if several else None
    return asked.review(record), chances


def player_so_far(rules: Ruleset, found: Any, chance: float | None, language: Language) -> PlayerSoFar:
    last = found.decisions[-1] if found.decisions else None
    return PlayerSoFar(
        name=player_name(found.name, language),
        luck=found.luck,
        skill=found.skill,
        chance=None if chance is None else 100 * chance,
        last=move_text(rules, last.taken.move, language) if last else "",
        loss=last.taken.loss if last else 0.0,
    )
