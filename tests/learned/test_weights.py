"""The shipped weights: which rules they cover, their size and quality; and rejection of invalid files."""

from __future__ import annotations

from importlib import resources
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from tests.learned.conftest import all_rulesets, learned

from dicecup.engine import empty_sheet
from dicecup.rules import Ruleset, load_ruleset
from dicecup.solver.files.tables import weights_name
from dicecup.solver.learned import find_learned
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.network import Weights, inputs, load_weights, save_arrays, shipped
from dicecup.solver.learned.value import find_quick, load_quick

DATA = resources.files("dicecup.solver.learned").joinpath("data")
# Solved exactly in 64 bits on a GPU: docs/learned.md.
EXACT = {
    ("all_dice", "sum"): 465.10906703853357,
    ("all_dice", "none"): 464.69571897041726,
    ("matching", "sum"): 456.1085097668869,
    ("matching", "none"): 455.6928032814585,
}


@pytest.mark.parametrize("rules", all_rulesets(), ids=weights_name)
def test_every_option_has_weights_of_its_own(rules):
    value = learned(rules)
    assert value.exact is False
    assert value.facts["identity"] == rules.identity


def test_each_file_is_small():
    sizes = {file.name: len(file.read_bytes()) for file in DATA.iterdir() if file.name.endswith(".npz")}
    names = [weights_name(rules, quick=quick) for rules in all_rulesets() for quick in (False, True)]
    assert sorted(sizes) == sorted(names)
    assert max(sizes.values()) <= 600_000


def test_a_quick_value_of_other_rules_or_damaged_is_refused(refused):
    rules, other = load_ruleset("yum-plus"), load_ruleset("yum-plus", {"kinds": "matching"})
    data = DATA.joinpath(weights_name(rules, quick=True)).read_bytes()
    assert load_quick(BytesIO(data), rules, "file").shape == (2, inputs(rules))
    with refused("weights_of_other_rules", file="file", ruleset="yum-plus"):
        load_quick(BytesIO(data), other, "file")
    for damaged in (data[:500], b"", b"no archive"):
        with refused("weights_damaged", file="file"):
            load_quick(BytesIO(damaged), rules, "file")
    assert find_quick(load_ruleset("yatzy")) is None


def test_the_measured_mean_of_triple_yum_plus_and_its_own_estimate():
    facts = learned(load_ruleset("triple-yum-plus")).facts
    assert facts["games"] >= 100_000
    assert facts["mean"] - 3 * facts["standard_error"] >= 3250
    assert facts["estimate"] == pytest.approx(facts["mean"], rel=0.003)


@pytest.mark.parametrize("rules", all_rulesets(), ids=weights_name)
def test_the_estimate_at_the_first_throw_is_the_recorded_one(rules):
    value = learned(rules)
    assert value.turn(empty_sheet(rules)).value == pytest.approx(value.facts["estimate"], abs=0.01)
    assert value.facts["estimate"] == pytest.approx(value.facts["mean"], rel=0.003)


@pytest.mark.parametrize("rules", all_rulesets()[:4], ids=weights_name)
def test_yum_plus_loses_less_than_one_percent(rules):
    facts, exact = learned(rules).facts, EXACT[tuple(rules.options.values())]
    assert facts["mean"] - 3 * facts["standard_error"] >= 0.99 * exact
    assert facts["estimate"] == pytest.approx(exact, rel=0.002)


def test_games_without_weights_have_no_learned_value():
    assert find_learned(load_ruleset("yatzy")) is None
    assert find_learned(load_ruleset("dice-in-dice")) is None


def known(rules: Ruleset) -> tuple[Weights, dict[str, Any]]:
    found = shipped(rules)
    assert found is not None
    return found


def saved(rules: Ruleset, of: Ruleset) -> bytes:
    weights, facts = known(of)
    stream = BytesIO()
    save_arrays(stream, rules, weights._asdict(), facts | {"identity": of.identity})
    return stream.getvalue()


def test_weights_of_other_rules_are_refused(refused):
    rules, other = load_ruleset("yum-plus"), load_ruleset("yum-plus", {"kinds": "matching"})
    data = saved(other, other)
    with refused("weights_of_other_rules", file="x.npz", ruleset="yum-plus"):
        load_weights(BytesIO(data), rules, "x.npz")
    assert load_weights(BytesIO(data), other, "x.npz")


@pytest.mark.parametrize("length", [0, 1000, 100_000])
def test_damaged_weights_are_refused(refused, length):
    rules = load_ruleset("yum-plus")
    with refused("weights_damaged", file="x.npz"):
        load_weights(BytesIO(saved(rules, rules)[:length]), rules, "x.npz")


def test_files_that_are_not_weights_are_rejected(refused):
    with refused("weights_damaged", file="x.npz"):
        load_weights(BytesIO(b"x" * 100), load_ruleset("yum-plus"), "x.npz")


def test_weights_for_other_inputs_are_refused(refused):
    rules = load_ruleset("yum-plus")
    weights, facts = known(rules)
    stream = BytesIO()
    save_arrays(stream, rules, weights._replace(first=np.zeros((3, 256)))._asdict(), facts)
    with refused("weights_damaged", file="x.npz"):
        load_weights(BytesIO(stream.getvalue()), rules, "x.npz")


@pytest.mark.parametrize(
    "rules",
    [
        load_ruleset("yatzy", {"strike": "last_resort"}),
        load_ruleset("dice-in-dice"),
        load_ruleset("yahtzee"),
        load_ruleset("yahtzee", {"joker": "forced"}),
    ],
    ids=lambda rules: rules.id,
)
def test_rules_that_cannot_be_learned_are_refused(refused, rules):
    with refused("value_not_learnable", ruleset=rules.id):
        layout(rules)


def test_a_sheet_that_no_game_leads_to_is_refused(refused):
    rules = load_ruleset("yum-plus")
    sheet = empty_sheet(rules)
    cells = list(sheet.cells)
    cells[rules.box_index["low_score"]], cells[rules.box_index["high_score"]] = 27, 23
    with refused("sheet_impossible"):
        learned(rules)._unchecked_turn(type(sheet)(tuple(cells)))
