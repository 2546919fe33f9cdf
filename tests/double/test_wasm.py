"""Turns in WebAssembly: the same values as those of the kernels, and a file that is built from its source."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dicecup.dice import parse_dice
from dicecup.engine.play import keeps
from dicecup.engine.state import Keep, Sheet, empty_sheet, start
from dicecup.playout.double import Ending, sample_endings
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.double import wasm
from dicecup.solver.double.solution import DoubleSolution
from dicecup.solver.double.solve import find_packed_table
from dicecup.solver.double.wasm import KEEPS, LAYERS, WasmGame, WasmtimeEngine, find_wasm, has_wasm, turn_code

ROOT = Path(__file__).parents[2]
DICE = parse_dice(["6-5", "6-4", "3-3", "3-2", "4-1", "3-2"], 6, 2)
SHEETS: tuple[dict[str, int], ...] = (
    {},
    {"fours": 16, "fives": 15, "sixes": 24, "extra": -12, "low_straight": 15, "full_house": 0},
    {"ones": 3, "twos": 6, "threes": 9, "fours": 16, "fives": 15, "sixes": 24, "pair": 12, "two_pairs": 0}
    | {"three_of_a_kind": 9, "four_of_a_kind": 0, "low_straight": 15, "high_straight": 0, "yatzy": 0}
    | {"full_house": 21},
)


def sheet_of(rules: Ruleset, points: dict[str, int]) -> Sheet:
    never = {"extra": 0} if "extra" in points and rules.options["extra"] == "free_strike" else {}
    return Sheet(tuple((points | never).get(box.id) for box in rules.boxes))


RULES: tuple[dict[str, str], ...] = (
    {"scoring": "international", "extra": "negative"},
    {"extra": "free_strike", "strike": "last_resort"},
)


@pytest.fixture(scope="module", params=RULES)
def both(request: pytest.FixtureRequest) -> tuple[WasmGame, DoubleSolution]:
    rules = load_ruleset("dice-in-dice", request.param)
    table, found = find_packed_table(rules, Path("nowhere")), find_wasm(rules)
    assert table
    assert found
    return found, DoubleSolution(rules, table)


@pytest.mark.parametrize("points", SHEETS)
def test_every_decision_has_the_value_of_the_kernels(both, points):
    found, wanted = (one._unchecked_turn(sheet_of(one.rules, points)) for one in both)
    assert found.value == wanted.value
    values = found.decisions
    layers = np.concatenate([layer.ravel() for layer in wanted.decisions.layers])
    assert np.abs(np.array(values.layers) - layers).max() < 1e-4
    assert np.abs(np.array(values.keeps) - np.concatenate(wanted.decisions.keeps[0])).max() < 1e-4
    assert (len(values.layers), len(values.keeps)) == (sum(count**2 for count in LAYERS), sum(KEEPS))
    assert found.boxes(DICE) == wanted.boxes(DICE)
    for left in (0, 1, 2):
        assert found.throw(DICE, left) == pytest.approx(wanted.throw(DICE, left), abs=1e-4)
    for keep in keeps(DICE):
        assert found.keep(keep.dice, 2) == pytest.approx(wanted.keep(keep.dice, 2), abs=1e-4)


def test_the_turn_before_the_first_throw_is_worth_what_the_table_says(both):
    """Keeping nothing with two throws left is worth as much as beginning with two throws."""
    found, wanted = both
    turn = found.turn(empty_sheet(found.rules))
    values = wanted.decisions(0, 0)
    assert turn.value == pytest.approx(wanted.solver.start_value(values), abs=1e-3)
    assert turn.keep((), 2) < turn.value


def test_the_rest_of_a_turn_is_played_as_by_the_kernels(both):
    """The same random numbers lead to the same endings, but for choices that are worth the same."""
    found, wanted = both
    sheet = sheet_of(found.rules, SHEETS[1])
    state = replace(start(found.rules), sheets=(sheet,), dice=DICE, throws_left=2)
    endings, error = found.sample_endings(sheet, DICE[:3], 2)
    found.rest(0, 0)  # another level is unpacked meanwhile
    again, _ = found.sample_endings(sheet, DICE[:3], 2)
    kernels, wanted_error = sample_endings(wanted, state, Keep(DICE[:3]))
    assert endings == again
    assert error == wanted_error
    chances, wanted_chances = map(by_boxes, (endings, kernels))
    assert sum(chances.values()) == pytest.approx(1)
    assert sum(min(chance, wanted_chances.get(boxes, 0)) for boxes, chance in chances.items()) > 0.99


def by_boxes(endings: list[tuple[float, list[Ending]]]) -> dict[frozenset[Ending], float]:
    found: dict[frozenset[Ending], float] = {}
    for chance, boxes in endings:
        found[frozenset(boxes)] = found.get(frozenset(boxes), 0.0) + chance
    return found


def test_a_full_sheet_is_worth_its_score(both):
    found, _ = both
    extra = -5 if found.rules.options["extra"] == "negative" else 0
    full = Sheet(tuple(extra if box.id == "extra" else 0 for box in found.rules.boxes))
    assert found._unchecked_turn(full).value == extra


def test_only_shipped_tables_of_the_game_are_used(monkeypatch):
    assert has_wasm(load_ruleset("dice-in-dice"))
    assert has_wasm(load_ruleset("dice-in-dice", {"strike": "last_resort"}))
    unusual = {"strike": "last_resort", "scoring": "international"}
    assert not has_wasm(load_ruleset("dice-in-dice", unusual))
    assert not has_wasm(load_ruleset("yatzy"))
    assert find_wasm(load_ruleset("yatzy")) is None
    monkeypatch.setattr(wasm, "is_there", lambda _module: False)
    assert not has_wasm(load_ruleset("dice-in-dice"))


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = spec_from_file_location("turn_wasm", ROOT / "tools" / "turn_wasm.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_is_built_from_its_source(tool, tmp_path):
    """Where clang is there: another version of it may write another file, which must give the same values."""
    if not tool.compiler():
        pytest.skip("clang and lld are not installed")
    file = tmp_path / "turn.wasm"
    tool.build(file)
    if tool.BUILT_WITH in tool.compiler():
        assert file.read_bytes() == turn_code()
    known = find_wasm(load_ruleset("dice-in-dice", RULES[0]))
    assert known
    again = WasmGame(known.rules, WasmtimeEngine(file.read_bytes()))
    turn = known._unchecked_turn(sheet_of(again.rules, SHEETS[1]))
    assert again.decisions(turn.mask, turn.total) == known.decisions(turn.mask, turn.total)
