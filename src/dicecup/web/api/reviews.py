"""Records and reviews: uploading, reviewing with the coach, trying a position again."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from dicecup.engine.record import Record
from dicecup.engine.record_dice import Proof
from dicecup.engine.state import standings
from dicecup.web.api.models import (
    Model,
    Opened,
    ProofAnswer,
    StandingAnswer,
    StateAnswer,
    answer,
    new_router,
)
from dicecup.web.service.identity import key_hash, new_key
from dicecup.web.service.opening import go_on, keep_record, try_again
from dicecup.web.service.record_work import MOST_RECORD, PlayedRecord
from dicecup.web.viewer import Asked, Key, MatchesNow, ReviewsNow, UploadsNow

Dice = list[int | str]
Moves = Annotated[
    int, Field(description="Number of moves before the position: see POST /api/matches/{match}/try.")
]


class TryRequest(Model):
    moves: Annotated[
        int, Field(ge=0, le=100_000, strict=True, description="Number of moves before the position.")
    ]


class RecordText(Model):
    record: Annotated[str, Field(max_length=MOST_RECORD)]


class UploadAnswer(BaseModel):
    __qualname__ = "Review"
    model_config = ConfigDict(title="Review")

    game: str
    options: dict[str, str]
    players: list[str]
    finished: bool
    standings: list[StandingAnswer]
    proof: ProofAnswer


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
    kept: Annotated[Dice, Field(description="Before the roll; its luck is measured against them.")]
    dice: Dice
    luck: float


class LessonAnswer(BaseModel):
    """A habit that cost points, and the decision that it cost most in."""

    kind: Annotated[str, Field(examples=["crossed_out"])]
    box: str = ""
    loss: float
    count: int
    turn: int
    moves: Moves


class PlayerReviewAnswer(BaseModel):
    name: str
    final: float
    finished: bool
    expected_at_start: float
    rolls_known: Annotated[bool, Field(description="False: only final dice were typed.")]
    luck: float | None
    skill: float | None
    error_rate: float | None
    rating: str | None
    inaccuracies: int
    blunders: int
    luckiest_throw: LuckAnswer | None
    unluckiest_throw: LuckAnswer | None
    lessons: Annotated[list[LessonAnswer], Field(description="At most three, the costliest first.")]
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


router = new_router("reviews")
PIECE = 65_536  # bytes of an answer that are sent at once
PATIENCE = 30.0  # seconds; the review continues and is ready for a later request


def proof_of(record: Record, found: Proof) -> ProofAnswer:
    origin = record.header.origin
    return ProofAnswer(
        dice=found.kind,
        proved=found.proved,
        statement=found.statement,
        proved_against=list(found.against),
        throws=found.throws,
        error=found.problem.code if found.problem else None,
        commitment=origin.commitment or None,
        player_seeds=list(origin.player_seeds),
        secret=record.secret,
    )


def pieces_of(packed: bytes, compressed: bool) -> Iterator[bytes]:
    """A compressed answer in pieces, as it is or unpacked, so that a slow client costs little memory."""
    unpacker = zlib.decompressobj(wbits=31)
    for first in range(0, len(packed), PIECE):
        piece = packed[first : first + PIECE]
        if compressed:
            yield piece
        while not compressed and piece:
            yield unpacker.decompress(piece, PIECE)
            piece = unpacker.unconsumed_tail


class PackedJSON(Response):
    """Compressed JSON, sent in pieces, and decompressed for clients that do not accept gzip.

    A piece takes a fraction of a millisecond, less than a change of threads. Unlike Starlette's streaming
    response this needs no task of its own, whose time would not be charged to the client (see `web.guard`).
    """

    media_type = "application/json"

    def __init__(self, packed: bytes, compressed: bool) -> None:
        packing = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        super().__init__(headers=packing if compressed else {})
        del self.headers["content-length"]
        self.pieces = pieces_of(packed, compressed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        for piece in self.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@router.get("/matches/{match}/review", response_model=ReviewAnswer)
async def review(request: Request, reviews: ReviewsNow, live: Asked, options: bool = True) -> Response:
    """Review the match: luck, skill, every decision with all its options.

    The first review of a game may take a minute; on `coach_busy` ask again.
    """
    found = await reviews.ask(live, PATIENCE)
    return PackedJSON(found.packed.answers[options], "gzip" in request.headers.get("accept-encoding", ""))


@router.get("/matches/{match}/chances", response_model=WinAnswer)
async def chances(reviews: ReviewsNow, live: Asked) -> JSONResponse:
    """Each player's chance to win, if all play perfectly from here on."""
    from dicecup.coach.review_data import win_data

    found = await reviews.ask(live, PATIENCE)
    alone = {"players": [1.0], "standard_error": 0.0, "games": 0}
    return JSONResponse(win_data(found.wins) if found.wins else alone)


@router.post("/matches/{match}/try", status_code=201)
async def try_position(matches: MatchesNow, live: Asked, key: Key, body: TryRequest) -> Opened:
    """Open a match of your own from a position of this one. Its dice are new; all seats are yours.

    `coach_later` while people play against each other with the coach off.
    """
    holder = key or new_key()
    tried = await try_again(matches, live, body.moves, holder)
    return Opened(key=holder, state=answer(tried, tried.seats_of(key_hash(holder))))


@router.post("/matches/{match}/continue", status_code=201)
async def continue_game(matches: MatchesNow, live: Asked, key: Key) -> Opened:
    """Continue a stored record as a match of your own. Its dice are new; all seats of people are yours."""
    holder = key or new_key()
    continued = await go_on(matches, live, holder)
    return Opened(key=holder, state=answer(continued, continued.seats_of(key_hash(holder))))


@router.post("/records", status_code=201)
async def keep(matches: MatchesNow, uploads: UploadsNow, text: RecordText) -> StateAnswer:
    """Store a record as a match that everybody who knows its id can look at, review, and try again."""
    async with uploads.reading(text.record.encode()) as uploaded:
        return answer(await keep_record(matches, uploaded), frozenset())


@router.post("/reviews")
async def look(uploads: UploadsNow, text: RecordText) -> UploadAnswer:
    """Check any record without storing it: whether it is valid, its dice are proved, and how it ended."""
    async with uploads.reading(text.record.encode()) as uploaded:
        return seen(uploaded)


def seen(uploaded: PlayedRecord) -> UploadAnswer:
    record = uploaded.record
    assert uploaded.proof  # every upload has one
    return UploadAnswer(
        game=record.header.reference,
        options=dict(record.rules.options),
        players=list(record.header.players),
        finished=record.state.finished,
        standings=[
            StandingAnswer(place=place, seat=seat, points=points)
            for place, seat, points in standings(record.rules, record.state)
        ],
        proof=proof_of(record, uploaded.proof),
    )
