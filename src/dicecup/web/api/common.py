"""What all routes of the API share: the caller's key, the table asked for, the refusals that can come."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request

from dicecup.web.api.models import ErrorAnswer, State
from dicecup.web.service.keys import MOST_KEY, key_hash
from dicecup.web.service.state import state_data
from dicecup.web.service.table import Table
from dicecup.web.viewer import tables_of

REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "The request cannot be read."},
    403: {"model": ErrorAnswer, "description": "Not your seat, turn or table."},
    404: {"model": ErrorAnswer, "description": "There is no such thing."},
    409: {"model": ErrorAnswer, "description": "The match is not, or no longer, in that state."},
    413: {"model": ErrorAnswer, "description": "Too large."},
    422: {"model": ErrorAnswer, "description": "Against the rules, or not what was asked for."},
    429: {"model": ErrorAnswer, "description": "Too much at once."},
    503: {"model": ErrorAnswer, "description": "The database cannot be reached."},
}


async def caller_key(request: Request) -> str:
    """The key in `Authorization: Bearer KEY`. Cookies count for nothing here: no other site can use them."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    usable = scheme.lower() == "bearer" and 20 <= len(key) <= MOST_KEY and key.isprintable()
    return key if usable else ""


async def asked_table(
    request: Request, match: Annotated[str, Path(max_length=40)], key: Annotated[str, Depends(caller_key)]
) -> Table:
    table = await tables_of(request).get(match)
    request.state.table = table  # a refusal is answered with the table as it stands
    request.state.seats = table.seats_of(key_hash(key) if key else None)
    return table


async def held_seats(request: Request, table: Annotated[Table, Depends(asked_table)]) -> frozenset[int]:  # noqa: ARG001
    seats: frozenset[int] = request.state.seats
    return seats


def answer(table: Table, seats: frozenset[int]) -> State:
    return State(**state_data(table, seats))


Key = Annotated[str, Depends(caller_key)]
Asked = Annotated[Table, Depends(asked_table)]
Seats = Annotated[frozenset[int], Depends(held_seats)]
