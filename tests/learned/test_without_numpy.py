"""Learned and quick values in plain Python: the same as with NumPy, choice by choice."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from tests.learned.conftest import GAMES, all_rulesets, learned, random_sheet

from dicecup.engine.sheet_data import checked_sheet
from dicecup.engine.state import Sheet, empty_sheet, final_score
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.files.tables import weights_name
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.value import find_quick, quick_weights
from dicecup.solver.plain_turn import PlainTurn
from dicecup.solver.ready import QUICK_MAGIC, find_plain_quick, has_quick, open_packed, quick_file

PRECISE = 1e-6  # points


@pytest.mark.parametrize(("game", "share"), list(product(GAMES, (0.0, 0.6, 0.95))))
def test_a_plain_turn_is_the_turn_of_numpy(game, share):
    """By the same network."""
    rules = load_ruleset(game)
    compare_turns(random_sheet(rules, int(share * rules.cells), 3), rules)


@pytest.mark.parametrize("game", GAMES)
def test_a_plain_turn_is_the_turn_of_numpy_where_a_bonus_is_near(game):
    """Three sixes, four or five reach the three steps of the bonus."""
    rules = load_ruleset(game)
    upper = {"ones": 5, "twos": 8, "threes": 9, "fours": 12, "fives": 15}
    filled = dict.fromkeys(rules.box_index, 0) | upper
    column = {box: points for box, points in filled.items() if box not in ("sixes", "chance")}
    data = dict.fromkeys(rules.column_index, column) if rules.has_columns else column
    compare_turns(checked_sheet(rules, data), rules)


def compare_turns(sheet: Sheet, rules: Ruleset) -> None:
    source, random = learned(rules), Random(rules.id + str(sheet.cells))
    turn, wanted = PlainTurn(rules, sheet, source.estimate), source.turn(sheet)
    assert turn.value == pytest.approx(wanted.value, abs=PRECISE)
    for dice in (tuple(sorted(random.choices(range(1, 7), k=5))), (random.randint(1, 6),) * 5):
        boxes, wanted_boxes = ({box.move: box for box in one.boxes(dice)} for one in (turn, wanted))
        assert boxes.keys() == wanted_boxes.keys()
        for move, box in boxes.items():
            assert box.points == wanted_boxes[move].points
            assert box.value == pytest.approx(wanted_boxes[move].value, abs=PRECISE)
        assert turn.best_box(dice).value == pytest.approx(wanted.best_box(dice).value, abs=PRECISE)
    for left in (1, 2):
        assert turn.keep_values(left) == pytest.approx(wanted.keep_values(left), abs=PRECISE)


@pytest.mark.parametrize("rules", all_rulesets(), ids=weights_name)
def test_quick_values_are_those_of_their_weights(rules):
    found, quick, weights = find_plain_quick(rules), find_quick(rules), quick_weights(rules)
    assert found
    assert quick
    assert weights is not None
    for filled in (0, 5, rules.cells - 1):
        sheet = random_sheet(rules, filled, 4)
        rows = layout(rules).read(sheet).rows
        late, early = (part[rows].sum() + first for part, first in zip(quick, weights[:, -1], strict=True))
        rest = late + early * sheet.cells.count(None) / rules.cells
        full = random_sheet(rules, rules.cells, 5)
        assert found.sheet_value(sheet) - found.sheet_value(full) == pytest.approx(
            rest + final_score(rules, sheet) - final_score(rules, full), abs=2e-3
        )
    assert found.turn(empty_sheet(rules)).value == pytest.approx(
        learned(rules).turn(empty_sheet(rules)).value, rel=0.01
    )


def test_a_changed_file_is_refused(refused):
    rules = load_ruleset("yum-plus")
    assert not has_quick(load_ruleset("yatzy"))
    assert find_plain_quick(load_ruleset("yatzy")) is None
    file = quick_file(rules)
    data = file.read_bytes()
    for changed in (b"", data[:-1], data.replace(b"quick", b"quack", 1)):
        with refused("table_damaged"):
            open_packed(changed, rules, file, QUICK_MAGIC)
    with refused("table_of_other_rules"):
        open_packed(data, load_ruleset("yum-plus", {"kinds": "matching"}), file, QUICK_MAGIC)
