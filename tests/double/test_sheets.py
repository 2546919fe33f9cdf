"""Which sheets are distinguished, and which are merged."""

from __future__ import annotations

import numpy as np
import pytest

from dicecup.errors import UsageError
from dicecup.rules import load_ruleset
from dicecup.solver.double.game_tables import SheetIndex, check_double_solvable


@pytest.mark.parametrize(
    ("extra", "count"), [("chance", 621_312), ("negative", 828_416), ("free_strike", 828_416)]
)
def test_the_sheets_of_the_game(extra, count):
    index = SheetIndex(load_ruleset("dice-in-dice", {"extra": extra}))
    assert sum(index.level_sizes[::2]) == count


@pytest.fixture(scope="module")
def index() -> SheetIndex:
    return SheetIndex(load_ruleset("dice-in-dice"))


def test_places_number_each_level_without_gaps(index):
    for filled in (0, 1, 2, 15, 16):
        level = index.level(filled)
        places = [
            index.place_of(int(mask), int(total)) for mask, total in zip(level.mask, level.total, strict=True)
        ]
        assert places == list(range(index.level_sizes[filled]))


def test_irrelevant_totals_are_merged(index):
    upper = index.upper_mask
    all_but_sixes = int(np.flatnonzero(upper == 0b011111)[0])
    place = index.place_of
    assert len({place(all_but_sixes, total) for total in (*range(33), *range(63, 76))}) == 1
    assert len({place(all_but_sixes, total) for total in range(33, 39)}) == 1
    assert place(all_but_sixes, 38) != place(all_but_sixes, 39)


def test_two_chances_are_filled_in_order(index):
    boxes = {box.id: place for place, box in enumerate(load_ruleset("dice-in-dice").boxes)}
    first, second = 1 << boxes["chance"], 1 << boxes["extra"]
    assert index.place_of(1 | first, 3) == index.place_of(1 | second, 3)


@pytest.mark.parametrize("game", ["yatzy", "yum-plus", "triple-yum-plus", "yahtzee"])
def test_other_games_are_refused(game):
    with pytest.raises(UsageError, match="can’t be solved"):
        check_double_solvable(load_ruleset(game))
