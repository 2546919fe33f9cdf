"""Games, rules and one's own results, as the OpenAPI description shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from dicecup.web.api.models import Standing

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
    standings: Annotated[list[Standing], Field(description="Of a finished match, by seat.")]


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

    Luck and skill are means over the games the coach has looked at.
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
    boxes: dict[str, float]
    looked_at: int
    luck: float | None
    skill: float | None
    error_rate: float | None
    rating: str | None


class MyStatistics(BaseModel):
    statistics: list[StatisticsAnswer]
    looking: Annotated[bool, Field(description="Whether the coach is looking at more games now.")]
