"""Reasons of a choice: probabilities that add up, and agree with enumeration."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.coach.advice import Values, advise
from dicecup.coach.reasons import Reason, Reasons, remarks
from dicecup.dice import Dice
from dicecup.engine import Keep, Sheet, State, empty_sheet, score
from dicecup.rules import Ruleset, load_ruleset


def position(rules: Ruleset, dice: Dice, throws_left: int, **filled: int) -> State:
    return State((Sheet(tuple(filled.get(box.id) for box in rules.boxes)),), 0, dice, None, throws_left)


def reason_of(values: Values, state: State, move: Keep) -> Reason:
    return Reasons(values, state).reason(advise(values, state).choice(move))


def test_chances_add_up(known):
    values = known("yatzy-sv")
    state = position(values.rules, (1, 2, 6, 6, 6), 2)
    reasons = Reasons(values, state)
    for choice in advise(values, state).choices:
        if isinstance(choice.move, Keep):
            reason = reasons.reason(choice)
            assert sum(aim.chance for aim in reason.aims) + reason.nothing == pytest.approx(1)
            assert [aim.chance for aim in reason.aims] == sorted(
                (aim.chance for aim in reason.aims), reverse=True
            )


def test_one_open_box_by_hand(known):
    """Three sixes, two throws left, only yatzy open: the other dice have two throws each to become a six."""
    values = known("yatzy-sv")
    rules = values.rules
    filled = {box.id: 0 for box in rules.boxes if box.id != "yatzy"}
    state = position(rules, (1, 2, 6, 6, 6), 2, **filled)
    reason = reason_of(values, state, Keep((6, 6, 6)))
    each = 1 - (5 / 6) ** 2
    (aim,) = reason.aims
    assert (aim.box, aim.points) == ("yatzy", 50)
    assert aim.chance == pytest.approx(each**2)
    assert reason.nothing == pytest.approx(1 - each**2)


def test_a_score_names_its_points_and_the_rest(known):
    values = known("yatzy-sv")
    state = position(values.rules, (1, 2, 6, 6, 6), 0, ones=3)
    choice = advise(values, state).choice(score("sixes"))
    reason = Reasons(values, state).reason(choice)
    assert (reason.points, reason.aims) == (18, ())
    assert 3 + reason.points + reason.rest == pytest.approx(choice.expected)


def test_double_dice_are_sampled_the_same_way_each_time(known):
    values = known("dice-in-dice")
    rules = load_ruleset("dice-in-dice")
    open_boxes = {"yatzy", "chance"}
    filled = {box.id: 0 for box in rules.boxes if box.id not in open_boxes}
    dice = ((1, 6), (2, 6), (3, 6), (4, 6), (5, 1), (6, 1))
    state = position(rules, dice, 1, **filled)
    reason = reason_of(values, state, Keep(dice[:4]))
    assert reason == reason_of(values, state, Keep(dice[:4]))
    chances = {aim.box: aim.chance for aim in reason.aims}
    # A yatzy needs a six on one of two inner dice; the outer dice are 1 2 3 4 and cannot be equal.
    assert chances["yatzy"] == pytest.approx(11 / 36, abs=4 * reason.standard_error)
    assert chances["chance"] == pytest.approx(1)


def test_points_now_are_all_that_a_box_brings_at_once(known):
    """Three sixes reach 63: 18 points and the bonus of 50. A strike scores neither."""
    values = known("yatzy-sv")
    upper = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    others = {box.id: 0 for box in values.rules.boxes if box.section != "upper"}
    state = position(values.rules, (1, 2, 6, 6, 6), 0, **upper, **others)
    found = {choice.move: Reasons(values, state).reason(choice) for choice in advise(values, state).choices}
    assert found[score("sixes")].points == 68
    assert found[score("sixes")].rest == pytest.approx(0)
    assert found[score("sixes", strike=True)].points == 0


def test_a_turn_of_two_boxes_writes_a_zero_at_most_once(known):
    """With yatzy and the Extra box open, where Extra never scores more than 0, only yatzy can be missed."""
    values = known("dice-in-dice", extra="free_strike")
    filled = {box.id: 0 for box in values.rules.boxes if box.id not in ("yatzy", "extra")}
    dice = ((6, 5), (6, 4), (3, 3), (3, 2), (4, 1), (3, 2))
    state = position(values.rules, tuple(sorted(dice)), 2, **filled)
    choice = next(choice for choice in advise(values, state).choices if isinstance(choice.move, Keep))
    reason = Reasons(values, state).reason(choice)
    assert [aim.box for aim in reason.aims] == ["yatzy"]
    assert reason.aims[0].chance + reason.nothing == pytest.approx(1)


def test_a_game_without_a_bonus_has_nothing_to_say_about_it(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text('format = 1\nid = "plain"\nbase = "yatzy"\nupper.bonus = []\n')
    rules = load_ruleset(str(path))
    state = State((empty_sheet(rules),), 0, (1, 2, 6, 6, 6), None, 0)
    (remark,) = remarks(rules, state, score("sixes"), Reason(points=18))
    assert (remark.kind, remark.value) == ("points", 18)
