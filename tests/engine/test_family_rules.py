"""Rules that only some games have: saved rolls, announced boxes, columns in order, winning at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dicecup.dice import Dice
from dicecup.engine import (
    Announce,
    Keep,
    Move,
    Sheet,
    State,
    Throw,
    Write,
    apply,
    empty_sheet,
    final_score,
    legal_moves,
    overall_lines,
    possible_values,
    score,
    start,
)
from dicecup.engine.legality import Moment, offers
from dicecup.engine.pad import usual_points
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.serialize import Position, move_from_data, move_to_data, position_from_line
from dicecup.engine.sheet_data import check_sheet, checked_sheet, sheet_from_data, sheet_to_data
from dicecup.errors import DicecupError, PositionError
from dicecup.rules import Ruleset, load_ruleset
from dicecup.rules.meaning import further_meaning

MAXI = load_ruleset("maxi-yatzy")
TRIPLE = load_ruleset("triple-yahtzee")
BALUT = load_ruleset("balut")
GENERALA = load_ruleset("generala")
JAMB = load_ruleset("jamb")


def code(run, *values) -> str:
    with pytest.raises(DicecupError) as caught:
        run(*values)
    return caught.value.code


def rolled(rules: Ruleset, *dice: int) -> State:
    return apply(rules, start(rules), Throw(dice))


def sheet_with(rules: Ruleset, **columns: dict[str, int]) -> Sheet:
    boxes = [columns.get(column.id, {}).get(box.id) for column in rules.columns for box in rules.boxes]
    return Sheet(tuple(boxes))


# Saved rolls


def test_a_turn_begins_with_the_rolls_that_were_saved():
    state = apply(MAXI, rolled(MAXI, 1, 1, 2, 3, 4, 5), score("ones"))
    assert (state.sheet.saved, state.throws_left) == (2, 5)
    again = apply(MAXI, apply(MAXI, state, Throw((1, 1, 2, 3, 4, 5))), score("twos"))
    assert again.throws_left == 7


@pytest.mark.parametrize(
    ("saved", "expected"),
    [(3, "position_points_impossible"), (-1, "position_key_wrong"), ("2", "position_key_wrong")],
)
def test_impossible_numbers_of_saved_rolls(saved: object, expected: str):
    assert code(sheet_from_data, MAXI, {"ones": 1, "saved_throws": saved}) == expected


def test_saved_rolls_are_no_box_where_none_are_saved():
    assert code(sheet_from_data, load_ruleset("yatzy"), {"saved_throws": 1}) == "box_unknown"
    assert checked_sheet(MAXI, Sheet((1, *empty_sheet(MAXI).cells[1:]), 0, 2)).saved == 2


def test_where_rolls_matter_all_of_them_are_typed():
    for rules in (MAXI, GENERALA, JAMB):
        dice: Dice = (1,) * rules.dice.count
        assert code(apply, rules, start(rules), Throw(dice, final=True)) == "final_without_rolls"
    assert apply(BALUT, start(BALUT), Throw((1,) * 5, final=True)).throws_left == 0


def test_saved_rolls_are_written_with_the_sheet():
    state = apply(MAXI, rolled(MAXI, 1, 1, 2, 3, 4, 5), score("ones"))
    assert sheet_to_data(MAXI, state.sheet) == {"ones": 2, "saved_throws": 2}


# Announced boxes


def test_nothing_can_be_kept_before_the_announcement_that_is_due():
    full = {box.id: 5 for box in JAMB.boxes}
    sheet = sheet_with(JAMB, down=full, free=full, up=full)
    state = State((sheet,), 0, (1, 2, 3, 6, 6), None, 2)
    assert code(apply, JAMB, state, Keep((6, 6))) == "announce_first"
    assert {type(move) for move in legal_moves(JAMB, state)} == {Announce}


def test_an_announcement_as_data_text_and_notation():
    said = Announce("sixes", "announced")
    assert move_to_data(JAMB, said) == {"announce": "sixes", "column": "announced"}
    assert move_from_data(JAMB, {"announce": "sixes", "column": "announced"}) == said
    for wrong in ({"announce": 6}, {"announce": "sixes", "column": 1}, {"announce": "sixes", "strike": True}):
        assert code(move_from_data, JAMB, wrong) == "move_unreadable"
    line = "jamb / down.ones=2 / 1 2 3 6 6 / 2 announced.sixes"
    position = Position.parse(line)
    assert str(position) == line
    assert position.state == apply(JAMB, State((position.state.sheet,), 0, (1, 2, 3, 6, 6), None, 2), said)
    assert Position.from_data(position.to_data()) == position


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("jamb / / 1 2 3 6 6 / 2 free.sixes", "position_key_wrong"),
        ("jamb / announced.sixes=6 / 1 2 3 6 6 / 2 announced.sixes", "position_key_wrong"),
        ("yatzy / / 1 2 3 6 6 / 2 sixes", "position_key_wrong"),
        ("jamb / / 1 2 3 6 6 / 2 announced.sixes more", "position_key_wrong"),
    ],
)
def test_impossible_announcements_in_positions(line: str, expected: str):
    assert code(Position.parse, line) == expected


def test_nothing_is_announced_before_the_dice_are_there():
    data: dict[str, Any] = {"ruleset": "jamb", "sheet": {}, "announced": "announced.sixes"}
    assert code(Position.from_data, data) == "position_key_wrong"
    data = {"ruleset": "jamb", "dice": [1, 2, 3, 6, 6], "throws_left": 2, "announced": 6}
    assert code(Position.from_data, data) == "position_key_wrong"


def test_wrong_announcements_are_refused():
    state = rolled(JAMB, 1, 2, 3, 6, 6)
    moves: list[tuple[Announce, str]] = [
        (Announce("sevens", "announced"), "box_unknown"),
        (Announce("sixes", "left"), "column_unknown"),
        (Announce("sixes", "up"), "column_not_announced"),
        (Announce(6, "announced"), "move_unreadable"),  # type: ignore[arg-type]
        (Announce("sixes", None), "move_unreadable"),  # type: ignore[arg-type]
    ]
    for move, expected in moves:
        assert code(apply, JAMB, state, move) == expected
    assert code(apply, JAMB, start(JAMB), Announce("sixes", "announced")) == "score_before_throw"
    filled = State((sheet_with(JAMB, announced={"sixes": 6}),), 0, state.dice, None, 2)
    assert code(apply, JAMB, filled, Announce("sixes", "announced")) == "box_filled"
    kept = apply(JAMB, state, Keep((6, 6)))
    assert code(apply, JAMB, kept, Announce("sixes", "announced")) == "throw_first"
    later = apply(JAMB, kept, Throw((1, 1, 1)))
    assert code(apply, JAMB, later, Announce("sixes", "announced")) == "announce_too_late"
    said = apply(JAMB, state, Announce("sixes", "announced"))
    assert code(apply, JAMB, said, score("sixes", "free")) == "box_other_announced"
    assert code(apply, JAMB, state, score("sixes", "announced")) == "box_not_announced"


def test_an_announced_column_can_have_an_order(tmp_path: Path):
    path = tmp_path / "strict.toml"
    path.write_text(
        'format = 1\nid = "strict"\nbase = "jamb"\ncolumns.announced.order = "down"\n', encoding="utf-8"
    )
    rules = load_ruleset(str(path))
    state = rolled(rules, 1, 2, 3, 6, 6)
    said = [move for move in legal_moves(rules, state) if isinstance(move, Announce)]
    assert said == [Announce("ones", "announced")]
    assert code(apply, rules, state, Announce("twos", "announced")) == "box_out_of_order"


def test_a_record_with_announcements():
    header = Header("jamb", JAMB, ("Ann",), DiceOrigin("typed"))
    record = Record(header)
    moves: list[Move] = [
        Throw((1, 2, 3, 6, 6)),
        Announce("sixes", "announced"),
        Keep((6, 6)),
        Throw((1, 1, 6)),
        score("sixes", "announced"),
    ]
    for move in moves:
        record = record.append(move)
    text = record_to_text(record)
    assert "1 announce announced sixes" in text
    assert record_from_text(text.encode())[0].moves == tuple(moves)


# Columns in order


def test_a_sheet_that_skips_a_box_is_impossible():
    held = {"down": {"ones": 2, "twos": 4}, "up": {"jamb": 0}}
    assert sheet_to_data(JAMB, sheet_from_data(JAMB, held)) == held
    for wrong in ({"down": {"twos": 4}}, {"up": {"poker": 0}}):
        assert code(sheet_from_data, JAMB, wrong) == "position_out_of_order"


def test_on_a_pad_columns_are_filled_in_order():
    state = start(JAMB)
    assert possible_values(JAMB, state.sheet, "twos", "down") == ()
    assert code(apply, JAMB, state, Write(0, "twos", 4, "down")) == "box_out_of_order"
    assert code(apply, JAMB, state, Write(0, "twos", 3, "free")) == "points_impossible"
    assert possible_values(JAMB, state.sheet, "straight", "free") == (0, 46, 56, 66)
    for box, points in (("ones", 2), ("twos", 4)):
        state = apply(JAMB, state, Write(0, box, points, "down"))
    assert possible_values(JAMB, state.sheet, "ones", "down") == (0, 1, 2, 3, 4, 5)
    state = apply(JAMB, state, Write(0, "ones", 3, "down", was=2))
    assert code(apply, JAMB, state, Write(0, "ones", None, "down", was=3)) == "box_out_of_order"
    state = apply(JAMB, state, Write(0, "twos", None, "down", was=4))
    assert state.sheet == sheet_with(JAMB, down={"ones": 3})


def test_the_usual_minimum_is_low():
    chances = {box: usual_points(JAMB, JAMB.box_index[box]) for box in ("maximum", "minimum")}
    means = {box: sum(points * chance for points, chance in found.items()) for box, found in chances.items()}
    assert means["maximum"] == pytest.approx(35 - means["minimum"])
    assert means["minimum"] < 12


def test_a_box_that_waits_for_others_does_not_forbid_a_zero_on_a_pad(tmp_path: Path):
    """The maximum pays with any dice, but as long as it can't be filled, another box may be crossed out."""
    path = tmp_path / "strict.toml"
    path.write_text('format = 1\nid = "strict"\nbase = "jamb"\nstrike = "last_resort"\n', encoding="utf-8")
    rules = load_ruleset(str(path))
    full = {box.id: 5 for box in rules.boxes}
    sheet = sheet_with(rules, free=full, up=full, announced=full)
    state = State((sheet,), 0, (2, 2, 3, 4, 6), None, 0)
    assert apply(rules, state, score("ones", "down")).sheet.cells[0] == 0
    assert 0 in possible_values(rules, sheet, "ones", "down")


@pytest.mark.parametrize(
    ("base", "more"),
    [
        ("jamb", ""),
        ("jamb", "columns.announced = false\n"),
        ("yatzy", 'columns.down = { order = "down" }\n'),
        ("yatzy", 'columns.up = { order = "up" }\ncolumns.free = {}\n'),
        ("yahtzee", 'columns.down = { order = "down" }\n'),
        ("dice-in-dice", ""),
        ("yum-plus", ""),
    ],
)
def test_crossed_out_as_a_last_resort_every_sheet_that_is_reached_is_possible(tmp_path, played, base, more):
    path = tmp_path / "strict.toml"
    text = f'format = 1\nid = "strict"\nbase = "{base}"\nstrike = "last_resort"\n{more}'
    path.write_text(text, encoding="utf-8")
    options = {"joker": "forced"} if base == "yahtzee" else {}
    for chance in range(3):
        record = played(str(path), players=("Ann",), options=options, chance=chance)
        for state in record.states:
            if not state.dice:
                check_sheet(record.rules, state.sheet)


# Points by roll, and winning at once


def test_early_points_need_a_moment():
    dice, sheet = (1, 2, 3, 4, 5), empty_sheet(GENERALA)
    place = GENERALA.box_index["straight"]
    given = [offers(GENERALA, sheet, dice, moment)[place] for moment in (None, Moment(1), Moment(2))]
    assert [scored.points if scored else None for scored in given] == [20, 25, 20]


def test_a_pad_of_generala():
    state = start(GENERALA)
    assert possible_values(GENERALA, state.sheet, "poker") == (0, 40, 45)
    assert possible_values(GENERALA, state.sheet, "double_generala") == (0,)
    state = apply(GENERALA, state, Write(0, "generala", 50))
    state = apply(GENERALA, state, Write(0, "double_generala", 100))
    assert possible_values(GENERALA, state.sheet, "generala") == (50,)
    assert code(apply, GENERALA, state, Write(0, "generala", 0, was=50)) == "points_impossible"


def test_a_position_with_a_winning_roll_is_over():
    won = position_from_line("generala / / 2 2 2 2 2 / 2").state
    assert won.winner == 0
    assert won.finished
    assert not position_from_line("generala / / 2 2 2 2 2 / 1").state.finished
    assert not position_from_line("generala / / 2 2 2 2 3 / 2").state.finished


def test_double_generala_in_positions():
    held = {"generala": 50, "double_generala": 100}
    assert sheet_to_data(GENERALA, sheet_from_data(GENERALA, held)) == held
    for wrong in ({"generala": 0, "double_generala": 100}, {"double_generala": 100}):
        with pytest.raises(PositionError):
            sheet_from_data(GENERALA, wrong)


def test_who_wins_at_once_ends_the_game():
    state = rolled(GENERALA, 4, 4, 4, 4, 4)
    assert (state.winner, state.finished, legal_moves(GENERALA, state)) == (0, True, ())
    assert code(apply, GENERALA, state, score("generala")) == "game_over"
    later = apply(GENERALA, apply(GENERALA, rolled(GENERALA, 4, 4, 4, 4, 1), Keep((4,) * 4)), Throw((4,)))
    assert later.winner is None


# Points over all columns


def test_repeats_count_by_column():
    held = {"yahtzee": 50}
    sheet = sheet_with(TRIPLE, x1=held, x2=held, x3=held)
    before = State((sheet,), 0, (6,) * 5, None, 0)
    after = apply(TRIPLE, before, score("sixes", "x3")).sheet
    assert (after.repeats, overall_lines(TRIPLE, after)["yahtzee_bonus"]) == (3, 300)
    assert final_score(TRIPLE, after) == 50 + 100 + 150 + 90 + 300
    data = {"x1": held, "x2": held, "x3": held | {"sixes": 30}, "yahtzee_bonus": 300}
    assert sheet_from_data(TRIPLE, data) == after
    assert code(sheet_from_data, TRIPLE, data | {"yahtzee_bonus": 400}) == "position_points_impossible"
    less = data | {"x2": {"yahtzee": 0}}
    assert code(sheet_from_data, TRIPLE, less) == "position_points_impossible"
    assert possible_values(TRIPLE, after, "yahtzee_bonus") == (0, 100, 200, 300)


def test_a_total_below_the_first_step_gives_nothing(tmp_path: Path):
    path = tmp_path / "small.toml"
    steps = "total_points = [{ at = 10, points = 1 }]"
    path.write_text(f'format = 1\nid = "small"\nbase = "balut"\n{steps}\n', encoding="utf-8")
    rules = load_ruleset(str(path))
    assert final_score(rules, empty_sheet(rules)) == 0
    assert final_score(rules, sheet_with(rules, c1={"choice": 10})) == 1


def test_a_game_of_columns_may_have_only_points_for_rows(tmp_path: Path):
    path = tmp_path / "rows.toml"
    path.write_text('format = 1\nid = "rows"\nbase = "balut"\ntotal_points = false\n', encoding="utf-8")
    rules = load_ruleset(str(path))
    assert rules.overall_lines == ("all_columns", "across", "final_score")
    assert final_score(rules, sheet_with(rules, c1={"choice": 20, "balut": 25})) == 45 + 2


def test_only_what_is_used_is_part_of_the_meaning():
    assert further_meaning(load_ruleset("yatzy")) == {}
    assert set(further_meaning(JAMB)) == {"difference"}
    assert JAMB.extensions == {"announced", "difference", "early", "order"}
