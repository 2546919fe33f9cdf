"""Rules that mean the same game are equal, whatever their id: they are solved and stored once."""

from __future__ import annotations

import copy
import json
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import dicecup
from dicecup.rules.scoring import score_table
from dicecup.solver.files.tables import table_path
from dicecup.solver.find import find_table, solve
from dicecup.solver.learned import find_learned
from dicecup.solver.learned.value import find_quick

SMALL = """
format = 1
id = "{id}"
throws = 2
[dice]
count = 2
faces = 2
[upper]
boxes = {{ ones = 1, twos = 2 }}
bonus = [{{ at = 5, points = 3 }}]
[box.pair]
needs = {{ alike = [2] }}
points = 5
[names.en]
ones = "{ones}"
"""


@pytest.fixture
def twins(here) -> tuple[dicecup.Rules, dicecup.Rules]:
    """The same rules under two ids, with other names."""
    for name, ones in (("first", "Aces"), ("second", "Ones")):
        (here / f"{name}.toml").write_text(SMALL.format(id=name, ones=ones))
    return dicecup.Rules("first.toml"), dicecup.Rules("second.toml")


def test_equal_and_found_by_each_other(twins):
    first, second = twins
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1
    assert first != dicecup.Rules("yatzy")
    assert first != "first"
    assert score_table(first) is score_table(second)


@pytest.mark.parametrize("game", dicecup.Rules.ids())
def test_a_pickled_copy_is_equal(game):
    rules = dicecup.Rules(game)
    copy = pickle.loads(pickle.dumps(rules))
    assert copy is not rules
    assert (copy, hash(copy), repr(copy)) == (rules, hash(rules), repr(rules))
    assert score_table(copy) is score_table(rules)


@pytest.mark.parametrize(
    ("game", "dice"), [("yatzy-sv", "66612"), ("dice-in-dice", "6-5 6-5 3-3 3-2 4-1 3-2")]
)
def test_a_pickled_solution_has_the_same_values(here, game, dice):
    solution = dicecup.Rules(game).solve()
    turn = solution.turn({"ones": 3, "twos": 6})
    value = turn.throw(dice, 2)
    again = pickle.loads(pickle.dumps(solution))
    assert again.rules == solution.rules
    assert again.expected == solution.expected
    assert again.turn(turn.sheet).throw(dice, 2) == value
    assert not [name for name in dir(again) if name.startswith("unchecked")]  # private: it checks nothing
    copy = pickle.loads(pickle.dumps(turn))
    assert (copy.value, copy.throw(dice, 2), copy.boxes(dice)) == (turn.value, value, turn.boxes(dice))


def test_solved_and_stored_once(twins, here, tmp_path):
    first, second = twins
    folder = tmp_path / "tables"
    solve(first, precision=64, backend="cpu", folder=folder)
    assert find_table(second, 64, folder) is not None
    assert second.solve(folder=folder).expected == first.solve(folder=folder).expected
    assert [path.suffix for path in folder.iterdir()].count(".table") == 1


def test_a_solve_that_was_begun_under_another_id_is_taken_up(twins, tmp_path):
    first, second = twins
    assert table_path(tmp_path, second, 64).name == f"second-{second.identity[:16]}-64.table"
    for kind in ("lock", "progress"):
        (tmp_path / f"first-{first.identity[:16]}-64.{kind}").touch()
        assert table_path(tmp_path, second, 64).name == f"first-{first.identity[:16]}-64.table"
    second.solve(folder=tmp_path)
    assert [path.name for path in tmp_path.glob("*.table")] == [f"first-{first.identity[:16]}-64.table"]


def test_what_was_learned_is_found_under_another_id(here):
    (here / "mine.toml").write_text('format = 1\nid = "mine"\nbase = "triple-yum-plus"\n')
    rules = dicecup.Rules("mine.toml")
    assert rules == dicecup.Rules("triple-yum-plus")
    assert find_learned(rules) is not None
    assert find_quick(rules) is not None


def test_names_are_those_of_the_rules_at_hand(twins):
    from dicecup.i18n.language import language
    from dicecup.web.texts import line_names

    first, second = twins
    assert (first.name("en", "ones"), second.name("en", "ones")) == ("Aces", "Ones")
    shown = [line_names(rules, language("en"))["ones"][0] for rules in (*twins, first)]
    assert shown == ["Aces", "Ones", "Aces"]


def test_rules_cannot_be_changed():
    rules = dicecup.Rules("dice-in-dice")
    assert rules.options
    held: dict[str, Any] = {
        "options": rules.options,
        "choices": rules.choices,
        "names": rules.names,
        "French": rules.names["fr"],
        "words of options": rules.names["fr"]["options"],
        "non_default_options": dicecup.Rules("yatzy", {"scoring": "scandinavian"}).non_default_options,
        "box_index": rules.box_index,
        "column_index": rules.column_index,
        "upper_box_of_face": rules.upper_box_of_face,
    }
    changes: list[Callable[[Any], object]] = [
        lambda one: operator.setitem(one, "pair", 7),
        lambda one: operator.delitem(one, next(iter(one))),
        lambda one: one.__ior__({"pair": 7}),
        lambda one: one.update(pair=7),
        lambda one: one.setdefault("new", 7),
        lambda one: one.pop(next(iter(one))),
        lambda one: one.popitem(),
        lambda one: one.clear(),
    ]
    for name, one in held.items():
        before = dict(one)
        for change in changes:
            with pytest.raises(TypeError, match="Rules can’t be changed"):
                change(one)
        assert one == before, name


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_of_what_rules_hold(copied):
    rules = dicecup.Rules("yatzy", {"scoring": "scandinavian"})
    for one in (rules.options, rules.names, rules.box_index, rules.non_default_options):
        assert copied(one) == one
        assert repr(copied(one)) == repr(one) == repr(dict(one))
        assert json.loads(json.dumps(copied(one))) == one
    for same in (copied(rules), dicecup.Rules("yatzy", copied(rules.options))):
        assert (same, same.options, same.names) == (rules, rules.options, rules.names)
        with pytest.raises(TypeError):
            operator.setitem(same.names["en"], "ones", "Aces")  # type: ignore[arg-type]


def test_what_rules_hold_as_a_plain_dict():
    rules = dicecup.Rules("yatzy")
    for mine in (dict(rules.options), rules.options.copy(), {**rules.options}):  # type: ignore[attr-defined]
        mine["scoring"] = "scandinavian"
        assert dicecup.Rules("yatzy", mine).non_default_options == {"scoring": "scandinavian"}
    assert rules.options["scoring"] == dicecup.Rules("yatzy").options["scoring"] == "printed"
