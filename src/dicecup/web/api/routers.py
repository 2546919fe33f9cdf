"""Routers of the API: what all of its requests have in common."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from dicecup.web.api.models import ErrorAnswer
from dicecup.web.refusals import refuse_wrong_text

# By name: FastAPI makes a serializer for each `model` of each route, and these took a fifth of the start.
SCHEMA = {"schema": {"$ref": f"#/components/schemas/{ErrorAnswer.__name__}"}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": {"application/json": SCHEMA}}
    for status, description in {
        400: "The request cannot be read.",
        403: "Not your seat, turn or table.",
        404: "There is no such thing.",
        409: "The match is not, or no longer, in that state.",
        413: "Too large.",
        422: "Against the rules, or not what was asked for.",
        429: "Too much at once.",
        503: "The database cannot be reached.",
    }.items()
}


def new_router(tag: str, prefix: str = "/api", *, with_schema: bool = False) -> APIRouter:
    """A router whose requests can be refused. One of them, with few routes, adds the schema of refusals."""
    responses = {**REFUSALS, 400: {**REFUSALS[400], "model": ErrorAnswer}} if with_schema else REFUSALS
    dependencies = [Depends(refuse_wrong_text)]
    return APIRouter(prefix=prefix, tags=[tag], responses=responses, dependencies=dependencies)
