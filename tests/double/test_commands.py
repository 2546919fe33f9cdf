"""Double dice through the entry point for all games, and through the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.double.small_games import small_game
from tests.waiting import PATIENCE

from dicecup.engine.state import empty_sheet
from dicecup.errors import StorageError, UsageError
from dicecup.rules import load_ruleset
from dicecup.solver import find
from dicecup.solver.double.solve import packed_table_path


def dicecup(*arguments: str, cache: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "dicecup", *arguments, "--json"],
        env=os.environ | {"DICECUP_CACHE": cache},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_value_answers_at_once(tmp_path):
    found = dicecup("value", "dice-in-dice", "-o", "extra=negative", cache=str(tmp_path))
    assert found == {"expected": pytest.approx(282.4109, abs=1e-3), "exact": True}


def test_solve_knows_the_shipped_table(tmp_path):
    found = dicecup("solve", "dice-in-dice", cache=str(tmp_path))
    assert found["expected"] == pytest.approx(315.1210, abs=1e-3)
    assert (found["states"], found["precision"]) == (621_312, 32)


def test_hours_of_solving_are_never_started_unasked(tmp_path):
    rules = load_ruleset("dice-in-dice", {"scoring": "scandinavian", "strike": "last_resort"})
    command = "dicecup solve dice-in-dice -o scoring=scandinavian -o strike=last_resort"
    with pytest.raises(UsageError, match=command):
        find.find_solution(rules, folder=tmp_path)


def test_small_games_are_solved_when_asked_about(tmp_path, monkeypatch):
    monkeypatch.setenv("DICECUP_CACHE", str(tmp_path))
    rules = small_game("six boxes", tmp_path)
    folder = tmp_path / "tables"
    assert find.find_table(rules, 32, folder) is None
    expected = find.find_solution(rules).turn(empty_sheet(rules)).value
    table = find.find_table(rules, 64, folder)
    assert table is not None
    assert table.path == packed_table_path(folder, rules)
    assert table.header.expected == pytest.approx(expected, abs=1e-3)
    assert find.solve(rules, precision=64, backend="cpu").header == table.header


def test_a_damaged_table_is_reported_and_rebuilt(tmp_path):
    rules = small_game("six boxes", tmp_path)
    expected = find.find_solution(rules, folder=tmp_path).turn(empty_sheet(rules)).value
    packed_table_path(tmp_path, rules).write_bytes(b"rubbish")
    told: list[Exception] = []
    again = find.find_solution(rules, folder=tmp_path, on_warning=told.append)
    assert [type(error) for error in told] == [StorageError]
    assert again.turn(empty_sheet(rules)).value == expected


def test_single_layer_games_use_the_single_layer_solver(tmp_path):
    rules = load_ruleset("triple-yum-plus")
    with pytest.raises(UsageError, match="too large"):
        find.find_solution(rules, folder=tmp_path)
    assert find.find_table(load_ruleset("yatzy"), 64, tmp_path) is None
