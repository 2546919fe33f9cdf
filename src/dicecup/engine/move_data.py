"""Moves as JSON data, as programs exchange them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicecup.engine.moves import Keep, Move, Placement, Score, Throw
from dicecup.engine.position import dice_from_data, dice_to_data
from dicecup.errors import MoveError
from dicecup.rules.model import Ruleset


def move_to_data(rules: Ruleset, move: Move) -> dict[str, Any]:
    """`{"keep": […]}`, `{"throw": […]}`, `{"box": …}`, `{"column": …, "box": …}` or one key per layer."""
    if isinstance(move, Keep):
        return {"keep": dice_to_data(move.dice)}
    if isinstance(move, Throw):
        return {"throw": dice_to_data(move.dice)}
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


def move_from_data(rules: Ruleset, data: object) -> Move:
    if not isinstance(data, Mapping):
        raise MoveError("move_unreadable")
    keys = set(data)
    if keys == {"keep"}:
        return Keep(dice_from_data(rules, data["keep"], "keep"))
    if keys == {"throw"}:
        return Throw(dice_from_data(rules, data["throw"], "throw"))
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


def layered_score(rules: Ruleset, data: Mapping[str, Any]) -> Score:
    struck = data.get("strike", [])
    known = isinstance(struck, list) and all(layer in rules.scored for layer in struck)
    if set(data) - {"strike"} != set(rules.scored) or not known:
        raise MoveError("move_unreadable")
    placements = []
    for layer in rules.scored:
        if not isinstance(data[layer], str):
            raise MoveError("move_unreadable")
        column, _, box = data[layer].rpartition(".")
        placements.append(Placement(box, column, layer in struck))
    return Score(tuple(placements))
