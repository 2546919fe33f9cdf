"""One line of text for any position: `game option=value … / box=points … / dice / throws left / kept dice`.

`yatzy scoring=scandinavian / ones=3 pair=12 / 1 3 3 6 6 / 1`. Parts at the end that do not apply are left
out; a box of a column is written `x2.ones`. The line says what the JSON says, and is read through it.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

from dicecup.engine.position import Position, position_from_data, position_to_data
from dicecup.errors import PositionError

EXAMPLE = "yatzy / ones=3 pair=12 / 1 3 3 6 6 / 1"
MOST_CHARACTERS = 10_000
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,6}")


def position_to_line(position: Position) -> str:
    data = position_to_data(position)
    game = [quote(data["ruleset"])]
    game += [f"{name}={value}" for name, value in data.get("options", {}).items()]
    boxes = []
    for name, value in data["sheet"].items():
        if isinstance(value, dict):
            boxes += [f"{name}.{box}={points}" for box, points in value.items()]
        else:
            boxes.append(f"{name}={value}")
    fields = [" ".join(game), " ".join(boxes)]
    if "dice" in data:
        fields += [" ".join(map(str, data["dice"])), str(data["throws_left"])]
    if "kept" in data:
        fields.append(" ".join(map(str, data["kept"])))
    return " ".join(" / ".join(fields).split()).removesuffix(" /" if len(fields) == 2 else "")


def position_from_line(line: str) -> Position:
    problem = PositionError("position_text_wrong", text=line[:60], example=EXAMPLE)
    if len(line) > MOST_CHARACTERS or not line.strip():
        raise problem
    fields: list[list[str]] = [[]]
    for token in line.split():
        if token == "/":
            fields.append([])
        else:
            fields[-1].append(token)
    if not fields[0] or len(fields) not in (1, 2, 4, 5):
        raise problem
    data: dict[str, Any] = {"ruleset": unquote(fields[0][0])}
    options = [split_pair(token, problem) for token in fields[0][1:]]
    data["options"] = dict(options)
    if len(data["options"]) < len(options):
        raise problem
    data["sheet"] = sheet_of(fields[1] if len(fields) > 1 else [], problem)
    if len(fields) > 2:
        data["dice"] = [number_or_text(token) for token in fields[2]]
        data["throws_left"] = number_or_text(fields[3][0]) if len(fields[3]) == 1 else None
    if len(fields) > 4:
        data["kept"] = [number_or_text(token) for token in fields[4]]
    return position_from_data(data)


def sheet_of(tokens: list[str], problem: PositionError) -> dict[str, Any]:
    sheet: dict[str, Any] = {}
    for token in tokens:
        name, points = split_pair(token, problem)
        column, dot, box = name.rpartition(".")
        place = sheet.setdefault(column, {}) if dot else sheet
        if not isinstance(place, dict) or box in place:
            raise problem
        place[box] = number_or_text(points)
    return sheet


def split_pair(token: str, problem: PositionError) -> tuple[str, str]:
    name, sign, value = token.partition("=")
    if not (name and sign and value):
        raise problem
    return name, value


def number_or_text(token: str) -> int | str:
    return int(token) if WHOLE_NUMBER.fullmatch(token) else token
