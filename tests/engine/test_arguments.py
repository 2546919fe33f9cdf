"""What programs hand to the engine: reasonable spellings work, everything else is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dicecup.engine import (
    Keep,
    Score,
    Throw,
    apply,
    empty_sheet,
    is_legal,
    legal_moves,
    possible_values,
    score,
    start,
)
from dicecup.engine.legality import allowed_placements, forced_boxes, points_by_box
from dicecup.engine.play import as_dice
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_header import good_name
from dicecup.engine.record_text import record_to_text
from dicecup.engine.serialize import Position
from dicecup.engine.sheet_data import checked_sheet
from dicecup.engine.state import Placement, Sheet
from dicecup.errors import MoveError, UsageError
from dicecup.rules import Ruleset, load_ruleset
from dicecup.rules.loader import as_ruleset, load_without_files, rules_beside


class Number:
    """An integer that is not an int, as those of NumPy are."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


@pytest.fixture(scope="module")
def yatzy() -> Ruleset:
    return load_ruleset("yatzy")


@pytest.fixture(scope="module")
def double() -> Ruleset:
    return load_ruleset("dice-in-dice")


@pytest.mark.parametrize("given", ["6 3", "6,3", (6, 3), ["6", 3], (Number(6), Number(3))])
def test_plain_dice_in_any_spelling(yatzy, given):
    assert as_dice(yatzy, given) == (3, 6)


@pytest.mark.parametrize("given", ["6-5 1-2", ((6, 5), (1, 2)), [[6, 5], "1-2"], ((Number(6), 5), (1, 2))])
def test_double_dice_in_any_spelling(double, given):
    assert as_dice(double, given) == ((1, 2), (6, 5))


@pytest.mark.parametrize("given", [None, 3, (None,), ((1, 2),), (1.5,)])
def test_what_is_no_plain_die_is_refused(yatzy, given, refused):
    with refused("die_unreadable"):
        as_dice(yatzy, given)


@pytest.mark.parametrize("given", [(3,), ((1, 2, 3),), ((1,),), ((1, None),)])
def test_what_is_no_double_die_is_refused(double, given, refused):
    with refused("die_unreadable"):
        as_dice(double, given)


def test_a_number_that_no_die_has_is_refused(yatzy, refused):
    with refused("face_out_of_range"):
        as_dice(yatzy, (7,))
    rolled = apply(yatzy, start(yatzy), Throw((1, 2, 3, 4, 5)))
    with refused("keep_not_there"):
        apply(yatzy, rolled, Keep((7,)))
    with refused("die_unreadable"):
        apply(yatzy, rolled, Keep(cast(Any, (None,))))


def test_half_a_double_die_is_not_there(double, refused):
    rolled = apply(double, start(double), Throw(as_dice(double, "6-5 6-4 3-3 3-2 4-1 3-2")))
    with refused("keep_not_there"):
        apply(double, rolled, Keep((6,)))


def test_what_is_no_move_or_state_is_refused(yatzy, refused):
    rolled = apply(yatzy, start(yatzy), Throw((1, 2, 3, 4, 5)))
    for move in (
        None,
        Score(cast(Any, None)),
        Score(cast(Any, ("ones",))),
        Score((Placement(cast(Any, 3)),)),
        Score((Placement("ones", cast(Any, None)),)),
    ):
        with refused("move_unreadable"):
            apply(yatzy, rolled, cast(Any, move))
        assert not is_legal(yatzy, rolled, cast(Any, move))
    with refused("argument_wrong", argument="state"):
        legal_moves(yatzy, cast(Any, None))
    with refused("sheet_of_other_game", found=15, expected=16):
        apply(load_ruleset("dice-in-dice"), rolled, score("ones"))


def test_points_by_box_layer_and_column(yatzy, double):
    assert points_by_box(yatzy, empty_sheet(yatzy), (3, 3, 3, 6, 6))["full_house"] == 21
    dice = as_dice(double, "6-5 6-4 3-3 3-2 4-1 3-2")
    assert points_by_box(double, empty_sheet(double), dice)["outer"]["full_house"] == 21
    triple = load_ruleset("triple-yum-plus")
    assert points_by_box(triple, empty_sheet(triple), (6, 6, 6, 5, 5))["x2"]["minus"] == 8


def test_placements_that_are_allowed(yatzy):
    """Those of open boxes only, and under last resort no box is struck while another gives points."""
    strict = load_ruleset("yatzy", {"strike": "last_resort"})
    filled = Sheet((3, *empty_sheet(yatzy).cells[1:]))
    found = {(cell, strike) for cell, strike, _ in allowed_placements(strict, filled, (1, 2, 2, 3, 6))}
    assert (0, False) not in found
    assert not any(strike for _, strike in found)
    assert all(cell for cell, _ in found)


def test_boxes_that_a_forced_joker_demands(yatzy):
    forced = load_ruleset("yahtzee", {"joker": "forced"})
    assert forced_boxes(yatzy, 6, True) == frozenset()
    assert forced_boxes(forced, 6, False) == {forced.box_index["sixes"]}
    assert forced.box_index["chance"] in forced_boxes(forced, 6, True)


def test_sheets_in_any_spelling(yatzy, refused):
    cells = (Number(3), *empty_sheet(yatzy).cells[1:])
    assert checked_sheet(yatzy, Sheet(cast(Any, cells))).cells[0] == 3
    assert checked_sheet(yatzy, {"ones": 3}).cells[0] == 3
    with refused("sheet_impossible"):  # an upper total below 0 would be read as the number of another sheet
        checked_sheet(yatzy, Sheet((-5, *(None,) * 14)))
    with refused("sheet_of_other_game", found=2, expected=15):
        checked_sheet(yatzy, Sheet((1, 2)))
    with refused("sheet_of_other_game", found=0):
        checked_sheet(yatzy, Sheet(cast(Any, 3)))
    with refused("position_key_wrong"):
        checked_sheet(yatzy, Sheet(cast(Any, ("x", *cells[1:]))))


def test_positions_as_text_and_data():
    position = Position.parse("yatzy / ones=3 / 6 6 3 3 1 / 1")
    assert str(position) == "yatzy / ones=3 / 1 3 3 6 6 / 1"
    assert Position.from_data(position.to_data()) == position


def test_games_in_any_spelling(yatzy, tmp_path, refused):
    file = tmp_path / "ours.toml"
    file.write_text('format = 1\nid = "ours"\nbase = "yatzy"\n', encoding="utf-8")
    assert as_ruleset(yatzy) is yatzy
    assert as_ruleset(yatzy, {"scoring": "international"}).options["scoring"] == "international"
    assert as_ruleset(Path(file)).id == "ours"
    for options in (3, {"scoring": 3}):
        with refused("argument_wrong", argument="options"):
            as_ruleset("yatzy", options)
    with refused("argument_wrong", argument="game"):
        as_ruleset(SimpleNamespace())
    assert load_without_files("yatzy") is yatzy
    assert rules_beside(tmp_path)("ours.toml", {}).id == "ours"
    assert rules_beside(tmp_path)("yatzy", {}) is yatzy
    with refused("ruleset_unknown"):
        load_without_files(str(file))


def test_a_game_that_began_in_a_position_has_no_text(yatzy, refused):
    header = Header("yatzy", yatzy, ("Ann",), DiceOrigin("typed"))
    began = replace(start(yatzy), sheets=(Sheet((3, *empty_sheet(yatzy).cells[1:])),))
    with refused("record_from_position"):
        record_to_text(Record(header, first=began))


WRONG_RULES: list[Any] = ["yatzy", 7, None]


@pytest.mark.parametrize("rules", WRONG_RULES)
def test_an_id_is_not_rules(rules):
    state = start(load_ruleset("yatzy"))
    calls: list[Callable[[], object]] = [
        lambda: legal_moves(rules, state),
        lambda: apply(rules, state, Throw((1, 2, 3, 4, 5))),
        lambda: possible_values(rules, state.sheet, "ones"),
    ]
    for call in calls:
        with pytest.raises(UsageError) as caught:
            call()
        assert (caught.value.code, caught.value.values["argument"]) == ("argument_wrong", "rules")


NOBODYS: list[dict[str, Any]] = [{"player": 3}, {"player": "x"}, {"sheets": ()}, {"sheets": (7,)}]


@pytest.mark.parametrize("changed", NOBODYS)
def test_a_state_in_which_it_is_nobodys_turn(changed):
    rules = load_ruleset("yatzy")
    with pytest.raises(UsageError) as caught:
        legal_moves(rules, replace(start(rules), **changed))
    assert caught.value.values["argument"] == "state"


def test_boxes_and_columns_that_are_no_text():
    rules: Any = load_ruleset("yatzy")
    sheet = start(rules).sheet
    box: Any = ["ones"]
    with pytest.raises(MoveError) as caught:
        possible_values(rules, sheet, box)
    assert caught.value.code == "box_unknown"
    with pytest.raises(MoveError) as caught:
        possible_values(rules, sheet, "ones", box)
    assert caught.value.code == "column_unknown"


def test_a_name_that_is_no_text():
    assert not good_name(7)
    assert good_name("Ann")
