"""What the coach says about a game, as `dicecup review --json` says it and OpenAPI describes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from dicecup.web.api.models import Model

Dice = list[int | str]
Moves = Annotated[int, Field(description="Moves that stand before it: see POST /api/matches/{match}/try.")]


class TryRequest(Model):
    moves: Annotated[
        int, Field(ge=0, le=100_000, strict=True, description="So many moves of the game stand.")
    ]


class OptionValue(BaseModel):
    move: dict[str, Any]
    expected: float
    loss: float


class DecisionAnswer(BaseModel):
    turn: int
    moves: Moves
    dice: Dice
    throws_left: int
    move: dict[str, Any]
    expected: Annotated[float, Field(description="Of the best choice.")]
    loss: float
    mark: Literal["inaccuracy", "blunder"] | None
    unforced: bool
    options: Annotated[list[OptionValue], Field(description="Best first; left out with options=false.")] = []


class LuckAnswer(BaseModel):
    turn: int
    moves: Moves
    dice: Dice
    luck: float


class PlayerReviewAnswer(BaseModel):
    name: str
    final: float
    finished: bool
    expected_at_start: float
    luck: float
    skill: float
    error_rate: float
    rating: str | None
    inaccuracies: int
    blunders: int
    luckiest_throw: LuckAnswer | None
    unluckiest_throw: LuckAnswer | None
    costliest_choice: DecisionAnswer | None
    course: list[float]
    decisions: list[DecisionAnswer]


class WinAnswer(BaseModel):
    """Each player's chance to win, in the order of the seats."""

    players: list[float]
    standard_error: float
    games: int


class ReviewAnswer(BaseModel):
    """Luck, skill and every decision; `win_probability` where there are several players."""

    ruleset: str
    exact: bool
    finished: bool
    perfect_turn: float
    players: list[PlayerReviewAnswer]
    win_probability: WinAnswer | None = None
