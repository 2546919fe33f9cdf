"""Evenings: begin them, add games to them, see who won; and statistics of people over evenings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from pydantic import BaseModel, Field

from dicecup.storage.stored import MatchLine
from dicecup.web.api.models import Model, Opened, StandingAnswer, answer, new_router
from dicecup.web.service import evening_tally as evenings
from dicecup.web.service.evening_tally import Duel, EveningReport, PersonTotals
from dicecup.web.service.identity import key_hash, new_key
from dicecup.web.texts import evening_card, evening_name, player_name
from dicecup.web.viewer import Key, MatchesNow, language_of

EveningName = Annotated[str, Field(max_length=200, description="Empty: it is called by its date.")]
EveningId = Annotated[str, Path(max_length=40)]
MatchId = Annotated[str, Path(max_length=40)]


class EveningRequest(Model):
    name: EveningName = ""
    match: Annotated[str, Field(max_length=40, description="Its first game; you must have a seat in it.")] = (
        ""
    )


class EveningNameRequest(Model):
    name: EveningName


class EveningMatchRequest(Model):
    match: Annotated[str, Field(max_length=40)]


class BestRollAnswer(BaseModel):
    """The dice that gave the most points in one box."""

    game: str
    match: str
    points: int
    box: str
    dice: str


class PersonGameAnswer(BaseModel):
    """Somebody's results in one game."""

    games: int
    won: float
    mean: float
    best: int


class PersonAnswer(BaseModel):
    """What somebody achieved in finished games."""

    name: str
    bot: bool
    place: int
    games: int
    won: Annotated[float, Field(description="A tied win counts in parts: 0.5 for each of two.")]
    points: int
    undone: Annotated[int, Field(description="Games in which a roll of the server was undone.")]
    evenings: int
    best_game: int
    best_roll: Annotated[BestRollAnswer | None, Field(description="Where the dice are known.")]
    by_game: dict[str, PersonGameAnswer]


class DuelAnswer(BaseModel):
    """How often the first of two people had more points than the second, in games that both played."""

    first: str
    second: str
    games: int
    won: int
    lost: int
    tied: int


class EveningGameAnswer(BaseModel):
    id: str
    game: str
    created: str
    finished: str | None
    names: list[str]
    undone: bool
    standings: list[StandingAnswer]


class EveningAnswer(BaseModel):
    """An evening; its tally is derived from the games that are over."""

    id: str
    name: str
    title: Annotated[str, Field(description="The name, or its date in your language.")]
    created: str
    yours: Annotated[bool, Field(description="Whether you began it or play in it.")]
    games: Annotated[list[EveningGameAnswer], Field(description="Oldest first.")]
    tally: list[PersonAnswer]
    head_to_head: list[DuelAnswer]


class BegunEvening(BaseModel):
    """An evening with the key that it belongs to: send it as `Authorization: Bearer KEY`."""

    key: str
    evening: EveningAnswer


class EveningSummary(BaseModel):
    id: str
    name: str
    title: str
    created: str
    games: int


class PeopleAnswer(BaseModel):
    """The people of your newest evenings."""

    evenings: int
    people: list[PersonAnswer]
    head_to_head: list[DuelAnswer]


router = new_router("evenings")


@router.post("/evenings", status_code=201)
async def begin(request: Request, matches: MatchesNow, key: Key, body: EveningRequest) -> BegunEvening:
    """Begin an evening. Whoever knows its id can see it and add games to it."""
    holder = key or new_key()
    live = await matches.get(body.match) if body.match else None
    begun = await evenings.begin_evening(matches, holder, body.name, live)
    return BegunEvening(key=holder, evening=await evening_answer(request, matches, begun.id, holder))


@router.get("/evenings/{evening}")
async def look(request: Request, matches: MatchesNow, key: Key, evening: EveningId) -> EveningAnswer:
    """Its games, and who won how many of them."""
    return await evening_answer(request, matches, evening, key)


@router.get("/evenings/{evening}/card.svg", response_class=Response)
async def card(request: Request, matches: MatchesNow, key: Key, evening: EveningId) -> Response:
    """The tally as a picture, in your language."""
    report = await evenings.report(matches, evening, key_hash(key))
    return Response(evening_card(report, language_of(request)), media_type="image/svg+xml")


@router.post("/evenings/{evening}/name")
async def rename(
    request: Request, matches: MatchesNow, key: Key, evening: EveningId, body: EveningNameRequest
) -> EveningAnswer:
    await evenings.rename(matches, evening, key, body.name)
    return await evening_answer(request, matches, evening, key)


@router.delete("/evenings/{evening}", status_code=204)
async def dissolve(matches: MatchesNow, key: Key, evening: EveningId) -> None:
    """Remove an evening that you began. Its games remain."""
    await evenings.dissolve(matches, evening, key)


@router.post("/evenings/{evening}/next", status_code=201)
async def next_game(matches: MatchesNow, key: Key, evening: EveningId) -> Opened:
    """The game that is going on, or the next one: the same people, the next player first."""
    live = await evenings.next_game(matches, evening, key)
    return Opened(key=key, state=answer(live, live.seats_of(key_hash(key))))


@router.post("/evenings/{evening}/matches")
async def add_match(
    request: Request, matches: MatchesNow, key: Key, evening: EveningId, body: EveningMatchRequest
) -> EveningAnswer:
    """Add a match that you have a seat in. A match can be in one evening only."""
    await evenings.add_match(matches, evening, await matches.get(body.match), key)
    return await evening_answer(request, matches, evening, key)


@router.delete("/evenings/{evening}/matches/{match}")
async def take_match_out(
    request: Request, matches: MatchesNow, key: Key, evening: EveningId, match: MatchId
) -> EveningAnswer:
    """Take a match that you have a seat in out of the evening. The match itself remains."""
    await evenings.take_match_out(matches, evening, await matches.get(match), key)
    return await evening_answer(request, matches, evening, key)


@router.get("/my/evenings")
async def my_evenings(request: Request, matches: MatchesNow, key: Key) -> list[EveningSummary]:
    """Your newest evenings, newest first."""
    spoken = language_of(request)
    found = await evenings.people_report(matches, key_hash(key))
    return [
        EveningSummary(
            id=one.id, name=one.name, title=evening_name(one, spoken), created=one.created, games=len(lines)
        )
        for one, lines in found.evenings
    ]


@router.get("/my/people")
async def my_people(request: Request, matches: MatchesNow, key: Key) -> PeopleAnswer:
    """Everybody who played in your newest evenings: games won, means, best rolls, and head to head."""
    found = await evenings.people_report(matches, key_hash(key))
    return PeopleAnswer(
        evenings=len(found.evenings),
        people=[person_answer(request, one) for one in found.people],
        head_to_head=[duel_answer(duel) for duel in found.duels],
    )


async def evening_answer(request: Request, matches: MatchesNow, evening: str, key: str) -> EveningAnswer:
    report: EveningReport = await evenings.report(matches, evening, key_hash(key))
    found = report.evening
    return EveningAnswer(
        id=found.id,
        name=found.name,
        title=evening_name(found, language_of(request)),
        created=found.created,
        yours=report.belongs,
        games=[game_answer(line) for line in report.lines],
        tally=[person_answer(request, one) for one in report.tally],
        head_to_head=[duel_answer(duel) for duel in report.duels],
    )


def game_answer(line: MatchLine) -> EveningGameAnswer:
    return EveningGameAnswer(
        id=line.id,
        game=line.ruleset,
        created=line.created,
        finished=line.finished,
        names=list(line.names),
        undone=line.undone,
        standings=[StandingAnswer(place=end.place, seat=end.seat, points=end.points) for end in line.ended],
    )


def person_answer(request: Request, one: PersonTotals) -> PersonAnswer:
    best = one.best_roll
    return PersonAnswer(
        name=player_name(one.name, language_of(request)),
        bot=one.is_bot,
        place=one.place,
        games=one.games,
        won=float(one.won),
        points=one.points,
        undone=one.undone,
        evenings=len(one.evenings),
        best_game=one.best_game[0] if one.best_game else 0,
        best_roll=BestRollAnswer(
            game=best.game,
            match=best.match,
            points=best.roll.points,
            box=best.roll.box,
            dice=best.roll.dice,
        )
        if best
        else None,
        by_game={
            game: PersonGameAnswer(
                games=len(points), won=float(one.won_by_game[game]), mean=one.mean(game), best=max(points)
            )
            for game, points in one.by_game.items()
        },
    )


def duel_answer(duel: Duel) -> DuelAnswer:
    return DuelAnswer(
        first=duel.first,
        second=duel.second,
        games=duel.games,
        won=duel.won,
        lost=duel.lost,
        tied=duel.tied,
    )
