"""Exact endgames of a large game: small games consist of nothing else, and the oracle solves them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.coach.conftest import HEAD, SHEETS
from tests.coach.test_choices import random_sheets

from dicecup.engine import empty_sheet, final_score
from dicecup.engine.state import Sheet, turn_start
from dicecup.playout import single
from dicecup.playout.quick_kernel import value_sheets
from dicecup.playout.single import endgame, quick_tables
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.learned.layout import book, layout
from reference_solver import Reference

GAMES = {
    "joker": SHEETS["joker"].partition("[repeat]")[0],
    "order": """
[upper]
boxes = { threes = 3 }
bonus = [{ at = 6, points = 5 }]
[box.low]
points = "all"
[box.high]
points = "all"
above = "low"
[box.pair]
needs = { alike = [2] }
points = "matching"
[box.second]
needs = { alike = [3] }
points = 15
after = ["pair"]
""",
}


def worth(rules: Ruleset, sheet: Sheet) -> float:
    """Return the value of a sheet, including the points on it."""
    rows = np.array([layout(rules).read(sheet).rows], dtype=np.int32)
    found = endgame(rules, tuple(rows[0].tolist()))
    assert found is not None
    value = np.empty(1, dtype=np.float32)
    value_sheets(1, book(rules).moves, quick_tables(rules), rows, found.ahead[:1], rules.throws, value)
    return float(value[0]) + final_score(rules, sheet)


@pytest.mark.parametrize("throws", [1, 2, 3])
@pytest.mark.parametrize("game", GAMES)
def test_small_games_are_worth_what_the_oracle_says(tmp_path, game, throws):
    path = tmp_path / "end.toml"
    path.write_text(HEAD.format(strike="free").replace("throws = 3", f"throws = {throws}") + GAMES[game])
    rules = load_ruleset(str(path))
    assert worth(rules, empty_sheet(rules)) == pytest.approx(Reference(rules).expected(), abs=1e-4)


@pytest.mark.parametrize("game", ["yum-plus", "triple-yum-plus"])
@pytest.mark.parametrize("left", [2, 3])
def test_games_match_their_expected_values(known, game, left):
    """Points, bonus and boxes of the sampled games match the computed values."""
    rules = known(game).rules
    for sheet in random_sheets(rules, Random(left), 6, open_boxes=left):
        scores, (luck, _) = single.play_on(rules, 8000, 1, turn_start(rules, (sheet,), 0))
        assert scores - luck == pytest.approx(np.full(len(scores), worth(rules, sheet)), abs=0.01)
        assert luck.mean() == pytest.approx(0, abs=4 * max(luck.std(), 0.1) / len(luck) ** 0.5)


def test_large_endgames_are_left_to_the_quick_value(known, monkeypatch):
    rules = known("yum-plus").rules
    (sheet,) = random_sheets(rules, Random(1), 1, open_boxes=4)
    rows = tuple(layout(rules).read(sheet).rows)
    assert endgame(rules, rows) is not None
    assert endgame(rules, tuple(layout(rules).read(empty_sheet(rules)).rows)) is None
    endgame.cache_clear()
    monkeypatch.setattr(single, "MOST_SHEETS", 2)
    assert endgame(rules, rows) is None
    endgame.cache_clear()
