"""Logs as lines of text or JSON, each with the id of its request.

No line holds the name, key or address of a person, the address of a match or the secret of a link. So
requests are named by their routes, matches by a short hash, and unexpected errors by their type and the
lines of code: the message of an exception can quote anything.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from dicecup.web.settings import Logs

current_request: ContextVar[str] = ContextVar("current_request", default="")
LOGGERS = ("dicecup", "uvicorn", "psycopg", "asyncio")
MORE = "more"  # the attribute of a log record that holds further fields


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return what a line says about a log record, in order."""
    fields: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": message_of(record),
    }
    if request := current_request.get():
        fields["request"] = request
    fields |= getattr(record, MORE, {})
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        fields["error"] = type(error).__name__
        fields["lines"] = [
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
    return fields


def message_of(record: logging.LogRecord) -> str:
    """Return the message. asyncio adds lines that quote exceptions and what tasks were called with."""
    message = record.getMessage()
    return message.partition("\n")[0] if record.name.startswith("asyncio") else message


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(fields_of(record), ensure_ascii=False)


class TextLines(logging.Formatter):
    """Time, level, request and message, then the other fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields = fields_of(record)
        lines = "".join(f"\n  {line}" for line in fields.pop("lines", ()))
        first = [fields.pop("time"), fields.pop("level").upper(), fields.pop("logger"), fields.pop("message")]
        return " ".join([*first, *(f"{name}={value}" for name, value in fields.items())]) + lines


def configure_logs(logs: Logs) -> None:
    """Send the logs of this process to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if logs.json else TextLines())
    level = {"debug": logging.DEBUG, "info": logging.INFO, "error": logging.ERROR}.get(
        logs.level, logging.WARNING
    )
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level if name == "dicecup" else max(level, logging.WARNING))
        logger.propagate = False
