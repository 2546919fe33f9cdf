"""The shipped puzzles: complete, unchanged, gradable without tables, and the same for everybody on a day."""

import json
import subprocess
import sys
from datetime import date, timedelta

import pytest

from dicecup.coach import puzzles
from dicecup.coach.puzzles import (
    A_DAY,
    INTERVALS,
    KNOWN,
    OFFERED,
    START_RATING,
    daily_puzzles,
    expected_share,
    find_puzzle,
    load_puzzles,
    next_asked,
    next_rating,
    puzzle_games,
)
from dicecup.engine.play import is_legal, legal_moves
from dicecup.engine.serialize import move_to_data
from dicecup.engine.state import Keep, Score
from dicecup.errors import MoveError, UsageError
from dicecup.rules import load_ruleset
from dicecup.rules.loader import main_ids

DAY = date(2026, 11, 16)


def test_every_game_with_shipped_values_has_puzzles():
    assert set(puzzle_games()) == {*main_ids(), "kniffel", "yacht"}


@pytest.mark.parametrize("game", puzzle_games())
def test_the_puzzles_of_a_game(game):
    found = load_puzzles(game)
    head = json.loads(puzzles.puzzle_file(game).read_text("utf-8").partition("\n")[0])
    rules = load_ruleset(game)
    assert head["identity"] == rules.identity
    assert [puzzle.id for puzzle in found] == [f"{game}-{number}" for number in range(1, len(found) + 1)]
    assert [puzzle.rating for puzzle in found] == sorted(puzzle.rating for puzzle in found)
    assert len({puzzle.line for puzzle in found}) == len(found) >= 20 * A_DAY
    for puzzle in found:
        state = puzzle.position.state
        assert all(is_legal(rules, state, move) for move in puzzle.choices)
        assert puzzle.losses[0] == 0
        assert puzzle.losses[1] >= round(head["margin"], 2) - 0.01
        assert list(puzzle.losses) == sorted(puzzle.losses)
        assert 0 in puzzle.offered
        assert len(set(puzzle.offered)) == OFFERED
        assert 0.3 <= puzzle.missed <= 0.97


def test_answers_are_graded():
    puzzle = load_puzzles("yatzy-sv")[0]
    best = puzzle.grade_data(puzzle.moves[0])
    assert (best.right, best.loss) == (True, 0.0)
    other = puzzle.grade_data(puzzle.moves[1])
    assert (other.right, other.loss, other.at_least) == (False, puzzle.losses[1], False)


def test_a_choice_that_is_not_listed_loses_at_least_the_rest():
    rules = load_ruleset("yatzy-sv")
    puzzle = next(one for one in load_puzzles("yatzy-sv") if one.rest is not None)
    listed = {json.dumps(dict(move)) for move in puzzle.moves}
    other = next(
        move
        for move in legal_moves(rules, puzzle.position.state)
        if json.dumps(move_to_data(rules, move)) not in listed and "strike" not in move_to_data(rules, move)
    )
    assert isinstance(other, Keep | Score)
    graded = puzzle.grade(other)
    assert (graded.right, graded.at_least, graded.loss) == (False, True, puzzle.rest)


def test_dice_may_be_named_in_any_order():
    puzzle = next(one for one in load_puzzles("yatzy-sv") if len(set(one.moves[0].get("keep", ()))) > 1)
    assert puzzle.grade_data({"keep": puzzle.moves[0]["keep"][::-1]}).right


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ({"keep": [1, 1, 1, 1]}, "keep_not_there"),
        ({"throw": [1]}, "decision_not_due"),
        ("six", "move_unreadable"),
        ({"box": "bank"}, "box_unknown"),
    ],
)
def test_wrong_answers_get_a_sentence(move, code):
    puzzle = next(one for one in load_puzzles("yatzy-sv") if one.position.state.throws_left)
    with pytest.raises(MoveError) as refused:
        puzzle.grade_data(move)
    assert refused.value.code == code


def test_five_a_day_from_easy_to_hard_and_none_twice_in_a_round():
    found = daily_puzzles("yatzy-sv", DAY)
    assert len(found) == A_DAY
    assert [puzzle.rating for puzzle in found] == sorted(puzzle.rating for puzzle in found)
    assert found == daily_puzzles("yatzy-sv", DAY)
    days = len(load_puzzles("yatzy-sv")) // A_DAY
    asked = [
        puzzle.id
        for number in range(days)
        for puzzle in daily_puzzles("yatzy-sv", puzzles.FIRST_DAY + timedelta(days=number))
    ]
    assert len(set(asked)) == days * A_DAY


def test_the_five_of_a_day_stay_the_same():
    """Everybody has the same puzzles on a day: a new version keeps the files, or adds to them."""
    assert [puzzle.id for puzzle in daily_puzzles("yatzy-sv", DAY)] == FIVE


FIVE = [f"yatzy-sv-{number}" for number in (7, 46, 88, 96, 131)]


def test_grading_needs_no_tables():
    """Checking answers imports neither NumPy nor Numba."""
    program = (
        "import sys\n"
        "from dicecup.coach.puzzles import find_puzzle\n"
        "puzzle = find_puzzle('yatzy-sv-1')\n"
        "assert puzzle.grade(puzzle.best).right\n"
        "assert not {'numpy', 'numba'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_puzzles_and_games():
    for wrong in ("", "yatzy-sv-0", "yatzy-sv-9999", "bridge-1", "../x-1"):
        with pytest.raises(UsageError) as refused:
            find_puzzle(wrong)
        assert refused.value.code == "puzzle_unknown"
    with pytest.raises(UsageError) as refused:
        load_puzzles("bridge")
    assert refused.value.code == "puzzles_missing"


@pytest.mark.parametrize("change", [("0.0", "0.1"), ("{", ""), ("\n", "")])
def test_a_changed_file_is_refused(tmp_path, monkeypatch, change):
    text = puzzles.puzzle_file("yatzy-sv").read_text("utf-8")
    (tmp_path / "puzzles-yatzy-sv.jsonl").write_text(text.replace(*change), "utf-8")
    monkeypatch.setattr(puzzles, "FOLDER", tmp_path)
    with pytest.raises(UsageError) as refused:
        load_puzzles("yatzy-sv")
    assert refused.value.code == "puzzles_changed"


def test_ratings_move_towards_the_level_of_the_puzzles():
    assert expected_share(1500, 1500) == 0.5
    assert expected_share(1900, 1500) == pytest.approx(10 / 11)
    up, down = (next_rating(START_RATING, 0, 1200, right) for right in (True, False))
    assert (up, down) == (START_RATING + 24, START_RATING - 24)
    assert next_rating(START_RATING, 10, 1200, True) == START_RATING + 12


def test_mistakes_come_back_at_growing_intervals_until_known():
    solved, day, waited = 0, DAY, []
    while solved < KNOWN:
        before = day
        solved, day = next_asked(solved, True, day)
        waited.append((day - before).days)
    assert waited[:-1] == list(INTERVALS[1:])
    assert next_asked(4, False, DAY) == (0, DAY + timedelta(days=1))
