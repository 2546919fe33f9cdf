"""`dicecup solve` and `dicecup value`, and their error messages."""

from __future__ import annotations

import json
from itertools import pairwise
from types import SimpleNamespace

import pytest

from dicecup.cli.main import main
from dicecup.solver import limits


@pytest.fixture
def run(capfd, monkeypatch, tables):
    """run(argument, …) → status, stdout, stderr, with the tables shared by all tests."""
    monkeypatch.setenv("DICECUP_CACHE", str(tables.parent))
    monkeypatch.setattr("dicecup.installation.tables_folder", lambda: tables)
    monkeypatch.setattr("dicecup.solver.single.solve.tables_folder", lambda: tables)
    monkeypatch.setattr("dicecup.solver.find.tables_folder", lambda: tables)

    def run(*arguments: str):
        status = main([*arguments, "--lang", "en"])
        output = capfd.readouterr()
        return SimpleNamespace(status=status, out=output.out, err=output.err)

    return run


def test_solve(run):
    answer = json.loads(run("solve", "yahtzee", "-o", "joker=none", "--json").out)
    assert answer["expected"] == pytest.approx(245.8707745141, abs=1e-8)
    assert answer.keys() == {"expected", "states", "seconds", "backend", "precision"}
    assert (answer["states"], answer["backend"], answer["precision"]) == (209_920, "cpu", 64)


def test_value_of_a_game(run):
    answer = json.loads(run("value", "yahtzee", "-o", "joker=none", "--json").out)
    assert answer == {"expected": pytest.approx(245.8707745141, abs=1e-8), "exact": True}


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ({"sheet": {}, "dice": [6, 6, 6, 6, 6], "throws_left": 0}, None),
        ({"sheet": "full"}, 0),
        ({"sheet": "all but chance", "dice": [6, 6, 6, 6, 6], "throws_left": 0}, 30),
        ({"sheet": "all but chance", "dice": [6, 6, 6, 6, 1], "throws_left": 1}, 27.5),
        ({"sheet": "all but chance", "dice": [1, 1, 1, 1, 1], "throws_left": 1, "kept": []}, 17.5),
    ],
)
def test_value_of_a_position(run, tmp_path, position, expected):
    from dicecup.rules import load_ruleset

    boxes = [box.id for box in load_ruleset("yahtzee").boxes]
    sheets = {
        "full": dict.fromkeys(boxes, 0),
        "all but chance": {box: 0 for box in boxes if box != "chance"},
    }
    sheet = position["sheet"]
    data = position | {
        "ruleset": "yahtzee",
        "options": {"joker": "none"},
        "sheet": sheets[sheet] if isinstance(sheet, str) else sheet,
    }
    path = tmp_path / "position.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = json.loads(run("value", "yahtzee", "--position", str(path), "--json").out)["expected"]
    if expected is None:
        assert found > 245.87 + 30
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["solve", "triple-yum-plus"], "solve_too_large_learned", "3 × 10²⁶ states"),
        (["solve", "triple-yum-plus", "--lang", "fr"], "solve_too_large_learned", "3 × 10²⁶"),
        (["solve", "yatzy", "--precision", "16"], "usage", "16"),
        (["solve", "yatzy", "--backend", "tpu"], "usage", "tpu"),
    ],
    ids=str,
)
def test_refused(run, arguments, code, words):
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert f"[{code}]" in done.err
    assert words in done.err


def test_no_gpu(run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cupy", None)
    done = run("solve", "yahtzee", "-o", "joker=free", "--backend", "cuda", "--again")
    assert done.status == 2
    assert "--backend cpu" in done.err


@pytest.mark.parametrize("short", ["memory", "disk"])
def test_too_little_room(run, monkeypatch, short):
    """Detected before the work begins."""
    if short == "memory":
        monkeypatch.setattr(limits, "free_memory", lambda: 10_000_000)
    else:
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    monkeypatch.setattr("dicecup.solver.single.level_kernels.solve_groups", None)
    done = run("solve", "yatzy", "--again")
    assert done.status == 2
    assert f"[{short}_short]" in done.err


def test_a_corrupt_table_is_reported_and_rebuilt(run, tables):
    run("solve", "yahtzee", "-o", "joker=none")
    (path,) = [path for path in tables.glob("yahtzee-*-64.table") if path.stat().st_size < 2_000_000]
    path.write_bytes(path.read_bytes()[:-1])
    done = run("value", "yahtzee", "-o", "joker=none", "--json")
    assert "[table_damaged]" in done.err
    assert json.loads(done.out)["expected"] == pytest.approx(245.8707745141, abs=1e-8)


LADDER = """
format = 1
id = "ladder"
base = "yatzy"
[box.r1]
points = "all"
""" + "".join(f"[box.r{n}]\npoints = 'all'\nabove = 'r{n - 1}'\n" for n in range(2, 6))
IN_ORDER = """
format = 1
id = "in-order"
base = "yatzy"
""" + "".join(
    f"[box.{box}]\nafter = ['{before}']\n"
    for before, box in pairwise(["sixes", "pair", "two_pairs", "three_of_a_kind", "four_of_a_kind", "chance"])
)
OUR_YUM = """
format = 1
id = "our-yum"
base = "yum-plus"
[box.yum]
points = 31
"""


@pytest.mark.parametrize("game", [LADDER, IN_ORDER], ids=["ladder", "in order"])
def test_boxes_that_look_at_each_other_too_much(run, tmp_path, monkeypatch, game):
    """Detected before memory is exhausted."""
    monkeypatch.setattr("dicecup.solver.components.MOST_OPTIONS", 50_000)
    monkeypatch.setattr("dicecup.solver.single.kernel_tables.MOST_MOVES", 1 << 20)
    path = tmp_path / "house.toml"
    path.write_text(game, encoding="utf-8")
    done = run("value", str(path))
    assert (done.status, done.out) == (2, "")
    assert "[solve_entangled]" in done.err


def test_the_command_for_a_house_rule_names_its_file(run, tmp_path):
    path = tmp_path / "our yum.toml"
    path.write_text(OUR_YUM, encoding="utf-8")
    done = run("value", str(path))
    assert done.status == 2
    assert f"dicecup solve '{path}' --precision 32" in done.err


def test_no_memory_left(run, monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("dicecup.solver.find.find_table", fail)
    done = run("solve", "yahtzee")
    assert (done.status, done.out) == (2, "")
    assert "[memory_out]" in done.err


def test_the_tables_cannot_be_kept(run, monkeypatch, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    monkeypatch.setattr("dicecup.solver.single.solve.tables_folder", lambda: taken / "tables")
    done = run("solve", "yahtzee", "-o", "joker=none", "--again")
    assert done.status == 2
    assert "[file_unwritable]" in done.err
    assert str(taken) in done.err


@pytest.mark.parametrize("limited", ["system_memory", "group_memory", "process_memory"])
def test_the_least_of_all_limits_counts(monkeypatch, limited):
    for name in ("system_memory", "group_memory", "process_memory"):
        monkeypatch.setattr(limits, name, lambda name=name: 1000 if name == limited else None)
    assert limits.free_memory() == 1000
