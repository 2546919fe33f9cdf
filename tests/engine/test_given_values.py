"""What a program hands to the engine: dice in any form are understood, everything else gets a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicecup.engine import Keep, Placement, Score, Sheet, Throw, apply, empty_sheet, legal_moves, score, start
from dicecup.engine.legality import points_by_box
from dicecup.engine.play import as_dice
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import record_to_text
from dicecup.engine.serialize import Position, checked_sheet
from dicecup.rules import load_ruleset
from dicecup.rules.loader import as_ruleset

YATZY, DOUBLE, COLUMNS = map(load_ruleset, ("yatzy", "dice-in-dice", "triple-yum-plus"))
DOUBLE_DICE = ((1, 2), (1, 3), (6, 5))


@pytest.mark.parametrize(
    "dice",
    [(6, 1, 3), [3, 6, 1], "6 1 3", "613", "6,1,3", np.array([6, 3, 1]), ("6", 1, np.int8(3)), {1, 3, 6}],
)
def test_plain_dice_in_any_form(dice):
    found = as_dice(YATZY, dice)
    assert found == (1, 3, 6)
    assert all(type(die) is int for die in found)


@pytest.mark.parametrize(
    "dice", [DOUBLE_DICE[::-1], "6-5 1-2 1-3", ["1-2", (1, 3), [6, 5]], np.array([[6, 5], [1, 3], [1, 2]])]
)
def test_double_dice_in_any_form(dice):
    assert as_dice(DOUBLE, dice) == DOUBLE_DICE


@pytest.mark.parametrize("dice", [7, None, [None], [(1, 2)], [1.5], "a", b"\x07", [[1]]])
def test_what_is_not_plain_dice(refused, dice):
    with refused("face_out_of_range" if isinstance(dice, bytes) else "die_unreadable"):
        as_dice(YATZY, dice)


@pytest.mark.parametrize("dice", [7, [6], [(1,)], [(1, 2, 3)], ["6"], [(1, None)]])
def test_what_is_not_double_dice(refused, dice):
    with refused("die_unreadable"):
        as_dice(DOUBLE, dice)


def test_faces_that_no_die_has(refused):
    for rules, dice in ((YATZY, [7]), (YATZY, [np.int64(0)]), (DOUBLE, [(1, 7)])):
        with refused("face_out_of_range"):
            as_dice(rules, dice)


def test_records_hold_plain_sorted_dice(refused):
    record = Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed")))
    thrown: Any = np.array([6, 1, 3, 3, 6])
    record = record.append(Throw(thrown)).append(Keep((6, 3, 6)))
    assert record.entries == (Throw((1, 3, 3, 6, 6)), Keep((3, 6, 6)))
    other: Any = "cup"
    with refused("die_unreadable"):
        record.append(Throw((1, 2))).append(Keep(other))


def test_a_keep_that_is_no_dice(refused):
    state = apply(YATZY, start(YATZY), Throw((1, 2, 3, 4, 5)))
    rubbish: Any = None
    with refused("die_unreadable"):
        apply(YATZY, state, Keep(rubbish))


@pytest.mark.parametrize("move", [None, "roll", Score("pair"), Score((None,)), Score((Placement(3),))])  # type: ignore[arg-type]
def test_what_is_not_a_move(refused, move):
    state = apply(YATZY, start(YATZY), Throw((1, 2, 3, 4, 5)))
    with refused("move_unreadable"):
        apply(YATZY, state, move)


def test_states_of_nothing_and_of_another_game(refused):
    rubbish: Any = "state"
    with refused("argument_wrong", argument="state"):
        legal_moves(YATZY, rubbish)
    with refused("sheet_of_other_game", found=COLUMNS.cells, expected=YATZY.cells):
        apply(YATZY, start(COLUMNS), Throw((1, 2, 3, 4, 5)))


def test_sheets_as_they_are_given(refused):
    cells: Any = [np.int64(3), *[None] * (YATZY.cells - 1)]
    found = checked_sheet(YATZY, Sheet(cells))
    assert found == checked_sheet(YATZY, {"ones": 3})
    assert type(found.cells[0]) is int
    short: Any = None
    for wrong in (Sheet((None,) * 3), Sheet(short)):
        with refused("sheet_of_other_game"):
            checked_sheet(YATZY, wrong)
    for points in ("3", 10**9):
        with refused("position_key_wrong", key="sheet"):
            checked_sheet(YATZY, Sheet((points, *cells[1:])))


def test_points_by_box_column_and_layer():
    dice = (3, 3, 3, 6, 6)
    assert points_by_box(YATZY, checked_sheet(YATZY, {"threes": 9}), dice)["sixes"] == 12
    assert points_by_box(COLUMNS, empty_sheet(COLUMNS), dice)["x2"]["sixes"] == 12
    double = points_by_box(DOUBLE, empty_sheet(DOUBLE), DOUBLE_DICE + DOUBLE_DICE)
    assert (double["inner"]["fives"], double["outer"]["sixes"]) == (10, 12)


def test_positions_know_their_forms():
    line = "yatzy / ones=3 / 1 3 3 6 6 / 1"
    position = Position.parse(line)
    assert str(position) == line
    assert Position.from_data(position.to_data()) == position


def test_a_record_that_begins_in_a_position(refused):
    position = Position.parse("yatzy / ones=3 / 1 3 3 6 6 / 1")
    header = Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed"))
    record = Record(header, first=position.state).append(score("pair"))
    assert record.states[0] == position.state
    assert record.state.sheet.cells[YATZY.box_index["pair"]] == 12
    with refused("record_from_position"):
        record_to_text(record)


def test_rules_as_they_are_given(refused, tmp_path):
    assert as_ruleset("yatzy") is YATZY
    assert as_ruleset(YATZY) is YATZY
    changed = as_ruleset(YATZY, {"scoring": "scandinavian"})
    assert changed == load_ruleset("yatzy", {"scoring": "scandinavian"})
    assert changed != YATZY
    assert YATZY != "yatzy"
    path = tmp_path / "own.toml"
    path.write_text('format = 1\nid = "own"\nbase = "yatzy"\n')
    assert as_ruleset(path) == YATZY
    assert len({as_ruleset(path), YATZY}) == 1
    with refused("argument_wrong", argument="game"):
        as_ruleset(7)
    for options in (7, {"scoring": 1}):
        with refused("argument_wrong", argument="options"):
            as_ruleset("yatzy", options)
