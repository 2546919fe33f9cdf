"""Helpers of the rulebook tests: sheets and dice in written form, moves played with `apply`."""

from __future__ import annotations

from collections.abc import Mapping

from dicecup.dice import Dice, parse_dice
from dicecup.engine import (
    Keep,
    Move,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    apply,
    column_lines,
    is_legal,
    legal_moves,
    score,
    start,
)
from dicecup.errors import MoveError
from dicecup.rules import Ruleset, load_ruleset

Written = Mapping[str, int]  # box → points; with columns `x2.box` → points


def game(reference: str, **options: str) -> Ruleset:
    return load_ruleset(reference, options)


def read(rules: Ruleset, text: str) -> Dice:
    """Parse dice such as `3 3 3 6 6`, or double dice such as `6-5 6-4`."""
    return parse_dice(text.split(), rules.dice.faces, len(rules.dice.layers))


def sheet_of(rules: Ruleset, written: Written) -> Sheet:
    cells: list[int | None] = [None] * rules.cells
    boxes = [box.id for box in rules.boxes]
    columns = [column.id for column in rules.columns]
    for name, points in written.items():
        column, _, box = name.rpartition(".")
        cells[columns.index(column) * len(boxes) + boxes.index(box)] = points
    return Sheet(tuple(cells))


def written_on(rules: Ruleset, sheet: Sheet) -> dict[str, int]:
    """Return the filled boxes of a sheet."""
    names = [
        f"{column.id}.{box.id}" if column.id else box.id for column in rules.columns for box in rules.boxes
    ]
    return {name: points for name, points in zip(names, sheet.cells, strict=True) if points is not None}


def decision(rules: Ruleset, dice: str, written: Written | None = None, throws_left: int = 0) -> State:
    """Return one player's turn with these dice on the table and a partly filled sheet."""
    sheet = sheet_of(rules, written or {})
    return State((sheet,), 0, read(rules, dice), None, throws_left)


def points(rules: Ruleset, dice: str, box: str, written: Written | None = None) -> int:
    """Return the points of the dice in a box, by playing it. The box of a column is named `x2.box`."""
    column, _, name = box.rpartition(".")
    after = apply(rules, decision(rules, dice, written), score(name, column))
    return written_on(rules, after.sheets[0])[box]


def inner_points(rules: Ruleset, inner: str, box: str) -> int:
    """Return the points of the inner dice in a box; the outer dice, all ones, go elsewhere."""
    dice = " ".join(f"1-{face}" for face in inner.split())
    other = "ones" if box != "ones" else "chance"
    move = Score((Placement(box), Placement(other)))
    after = apply(rules, decision(rules, dice), move)
    return written_on(rules, after.sheets[0])[box]


def outer_points(rules: Ruleset, outer: str, box: str) -> int:
    """Return the points of the outer dice in a box; the inner dice, all ones, go elsewhere."""
    dice = " ".join(f"{face}-1" for face in outer.split())
    other = "ones" if box != "ones" else "chance"
    move = Score((Placement(other), Placement(box)))
    after = apply(rules, decision(rules, dice), move)
    return written_on(rules, after.sheets[0])[box]


def refused(rules: Ruleset, state: State, move: Move) -> str:
    """Return the error code of an illegal move, or "" for a legal one; checking and playing must agree."""
    try:
        apply(rules, state, move)
    except MoveError as error:
        assert not is_legal(rules, state, move)
        assert move not in legal_moves(rules, state)
        return error.code
    assert is_legal(rules, state, move)
    return ""


def boxes_allowed(rules: Ruleset, state: State) -> set[str]:
    """Return the boxes that can be filled other than by a strike."""
    return {
        placement.box
        for move in legal_moves(rules, state)
        if isinstance(move, Score)
        for placement in move.placements[:1]
        if not placement.strike
    }


def thrown(rules: Ruleset, *texts: str) -> State:
    """Play a first turn: the first throw, then alternately the dice kept and the dice thrown, as texts."""
    state = start(rules)
    for number, text in enumerate(texts):
        dice = read(rules, text)
        state = apply(rules, state, Throw(dice) if number % 2 == 0 else Keep(dice))
    return state


def play_out(rules: Ruleset, state: State, dice: str) -> State:
    """Play to the end with the same throw every time, each turn scored in the first open boxes."""
    while not state.finished:
        state = apply(rules, state, Throw(read(rules, dice)))
        move = next(move for move in legal_moves(rules, state) if isinstance(move, Score))
        state = apply(rules, state, move)
    return state


def lines(rules: Ruleset, written: Written, column: int = 0) -> Mapping[str, int]:
    """Return the computed lines of a sheet."""
    return column_lines(rules, sheet_of(rules, written), column)
