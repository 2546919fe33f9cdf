"""Puzzles and one's own mistakes: asking, answering, the rating."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field, JsonValue

from dicecup.coach.puzzles import START_RATING, Graded, Puzzle, daily_puzzles, find_puzzle, puzzle_games
from dicecup.engine.serialize import position_to_data
from dicecup.storage.results import PuzzleStanding, standing_of
from dicecup.web.api.models import Model, new_router
from dicecup.web.service import grading
from dicecup.web.service.identity import key_hash
from dicecup.web.viewer import Key, MatchesNow

router = new_router("puzzles")
PuzzleId = Annotated[str, Path(max_length=60)]


class PuzzleQuestion(BaseModel):
    """A position to decide in. Any legal move is an answer; `offered` are the ones that pages show."""

    id: str
    position: Annotated[dict[str, Any], Field(description="As `dicecup hint` takes it.")]
    offered: list[dict[str, Any]]
    rating: int


class DailyPuzzles(BaseModel):
    game: str
    day: date
    puzzles: Annotated[list[PuzzleQuestion], Field(description="Five, from easy to hard.")]


class GamesWithPuzzles(BaseModel):
    games: list[str]


class MoveAnswer(Model):
    move: Annotated[dict[str, JsonValue], Field(max_length=4, examples=[{"keep": [6, 6]}])]


class LossOfMove(BaseModel):
    move: dict[str, Any]
    loss: float


class AnswerVerdict(BaseModel):
    """What an answer is worth."""

    right: bool
    loss: float
    at_least: Annotated[bool, Field(description="Whether it may lose more: few choices are listed.")]
    best: dict[str, Any]
    options: Annotated[list[LossOfMove], Field(description="The listed choices, best first.")]


class PuzzleVerdict(AnswerVerdict):
    missed: Annotated[float, Field(description="How often bots that play like people miss it.")]
    rating: Annotated[float | None, Field(description="Yours after this answer; none without a key.")]
    change: Annotated[float, Field(description="Of your rating: the first answer to a puzzle counts.")]


class RatingAnswer(BaseModel):
    rating: float
    answered: int
    solved: int
    days: Annotated[int, Field(description="In a row, on which you answered a puzzle.")]


class MistakeQuestion(PuzzleQuestion):
    game: str
    player: str
    lost: float
    solved: Annotated[int, Field(description="In a row; at 5 it is known.")]
    due: Annotated[date | None, Field(description="When it is to be asked; none once it is known.")]


class MistakeVerdict(AnswerVerdict):
    solved: int
    due: date | None


def question(puzzle: Puzzle) -> dict[str, Any]:
    return {
        "id": puzzle.id,
        "position": position_to_data(puzzle.position),
        "offered": [dict(puzzle.moves[place]) for place in puzzle.offered],
        "rating": puzzle.rating,
    }


def verdict(puzzle: Puzzle, graded: Graded) -> dict[str, Any]:
    return {
        "right": graded.right,
        "loss": graded.loss,
        "at_least": graded.at_least,
        "best": dict(puzzle.moves[0]),
        "options": [
            {"move": dict(move), "loss": loss} for move, loss in zip(puzzle.moves, puzzle.losses, strict=True)
        ],
    }


@router.get("/puzzles")
async def games_with_puzzles() -> GamesWithPuzzles:
    """The games that have puzzles."""
    return GamesWithPuzzles(games=list(puzzle_games()))


@router.get("/puzzles/today/{game}")
async def todays_puzzles(game: PuzzleId, day: date | None = None) -> DailyPuzzles:
    """The five puzzles of today (UTC) or of another day: the same for everybody."""
    chosen = day or grading.today()
    found = daily_puzzles(game, chosen)
    return DailyPuzzles(
        game=game, day=chosen, puzzles=[PuzzleQuestion(**question(puzzle)) for puzzle in found]
    )


@router.get("/puzzles/{puzzle}")
async def one_puzzle(puzzle: PuzzleId) -> PuzzleQuestion:
    return PuzzleQuestion(**question(find_puzzle(puzzle)))


@router.post("/puzzles/{puzzle}/answers")
async def answer_puzzle(matches: MatchesNow, key: Key, puzzle: PuzzleId, body: MoveAnswer) -> PuzzleVerdict:
    """Answer a puzzle. With a key your first answer to it changes your rating."""
    found = find_puzzle(puzzle)
    if not key:
        graded = found.grade_data(body.move)
        return PuzzleVerdict(**verdict(found, graded), missed=found.missed, rating=None, change=0.0)
    answered = await asyncio.to_thread(grading.answer_puzzle, matches.store, key_hash(key), found, body.move)
    return PuzzleVerdict(
        **verdict(found, answered.graded),
        missed=found.missed,
        rating=answered.standing.rating if answered.standing else None,
        change=answered.change,
    )


@router.get("/my/rating")
async def my_rating(matches: MatchesNow, key: Key) -> RatingAnswer:
    """Your rating for puzzles; everybody starts with the same one."""
    found = await asyncio.to_thread(standing_of, matches.store, key_hash(key)) if key else None
    standing = found or PuzzleStanding(START_RATING)
    return RatingAnswer(
        rating=standing.rating, answered=standing.answered, solved=standing.solved, days=standing.days
    )


@router.get("/my/mistakes")
async def my_mistakes(matches: MatchesNow, key: Key) -> list[MistakeQuestion]:
    """Your costliest decisions in reviewed games, in the order in which they are to be asked again."""
    found = await asyncio.to_thread(grading.all_mistakes, matches.store, key_hash(key)) if key else []
    return [mistake_question(mistake) for mistake in found]


def mistake_question(mistake: grading.Mistake) -> MistakeQuestion:
    data = grading.mistake_data(mistake)
    shown = {name: data[name] for name in ("game", "player", "lost", "solved", "due")}
    return MistakeQuestion(**question(mistake.puzzle), **shown)


@router.post("/my/mistakes/{mistake}/answers")
async def answer_mistake(
    matches: MatchesNow, key: Key, mistake: PuzzleId, body: MoveAnswer
) -> MistakeVerdict:
    """Answer one of your mistakes: it comes back after 1, 3, 7, 16 and 35 days until it is known."""
    holder = key_hash(key)
    found = await asyncio.to_thread(grading.get_mistake, matches.store, holder, mistake)
    graded, after = await asyncio.to_thread(grading.answer_mistake, matches.store, holder, found, body.move)
    data = grading.mistake_data(after)
    return MistakeVerdict(**verdict(found.puzzle, graded), solved=data["solved"], due=data["due"])
