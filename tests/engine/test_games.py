"""The course of a game: turns, seats, kept dice, totals, standings."""

from __future__ import annotations

import pytest

from dicecup.engine import (
    Keep,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    apply,
    column_lines,
    dice_to_throw,
    empty_sheet,
    final_score,
    legal_moves,
    score,
    standings,
    start,
)
from dicecup.rules import builtin_ids, load_ruleset

YATZY = load_ruleset("yatzy")


def test_a_turn_keeps_and_throws():
    state = start(YATZY)
    assert (state.dice, state.kept, state.throws_left, state.throw_due) == ((), (), 3, True)
    assert dice_to_throw(YATZY, state) == 5
    assert legal_moves(YATZY, state) == ()
    state = apply(YATZY, state, Throw((6, 1, 6, 2, 3)))
    assert (state.dice, state.kept, state.throws_left, state.throw_due) == ((1, 2, 3, 6, 6), None, 2, False)
    state = apply(YATZY, state, Keep((6, 6)))
    assert (state.dice, state.kept, state.throws_left) == ((1, 2, 3, 6, 6), (6, 6), 2)
    assert dice_to_throw(YATZY, state) == 3
    state = apply(YATZY, state, Throw((6, 5, 1)))
    assert (state.dice, state.throws_left) == ((1, 5, 6, 6, 6), 1)
    state = apply(YATZY, state, Keep((1, 5)))  # dice kept earlier may be thrown again
    state = apply(YATZY, state, Throw((1, 1, 1)))
    assert (state.dice, state.throws_left) == ((1, 1, 1, 1, 5), 0)
    state = apply(YATZY, state, score("ones"))
    assert state.sheet.cells[0] == 4
    assert (state.dice, state.kept, state.throws_left) == ((), (), 3)


def test_a_turn_may_end_after_any_throw():
    state = apply(YATZY, start(YATZY), Throw((6, 6, 6, 6, 6)))
    assert apply(YATZY, state, score("yatzy")).sheet.cells[-1] == 50


def test_order_of_the_dice_in_a_move_means_nothing():
    state = apply(YATZY, start(YATZY), Throw((6, 1, 6, 2, 3)))
    assert state == apply(YATZY, start(YATZY), Throw((1, 2, 3, 6, 6)))
    assert apply(YATZY, state, Keep((6, 3))) == apply(YATZY, state, Keep((3, 6)))


def test_only_the_sheet_of_the_player_changes():
    state = start(YATZY, 3)
    for player in range(3):
        before = state.sheets
        state = apply(YATZY, apply(YATZY, state, Throw((1, 1, 1, 1, 1))), score("ones"))
        assert [old == new for old, new in zip(before, state.sheets, strict=True)] == [
            seat != player for seat in range(3)
        ]


# Totals


def test_empty_sheet_is_worth_nothing():
    for game in builtin_ids():
        rules = load_ruleset(game)
        sheet = empty_sheet(rules)
        assert not sheet.full
        assert final_score(rules, sheet) == (-2 if game == "balut" else 0)
        assert set(column_lines(rules, sheet, 0).values()) == {0}


@pytest.mark.parametrize(
    ("game", "upper", "points"),
    [
        ("yatzy", 62, 0),
        ("yatzy", 63, 50),
        ("yatzy", 105, 50),
        ("yahtzee", 63, 35),
        ("yum-plus", 62, 0),
        ("yum-plus", 63, 35),
        ("yum-plus", 70, 35),
        ("yum-plus", 71, 55),
        ("yum-plus", 77, 55),
        ("yum-plus", 78, 75),
    ],
)
def test_bonus_at_its_steps(game, upper, points):
    rules = load_ruleset(game)
    lines = column_lines(rules, Sheet((upper,) + (None,) * (rules.cells - 1)), 0)
    assert (lines["upper_sum"], lines["bonus"], lines["upper_total"]) == (upper, points, upper + points)
    assert lines["grand_total"] == upper + points


def test_boxes_after_the_total_and_repeats():
    rules = load_ruleset("dice-in-dice", {"extra": "negative"})
    sheet = Sheet((None,) * 14 + (50, -15))
    lines = column_lines(rules, sheet, 0)
    assert (lines["lower_total"], lines["grand_total"], final_score(rules, sheet)) == (50, 50, 35)
    rules = load_ruleset("yahtzee")
    sheet = Sheet((3,) + (None,) * 10 + (50, None), repeats=2)
    lines = column_lines(rules, sheet, 0)
    assert (lines["yahtzee_bonus"], lines["lower_total"], final_score(rules, sheet)) == (200, 250, 253)


def test_columns_count_by_their_multiplier_with_their_own_bonus():
    rules = load_ruleset("triple-yum-plus")
    column = (63,) + (None,) * 21
    sheet = Sheet(column + (62,) + (None,) * 21 + column)
    assert [column_lines(rules, sheet, place)["weighted_total"] for place in range(3)] == [98, 124, 294]
    assert final_score(rules, sheet) == 98 + 124 + 294


def test_equal_scores_share_the_place():
    def sheet(points: int) -> Sheet:
        return Sheet((points,) + (0,) * 14)

    state = State(tuple(map(sheet, (3, 5, 5, 1, 3))), 0, (), (), 3)
    assert standings(YATZY, state) == ((1, 1, 5), (1, 2, 5), (3, 0, 3), (3, 4, 3), (5, 3, 1))


# Immutability


def test_states_sheets_and_moves_are_frozen():
    state = start(YATZY)
    for frozen, name in (
        (state, "player"),
        (state.sheet, "cells"),
        (Throw(()), "dice"),
        (Keep(()), "dice"),
        (Placement("ones"), "box"),
        (Score(()), "placements"),
    ):
        with pytest.raises(AttributeError):
            setattr(frozen, name, None)
    assert hash(state) == hash(start(YATZY))
