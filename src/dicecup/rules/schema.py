"""The JSON Schema of rules files, so that editors complete and check them while they are written.

It is made from the same limits as `rules.build` checks; a test compares the keys of both. What concerns
several keys at once (references between boxes, sums of groups) only the loader knows.
"""

from __future__ import annotations

from typing import Any

from dicecup.rules import build
from dicecup.rules.build import MOST_POINTS, MOST_THROWS
from dicecup.rules.loader import BUILTIN, FILE_KEYS, FORMAT, MOST_OPTIONS, MOST_VALUES
from dicecup.rules.reader import ID_PATTERN

Schema = dict[str, Any]

ID: Schema = {"type": "string", "pattern": f"^{ID_PATTERN.pattern}$"}
IDS: Schema = {"type": "array", "items": ID, "minItems": 1, "uniqueItems": True}
FLAG: Schema = {"type": "boolean"}
NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 500}


def number(low: int, high: int, about: str = "") -> Schema:
    return described({"type": "integer", "minimum": low, "maximum": high}, about)


def numbers(low: int, high: int, most: int, about: str = "") -> Schema:
    return described({"type": "array", "items": number(low, high), "minItems": 1, "maxItems": most}, about)


def described(schema: Schema, about: str) -> Schema:
    return schema | ({"description": about} if about else {})


def table(properties: Schema, **more: object) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


def by_id(values: Schema, **more: object) -> Schema:
    """A table whose keys are ids."""
    return {"type": "object", "propertyNames": ID, "additionalProperties": values, **more}


def removable(schema: Schema) -> Schema:
    """Also `false`: it removes what the base has."""
    return {"anyOf": [schema, {"const": False}]}


def tiers(about: str, least: int = 0) -> Schema:
    step = table({"at": number(1 if least == 0 else 0, MOST_POINTS), "points": number(least, MOST_POINTS)})
    return described({"type": "array", "items": step | {"required": ["at", "points"]}}, about)


NEEDS = table(
    {
        "alike": numbers(1, build.MOST_DICE, build.MOST_GROUPS, "groups of equal dice, such as [3, 2]"),
        "different": described(FLAG, "the groups of alike show different numbers"),
        "run": number(2, build.MOST_DICE, "this many numbers in a row"),
        "around": described(FLAG, "a 1 may follow the highest number of a run"),
        "faces": numbers(1, build.MOST_FACES, build.MOST_DICE, "exactly these numbers"),
        "at_least": number(1, build.MOST_DICE * build.MOST_FACES, "a minimum sum of the dice"),
    },
    description="what the dice must show; without it any dice qualify",
)
POINTS: Schema = {
    "description": "a number; the sum of the dice that meet the condition, or of all dice; both: 50 + all",
    "anyOf": [
        number(0, MOST_POINTS),
        {"type": "string", "pattern": r"^(?:[0-9]{1,5} *[+] *|-?)(?:all|matching)$|^[0-9]{1,5} *- *all$"},
    ],
}
BOX = table(
    {
        "needs": removable(NEEDS),
        "points": POINTS,
        "after_total": described(FLAG, "placed after the grand total"),
        "strike": described(FLAG, "false: cannot be crossed out"),
        "after": removable(described(IDS, "scores only once these boxes are filled")),
        "above": removable(described(ID, "must hold more points than this box")),
        "once": removable(described(IDS, "scores only once these boxes hold points")),
        "early": removable(
            numbers(0, MOST_POINTS, MOST_THROWS, "more points after the first, second … roll")
        ),
    }
)
COLUMN: Schema = {
    "anyOf": [
        number(1, 100, "how often the total counts"),
        table({"multiplier": number(1, 100), "order": {"enum": ["free", "down", "up"]}, "announced": FLAG}),
    ]
}
ACROSS = table(
    {"points": number(1, MOST_POINTS), "at": number(1, MOST_POINTS), "every": FLAG, "each": FLAG},
    required=["points"],
)
# Every key of a game, in the order in which files usually have them: a new key of the format is a new line.
GAME: Schema = {
    "dice": table(
        {
            "count": number(1, build.MOST_DICE, "how many dice"),
            "faces": number(2, build.MOST_FACES, "how many numbers a die has"),
            "layers": removable(described(IDS, "names of the dice within a die")),
            "counted": removable(number(1, build.MOST_DICE, "how many dice of a layer count in a box")),
        }
    ),
    "throws": number(1, MOST_THROWS, "how often the dice are rolled in a turn"),
    "scored": removable(described(IDS, "the order in which the layers are scored")),
    "strike": {"enum": ["free", "last_resort"], "description": "when a box may be crossed out"},
    "section_totals": described(FLAG, "total lines for both sections"),
    "upper": table(
        {
            "boxes": by_id(removable(number(1, build.MOST_FACES, "the number that scores"))),
            "bonus": removable(tiers("steps in ascending order; the highest one reached counts")),
        }
    ),
    "box": by_id(removable(BOX), description="the boxes below the upper section, in the order of the sheet"),
    "order": removable(described(IDS, "boxes below the upper section that come first, in this order")),
    "columns": removable(by_id(removable(COLUMN), maxProperties=build.MOST_COLUMNS)),
    "joker": removable(table({"filled": IDS, "boxes": IDS, "forced": FLAG})),
    "repeat": removable(table({"id": ID, "box": ID, "points": number(1, MOST_POINTS)})),
    "saved_throws": described(FLAG, "rolls that a turn leaves over are saved"),
    "across": removable(by_id(removable(ACROSS), description="points of boxes over all columns")),
    "total_points": removable(tiers("what the total of all columns counts as", -MOST_POINTS)),
    "win": removable(table({"box": ID, "roll": number(1, MOST_THROWS)})),
    "difference": removable(table({"id": ID, "high": ID, "low": ID, "times": ID})),
}
NAMES: Schema = {
    "type": "object",
    "properties": {
        "options": removable({"type": "object", "additionalProperties": {"additionalProperties": NAME}})
    },
    "additionalProperties": removable(NAME),
}


def rules_schema() -> Schema:
    """Return the schema of rules files."""
    game = {key: value for key, value in GAME.items() if key in FILE_KEYS}
    values = IDS | {"maxItems": MOST_VALUES}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of a dice game for Dicecup",
        **table(
            {
                "format": {"const": FORMAT, "description": "version of this format"},
                "id": described(ID, "the game's id"),
                "base": {"type": "string", "minLength": 1, "examples": list(BUILTIN)},
                **game,
                "options": removable(by_id(removable(values), maxProperties=MOST_OPTIONS)),
                "option": removable(by_id(by_id({"$ref": "#/$defs/patch"}))),
                "names": by_id(NAMES, description="names by language: en, fr, de, sv"),
            },
            required=["format", "id"],
        ),
        "anyOf": [{"required": ["base"]}, {"required": ["dice", "throws"]}],
        "$defs": {"patch": table(game)},
    }
