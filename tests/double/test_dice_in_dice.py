"""The full game: the shipped tables, and turns computed from them."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.double.plain_turn import plain_turn

from dicecup.dice import Dice, parse_dice, parts, sort_dice
from dicecup.engine.play import legal_scores
from dicecup.engine.state import Sheet, empty_sheet
from dicecup.errors import PositionError
from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.double.game_tables import SheetIndex
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import find_packed_table
from dicecup.solver.double.turn import SheetBatch
from dicecup.solver.double.wasm import find_wasm
from dicecup.solver.ready import double_table_file

NOWHERE = Path("/nowhere")
# Solved on a GPU, and each compared with 200,000 simulated games: docs/dice-in-dice-solved.md.
EXPECTED = {
    ("printed", "flat", "chance"): 315.1210,
    ("scandinavian", "flat", "chance"): 314.9116,
    ("international", "flat", "chance"): 358.3074,
    ("printed", "flat", "negative"): 282.4109,
    ("scandinavian", "flat", "negative"): 282.1693,
    ("international", "flat", "negative"): 325.4354,
    ("printed", "flat", "free_strike"): 294.5303,
    ("scandinavian", "flat", "free_strike"): 294.2841,
    ("international", "flat", "free_strike"): 337.4488,
    ("printed", "plus_sum", "chance"): 331.4287,
    ("scandinavian", "plus_sum", "chance"): 331.1918,
    ("international", "plus_sum", "chance"): 374.7418,
    ("printed", "plus_sum", "negative"): 298.6175,
    ("scandinavian", "plus_sum", "negative"): 298.3432,
    ("international", "plus_sum", "negative"): 341.7251,
    ("printed", "plus_sum", "free_strike"): 310.8394,
    ("scandinavian", "plus_sum", "free_strike"): 310.5608,
    ("international", "plus_sum", "free_strike"): 353.8729,
}

LAST_RESORT = {"chance": 312.8290, "negative": 280.2538, "free_strike": 292.4945}  # 100,000 games each


def variant(scoring: str, yatzy: str, extra: str) -> Ruleset:
    return load_ruleset("dice-in-dice", {"scoring": scoring, "yatzy": yatzy, "extra": extra})


def test_every_variant_on_the_sheet_is_listed():
    choices = load_ruleset("dice-in-dice").choices
    assert set(EXPECTED) == set(product(choices["scoring"], choices["yatzy"], choices["extra"]))


@pytest.mark.parametrize("options", EXPECTED)
def test_shipped_tables(options):
    rules = variant(*options)
    table = find_packed_table(rules, NOWHERE)
    assert table is not None
    assert table.header.expected == pytest.approx(EXPECTED[options], abs=1e-3)
    assert all(np.isfinite(values).all() for values in table.levels.values())
    assert len(double_table_file(rules).read_bytes()) <= 2_000_000


def test_shipped_tables_are_small_together():
    assert sum(len(double_table_file(variant(*options)).read_bytes()) for options in EXPECTED) <= 32_000_000


@pytest.mark.parametrize("extra", LAST_RESORT)
def test_shipped_tables_with_zeros_as_a_last_resort(extra):
    rules = load_ruleset("dice-in-dice", {"extra": extra, "strike": "last_resort"})
    found = find_wasm(rules)
    assert found
    assert found.expected == pytest.approx(LAST_RESORT[extra], abs=1e-3)
    assert found.turn(empty_sheet(rules)).value == pytest.approx(found.expected, abs=1e-3)


def test_other_options_have_no_shipped_table():
    unusual = {"strike": "last_resort", "scoring": "international"}
    assert find_packed_table(load_ruleset("dice-in-dice", unusual), NOWHERE) is None


@pytest.fixture(scope="module")
def solution() -> DoubleSolution:
    rules = variant("printed", "flat", "negative")
    table = find_packed_table(rules, NOWHERE)
    assert table is not None
    return DoubleSolution(rules, table)


def sheet_of(rules: Ruleset, **points: int) -> Sheet:
    return Sheet(tuple(points.get(box.id) for box in rules.boxes))


EXAMPLE = parse_dice(["6-5", "6-4", "3-3", "3-2", "4-1", "3-2"], 6, 2)


def test_computed_turns_match_the_values_of_the_gpu(solution):
    """Compute the turn of one sheet of every level completely, and compare with the GPU's value."""
    index: SheetIndex = solution.index
    for filled in range(0, 16, 2):
        level = index.level(filled)
        place = [len(level) // 3]
        sheets = SheetBatch(level.mask[place], level.total[place], solution.table.levels[filled + 2])
        value = solution.solver.start_values(sheets)[0]
        assert value == pytest.approx(solution.table.levels[filled][place[0]], abs=0.001)


@pytest.mark.parametrize("filled", [2, 10])
def test_32_bits_are_exact_enough(solution, filled):
    """At most a hundred-thousandth of a point per turn, so a ten-thousandth in the eight turns of a game."""
    level = solution.index.level(filled)
    place = len(level) // 2
    mask, total, after = level.mask[[place]], level.total[[place]], solution.table.levels[filled + 2]
    value = solution.solver.start_values(SheetBatch(mask, total, after))[0]
    assert value == pytest.approx(plain_turn(solution.solver, int(mask[0]), int(total[0]), after), abs=2e-5)


def test_every_pair_of_boxes_is_what_the_engine_allows(solution):
    sheet = sheet_of(solution.rules, ones=3, pair=12, chance=25, extra=-14)
    found = {entry.move: entry for entry in solution.turn(sheet).boxes(EXAMPLE)}
    moves = list(legal_scores(solution.rules, sheet, EXAMPLE))
    assert set(found) == set(moves)
    assert len(moves) == len(found)
    best = max(entry.value for entry in found.values())
    assert best == pytest.approx(solution.turn(sheet).stop(EXAMPLE), abs=1e-3)


def test_the_example_of_the_sheets(solution):
    """An outer full house of 21 and an inner low straight of 15."""
    turn = solution.turn(empty_sheet(solution.rules))
    best = max(turn.boxes(EXAMPLE), key=lambda entry: entry.value)
    assert [placement.box for placement in best.move.placements] == ["low_straight", "full_house"]
    assert best.points == 36
    assert turn.throw(EXAMPLE, 2) >= turn.throw(EXAMPLE, 1) >= turn.throw(EXAMPLE, 0)


def exchange(dice: Dice) -> Dice:
    return sort_dice(tuple((die[1], die[0]) for die in dice if isinstance(die, tuple)))


SHEETS: tuple[dict[str, int], ...] = (
    {},
    {"ones": 3, "pair": 12, "chance": 25, "yatzy": 0},
    {"fours": 16, "fives": 15, "sixes": 24, "extra": -12, "low_straight": 15, "full_house": 0},
)


@pytest.mark.parametrize("points", SHEETS)
def test_exchanging_inner_and_outer_exchanges_the_advice(solution, points):
    turn = solution.turn(sheet_of(solution.rules, **points))
    chance = random.Random(7)
    for _ in range(20):
        dice = sort_dice(tuple((chance.randint(1, 6), chance.randint(1, 6)) for _ in range(6)))
        for throws_left in (0, 1, 2):
            here, there = turn.throw(dice, throws_left), turn.throw(exchange(dice), throws_left)
            assert here == pytest.approx(there, abs=1e-4)
        for part in parts(dice)[:-1]:
            for throws_left in (1, 2):
                here, there = turn.keep(part, throws_left), turn.keep(exchange(part), throws_left)
                assert here == pytest.approx(there, abs=1e-4)
        exchanged = {entry.move.placements: entry.value for entry in turn.boxes(exchange(dice))}
        for entry in turn.boxes(dice):
            assert entry.value == pytest.approx(exchanged[entry.move.placements[::-1]], abs=1e-3)


def test_positions(solution):
    rules = solution.rules
    turn = solution.turn(empty_sheet(rules))
    assert turn.value == pytest.approx(282.4109, abs=1e-3)
    assert turn.throw(EXAMPLE, 2) >= turn.keep(EXAMPLE[:2], 2)
    full = Sheet(tuple(0 if box.id != "extra" else -5 for box in rules.boxes))
    assert solution.turn(full).value == -5


def test_a_second_request_is_served_from_the_cache(solution):
    turn = solution.turn(empty_sheet(solution.rules))
    assert turn.decisions is solution.turn(empty_sheet(solution.rules)).decisions


@pytest.mark.parametrize("points", [{"ones": 3}, {"ones": 3, "twos": 30}, {"ones": 900, "twos": 0}])
def test_impossible_sheets_are_refused(solution, points):
    with pytest.raises(PositionError):
        solution.turn(sheet_of(solution.rules, **points))
