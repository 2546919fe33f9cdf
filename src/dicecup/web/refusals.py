"""Every error as an answer: a status, a code, a sentence; never a traceback."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from dicecup.errors import DicecupError, StorageError, UsageError
from dicecup.web.service.state import state_data
from dicecup.web.viewer import language_of

STATUS = {
    "body_too_large": 413,
    "coach_busy": 429,
    "coach_later": 409,
    "coach_failed": 503,
    "coach_missing": 409,
    "coach_off": 409,
    "coach_preparing": 503,
    "form_expired": 403,
    "game_begun": 409,
    "game_not_begun": 409,
    "game_over": 409,
    "link_unknown": 403,
    "match_unknown": 404,
    "not_found": 404,
    "not_your_table": 403,
    "not_your_turn": 403,
    "promise_used": 409,
    "record_too_large": 413,
    "request_unreadable": 400,
    "seat_not_yours": 403,
    "seat_taken": 409,
    "too_many_requests": 429,
    "too_many_watchers": 429,
    "undo_nothing": 409,
    "version_stale": 409,
}
log = logging.getLogger("dicecup.web")


def status_of(error: DicecupError) -> int:
    if isinstance(error, StorageError):
        return 503
    return STATUS.get(error.code, 422)


async def refuse_early(request: Request) -> None:
    """What the guard found wrong before anybody read the request."""
    refused: DicecupError | None = request.scope.get("state", {}).get("refused")
    if refused is not None:
        raise refused


def answer(request: Request, error: DicecupError, status: int) -> Response:
    if not request.url.path.startswith("/api"):
        from dicecup.web.pages.refused import refused_page

        return refused_page(request, error, status)
    table = getattr(request.state, "table", None)
    rules = table.match.rules if table is not None and table.match else None
    message = language_of(request).sentence(error, rules)
    body: dict[str, object] = {"error": {"code": error.code, "message": message}}
    body["state"] = state_data(table, request.state.seats) if table is not None else None
    return JSONResponse(body, status, headers={"Retry-After": "1"} if status in (429, 503) else None)


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, DicecupError)
    return answer(request, error, status_of(error))


async def unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    status = 400 if first["type"] == "json_invalid" else 422
    problem = UsageError("request_wrong", problem=f"{place}: {first['msg']}"[:200])
    return answer(request, problem, status)


async def by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, DicecupError):  # the guard stopped a body while it was read
        return answer(request, error.__cause__, status_of(error.__cause__))
    if error.status_code in (404, 405):
        return answer(request, UsageError("not_found"), error.status_code)
    return answer(request, UsageError("request_wrong", problem=error.detail), error.status_code)


async def failed(request: Request, error: Exception) -> Response:
    log.error("failed: %s %s", request.method, request.url.path, exc_info=error)
    return answer(request, UsageError("server_failed"), 500)


def install(app: FastAPI) -> None:
    app.add_exception_handler(DicecupError, refused)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(HTTPException, by_status)
    app.add_exception_handler(Exception, failed)
