"""The pages of puzzles: today's five, puzzles to practise with, and one's own mistakes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dicecup.coach.puzzles import (
    START_RATING,
    Graded,
    Puzzle,
    daily_puzzles,
    find_puzzle,
    load_puzzles,
    puzzle_games,
)
from dicecup.coach.reasons import reason_from_data, remarks
from dicecup.engine.play import with_strikes
from dicecup.engine.state import Keep
from dicecup.errors import UsageError
from dicecup.i18n.language import Language, game_name
from dicecup.i18n.sentences import do_text, number_text, remarks_text
from dicecup.rules.loader import load_ruleset
from dicecup.storage.results import PuzzleStanding, answers_of, standing_of
from dicecup.web.pages.coach_view import AdviceView, DiceView, best_view, dice_view, loss_text
from dicecup.web.pages.render import go_to, number, page
from dicecup.web.pages.sheet_view import SheetView
from dicecup.web.service import grading
from dicecup.web.service.grading import AnsweredPuzzle, Daily, Mistake
from dicecup.web.texts import player_name
from dicecup.web.viewer import Form, MatchesNow, Viewer, ViewerNow, set_cookie

router = APIRouter(include_in_schema=False)
DEFAULT_GAME = "yatzy"


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One of the offered answers; with its loss once the puzzle is answered."""

    place: int
    text: str
    dice: DiceView | None
    loss: str = ""
    best: bool = False
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class ResultView:
    """What an answer was worth, and the best one in a sentence."""

    right: bool
    loss: str
    best: AdviceView


@dataclass(frozen=True, slots=True)
class PuzzleView:
    id: str
    game: str
    game_name: str
    rating: int
    missed: int  # how often bots miss it, in per cent
    dice: DiceView
    layers: int
    throws_left: int
    sheet: SheetView
    answers: list[AnswerView]
    result: ResultView | None


def puzzle_view(
    puzzle: Puzzle, language: Language, graded: Graded | None = None, chosen: int = -1
) -> PuzzleView:
    rules, state = puzzle.position.rules, puzzle.position.state
    answers = [answer_view(puzzle, place, language, graded, chosen) for place in puzzle.offered]
    return PuzzleView(
        id=puzzle.id,
        game=puzzle.position.reference,
        game_name=game_name(rules, language.code),
        rating=puzzle.rating,
        missed=round(100 * puzzle.missed),
        dice=dice_view(state.dice),
        layers=len(rules.dice.layers),
        throws_left=state.throws_left,
        sheet=SheetView(rules, state.sheet, "sheet", language),
        answers=answers,
        result=result_view(puzzle, graded, language) if graded else None,
    )


def answer_view(
    puzzle: Puzzle, place: int, language: Language, graded: Graded | None, chosen: int
) -> AnswerView:
    rules, state = puzzle.position.rules, puzzle.position.state
    move = puzzle.choices[place]
    return AnswerView(
        place=place,
        text=do_text(rules, with_strikes(rules, state.sheet, state.dice, move), language),
        dice=dice_view(move.dice) if isinstance(move, Keep) and move.dice else None,
        loss=loss_text(puzzle.losses[place], language) if graded else "",
        best=bool(graded) and puzzle.losses[place] < puzzle.close,
        chosen=place == chosen,
    )


def result_view(puzzle: Puzzle, graded: Graded, language: Language) -> ResultView:
    rules, state = puzzle.position.rules, puzzle.position.state
    said = remarks(rules, state, puzzle.best, reason_from_data(puzzle.reason)) if puzzle.reason else ()
    return ResultView(
        right=graded.right,
        loss=number_text(graded.loss, language, 1),
        best=best_view(rules, state, puzzle.best, remarks_text(rules, said, language), "", language),
    )


def chosen_place(puzzle: Puzzle, form: Form) -> int:
    """Which of the offered answers a form names."""
    place = number(form, "answer", 3)
    if place is None or place not in puzzle.offered:
        raise UsageError("request_wrong", problem="answer")
    return place


def game_asked(request: Request, game: str) -> str:
    """The game that is asked for, else the one of the last visit."""
    known = puzzle_games()
    chosen = game or request.cookies.get("puzzles", "")
    return chosen if chosen in known else (DEFAULT_GAME if DEFAULT_GAME in known else known[0])


@router.get("/puzzles")
async def puzzles(request: Request, viewer: ViewerNow, matches: MatchesNow, game: str = "") -> Response:
    """Today's five of a game, the rating, and how many mistakes are due."""
    chosen, store = game_asked(request, game[:40]), matches.store
    today = await asyncio.to_thread(grading.daily, store, viewer.holder, chosen)
    mistakes = await asyncio.to_thread(grading.all_mistakes, store, viewer.holder)
    code = viewer.language.code
    response = page(
        request,
        viewer,
        "puzzles.html",
        game=chosen,
        games=[(known, game_name(load_ruleset(known), code)) for known in puzzle_games()],
        today=today,
        rating=round((today.standing or PuzzleStanding(START_RATING)).rating),
        due=sum(mistake.is_due(today.day) for mistake in mistakes),
        mistakes=len(mistakes),
    )
    if game == chosen:
        set_cookie(request, response, "puzzles", chosen)
    return response


@router.get("/puzzles/next")
async def next_puzzle(request: Request, viewer: ViewerNow, matches: MatchesNow, game: str = "") -> Response:
    """Go to the puzzle of a game that fits the viewer best and that they have not answered."""
    chosen = game_asked(request, game[:40])
    answered = await asyncio.to_thread(answers_of, matches.store, viewer.holder)
    standing = await asyncio.to_thread(standing_of, matches.store, viewer.holder)
    rating = standing.rating if standing else START_RATING
    today = {puzzle.id for puzzle in daily_puzzles(chosen, grading.today())}
    known = load_puzzles(chosen)
    open_ones = [puzzle for puzzle in known if puzzle.id not in answered and puzzle.id not in today]
    best = min(open_ones or known, key=lambda puzzle: (abs(puzzle.rating - rating), puzzle.id))
    return go_to(request, viewer, f"/puzzles/{best.id}")


@router.get("/puzzles/{puzzle_id}")
async def puzzle(request: Request, viewer: ViewerNow, matches: MatchesNow, puzzle_id: str) -> Response:
    found = find_puzzle(puzzle_id)
    today = await asyncio.to_thread(grading.daily, matches.store, viewer.holder, game_of(found))
    return show_puzzle(request, viewer, found, today)


@router.post("/puzzles/{puzzle_id}")
async def answer(
    request: Request, viewer: ViewerNow, matches: MatchesNow, puzzle_id: str, form: Form
) -> Response:
    found = find_puzzle(puzzle_id)
    place = chosen_place(found, form)
    answered = await asyncio.to_thread(
        grading.answer_puzzle, matches.store, viewer.holder, found, found.moves[place]
    )
    today = await asyncio.to_thread(grading.daily, matches.store, viewer.holder, game_of(found))
    return show_puzzle(request, viewer, found, today, answered, place)


def game_of(puzzle: Puzzle) -> str:
    return puzzle.position.reference


def show_puzzle(
    request: Request,
    viewer: Viewer,
    found: Puzzle,
    today: Daily,
    answered: AnsweredPuzzle | None = None,
    place: int = -1,
) -> Response:
    graded = answered.graded if answered else None
    change: dict[str, Any] = {}
    if answered and answered.counts and answered.standing:
        change = {
            "rating": round(answered.standing.rating),
            "change": f"{answered.change:+.0f}".replace("-", "−"),
        }
    in_today = found in today.puzzles
    return page(
        request,
        viewer,
        "puzzle.html",
        puzzle=puzzle_view(found, viewer.language, graded, place),
        mistake=None,
        today=today if in_today else None,
        following=today.following if in_today else None,
        action=f"/puzzles/{found.id}",
        **change,
    )


@router.get("/mistakes")
async def mistakes(request: Request, viewer: ViewerNow, matches: MatchesNow) -> Response:
    """One's mistakes, those that are due first."""
    found = await asyncio.to_thread(grading.all_mistakes, matches.store, viewer.holder)
    day = grading.today()
    return page(
        request,
        viewer,
        "mistakes.html",
        due=[mistake_line(one, viewer.language) for one in found if one.is_due(day)],
        later=[mistake_line(one, viewer.language) for one in found if not one.is_due(day) and not one.known],
        known=sum(one.known for one in found),
        layers=max((len(one.puzzle.position.rules.dice.layers) for one in found), default=1),
    )


@dataclass(frozen=True, slots=True)
class MistakeLine:
    id: str
    game: str
    player: str
    dice: DiceView
    lost: str
    due: str
    solved: int


def mistake_line(mistake: Mistake, language: Language) -> MistakeLine:
    position = mistake.puzzle.position
    return MistakeLine(
        id=mistake.stored.id,
        game=game_name(position.rules, language.code),
        player=player_name(mistake.stored.player, language),
        dice=dice_view(position.state.dice),
        lost=loss_text(mistake.stored.lost, language),
        due=mistake.stored.due,
        solved=mistake.stored.solved,
    )


@router.get("/mistakes/{mistake_id}")
async def mistake(request: Request, viewer: ViewerNow, matches: MatchesNow, mistake_id: str) -> Response:
    found = await asyncio.to_thread(grading.get_mistake, matches.store, viewer.holder, mistake_id)
    return await show_mistake(request, viewer, matches, found)


@router.post("/mistakes/{mistake_id}")
async def answer_mistake(
    request: Request, viewer: ViewerNow, matches: MatchesNow, mistake_id: str, form: Form
) -> Response:
    found = await asyncio.to_thread(grading.get_mistake, matches.store, viewer.holder, mistake_id)
    place = chosen_place(found.puzzle, form)
    graded, after = await asyncio.to_thread(
        grading.answer_mistake, matches.store, viewer.holder, found, found.puzzle.moves[place]
    )
    return await show_mistake(request, viewer, matches, after, graded, place)


async def show_mistake(
    request: Request,
    viewer: Viewer,
    matches: MatchesNow,
    found: Mistake,
    graded: Graded | None = None,
    place: int = -1,
) -> Response:
    every = await asyncio.to_thread(grading.all_mistakes, matches.store, viewer.holder)
    due = [one for one in every if one.is_due(grading.today()) and one.stored.id != found.stored.id]
    return page(
        request,
        viewer,
        "puzzle.html",
        puzzle=puzzle_view(found.puzzle, viewer.language, graded, place),
        mistake=mistake_line(found, viewer.language),
        known=found.known,
        following=due[0].stored if due else None,
        today=None,
        action=f"/mistakes/{found.stored.id}",
    )
