"""Compare with exact values of yum-plus from another implementation: 100 states per level, drawn uniformly.

`exact_yum_plus.csv` was extracted from a solve on a GPU in 32 bits
(`dicecup solve yum-plus --backend cuda --precision 32`): open boxes, the index in the level, the value of the
rest of the sheet including the bonus.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from tests.learned.conftest import learned

from dicecup.engine.state import bonus
from dicecup.rules import load_ruleset
from dicecup.solver.learned.layout import Array
from dicecup.solver.single.index import Index, Level, build_index

RULES = load_ruleset("yum-plus")


@pytest.fixture(scope="module")
def exact():
    """Return by number of open boxes: rows of the sheets, bonus already reached, exact values."""
    found = defaultdict(list)
    with Path(__file__).with_name("exact_yum_plus.csv").open(encoding="ascii") as stream:
        for line in csv.DictReader(stream):
            level, place = int(line["open_boxes"]), int(line["place"])
            found[level].append((*sheet_at(level, place), float(line["value"])))
    return {
        level: [np.array(column) for column in zip(*states, strict=True)] for level, states in found.items()
    }


@lru_cache(maxsize=1)
def known_index() -> Index:
    return build_index(RULES)


@lru_cache(maxsize=1)
def known_level(open_boxes: int) -> tuple[Index, Level]:
    return known_index(), known_index().level(open_boxes)


def sheet_at(open_boxes: int, place: int) -> tuple[list[int], int]:
    """Return the rows of the state at an index of a level, and the bonus its upper total has reached."""
    (index, level), layout = known_level(open_boxes), learned(RULES).layout
    lower = int(level.lowers[np.searchsorted(level.starts[level.lowers], place, side="right") - 1])
    kind, position = int(index.kinds[lower]), place - int(level.starts[lower])
    group = index.groups[kind][open_boxes - int(index.opens[lower])]
    row = int(group.row[position])
    member = group.members[row]
    total = index.upper.rows[kind][member].totals[position - int(group.starts[row])]
    filled = sum(digit << bit for bit, digit in enumerate(index.upper.digits[member]))
    rows = [layout.upper_row(filled, total)]
    for part, first, stride in zip(index.lower, layout.first[1:], index.lower_strides, strict=False):
        rows.append(first + lower // stride % len(part.classes))
    return rows, bonus(RULES, total)


def turn_values(rows: Array) -> Array:
    value = learned(RULES)
    ahead = value.tables.look_ahead(value.network, rows)
    _, thrown = value.tables.solve(value.tables.score(rows, ahead.value + ahead.paid))
    return value.tables.before_throw(thrown)


def test_the_last_turn_is_the_exact_one(exact):
    rows, paid, values = exact[1]
    assert turn_values(rows) + paid == pytest.approx(values, abs=2e-3)


def test_turns_on_any_sheet_are_close_to_the_exact_ones(exact):
    """Most of these sheets occur in no good player's games; the measured root mean square was at most 3.2."""
    for rows, paid, values in exact.values():
        error = turn_values(rows) + paid - values
        assert np.sqrt((error * error).mean()) < 4
        assert abs(error.mean()) < 2


def test_the_network_itself_is_close(exact):
    for rows, paid, values in exact.values():
        error = learned(RULES).network.of(rows) + paid - values
        assert np.sqrt((error * error).mean()) < 5


def test_the_empty_sheet(exact):
    rows, paid, values = exact[22]
    assert turn_values(rows) + paid == pytest.approx(values, rel=0.001)
