"""The values that come with the package: the same as solved ones, in plain Python, without a solve."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from random import Random

import pytest

from dicecup.engine.play import keeps
from dicecup.engine.state import Sheet
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver import ready
from dicecup.solver.plain_turn import PlainTurn
from dicecup.solver.ready import ReadyTable, find_ready, open_packed, opened, ready_name

from .conftest import random_sheet

READY: tuple[tuple[str, dict[str, str]], ...] = (
    ("yatzy", {}),
    ("yatzy", {"scoring": "international"}),
    ("yatzy-sv", {}),
    ("yahtzee", {}),
    ("yahtzee", {"joker": "forced"}),
    ("yahtzee", {"joker": "none"}),
    ("kniffel", {}),
    ("yacht", {}),
)
PRECISE = 1e-4  # points: half a step of the packed values
FOLDER = files("dicecup.solver.single").joinpath("data")
WITHOUT_NUMPY = """
import sys
sys.modules |= {"numpy": None, "numba": None}
from dicecup.cli.main import main
sys.argv = ["dicecup", "hint", "yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2"]
main()
"""


def test_every_table_is_one_of_these_games():
    names = {ready_name(load_ruleset(game, options)) for game, options in READY}
    assert {file.name for file in FOLDER.iterdir()} == names


@pytest.mark.parametrize(("game", "options"), READY)
def test_every_choice_has_the_value_of_the_solved_game(solved, game, options):
    solution = solved(game, options)
    found = find_ready(load_ruleset(game, options))
    assert found is not None
    assert found.expected == solution.expected
    random = Random(game + str(options))
    rules = found.rules
    for open_boxes in range(1, len(rules.boxes) + 1):
        sheet = random_sheet(rules, open_boxes, random)
        turn, wanted = found.turn(sheet), solution.turn(sheet)
        assert turn.value == pytest.approx(wanted.value, abs=PRECISE)
        rolled = [tuple(sorted(random.choices(range(1, 7), k=5))), (random.randint(1, 6),) * 5]
        for dice in rolled:
            boxes, wanted_boxes = turn.boxes(dice), wanted.boxes(dice)
            assert [box[:2] for box in boxes] == [box[:2] for box in wanted_boxes]
            values = [box.value for box in boxes]
            assert values == pytest.approx([box.value for box in wanted_boxes], abs=PRECISE)
            for left in (1, 2):
                assert turn.throw(dice, left) == pytest.approx(wanted.throw(dice, left), abs=PRECISE)
                values = [turn.keep(keep.dice, left) for keep in keeps(dice)]
                wanted_values = [wanted.keep(keep.dice, left) for keep in keeps(dice)]
                assert values == pytest.approx(wanted_values, abs=PRECISE)


@pytest.mark.parametrize("game", ["yum-plus", "yatzy-sv"])
def test_a_plain_turn_is_the_turn_of_the_kernels(solved_end, game):
    """With exact values of the sheets that follow, every value of the turn is exact, jokers included."""
    rules = load_ruleset(game, {"strike": "last_resort"} if game == "yatzy-sv" else {})
    solution = solved_end(rules, 3)
    random = Random(game)
    sheets = [random_sheet(rules, 3, random) for _ in range(3)]
    if game == "yatzy-sv":  # with poor dice a 0 in another box would be better than Chance
        sheets.append(sheet_with_open(rules, "ones", "yatzy", "chance"))
    for sheet in sheets:
        turn = PlainTurn(rules, sheet, lambda after: solution._unchecked_turn(after).value)
        assert turn.value == pytest.approx(solution._unchecked_turn(sheet).value, abs=1e-9)


def sheet_with_open(rules: Ruleset, *boxes: str) -> Sheet:
    return Sheet(tuple(None if box.id in boxes else 0 for box in rules.boxes))


def test_a_full_sheet_is_worth_its_score():
    found = find_ready(load_ruleset("yatzy"))
    assert found is not None
    sheet = random_sheet(found.rules, 0, Random(1))
    assert found.turn(sheet).value == found.sheet_value(sheet)


def test_other_rules_have_no_table():
    assert find_ready(load_ruleset("yum-plus")) is None


def test_a_changed_table_is_refused(refused):
    rules = load_ruleset("yahtzee")
    file = FOLDER.joinpath(ready_name(rules))
    data = file.read_bytes()
    for changed in (b"", data[:-1], data[:-1] + bytes([data[-1] ^ 1]), data.replace(b'"step"', b'"stop"', 1)):
        with refused("table_damaged"):
            opened(ReadyTable, *open_packed(changed, rules, file), file)
    with refused("table_of_other_rules"):
        open_packed(data, load_ruleset("yatzy"), file)


def test_numbers_are_folded_and_unfolded():
    for number in range(-300, 300):
        assert ready.unfold(ready.fold(number)) == number
    assert sorted(map(ready.fold, range(-3, 4))) == list(range(7))


def test_a_hint_needs_neither_numpy_nor_numba():
    found = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    assert "244.32" in found.stdout, found.stderr
