"""House rules: check a rules file, get the reference by which it is played, and what it is worth."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, Field

from dicecup.errors import UsageError
from dicecup.rules.house import MOST_REFERENCE, MOST_TEXT, is_house, rules_text, unpack_tables
from dicecup.rules.loader import house_reference
from dicecup.rules.model import Ruleset
from dicecup.rules.schema import rules_schema
from dicecup.web.api.library import GameAnswer, game_answer
from dicecup.web.api.models import REFUSALS, ErrorAnswer, Model, new_router
from dicecup.web.service.house_draft import builtin_base
from dicecup.web.service.house_values import HouseValues
from dicecup.web.service.opening import game_rules
from dicecup.web.viewer import MatchesNow

router = new_router("house rules")
Reference = Annotated[str, Query(max_length=MOST_REFERENCE, description="`house:…`")]


class RulesText(Model):
    text: Annotated[str, Field(max_length=MOST_TEXT, description="A rules file.")]


class HouseRequest(Model):
    rules: Annotated[str, Field(max_length=MOST_REFERENCE, description="`house:…`")]


class HouseAnswer(BaseModel):
    """House rules that are right. `reference` is a `game` wherever one is asked for."""

    reference: str
    base: str
    game: GameAnswer
    text: str


class WorthAnswer(BaseModel):
    """What house rules are worth with perfect play, and their base if that is known."""

    status: Literal["unsolved", "solving", "solved"]
    share: Annotated[float, Field(description="How much is solved.")] = 0.0
    expected: float | None = None
    base_expected: float | None = None
    difference: float | None = None


async def known_house(matches: MatchesNow, reference: str) -> Ruleset:
    if not is_house(reference):
        raise UsageError("not_found")
    return await matches.in_background(game_rules, reference)


def house_answer(rules: Ruleset) -> HouseAnswer:
    reference = rules.reference
    text = rules_text(unpack_tables(reference))
    return HouseAnswer(reference=reference, base=builtin_base(reference), game=game_answer(rules), text=text)


@router.post("/house-rules", responses={400: {**REFUSALS[400], "model": ErrorAnswer}})
async def check(matches: MatchesNow, body: RulesText) -> HouseAnswer:
    """Check a rules file. What is wrong with it is one sentence that names the key."""
    reference = await matches.in_background(house_reference, body.text)
    return house_answer(game_rules(reference))


@router.get("/house-rules")
async def show(matches: MatchesNow, rules: Reference) -> HouseAnswer:
    """House rules that a reference carries, also as the text of a rules file."""
    return house_answer(await known_house(matches, rules))


@router.post("/house-rules/value")
async def solve(request: Request, matches: MatchesNow, body: HouseRequest) -> WorthAnswer:
    """Begin to solve house rules, one game of yours at a time; ask again for the value."""
    values: HouseValues = request.app.state.house_values
    values.start(await known_house(matches, body.rules))
    return worth(values, game_rules(body.rules))


@router.get("/house-rules/value")
async def value(request: Request, matches: MatchesNow, rules: Reference) -> WorthAnswer:
    """What house rules are worth, or how far the solve is."""
    values: HouseValues = request.app.state.house_values
    return worth(values, await known_house(matches, rules))


def worth(values: HouseValues, rules: Ruleset) -> WorthAnswer:
    job = values.find(rules)
    if job is None:
        return WorthAnswer(status="unsolved")
    found = job.value
    if found is None:
        return WorthAnswer(status="solving", share=job.share)
    base = found.base_expected
    return WorthAnswer(
        status="solved",
        share=1.0,
        expected=found.expected,
        base_expected=base,
        difference=None if base is None else found.expected - base,
    )


@router.get("/rules.schema.json")
async def schema() -> dict[str, Any]:
    """The JSON Schema of rules files, for editors."""
    return rules_schema()
