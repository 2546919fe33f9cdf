"""Every kind of illegal move, and the player's error message."""

from __future__ import annotations

import pytest

from dicecup.dice import format_dice
from dicecup.engine import (
    Keep,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    apply,
    check,
    is_legal,
    legal_moves,
    score,
    start,
)
from dicecup.errors import DiceError, MoveError
from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset

YATZY = load_ruleset("yatzy")
DOUBLE = load_ruleset("dice-in-dice", {"extra": "negative"})
TRIPLE = load_ruleset("triple-yum-plus")
FORCED = load_ruleset("yahtzee", {"joker": "forced"})
LAST_RESORT = load_ruleset("yatzy", {"strike": "last_resort"})


def sheet_with(rules: Ruleset, **points: int) -> Sheet:
    return Sheet(tuple(points.get(box.id) for box in rules.boxes))


def thrown(rules: Ruleset, *dice, throws_left: int = 2, sheet: Sheet | None = None) -> State:
    state = start(rules)
    return State((sheet or state.sheet,), 0, tuple(sorted(dice)), None, throws_left)


def full(rules: Ruleset) -> State:
    return State((Sheet((0,) * rules.cells),), 0, (), (), rules.throws)


# Throws


@pytest.mark.parametrize(
    ("rules", "dice", "code"),
    [
        (YATZY, (1, 2, 3, 4, 7), "face_out_of_range"),
        (YATZY, (0, 2, 3, 4, 5), "face_out_of_range"),
        (YATZY, (1, 2, 3, 4, -1), "face_out_of_range"),
        (YATZY, (1, 2, 3, 4), "dice_count_wrong"),
        (YATZY, (1, 2, 3, 4, 5, 6), "dice_count_wrong"),
        (YATZY, (), "dice_count_wrong"),
        (YATZY, ((1, 1), 2, 3, 4, 5), "die_unreadable"),
        (YATZY, ((1,), (2,), (3,), (4,), (5,)), "die_unreadable"),
        (DOUBLE, ((6, 5),) * 5, "dice_count_wrong"),
        (DOUBLE, ((6, 7),) * 6, "face_out_of_range"),
        (DOUBLE, ((6, 5, 4),) * 6, "die_unreadable"),
        (DOUBLE, (6,) * 6, "die_unreadable"),
    ],
)
def test_wrong_dice(refused, rules, dice, code):
    with refused(code):
        apply(rules, start(rules), Throw(dice))
    assert not is_legal(rules, start(rules), Throw(dice))


def test_wrong_number_of_dice_is_named(refused):
    state = apply(YATZY, thrown(YATZY, 1, 1, 3, 4, 5), Keep((1, 1)))
    with refused("dice_count_wrong", found=5, expected=3):
        apply(YATZY, state, Throw((1, 2, 3, 4, 5)))
    with refused("dice_count_wrong", found=5, expected=6):
        apply(DOUBLE, start(DOUBLE), Throw(((1, 2),) * 5))


def test_fourth_throw(refused):
    state = apply(YATZY, start(YATZY), Throw((1, 2, 3, 4, 5)))
    for _ in range(2):
        state = apply(YATZY, apply(YATZY, state, Keep(())), Throw((1, 2, 3, 4, 5)))
    assert state.throws_left == 0
    with refused("no_throw_left"):
        apply(YATZY, state, Throw((1, 2, 3, 4, 5)))
    with refused("no_throw_left"):
        apply(YATZY, state, Keep((1,)))
    assert all(isinstance(move, Score) for move in legal_moves(YATZY, state))


def test_throw_before_saying_what_is_kept(refused):
    with refused("throw_not_due"):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), Throw((1, 2, 3, 4, 5)))


# Keeps


@pytest.mark.parametrize("kept", [(6,), (1, 1), (1, 2, 3, 4, 5, 5), (7,)])
def test_keep_dice_that_are_not_there(refused, kept):
    with refused("keep_not_there", kept=format_dice(kept), dice="1 2 3 4 5"):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), Keep(kept))


def test_keep_a_double_die_that_is_not_there(refused):
    state = thrown(DOUBLE, (6, 5), (6, 4), (3, 3), (3, 2), (4, 1), (3, 2))
    assert is_legal(DOUBLE, state, Keep(((3, 2), (3, 2))))
    with refused("keep_not_there"):
        apply(DOUBLE, state, Keep(((5, 6),)))


def test_sentence_shows_dice_as_they_are_written():
    with pytest.raises(MoveError, match="You can’t keep 6 6: your dice are 1 2 3 4 5"):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), Keep((6, 6)))
    with pytest.raises(DiceError, match="“7-1”"):
        apply(DOUBLE, start(DOUBLE), Throw(((7, 1),) * 6))


def test_keep_all(refused):
    with refused("keep_all"):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), Keep((5, 4, 3, 2, 1)))


def test_keep_before_the_throw(refused):
    with refused("throw_first"):
        apply(YATZY, start(YATZY), Keep(()))
    state = apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), Keep((1,)))
    with refused("throw_first"):
        apply(YATZY, state, Keep((1,)))
    with refused("throw_first"):
        apply(YATZY, state, score("ones"))


# Scores


def test_score_before_the_throw(refused):
    with refused("score_before_throw"):
        apply(YATZY, start(YATZY), score("ones"))


def test_unknown_box(refused):
    with refused("box_unknown", box="once", known=", ".join(YATZY.box_index)):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), score("once"))


def test_filled_box(refused):
    state = thrown(YATZY, 1, 2, 3, 4, 5, sheet=sheet_with(YATZY, ones=0))
    for strike in (False, True):
        with refused("box_filled", box="ones"):
            apply(YATZY, state, score("ones", strike=strike))


def test_columns(refused):
    state = thrown(TRIPLE, 1, 2, 3, 4, 5)
    with refused("column_missing", known="x1, x2, x3"):
        apply(TRIPLE, state, score("ones"))
    with refused("column_unknown", column="x4", known="x1, x2, x3"):
        apply(TRIPLE, state, score("ones", "x4"))
    with refused("column_unknown", column="x1"):
        apply(YATZY, thrown(YATZY, 1, 2, 3, 4, 5), score("ones", "x1"))
    after = apply(TRIPLE, state, score("ones", "x2"))
    assert after.sheet.cells.index(1) == 22
    again = State(after.sheets, 0, state.dice, None, 0)
    with refused("box_filled"):
        apply(TRIPLE, again, score("ones", "x2"))
    assert is_legal(TRIPLE, again, score("ones", "x3"))


def test_negative_extra_cannot_be_struck(refused):
    state = thrown(DOUBLE, *((6, 1),) * 6)
    with refused("box_cannot_be_struck", box="extra"):
        apply(DOUBLE, state, Score((Placement("extra", strike=True), Placement("pair"))))
    after = apply(DOUBLE, state, Score((Placement("extra"), Placement("pair", strike=True))))
    assert after.sheet == sheet_with(DOUBLE, extra=-5, pair=0)


def test_both_scores_in_one_box(refused):
    state = thrown(DOUBLE, *((6, 1),) * 6)
    with refused("box_twice", box="pair"):
        apply(DOUBLE, state, Score((Placement("pair"), Placement("pair"))))


@pytest.mark.parametrize("boxes", [(), ("pair",), ("pair", "ones", "twos")])
def test_one_box_for_each_layer(refused, boxes):
    with refused("layers_wrong", layers="inner, outer"):
        apply(DOUBLE, thrown(DOUBLE, *((6, 1),) * 6), Score(tuple(map(Placement, boxes))))
    with refused("layers_wrong", layers="dice"):
        apply(YATZY, thrown(YATZY, 1, 1, 1, 1, 1), Score((Placement("ones"), Placement("pair"))))


def test_scores_follow_the_order_of_the_rules():
    """Inner dice come first, although the outer die is written first."""
    after = apply(DOUBLE, thrown(DOUBLE, *((6, 1),) * 6), Score((Placement("ones"), Placement("sixes"))))
    assert after.sheet == sheet_with(DOUBLE, ones=5, sixes=30)


def test_last_resort(refused):
    state = thrown(LAST_RESORT, 1, 1, 2, 2, 6)
    with refused("strike_not_last_resort"):
        apply(LAST_RESORT, state, score("yatzy"))
    with refused("strike_not_last_resort"):
        apply(LAST_RESORT, state, score("ones", strike=True))
    assert is_legal(YATZY, state, score("yatzy"))
    filled = {box.id: 0 for box in LAST_RESORT.boxes if box.id not in ("fives", "yatzy", "chance")}
    state = thrown(LAST_RESORT, 1, 1, 2, 2, 6, sheet=sheet_with(LAST_RESORT, **filled))
    with refused("strike_not_last_resort", box="chance"):
        apply(LAST_RESORT, state, score("fives"))
    state = thrown(LAST_RESORT, 1, 1, 2, 2, 6, sheet=sheet_with(LAST_RESORT, **filled, chance=0))
    assert {
        move.placements[0].box for move in legal_moves(LAST_RESORT, state) if isinstance(move, Score)
    } == {
        "fives",
        "yatzy",
    }


def test_last_resort_does_not_close_a_box_without_points():
    rules = load_ruleset("dice-in-dice", {"extra": "free_strike", "strike": "last_resort"})
    state = thrown(rules, *((6, 1),) * 6)
    assert is_legal(rules, state, Score((Placement("extra"), Placement("sixes"))))
    assert not is_legal(rules, state, Score((Placement("twos"), Placement("sixes"))))


def test_last_resort_lets_negative_points_be_written():
    rules = load_ruleset("dice-in-dice", {"extra": "negative", "strike": "last_resort"})
    assert is_legal(rules, thrown(rules, *((6, 1),) * 6), Score((Placement("extra"), Placement("sixes"))))


def test_forced_joker(refused):
    sixes = (6, 6, 6, 6, 6)
    state = thrown(FORCED, *sixes, sheet=sheet_with(FORCED, yahtzee=50))
    with refused("joker_forced", box="sixes"):
        apply(FORCED, state, score("full_house"))
    after = apply(FORCED, state, score("sixes"))
    assert (after.sheet.cells[5], after.sheet.repeats) == (30, 1)

    state = thrown(FORCED, *sixes, sheet=sheet_with(FORCED, yahtzee=0, sixes=0))
    with refused("joker_forced_lower"):
        apply(FORCED, state, score("ones"))
    after = apply(FORCED, state, score("full_house"))
    assert (after.sheet.cells[FORCED.box_index["full_house"]], after.sheet.repeats) == (25, 0)

    lower = {box.id: 0 for box in FORCED.boxes if box.section == "lower"}
    state = thrown(FORCED, *sixes, sheet=sheet_with(FORCED, sixes=0, **lower))
    assert legal_moves(FORCED, State(state.sheets, 0, sixes, None, 0)) == tuple(
        score(box) for box in ("ones", "twos", "threes", "fours", "fives")
    )


def test_forced_joker_needs_its_box_filled():
    state = thrown(FORCED, 6, 6, 6, 6, 6)
    assert is_legal(FORCED, state, score("ones"))
    state = thrown(FORCED, 6, 6, 6, 6, 5, sheet=sheet_with(FORCED, yahtzee=50))
    assert is_legal(FORCED, state, score("ones"))


def test_game_over(refused):
    state = full(YATZY)
    assert state.finished
    assert not state.throw_due
    assert legal_moves(YATZY, state) == ()
    for move in (Throw((1, 2, 3, 4, 5)), Keep(()), score("ones")):
        with refused("game_over"):
            check(YATZY, state, move)
