"""The headers of the records of matches."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from dicecup.engine.record import DiceOrigin, Header
from dicecup.engine.record_text import RecordWriter
from dicecup.engine.state import MOST_PLAYERS
from dicecup.errors import UsageError
from dicecup.rules.loader import load_ruleset
from dicecup.storage.people import HeaderOf
from dicecup.storage.stored import Opening, Seat, StoredMatch


def header_for(opening: Opening) -> HeaderOf:
    """What the header of the record will be once it is known who takes part."""
    return partial(header_text, opening)


def header_text(opening: Opening, seats: Sequence[Seat]) -> str:
    if all(seat.kind == "bot" for seat in seats):
        raise UsageError("seats_wrong", most=MOST_PLAYERS)
    origin = DiceOrigin(opening.dice)
    if opening.dice == "verifiable":
        seeds = tuple(seat.seed for seat in seats)
        if opening.statement == 1:  # opened by an earlier version, whose records have a seed for every player
            seeds = tuple(seed or secrets.token_hex(8) for seed in seeds)
        origin = DiceOrigin(
            "verifiable",
            commitment=opening.commitment or "",
            player_seeds=seeds,
            statement=opening.statement,
        )
    return RecordWriter().header(header_with(opening, tuple(seat.name for seat in seats), origin))


def header_with(opening: Opening, players: tuple[str, ...], origin: DiceOrigin) -> Header:
    rules = load_ruleset(opening.ruleset, opening.options)
    return Header(opening.ruleset, rules, players, origin, datetime.now(UTC).date().isoformat())


def should_have_begun(stored: StoredMatch) -> bool:
    """Whether a full match never began: earlier versions could be killed after the last seat was taken."""
    return (
        stored.header is None
        and not stored.opening.same
        and all(seat.kind != "open" for seat in stored.seats)
    )
