"""Error responses: a status, a code, a sentence; never a traceback."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicecup.errors import DicecupError, StorageError, UsageError
from dicecup.i18n.language import language
from dicecup.web.logs import MORE
from dicecup.web.service.snapshot import state_data
from dicecup.web.viewer import language_of

STATUS = {
    "body_too_large": 413,
    "coach_busy": 429,
    "box_changed": 409,
    "coach_later": 409,
    "coach_points_only": 409,
    "coach_failed": 503,
    "chances_missing": 409,
    "coach_missing": 409,
    "coach_off": 409,
    "coach_preparing": 503,
    "values_unreachable": 503,
    "evening_empty": 409,
    "evening_full": 409,
    "evening_not_yours": 403,
    "evening_other": 409,
    "evening_unknown": 404,
    "form_expired": 403,
    "host_unknown": 421,
    "game_begun": 409,
    "game_not_begun": 409,
    "game_not_over": 409,
    "game_goes_on": 409,
    "game_over": 409,
    "link_unknown": 403,
    "match_unknown": 404,
    "mistake_unknown": 404,
    "puzzle_unknown": 404,
    "puzzles_missing": 404,
    "not_found": 404,
    "not_your_table": 403,
    "not_your_turn": 403,
    "promise_used": 409,
    "reaction_too_soon": 429,
    "record_of_running": 409,
    "record_too_large": 413,
    "record_too_long": 413,
    "request_unreadable": 400,
    "same_dice_begun": 409,
    "same_dice_not": 409,
    "same_dice_unfinished": 409,
    "seat_not_yours": 403,
    "seat_taken": 409,
    "server_busy": 429,
    "server_failed": 500,
    "still_working": 429,
    "too_many_requests": 429,
    "too_many_watchers": 429,
    "typst_missing": 409,
    "undo_nothing": 409,
    "undo_other": 409,
    "uploads_busy": 429,
    "version_stale": 409,
}
SUSPICIOUS = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)|\xed[\xa0-\xbf]|\x00")
RefusedPage = Callable[[Request, DicecupError, int], Response]
log = logging.getLogger("dicecup.web")
logged: dict[str, float] = {}  # when an error of the storage was logged last, by code


def status_of(error: DicecupError) -> int:
    if isinstance(error, StorageError):
        return 503
    return STATUS.get(error.code, 422)


async def refuse_wrong_text(request: Request) -> None:
    """Reject invalid text."""
    if request.method == "POST" and request.url.path.startswith("/api"):
        check_text(await request.body())


def check_text(body: bytes) -> None:
    """Reject lone surrogates and NUL: JSON can express them, but no response and no database holds them."""
    if not SUSPICIOUS.search(body):
        return
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("request_wrong", problem="half a character") from None
    except (ValueError, RecursionError):
        return  # not JSON: rejected when it is parsed
    if "\\u0000" in text:
        raise UsageError("request_wrong", problem="NUL")


def answer(request: Request, error: DicecupError, status: int) -> Response:
    if isinstance(error, StorageError):
        request.app.state.matches.observer.storage_failed(error.code)
    response = answer_to(request, public(error), status)
    if status in (429, 503):
        response.headers["Retry-After"] = "1"
    return response


def public(error: DicecupError) -> DicecupError:
    """Hide what only the operator may see: errors of the storage name files and addresses."""
    if not isinstance(error, StorageError):
        return error
    if monotonic() - logged.get(error.code, 0.0) > 1:  # a database that fails does so for every request
        logged[error.code] = monotonic()
        log.error("%s [%s]", error, error.code)
    if error.code == "packages_not_installed":
        return StorageError(error.code, file=Path(str(error.values["file"])).name)
    return UsageError("storage_unavailable")


def answer_to(request: Request, error: DicecupError, status: int) -> Response:
    if not request.url.path.startswith("/api"):
        page: RefusedPage = request.app.state.refused_page
        return page(request, error, status)
    live = getattr(request.state, "live", None)
    rules = live.match.rules if live is not None and live.match else None
    message = language_of(request).sentence(error, rules)
    body: dict[str, object] = {"error": {"code": error.code, "message": message}}
    # A rate-limited client gets no state: the response must cost less than the request it rejects.
    known = None if status in (429, 503) else live
    body["state"] = state_data(known, request.state.seats) if known is not None else None
    return JSONResponse(body, status)


def refuse(request: Request, error: DicecupError) -> Response:
    return answer(request, error, status_of(error))


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, DicecupError)
    return refuse(request, error)


async def unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["loc"][0] == "path" and not request.url.path.startswith("/api"):
        return refuse(request, UsageError("not_found"))
    place = ".".join(str(part) for part in first["loc"])
    status = 400 if first["type"] == "json_invalid" else 422
    problem = UsageError("request_wrong", problem=f"{place}: {first['msg']}"[:200])
    return answer(request, problem, status)


async def by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, DicecupError):  # the guard rejected the body while it was read
        return answer(request, error.__cause__, status_of(error.__cause__))
    if error.status_code in (404, 405):
        return answer(request, UsageError("not_found"), error.status_code)
    problem = UsageError("request_wrong", problem=error.detail.rstrip("."))
    return answer(request, problem, error.status_code)


def failed(request: Request, error: Exception) -> Response:
    """Answer an unexpected error. Paths and values can hold secrets: they are not logged."""
    route = getattr(request.scope.get("route"), "path", "")
    more = {"method": request.method, "route": route}
    log.error("failed", exc_info=error, extra={MORE: more})
    problem = UsageError("server_failed")
    try:
        return answer(request, problem, 500)
    except Exception:  # the error may be in what makes the response
        sentence = language("en").sentence(problem)
        return JSONResponse({"error": {"code": problem.code, "message": sentence}, "state": None}, 500)


class CatchAll:
    """Error handler inside the guard, so that responses to failures get all security headers too."""

    def __init__(self, app: ASGIApp, failed: Callable[[Request, Exception], Response]) -> None:
        self.app = app
        self.failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            return  # the client has disconnected
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            await self.failed(Request(scope), error)(scope, receive, send)


def install(app: FastAPI, page: RefusedPage) -> None:
    """Answer everything that is raised: by `page` where people look, with JSON in the API."""
    app.state.refused_page = page
    app.add_exception_handler(DicecupError, refused)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(HTTPException, by_status)
    app.add_middleware(CatchAll, failed=failed)
