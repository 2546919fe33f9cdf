"""Solving and making puzzles by an executor: the same, bit for bit, as in one process."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.at_once import AtOnce
from tests.double.small_games import small_game
from tests.solver.test_small_games import random_game

import dicecup
from dicecup.bots.puzzle_making import make_puzzles
from dicecup.rules import load_ruleset
from dicecup.solver.double import solve as double_spread
from dicecup.solver.double.turn import LANES
from dicecup.solver.single import solve as single_spread


def same_table(rules: dicecup.Ruleset, folder: Path, precision: int = 64) -> AtOnce:
    """Solve the game both ways; return the executor."""
    executor = AtOnce()
    tables = []
    for name, more in (("alone", {}), ("spread", {"executor": executor})):
        dicecup.Rules(rules).solve(folder=folder / name, precision=precision, **more)  # type: ignore[arg-type]
        tables.append([path.read_bytes() for path in sorted((folder / name).glob("*"))])
    assert tables[0] == tables[1]
    return executor


@pytest.mark.parametrize("seed", range(12))
def test_small_games_of_one_layer(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(single_spread, "STATES", 5)
    path = tmp_path / "small.toml"
    path.write_text(random_game(Random(seed)))
    rules = load_ruleset(str(path))
    assert len(same_table(rules, tmp_path, 32 if seed % 2 else 64).sent) > len(rules.boxes)


def test_a_whole_game_of_one_layer_and_what_travels(tmp_path, monkeypatch):
    monkeypatch.setattr(single_spread, "STATES", 1 << 14)
    executor = same_table(load_ruleset("yahtzee"), tmp_path)
    assert max(executor.sent) < 3_000_000


@pytest.mark.parametrize("game", ["six boxes", "last resort"])
def test_small_games_of_double_dice(game, tmp_path, monkeypatch):
    monkeypatch.setattr(double_spread, "SHEETS", LANES)
    rules = small_game(game, tmp_path)
    assert same_table(rules, tmp_path).sent


def test_a_game_is_solved_by_workers_on_their_processors_only(refused, tmp_path):
    with refused("executor_cpu_only"):
        dicecup.Rules("yatzy", {"strike": "last_resort"}).solve(
            backend="cuda", executor=AtOnce(), folder=tmp_path
        )


def test_puzzles_do_not_depend_on_who_makes_them():
    rules = load_ruleset("yatzy-sv")
    wanted = {"seed": 3, "count": 5, "candidates": 5, "every": 4}
    header, puzzles = make_puzzles(rules, **wanted)  # type: ignore[arg-type]
    assert make_puzzles(rules, executor=AtOnce(), **wanted) == (header, puzzles)  # type: ignore[arg-type]
    assert [puzzle.id for puzzle in puzzles] == [f"yatzy-sv-{number}" for number in range(1, 6)]
    assert all(puzzle.grade(puzzle.best).right for puzzle in puzzles)
