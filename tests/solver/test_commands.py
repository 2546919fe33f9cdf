"""`dicecup solve` and `dicecup value`, and what they say when something cannot be done."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dicecup.cli.main import main
from dicecup.solver import limits


@pytest.fixture
def run(capfd, monkeypatch, tables):
    """run(argument, …) → status, stdout, stderr, with the tables of all tests."""
    monkeypatch.setenv("DICECUP_CACHE", str(tables.parent))
    monkeypatch.setattr("dicecup.solver.folders.tables_folder", lambda: tables)
    monkeypatch.setattr("dicecup.solver.solve.tables_folder", lambda: tables)
    monkeypatch.setattr("dicecup.solver.lookup.tables_folder", lambda: tables)

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
    """Found before the work begins."""
    if short == "memory":
        monkeypatch.setattr(limits, "free_memory", lambda: 10_000_000)
    else:
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    monkeypatch.setattr("dicecup.solver.cpu.solve_groups", None)
    done = run("solve", "yatzy", "--again")
    assert done.status == 2
    assert f"[{short}_short]" in done.err


def test_a_spoiled_table_is_told_and_made_anew(run, tables):
    run("solve", "yahtzee", "-o", "joker=none")
    (path,) = [path for path in tables.glob("yahtzee-*-64.table") if path.stat().st_size < 2_000_000]
    path.write_bytes(path.read_bytes()[:-1])
    done = run("value", "yahtzee", "-o", "joker=none", "--json")
    assert "[table_damaged]" in done.err
    assert json.loads(done.out)["expected"] == pytest.approx(245.8707745141, abs=1e-8)
