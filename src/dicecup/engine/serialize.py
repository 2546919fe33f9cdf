"""Positions and moves as JSON data, and any position as one line of text.

The line is `game option=value … / box=points … / dice / throws left / kept dice`. After the throws left comes
the box that was announced, where there is one. Both forms are read back exactly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from dicecup.dice import Dice, Die, contains, format_die, parse_die, sort_dice
from dicecup.engine.checked import announced_names, checked_state
from dicecup.engine.legality import cell_names
from dicecup.engine.play import wins
from dicecup.engine.sheet_data import check_sheet, sheet_from_data, sheet_to_data, wrong
from dicecup.engine.state import (
    Announce,
    Keep,
    Move,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    Write,
    turn_start,
)
from dicecup.errors import DiceError, MoveError, PositionError, about, check_argument
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset

MOST_SHOWN = 10**9  # larger numbers are not repeated in an error
POSITION_KEYS = ("ruleset", "options", "sheet", "dice", "throws_left", "kept", "announced")


@dataclass(frozen=True, slots=True)
class Position:
    """A state of one player, the rules, and the id or path by which they were loaded.

    >>> import dicecup
    >>> position = dicecup.Position.parse("yatzy scoring=scandinavian / ones=3 pair=12 / 1 3 3 6 6 / 1")
    >>> position.state.dice, position.to_data()["sheet"]
    ((1, 3, 3, 6, 6), {'ones': 3, 'pair': 12})
    """

    reference: str
    rules: Ruleset
    state: State

    def __post_init__(self) -> None:
        check_argument("reference", isinstance(self.reference, str), "expected_ruleset")
        object.__setattr__(self, "state", checked_state(self.rules, self.state))
        check_sheet(self.rules, self.state.sheet)

    @classmethod
    def parse(cls, line: str) -> Position:
        """The position of its one-line notation, which `str` writes.

        >>> str(dicecup.Position.parse("yatzy / ones=3 / 6 6 3 3 1 / 1"))
        'yatzy / ones=3 / 1 3 3 6 6 / 1'
        """
        return position_from_line(str(line))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Position:
        """The position of its JSON data.

        >>> dicecup.Position.from_data({"ruleset": "yatzy", "sheet": {"ones": 3}}).state.throws_left
        3
        """
        return position_from_data(data)

    def to_data(self) -> dict[str, Any]:
        """The position as JSON data.

        >>> dicecup.Position.parse("yatzy / ones=3").to_data()
        {'ruleset': 'yatzy', 'sheet': {'ones': 3}}
        """
        return position_to_data(self)

    def __str__(self) -> str:
        return position_to_line(self)


def dice_to_data(dice: Dice) -> list[int | str]:
    """Return dice as data: numbers for one layer, texts like `6-5` for several."""
    return [die if isinstance(die, int) else format_die(die) for die in dice]


def dice_from_data(rules: Ruleset, data: object, key: str = "dice") -> Dice:
    if not isinstance(data, list | tuple) or len(data) > rules.dice.count:
        raise wrong(key, "expected_dice", count=rules.dice.count)
    return sort_dice(tuple(die_from_data(rules, die) for die in data))


def die_from_data(rules: Ruleset, die: object) -> Die:
    layers, faces = len(rules.dice.layers), rules.dice.faces
    if layers > 1 and isinstance(die, str):
        return parse_die(die[:40], faces, layers)
    if layers > 1 or type(die) is not int:
        text = die[:20] if isinstance(die, str) else type(die).__name__
        raise DiceError("die_unreadable", text=text, example="-".join("65432"[:layers]))
    if not 1 <= die <= faces:
        raise DiceError("face_out_of_range", text=die if abs(die) < MOST_SHOWN else "…", faces=faces)
    return die


def position_to_data(position: Position) -> dict[str, Any]:
    rules, state = position.rules, position.state
    data: dict[str, Any] = {"ruleset": position.reference}
    if rules.non_default_options:
        data["options"] = dict(rules.non_default_options)
    data["sheet"] = sheet_to_data(rules, state.sheet)
    if state.dice:
        data |= {"dice": dice_to_data(state.dice), "throws_left": state.throws_left}
        if state.kept is not None:
            data["kept"] = dice_to_data(state.kept)
        if state.announced is not None:
            box, column = cell_names(rules, state.announced)
            data["announced"] = f"{column}.{box}"
    return data


def position_from_data(data: object) -> Position:
    if not isinstance(data, Mapping):
        raise wrong("JSON", "expected_table")
    for key in data:
        if key not in POSITION_KEYS:
            raise wrong(str(key)[:40], "expected_one_of_keys", known=", ".join(POSITION_KEYS))
    reference = data.get("ruleset")
    if not isinstance(reference, str):
        raise wrong("ruleset", "expected_ruleset")
    options = data.get("options", {})
    if not isinstance(options, Mapping) or not all(
        isinstance(text, str) for pair in options.items() for text in pair
    ):
        raise wrong("options", "expected_table")
    rules = load_ruleset(reference, options)
    with about(rules):
        return Position(reference, rules, state_from_data(rules, data))


def state_from_data(rules: Ruleset, data: Mapping[str, Any]) -> State:
    sheet = sheet_from_data(rules, data.get("sheet", {}))
    begun = turn_start(rules, (sheet,), 0)
    if "dice" not in data:
        if data.get("throws_left", begun.throws_left) != begun.throws_left or {"kept", "announced"} & set(
            data
        ):
            raise wrong("dice", "expected_dice", count=rules.dice.count)
        return begun
    if sheet.full:
        raise PositionError("game_over")
    dice = dice_from_data(rules, data["dice"])
    if len(dice) != rules.dice.count:
        raise DiceError("dice_count_wrong", found=len(dice), expected=rules.dice.count)
    throws_left = data.get("throws_left")
    if type(throws_left) is not int or not 0 <= throws_left < begun.throws_left:
        raise wrong("throws_left", "expected_whole_number", low=0, high=begun.throws_left - 1)
    kept = None
    if "kept" in data:
        kept = dice_from_data(rules, data["kept"], "kept")
        if not throws_left or len(kept) == len(dice) or not contains(dice, kept):
            raise wrong("kept", "expected_kept")
    state = State((sheet,), 0, dice, kept, throws_left, read_announced(rules, sheet, data.get("announced")))
    return replace(state, winner=0) if wins(rules, state) else state


def read_announced(rules: Ruleset, sheet: Sheet, announced: object) -> int | None:
    """Return the cell of `column.box` that was announced, if one was."""
    if announced is None:
        return None
    known = announced_names(rules, sheet)
    if not isinstance(announced, str) or announced not in known:
        raise wrong("announced", "expected_one_of", known=", ".join(known) or "–")
    return known[announced]


def move_to_data(rules: Ruleset, move: Move) -> dict[str, Any]:
    """Return `{"keep": […]}`, `{"throw": […]}`, `{"announce": …}` and `{"box": …}` (both with `column`), one
    key per layer, or points that were written.
    """
    if isinstance(move, Keep):
        return {"keep": dice_to_data(move.dice)}
    if isinstance(move, Throw):
        return {"final" if move.final else "throw": dice_to_data(move.dice)}
    if isinstance(move, Write):
        return write_to_data(move)
    if isinstance(move, Announce):
        return {"announce": move.box, "column": move.column}
    if not rules.has_layers:
        (placement,) = move.placements
        data: dict[str, Any] = {"column": placement.column} if rules.has_columns else {}
        data["box"] = placement.box
        return data | ({"strike": True} if placement.strike else {})
    data = {}
    for layer, placement in zip(rules.scored, move.placements, strict=True):
        data[layer] = f"{placement.column}.{placement.box}" if rules.has_columns else placement.box
    struck = [
        layer for layer, placement in zip(rules.scored, move.placements, strict=True) if placement.strike
    ]
    return data | ({"strike": struck} if struck else {})


def write_to_data(move: Write) -> dict[str, Any]:
    data: dict[str, Any] = {"column": move.column} if move.column else {}
    data |= {"box": move.box, "seat": move.seat, "points": move.points}
    return data | ({} if move.was is None else {"was": move.was})


def write_from_data(data: Mapping[str, Any]) -> Write:
    box, column = data.get("box"), data.get("column", "")
    numbers = [data.get("seat"), *(data.get(key) or 0 for key in ("points", "was"))]
    if (
        not set(data) <= {"box", "column", "seat", "points", "was"}
        or not isinstance(box, str)
        or not isinstance(column, str)
        or not all(type(number) is int for number in numbers)
    ):
        raise MoveError("move_unreadable")
    return Write(data["seat"], box, data["points"], column, data.get("was"))


def move_from_data(rules: Ruleset, data: object) -> Move:
    if not isinstance(data, Mapping):
        raise MoveError("move_unreadable")
    keys = set(data)
    if "points" in keys:
        return write_from_data(data)
    if keys == {"final"}:
        return Throw(dice_from_data(rules, data["final"], "final"), final=True)
    if keys == {"keep"}:
        return Keep(dice_from_data(rules, data["keep"], "keep"))
    if keys == {"throw"}:
        return Throw(dice_from_data(rules, data["throw"], "throw"))
    if "announce" in keys:
        return announce_from_data(data)
    if rules.has_layers:
        return layered_score(rules, data)
    box, column, strike = data.get("box"), data.get("column", ""), data.get("strike", False)
    if (
        not keys <= {"box", "column", "strike"}
        or not isinstance(box, str)
        or not isinstance(column, str)
        or not isinstance(strike, bool)
    ):
        raise MoveError("move_unreadable")
    return Score((Placement(box, column, strike),))


def announce_from_data(data: Mapping[str, Any]) -> Announce:
    box, column = data["announce"], data.get("column", "")
    if not set(data) <= {"announce", "column"} or not isinstance(box, str) or not isinstance(column, str):
        raise MoveError("move_unreadable")
    return Announce(box, column)


def layered_score(rules: Ruleset, data: Mapping[str, Any]) -> Score:
    struck = data.get("strike", [])
    known = isinstance(struck, list) and all(
        isinstance(layer, str) and layer in rules.scored for layer in struck
    )
    if set(data) - {"strike"} != set(rules.scored) or not known:
        raise MoveError("move_unreadable")
    placements = []
    for layer in rules.scored:
        if not isinstance(data[layer], str):
            raise MoveError("move_unreadable")
        column, _, box = data[layer].rpartition(".")
        placements.append(Placement(box, column, layer in struck))
    return Score(tuple(placements))


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
        left = [str(data["throws_left"]), *([data["announced"]] if "announced" in data else [])]
        fields += [" ".join(map(str, data["dice"])), " ".join(left)]
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
        data["throws_left"] = number_or_text(fields[3][0]) if len(fields[3]) in (1, 2) else None
        data |= {"announced": fields[3][1]} if len(fields[3]) == 2 else {}
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
