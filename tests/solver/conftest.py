"""Fixtures of the solver tests: large games are solved once in a process."""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace

import pytest

from dicecup.dice import throws
from dicecup.engine.play import legal_scores, score_sheet
from dicecup.engine.state import Sheet, empty_sheet
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.single.index import build_index
from dicecup.solver.single.kernel_tables import build_program
from dicecup.solver.single.packing import plain_source
from dicecup.solver.single.solution import SingleSolution
from dicecup.solver.single.solve import last_level, make_backend, solve_single

ONE_LAYER = ("yatzy", "yatzy-sv", "yum-plus", "yahtzee")


def all_rulesets() -> list[tuple[str, dict[str, str]]]:
    """Return every single-layer game with every combination of its options."""
    found = []
    for game in ONE_LAYER:
        choices = load_ruleset(game).choices
        found += [(game, dict(zip(choices, values, strict=True))) for values in product(*choices.values())]
    return found


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder of tables shared by all tests."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def solved(tables):
    """solved(game, options, precision) → its solution, solved once per session."""

    known: dict[tuple[str, int], SingleSolution] = {}

    def solved(game: str, options: dict[str, str] | None = None, precision: int = 64) -> SingleSolution:
        rules = load_ruleset(game, options)
        key = rules.identity, precision
        if key not in known:
            known[key] = SingleSolution(rules, solve_single(rules, precision=precision, folder=tables))
        return known[key]

    return solved


@pytest.fixture(scope="session")
def solved_end():
    """solved_end(rules, open_boxes) → a solution for sheets with at most that many open boxes."""

    def solved_end(rules: Ruleset, open_boxes: int) -> SingleSolution:
        index = build_index(rules)
        machine = make_backend("cpu", index, build_program(index), 64)
        table = SimpleNamespace(header=SimpleNamespace(precision=64))
        solution = SingleSolution(rules, table)  # type: ignore[arg-type]
        below, values = index.level(0), last_level(index, 64)
        for number in range(1, open_boxes + 1):
            solution.sources[number - 1] = plain_source(values, below.starts)
            level = index.level(number)
            values = machine.solve_level(level, below, values, lambda _: None)
            below = level
        return solution

    return solved_end


def random_sheet(rules: Ruleset, open_boxes: int, random: Random) -> Sheet:
    """Return a sheet reached by random play; equal dice are frequent, so that jokers and repeats occur."""
    dice = [faces for faces, _ in throws(rules.dice.count, rules.dice.faces)]
    sheet = empty_sheet(rules)
    while sheet.cells.count(None) > open_boxes:
        alike = (random.randint(1, rules.dice.faces),) * rules.dice.count
        thrown = alike if random.random() < 0.4 else random.choice(dice)
        move = random.choice(list(legal_scores(rules, sheet, thrown)))
        sheet, _ = score_sheet(rules, sheet, thrown, move.placements)
    return sheet
