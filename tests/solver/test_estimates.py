"""What a solve takes is estimated before it begins, by the same figures wherever it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicecup.errors import StorageError, UsageError
from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver import limits
from dicecup.solver.double import turn
from dicecup.solver.find import estimate_seconds, find_solution, solve
from dicecup.solver.single import solve as single
from dicecup.solver.single.index import size_of, turn_steps


@pytest.fixture
def house(tmp_path: Path):
    """A function that loads rules from the text of a file."""

    def load(text: str) -> Ruleset:
        path = tmp_path / "house.toml"
        path.write_text(f'format = 1\nid = "house"\n{text}')
        return load_ruleset(str(path))

    return load


def never(*_: object, **__: object) -> None:
    raise AssertionError("work has begun")


def test_steps_grow_with_the_dice(house):
    assert turn_steps(load_ruleset("yatzy")) == 2 * 2 * 1260 + 252 * 15
    many = house('base = "yatzy"\n[dice]\ncount = 8\nfaces = 10\n')
    assert turn_steps(many) == 2 * 2 * 194_480 + 24_310 * 15


def test_hints_and_solves_tell_the_same_time(house, tmp_path, monkeypatch):
    """Eight dice of ten faces have few states; each of them takes a hundred times as long."""
    monkeypatch.setattr("dicecup.solver.single.index.cores", lambda: 1)
    rules = house('base = "yatzy"\n[dice]\ncount = 8\nfaces = 10\n')
    with pytest.raises(UsageError) as caught:
        find_solution(rules, folder=tmp_path)
    assert caught.value.code == "solve_takes_long"
    assert caught.value.values["minutes"] == round(estimate_seconds(rules, 32) / 60)
    states = size_of(rules).states
    assert estimate_seconds(rules, 64) > 100 * states / 1_000_000


LINKED = """throws = 3
[dice]
count = 8
faces = 10
[box.low]
points = "all"
[box.high]
above = "low"
points = "all"
[box.chance]
points = "all"
"""


def test_memory_is_estimated_before_tables_are_built(house, tmp_path, monkeypatch):
    rules = house(LINKED)
    size = size_of(rules)
    assert size.table_bytes > 300_000_000
    monkeypatch.setattr(limits, "free_memory", lambda: size.table_bytes)
    monkeypatch.setattr(single, "build_program", never)
    with pytest.raises(StorageError) as caught:
        solve(rules, precision=64, backend="cpu", folder=tmp_path)
    assert caught.value.code == "memory_short"


def solve_double(rules: Ruleset, folder: Path) -> None:
    solve(rules, precision=32, backend="cpu", folder=folder)


@pytest.mark.parametrize("ask", [find_solution, solve_double])
def test_memory_of_double_dice_is_estimated_too(house, tmp_path, monkeypatch, ask):
    monkeypatch.setattr(turn, "build_lattice", never)
    rules = house('base = "dice-in-dice"\n[dice]\ncount = 8\nfaces = 10\n')
    with pytest.raises(StorageError) as caught:
        ask(rules, folder=tmp_path)
    assert caught.value.code == "memory_short"


def test_the_estimate_lets_the_known_games_be_solved(monkeypatch):
    from dicecup.solver.double.solve import check_room

    monkeypatch.setattr(limits, "free_memory", lambda: 2_000_000_000)
    check_room(load_ruleset("dice-in-dice"))
    for game in ("yatzy", "yatzy-sv", "yahtzee", "yum-plus"):
        assert size_of(load_ruleset(game)).table_bytes < 500_000_000
