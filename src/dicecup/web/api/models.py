"""Requests and responses of the API, as the OpenAPI description shows them, and its shared dependencies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from dicecup.engine.state import MOST_PLAYERS
from dicecup.rules.house import MOST_REFERENCE
from dicecup.web.refusals import refuse_wrong_text
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.presence import REACTIONS
from dicecup.web.service.snapshot import state_data

Version = Annotated[int, Field(ge=0, le=1_000_000, strict=True, description="What it was made against.")]
Name = Annotated[str, Field(min_length=1, max_length=60)]
SeatNumber = Annotated[int, Field(ge=0, le=99, strict=True)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SeatRequest(Model):
    """`person`: you, or somebody at your device. `bot`: its name says which. `open`: for a friend."""

    kind: Literal["person", "bot", "open"]
    name: Annotated[str, Field(max_length=60)] = ""
    seed: Annotated[str, Field(max_length=60, description="A person's share in verifiable dice.")] = ""


class MatchRequest(Model):
    game: Annotated[
        str, Field(max_length=MOST_REFERENCE, examples=["yatzy"], description="An id, or `house:…`.")
    ]
    options: Annotated[dict[str, str], Field(max_length=20)] = {}
    seats: Annotated[list[SeatRequest], Field(min_length=1, max_length=MOST_PLAYERS)]
    dice: Annotated[
        Literal["screen", "table", "points"],
        Field(description="Thrown by the server; your own, typed in; or a score pad without dice."),
    ] = "screen"
    promise: Annotated[str, Field(max_length=64, description="From POST /api/promises.")] = ""
    coach: bool = False
    evening: Annotated[str, Field(max_length=40, description="The evening that it is a game of.")] = ""
    same_dice: Annotated[
        Literal["turn", "game"] | None,
        Field(
            description="Everyone plays alone with the same dice, and sees what the others did once all "
            "have finished the turn, or the whole game."
        ),
    ] = None


class ReplayRequest(Model):
    seat: Annotated[SeatNumber, Field(description="Whose dice are played again.")]
    name: Name


class JoinRequest(Model):
    name: Name
    seat: Annotated[SeatNumber | None, Field(description="The first open one if left out.")] = None
    seed: Annotated[str, Field(max_length=60)] = ""


class PlayerRequest(Model):
    name: Name


class SeatChoice(Model):
    seat: SeatNumber


class RevokeRequest(Model):
    seat: SeatNumber
    devices: Annotated[bool, Field(description="Whether other devices lose the seat, too.")] = False


class LinkRequest(Model):
    token: Annotated[str, Field(min_length=1, max_length=100)]


class MoveRequest(Model):
    """A move against a version.

    `{"throw": true}` throws the dice that are due; `{"throw": [3, 3, 6]}` types physical dice.
    `{"keep": [6, 6]}`, `{"box": "sixes"}`, `{"column": "x2", "box": "sixes"}`,
    `{"inner": "pair", "outer": "chance"}`; with `"strike": true` (or a list of layers) a box gets 0.
    `{"announce": "sixes", "column": "announced"}` says which box the turn will fill.
    `{"final": [3, 3, 6, 6, 6]}` types what a turn ended with if its rolls are not known. On a score pad
    `{"seat": 1, "box": "sixes", "points": 24}`; a correction names what the box held: `"was": 18`. Writes of
    others do not matter to it, so its version may be old.
    """

    version: Version
    move: Annotated[dict[str, JsonValue], Field(max_length=5, examples=[{"throw": True}, {"keep": [6, 6]}])]


class ReactionRequest(Model):
    reaction: Annotated[
        str, Field(max_length=40, description=f"One of: {', '.join(REACTIONS)}.", examples=["ouch"])
    ]
    seat: Annotated[SeatNumber | None, Field(description="One of yours; the first if left out.")] = None


class UndoRequest(Model):
    version: Version
    steps: Annotated[
        int | None, Field(ge=1, le=10_000, description="If left out: what you may take back alone.")
    ] = None


class AgreeRequest(Model):
    version: Version
    steps: Annotated[int, Field(ge=1, le=10_000, description="What was proposed.")]


class VersionRequest(Model):
    version: Version


class ChoiceAnswer(BaseModel):
    box: str
    column: str
    points: int
    counted: list[int]
    allowed: bool
    strike: bool


class SeatAnswer(BaseModel):
    number: int
    kind: Literal["person", "bot", "open"]
    name: str
    yours: bool
    here: Annotated[
        bool, Field(description="Whether the player has the match open; always false for bots.")
    ] = False
    points: int = 0
    sheet: dict[str, Any] = {}
    lines: list[dict[str, int]] = []
    overall: Annotated[
        dict[str, int], Field(description="The lines that stand once for all columns, by id.")
    ] = {}


class CellAnswer(BaseModel):
    box: str
    column: str


class TurnAnswer(BaseModel):
    seat: int
    yours: bool
    number: int
    of: int
    dice: list[int | str]
    kept: list[int | str]
    throw_due: bool
    dice_to_throw: int
    throws_made: int
    throws_left: int
    choices: dict[str, list[ChoiceAnswer]]
    announced: Annotated[
        CellAnswer | None, Field(description="The box that this turn must fill, where one was announced.")
    ] = None
    announceable: Annotated[list[CellAnswer], Field(description="The boxes that can be announced now.")] = []
    throws_saved: Annotated[int, Field(description="Rolls that earlier turns of the player have saved.")] = 0


class LastAnswer(BaseModel):
    seat: int
    move: dict[str, Any]


# `__qualname__` and `title` below are the names in the OpenAPI description, which clients rely on.


class StandingAnswer(BaseModel):
    __qualname__ = "Standing"
    model_config = ConfigDict(title="Standing")

    place: int
    seat: int
    points: int


class UndoAnswer(BaseModel):
    alone: int
    together: int
    proposed: int
    agreed: list[int]


class SamePlayer(BaseModel):
    seat: int
    turns: Annotated[int, Field(description="How many are finished; bots play at the end.")]
    done: bool


class SameAnswer(BaseModel):
    """A match with the same dice for all: how far everybody is, and where you play your own seat."""

    opens: Annotated[Literal["turn", "game"] | None, Field(description="When turns can be seen.")]
    part: Annotated[str | None, Field(description="The match in which you play your seat.")]
    part_of: Annotated[str | None, Field(description="The match of all whose seat is played here.")]
    turns_open: int
    players: list[SamePlayer]


class RoundDecision(BaseModel):
    dice: list[int | str]
    move: dict[str, Any]
    loss: Annotated[float | None, Field(description="In points, by the coach; null where it is not known.")]


class TurnOfSeat(BaseModel):
    seat: int
    points: int
    loss: float | None
    decisions: list[RoundDecision]


class RoundAnswer(BaseModel):
    turn: int
    parted: Annotated[int | None, Field(description="The first decision, from 0, that was not all the same.")]
    players: list[TurnOfSeat]


class RoundsAnswer(BaseModel):
    opens: Literal["turn", "game"]
    finished: bool
    rounds: list[RoundAnswer]


class StateAnswer(BaseModel):
    """A match as you see it."""

    __qualname__ = "State"
    model_config = ConfigDict(title="State")

    id: str
    version: int
    status: Literal["waiting", "playing", "finished"]
    game: str
    options: dict[str, str]
    identity: str | None
    dice: Literal["screen", "table", "points"]
    commitment: str | None
    secret: str | None
    coach: bool
    seats: list[SeatAnswer]
    turn: TurnAnswer | None
    last: LastAnswer | None
    standings: list[StandingAnswer]
    undo: UndoAnswer
    next: str | None
    evening: Annotated[str | None, Field(description="For those who have a seat.")] = None
    same: SameAnswer | None = None


class Opened(BaseModel):
    """A match with the key that holds your seats: send it as `Authorization: Bearer KEY`."""

    key: str
    state: StateAnswer


class Joined(Opened):
    seat: int


class ValuesAnswer(BaseModel):
    """What can be written in a box; `was` is what it holds now."""

    values: list[int]
    likely: list[int]
    was: int | None


class Undone(BaseModel):
    done: bool
    state: StateAnswer


class HintOption(BaseModel):
    move: dict[str, Any]
    expected: float
    loss: float
    reason: Annotated[
        dict[str, Any] | None,
        Field(description="Of the best ones, with reasons=true: the aims of a keep, what a score leaves."),
    ] = None
    win_chance: Annotated[
        float | None, Field(description="With winning=true, near the end of a game of several players.")
    ] = None


class WinHintAnswer(BaseModel):
    """The chance to win with the best choice for it, the others playing for points."""

    chance: float
    exact: Annotated[bool, Field(description="False: against sampled scores of the others.")]
    standard_error: float
    best: Annotated[dict[str, Any] | None, Field(description="The best choice for winning.")] = None


class HintAnswer(BaseModel):
    expected: float
    exact: bool
    options: list[HintOption]
    to_win: WinHintAnswer | None = None


class GoalOption(BaseModel):
    move: dict[str, Any]
    chance: float


class GoalAnswer(BaseModel):
    """The chance to end with at least so many points.

    With `play` = `target` it is the best possible chance, and every choice has its own; with `points` it is
    that of somebody who plays for as many points as possible.
    """

    at_least: int
    play: Literal["target", "points"]
    chance: float
    exact: bool
    standard_error: float
    options: list[GoalOption]


class Link(BaseModel):
    token: str
    hours: Annotated[int, Field(description="For which the token is valid.")]


class Promise(BaseModel):
    promise: str
    commitment: str


class ProofAnswer(BaseModel):
    """What everybody can check: the promise, the players' shares, and after the game the secret."""

    __qualname__ = "Proof"
    model_config = ConfigDict(title="Proof")

    dice: str
    proved: bool
    statement: Annotated[int | None, Field(description="What verifiable dice prove: docs/records.md.")]
    proved_against: Annotated[
        list[Literal["server", "players"]], Field(description="Who cannot have chosen the dice.")
    ]
    throws: int
    error: str | None
    commitment: str | None
    player_seeds: list[str]
    secret: str | None


class ErrorBody(BaseModel):
    code: str
    message: str


class ErrorAnswer(BaseModel):
    """An error: its code, a sentence, and the current state of the match if there is one."""

    error: ErrorBody
    state: StateAnswer | None = None


# By name: FastAPI makes a serializer for each `model` of each route, and these took a fifth of the start.
JSON_ERROR = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorAnswer.__name__}"}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": JSON_ERROR}
    for status, description in {
        400: "The request cannot be read.",
        403: "Not your seat, turn or match.",
        404: "There is no such thing.",
        409: "The match is not, or no longer, in that state.",
        413: "Too large.",
        422: "Against the rules, or not what was asked for.",
        429: "Too much at once.",
        503: "The database cannot be reached.",
    }.items()
}


def new_router(tag: str, prefix: str = "/api") -> APIRouter:
    """A router whose requests can be refused. Some route has to name ErrorAnswer as a model, too."""
    return APIRouter(prefix=prefix, tags=[tag], responses=REFUSALS, dependencies=[Depends(refuse_wrong_text)])


def answer(live: LiveMatch, seats: frozenset[int]) -> StateAnswer:
    return StateAnswer(**state_data(live, seats))
