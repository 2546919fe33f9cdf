"""Points written straight into the sheets: which are possible, whose turn it seems to be, their record."""

from __future__ import annotations

import pytest

from dicecup.engine import Keep, Move, Sheet, Throw, Write, apply, score, start
from dicecup.engine.pad import apply_write, possible_values, usual_points, with_points
from dicecup.engine.record import DiceOrigin, Header, Record, Undo
from dicecup.engine.record_dice import verify
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.serialize import move_from_data, move_to_data
from dicecup.engine.state import final_score
from dicecup.errors import MoveError, RecordError
from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset

YATZY = load_ruleset("yatzy")
YAHTZEE = load_ruleset("yahtzee")
YUM = load_ruleset("yum-plus")
TRIPLE = load_ruleset("triple-yum-plus")
DOUBLE = load_ruleset("dice-in-dice", {"extra": "negative"})
LAST_RESORT = load_ruleset("dice-in-dice", {"strike": "last_resort"})


def new(rules: Ruleset, *players: str) -> Record:
    return Record(Header(rules.id, rules, players or ("Ann", "Bo"), DiceOrigin("points")))


def sheet_with(rules: Ruleset, repeats: int = 0, **points: int) -> Sheet:
    return Sheet(tuple(points.get(box.id) for box in rules.boxes), repeats)


def test_values_of_single_boxes():
    empty = start(YATZY).sheet
    assert possible_values(YATZY, empty, "sixes") == (0, 6, 12, 18, 24, 30)
    assert possible_values(YATZY, empty, "low_straight") == (0, 15)
    assert possible_values(YATZY, empty, "full_house")[:3] == (0, 5, 7)
    extra = possible_values(DOUBLE, start(DOUBLE).sheet, "extra")
    assert (min(extra), max(extra), 0 in extra) == (-30, -5, False)


def test_order_and_jokers_are_respected():
    yum = sheet_with(YUM)
    assert possible_values(YUM, yum, "second_yum") == (0,)
    assert possible_values(YUM, sheet_with(YUM, yum=0), "second_yum") == (0, 100)
    assert possible_values(YUM, sheet_with(YUM, low_score=26), "high_score") == (0, 27, 28, 29, 30)
    assert possible_values(YUM, sheet_with(YUM, high_score=23), "low_score") == (0, 21, 22)
    filled = sheet_with(YUM, yum=50, second_yum=0, third_yum=0, sixes=30)
    assert possible_values(YUM, filled, "fives") == (0, 5, 10, 15, 20, 25, 30)
    assert 24 in possible_values(YUM, filled, "two_pairs")
    columns = Sheet((None,) * TRIPLE.cells)
    assert possible_values(TRIPLE, columns, "third_yum", "x3") == (0,)


def test_strikes_as_a_last_resort():
    empty = start(LAST_RESORT).sheet
    # Both boxes of a turn may be written in either order: the other one may be missing still.
    most = {box.id: 0 for box in LAST_RESORT.boxes if box.id not in ("yatzy", "chance")}
    assert possible_values(LAST_RESORT, empty, "yatzy") == (50,)
    assert possible_values(LAST_RESORT, sheet_with(LAST_RESORT, **most), "yatzy") == (0, 50)
    most.popitem()
    assert possible_values(LAST_RESORT, sheet_with(LAST_RESORT, **most), "yatzy") == (50,)


def test_further_yahtzees():
    bonus = "yahtzee_bonus"
    assert possible_values(YAHTZEE, sheet_with(YAHTZEE, sixes=30), bonus) == (0,)
    assert possible_values(YAHTZEE, sheet_with(YAHTZEE, yahtzee=50, sixes=30, chance=17), bonus) == (0, 100)
    record = new(YAHTZEE, "Ann")
    for box, points, was in (("yahtzee", 50, None), ("sixes", 30, None), (bonus, 100, 0)):
        record = record.append(Write(0, box, points, was=was))
    assert final_score(YAHTZEE, record.state.sheet) == 180
    # What the bonus rests on cannot be taken away from under it.
    assert possible_values(YAHTZEE, record.state.sheet, "yahtzee") == (50,)
    assert possible_values(YAHTZEE, record.state.sheet, "sixes") == (0, 30)
    for move in (
        Write(0, "yahtzee", None, was=50),
        Write(0, "sixes", 24, was=30),
        Write(0, bonus, 200, was=100),
        Write(0, bonus, None, was=100),
    ):
        with pytest.raises(MoveError, match="can’t hold") as caught:
            record.append(move)
        assert caught.value.code == "points_impossible"
    assert record.append(Write(0, bonus, 0, was=100)).state.sheet.repeats == 0


def test_any_box_of_any_player_at_any_time():
    record = new(YATZY, "Ann", "Bo", "Cy")
    assert record.state.player == 0
    record = record.append(Write(1, "sixes", 24))
    assert record.state.player == 2  # suggested, not forced
    record = record.append(Write(2, "pair", 12)).append(Write(1, "fives", 15))
    assert record.state.player == 2
    record = record.append(Write(1, "sixes", 18, was=24))  # a correction is nobody's turn
    assert (record.state.player, record.state.sheets[1].cells[5]) == (2, 18)
    record = record.append(Write(1, "sixes", None, was=18))
    assert (record.state.player, record.state.sheets[1].cells[5]) == (2, None)
    assert record.append(Undo(2)).state.sheets[1].cells[5] == 24


def test_full_sheets_are_skipped_and_stay_open_to_corrections():
    record = new(YATZY)
    for box in YATZY.boxes:
        record = record.append(Write(0, box.id, 0))
        assert record.state.player == 1
    record = record.append(Write(1, "ones", 3))
    assert record.state.player == 1
    for box in YATZY.boxes[1:]:
        record = record.append(Write(1, box.id, 0))
    assert record.state.finished
    record = record.append(Write(0, "yatzy", 50, was=0))
    assert record.state.finished
    assert final_score(YATZY, record.state.sheets[0]) == 50


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (Write(2, "sixes", 24), "seat_unknown"),
        (Write(-1, "sixes", 24), "seat_unknown"),
        (Write("0", "sixes", 24), "seat_unknown"),  # type: ignore[arg-type]
        (Write(0, "sevens", 24), "box_unknown"),
        (Write(0, "sixes", 24, "x1"), "column_unknown"),
        (Write(0, "sixes", 25), "points_impossible"),
        (Write(0, "sixes", 24, was=18), "box_changed"),
        (Write(0, "ones", 3), "box_changed"),
        (Write(0, "ones", 3, was=3), "points_unchanged"),
        (Write(0, "sixes", None), "points_unchanged"),
        (Throw((1, 2, 3, 4, 5)), "pad_without_dice"),
        (score("ones"), "pad_without_dice"),
    ],
)
def test_refusals(move, code):
    record = new(YATZY).append(Write(0, "ones", 3))
    with pytest.raises(MoveError) as caught:
        record.append(move)
    assert caught.value.code == code


def test_no_points_are_written_in_a_game_with_dice():
    record = Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed")))
    with pytest.raises(MoveError) as caught:
        record.append(Write(0, "sixes", 24))
    assert caught.value.code == "points_with_dice"


def test_the_text_of_a_pad(chained, unchained):
    record = new(YATZY)
    for points, was in ((24, None), (18, 24), (None, 18)):
        record = record.append(Write(1, "sixes", points, was=was))
    lines = unchained(record_to_text(record))
    assert "dice points" in lines
    entries = ["2 write sixes 24", "2 write sixes 18 was 24", "2 write sixes nothing was 18"]
    assert lines[-3:] == entries
    assert record_from_text(record_to_text(record).encode())[0] == record
    for wrong in (
        "2 write",
        "2 write sixes",
        "2 write sixes six",
        "2 write x1 sixes 6 7",
        "2 write sixes 6 was six",
    ):
        with pytest.raises(RecordError) as caught:
            record_from_text(chained([*lines[:-3], wrong]))
        assert caught.value.code == "record_line_wrong"
    with pytest.raises(RecordError) as caught:
        record_from_text(chained([*lines[:-3], "2 write sixes 25"]))
    assert (caught.value.code, caught.value.values["line"]) == ("record_illegal", len(lines) - 2)
    triple = new(TRIPLE).append(Write(0, "sixes", 24, "x2"))
    assert unchained(record_to_text(triple))[-1] == "1 write x2 sixes 24"
    assert record_from_text(record_to_text(triple).encode())[0] == triple
    assert (verify(triple).kind, verify(triple).proved) == ("points", False)


@pytest.mark.parametrize(
    "move",
    [Write(1, "sixes", 24), Write(0, "sixes", None, "x2", 24), Throw((1, 2, 3, 4, 5), final=True)],
    ids=str,
)
def test_moves_as_data(move: Move):
    assert move_from_data(TRIPLE, move_to_data(TRIPLE, move)) == move


@pytest.mark.parametrize(
    "data",
    [
        {"box": "sixes", "points": 24},
        {"box": "sixes", "seat": 0, "points": "24"},
        {"box": 6, "seat": 0, "points": 24},
        {"box": "sixes", "column": 1, "seat": 0, "points": 24},
        {"box": "sixes", "seat": 0, "points": 24, "strike": True},
    ],
)
def test_unreadable_data(data):
    with pytest.raises(MoveError) as caught:
        move_from_data(YATZY, data)
    assert caught.value.code == "move_unreadable"


def test_usual_points():
    """Against the binomial distribution of dice that are kept until they show a six."""
    share = 1 - (5 / 6) ** 3
    sixes = usual_points(YATZY, YATZY.box_index["sixes"])
    assert sixes[18] == pytest.approx(10 * share**3 * (1 - share) ** 2)
    assert sum(usual_points(DOUBLE, DOUBLE.box_index["full_house"]).values()) == pytest.approx(1)


# Final dice: what a turn ended with, without its rolls


def test_final_dice_end_the_rolls_of_a_turn(unchained):
    record = Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed")))
    record = record.append(Throw((6, 6, 6, 5, 5), final=True))
    assert record.state.throws_left == 0
    assert unchained(record_to_text(record))[-1] == "1 final 5 5 6 6 6"
    record = record.append(score("full_house"))
    assert record_from_text(record_to_text(record).encode())[0] == record
    begun = record.append(Throw((1, 2, 3, 4, 5))).append(Keep((5,)))
    with pytest.raises(MoveError) as caught:
        begun.append(Throw((5, 5, 5, 5), final=True))
    assert caught.value.code == "final_too_late"


def test_final_dice_are_those_of_a_real_table():
    record = Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("system")))
    with pytest.raises(MoveError) as caught:
        record.append(Throw((6, 6, 6, 5, 5), final=True))
    assert caught.value.code == "dice_not_typed"


def test_writes_are_moves_of_the_engine():
    state = apply(YATZY, start(YATZY), Write(0, "ones", 3))
    assert state == apply_write(YATZY, start(YATZY), Write(0, "ones", 3))[0]
    assert state.sheet == with_points(start(YATZY).sheet, 0, 3)
