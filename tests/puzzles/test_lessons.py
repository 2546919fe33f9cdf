"""Habits behind losses, mistakes as puzzles, and what the coach says about a choice, from given values."""

from __future__ import annotations

import pytest

from dicecup.coach.advice import Choice
from dicecup.coach.lessons import Habit, Lesson, habit_of, habits_over, mistakes_of, worth_saying
from dicecup.coach.reasons import Aim, Reason, remarks
from dicecup.coach.review import Decision, is_unforced, mark_of
from dicecup.engine.play import with_strikes
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.engine.serialize import Position, move_from_data
from dicecup.engine.state import Keep, Score, Throw, score
from dicecup.i18n.language import LANGUAGES, language
from dicecup.i18n.sentences import do_text, hint_text, instead_text, lesson_text, remarks_text
from dicecup.rules import load_ruleset

YATZY = load_ruleset("yatzy")
DOUBLE = load_ruleset("dice-in-dice")
TRIPLE = load_ruleset("triple-yum-plus")


def decision(line: str, taken: dict[str, object], best: dict[str, object], loss: float = 5.0) -> Decision:
    position = Position.parse(line)
    moves = [move_from_data(position.rules, data) for data in (best, taken)]
    first, other = (move for move in moves if isinstance(move, Keep | Score))
    choices = (Choice(first, 100.0, 0.0), Choice(other, 100.0 - loss, loss))
    state = position.state
    return Decision(
        1, 1, state.dice, state.throws_left, choices, choices[1], is_unforced(choices), mark_of(loss, 16.0)
    )


@pytest.mark.parametrize(
    ("line", "taken", "best", "habit"),
    [
        ("yatzy / / 1 2 3 3 5 / 0", {"box": "sixes"}, {"box": "ones"}, ("crossed_out", "sixes")),
        ("yatzy / / 1 2 3 6 6 / 0", {"box": "sixes"}, {"box": "pair"}, ("few_dice", "sixes")),
        ("yatzy / / 6 6 6 2 1 / 0", {"box": "chance"}, {"box": "sixes"}, ("used_up", "chance")),
        ("yatzy / / 6 6 6 2 1 / 1", {"box": "sixes"}, {"keep": [6, 6, 6]}, ("stopped", "")),
        ("yatzy / / 2 3 4 5 6 / 1", {"keep": [6]}, {"box": "high_straight"}, ("rolled_on", "")),
        ("yatzy / / 1 1 3 4 5 / 1", {"keep": [1, 1]}, {"keep": [3, 4, 5]}, ("missed_straight", "")),
        ("yatzy / / 1 1 3 4 5 / 1", {"keep": [3, 4, 5]}, {"keep": [1, 1]}, ("chased_straight", "")),
        ("yatzy / / 1 4 6 6 5 / 1", {"keep": [1, 6, 6]}, {"keep": [6, 6]}, ("kept_more", "")),
        ("yatzy / / 1 4 6 6 5 / 1", {"keep": [6]}, {"keep": [6, 6]}, ("kept_less", "")),
        ("yatzy / / 1 1 6 6 5 / 1", {"keep": [1, 1]}, {"keep": [6, 6]}, ("kept_other", "")),
        (
            "triple-yum-plus / / 6 6 6 2 1 / 0",
            {"column": "x1", "box": "sixes"},
            {"column": "x3", "box": "sixes"},
            ("other_column", ""),
        ),
        (
            "dice-in-dice / / 1-1 1-1 2-2 3-3 4-4 6-6 / 0",
            {"inner": "yatzy", "outer": "pair"},
            {"inner": "pair", "outer": "chance"},
            ("crossed_out", "yatzy"),
        ),
    ],
)
def test_the_habit_behind_a_loss(line, taken, best, habit):
    position = Position.parse(line)
    found = decision(line, taken, best)
    assert habit_of(position.rules, position.state.sheet, found) == Habit(*habit)


def test_at_most_three_lessons_and_no_trifles():
    lessons = [Lesson(Habit("stopped"), loss, 1, 0, 1) for loss in (9.0, 5.0, 3.0, 2.0, 0.5)]
    assert worth_saying(lessons, 16.0) == tuple(lessons[:3])
    assert worth_saying(lessons[4:], 16.0) == ()


def test_habits_over_many_games():
    early, kept = Habit("crossed_out", "sixes"), Habit("kept_more")
    found = habits_over([[(early, 20.0, 1), (kept, 2.0, 3)], [(early, 4.0, 1)], []])
    assert [(one.habit, one.per_game, one.count) for one in found] == [(early, 8.0, 2), (kept, 2 / 3, 3)]


def test_a_mistake_becomes_a_puzzle_with_what_was_chosen_among_the_answers():
    record = Record(Header("yatzy", YATZY, ("Ann",), DiceOrigin("typed"))).append(Throw((1, 4, 5, 6, 6)))
    found = decision("yatzy / / 1 4 5 6 6 / 2", {"keep": [1, 6, 6]}, {"keep": [6, 6]})
    ((one, puzzle),) = mistakes_of(record, [found], 0.3)
    assert one is found
    assert puzzle.line == "yatzy / / 1 4 5 6 6 / 2"
    assert puzzle.moves[0] == {"keep": [6, 6]}
    assert set(puzzle.offered) == {0, 1}
    assert puzzle.grade(Keep((6, 6))).right
    assert not puzzle.grade(Keep((1, 6, 6))).right


def test_a_zero_is_crossed_out_where_points_were_possible():
    position = Position.parse("dice-in-dice extra=free_strike / / 1-1 1-1 2-2 3-3 4-4 6-6 / 0")
    move = move_from_data(position.rules, {"inner": "yatzy", "outer": "extra"})
    assert isinstance(move, Score)
    said = with_strikes(position.rules, position.state.sheet, position.state.dice, move)
    assert isinstance(said, Score)
    assert [placed.strike for placed in said.placements] == [True, False]


def test_a_hint_in_a_sentence():
    english = language("en")
    state = Position.parse("yatzy / / 3 3 2 5 6 / 2").state
    reason = Reason((Aim("threes", "", 0.62, 10.2), Aim("full_house", "", 0.2, 20.0)), 0.3)
    found = remarks(YATZY, state, Keep((3, 3)), reason)
    assert [remark.kind for remark in found] == ["aims", "bonus", "zero"]
    text = hint_text(
        do_text(YATZY, Keep((3, 3)), english),
        remarks_text(YATZY, found[:2], english),
        instead_text(YATZY, Keep((3, 3)), Keep((6,)), 0.4, english),
        english,
    )
    assert text == (
        "Keep 3 3: goes for Threes (62%) or Full House (20%), keeps your bonus on course; "
        "a lone 6 costs 0.4 points."
    )


def test_remarks_on_boxes():
    state = Position.parse("yatzy / ones=0 / 6 6 6 2 1 / 0").state
    kinds = [remark.kind for remark in remarks(YATZY, state, score("sixes"), Reason(points=18))]
    assert kinds == ["points", "towards_bonus"]
    assert [one.kind for one in remarks(YATZY, state, score("yatzy"), Reason())] == ["least"]
    assert remarks_text(YATZY, remarks(YATZY, state, score("yatzy"), Reason()), language("en")) == (
        "costs you least"
    )


@pytest.mark.parametrize(
    ("other", "loss", "said"),
    [
        (Keep((3, 3, 6)), 1.25, "keeping 6 as well costs 1.2 points"),
        (Keep((5, 6)), 2.0, "keep 5 6 costs 2.0 points"),
        (score("chance"), 0.0, "Chance is just as good"),
    ],
)
def test_what_another_choice_costs(other, loss, said):
    assert instead_text(YATZY, Keep((3, 3)), other, loss, language("en")) == said


@pytest.mark.parametrize("code", LANGUAGES)
def test_lessons_in_every_language(code):
    spoken = language(code)
    once = lesson_text(YATZY, "crossed_out", "sixes", 12.0, spoken)
    each = lesson_text(YATZY, "crossed_out", "sixes", 12.0, spoken, per_game=True)
    assert each.startswith(once)
    assert ("12.0" if code == "en" else "12,0") in each
    if code == "en":
        assert each == "You cross out Sixes too early: −12.0 points a game"
