"""A position: one player's sheet and turn, as JSON data. It is read back exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dicecup.dice import Dice, Die, contains, format_die, parse_die, sort_dice
from dicecup.engine.sheet_data import sheet_from_data, sheet_to_data, wrong
from dicecup.engine.state import State
from dicecup.errors import DiceError, PositionError, about
from dicecup.rules.loader import load_ruleset
from dicecup.rules.model import Ruleset

MOST_SHOWN = 10**9  # a larger number is not repeated in an error
POSITION_KEYS = ("ruleset", "options", "sheet", "dice", "throws_left", "kept")


@dataclass(frozen=True, slots=True)
class Position:
    """A state of one player, the rules, and the id or path by which the rules were asked for."""

    reference: str
    rules: Ruleset
    state: State


def dice_to_data(dice: Dice) -> list[int | str]:
    """One-layer dice are numbers, others are texts like `6-5`."""
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
    if "dice" not in data:
        if data.get("throws_left", rules.throws) != rules.throws or "kept" in data:
            raise wrong("dice", "expected_dice", count=rules.dice.count)
        return State((sheet,), 0, (), (), rules.throws)
    if sheet.full:
        raise PositionError("game_over")
    dice = dice_from_data(rules, data["dice"])
    if len(dice) != rules.dice.count:
        raise DiceError("dice_count_wrong", found=len(dice), expected=rules.dice.count)
    throws_left = data.get("throws_left")
    if type(throws_left) is not int or not 0 <= throws_left < rules.throws:
        raise wrong("throws_left", "expected_whole_number", low=0, high=rules.throws - 1)
    kept = None
    if "kept" in data:
        kept = dice_from_data(rules, data["kept"], "kept")
        if not throws_left or len(kept) == len(dice) or not contains(dice, kept):
            raise wrong("kept", "expected_kept")
    return State((sheet,), 0, dice, kept, throws_left)
