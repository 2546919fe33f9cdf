"""Wrong input gives one sentence with a stable code and exit status 2; no traceback, empty stdout."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

from dicecup.cli.main import dicecup, main

GOOD = ["score", "yatzy", "3", "3", "3", "6", "6"]
CASES = [
    (["score", "yatzy", "3", "3", "3", "6", "7"], "face_out_of_range", "7"),
    (["score", "yatzy", "3", "3", "3", "6"], "dice_count_wrong", "4"),
    (["score", "dice-in-dice", *["6-5"] * 5], "dice_count_wrong", "5"),
    (["score", "dice-in-dice", *["6-5"] * 5, "6_5"], "die_unreadable", "6_5"),
    (["score", "dice-in-dice", *["6"] * 6], "die_unreadable", "6-5"),
    (["score", "yatzy", "3", "3", "3", "6", "x"], "die_unreadable", "x"),
    (["score", "yatzi", "3"], "ruleset_unknown", "yatzi"),
    (["score", ".", "3"], "ruleset_unknown", "."),
    ([*GOOD, "-o", "scorin=printed"], "option_unknown", "scorin"),
    ([*GOOD, "-o", "scoring=odd"], "option_value_unknown", "odd"),
    ([*GOOD, "-o", "scoring"], "option_unreadable", "scoring"),
    ([*GOOD, "-o", "scoring=printed", "-o", "scoring=scandinavian"], "option_twice", "scoring"),
    ([*GOOD, "--sheet", "{"], "json_wrong", "--sheet"),
    ([*GOOD, "--sheet", "[]"], "position_key_wrong", "sheet"),
    ([*GOOD, "--sheet", '{"onez": 3}'], "box_unknown", "onez"),
    ([*GOOD, "--sheet", '{"threes": 7}'], "position_points_impossible", "Threes"),
    ([*GOOD, "--sheet", "@missing.json"], "file_unreadable", "missing.json"),
    (["verify", "missing.record"], "file_unreadable", "missing.record"),
    (["play", "yatzy", "--players", "Ann,,Bo"], "name_wrong", "name"),
    (["play", "yatzy", "--players", "Ann,Ann"], "name_twice", "name"),
    (["play", "yatzy", "--players", "bot:clever"], "bot_unknown", "clever"),
    (["play", "yatzy", "--own-seeds", "--seed", "1"], "own_seeds_useless", "--seed"),
    (["play", "--record", "missing.record"], "record_missing", "missing.record"),
    (["sheet", "yatzy", "--pdf", "no/such/folder/pad.pdf"], "file_unwritable", "pad.pdf"),
    (["rules", "--pack"], "usage", "GAME"),
    (["scor"], "usage", "scor"),
    (["score"], "usage", "GAME"),
    ([*GOOD, "--lang", "no"], "usage", "no"),
    (["play", "yatzy", "--seed", "x"], "usage", "x"),
    (["sheet", "yatzy", "--players", "0", "--pdf", "x.pdf"], "usage", "0"),
    ([*GOOD, "--nonsense"], "usage", "--nonsense"),
]


@pytest.mark.parametrize(("arguments", "code", "named"), CASES, ids=lambda value: str(value)[:60])
def test_one_sentence_with_a_code(run, arguments, code, named):
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    first, *hint = done.stderr.strip().split("\n")
    assert re.fullmatch(rf"dicecup: .*[.!?…”):]? \[{code}\]", first), first
    assert named in first
    assert len(hint) <= 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("language", ["fr", "de", "sv"])
@pytest.mark.parametrize(
    ("arguments", "code", "named"), CASES[:6] + CASES[-6:], ids=lambda value: str(value)[:40]
)
def test_in_every_language(run, language, arguments, code, named):
    english = run(*arguments, LANG="C.UTF-8").stderr
    translated = run(*arguments, LANG=f"{language}.UTF-8").stderr
    assert f"[{code}]" in translated
    assert named in translated
    assert translated.split("\n")[0] != english.split("\n")[0]


@pytest.mark.parametrize("command", ["verify", "play --record"])
def test_rubbish_as_a_record(run, tmp_path: Path, command):
    (tmp_path / "rubbish").write_bytes(bytes(range(256)) * 40)
    done = run(*command.split(), "rubbish")
    assert done.returncode == 1
    assert "[record_not_text]" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "rubbish").read_bytes() == bytes(range(256)) * 40


@pytest.mark.parametrize("command", [["rules"], ["score"], ["play"], ["sheet"]], ids=lambda value: value[0])
def test_rubbish_as_a_rules_file(run, tmp_path: Path, command):
    (tmp_path / "rubbish.toml").write_bytes(bytes(range(256)) * 40)
    more = {"score": ["1"], "sheet": ["--pdf", "x.pdf"]}.get(command[0], [])
    done = run(*command, "rubbish.toml", *more)
    assert done.returncode == 2
    assert "[rules_not_text]" in done.stderr
    assert "rubbish.toml" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rubbish.toml"]


def test_rubbish_as_a_sheet(run, tmp_path: Path):
    (tmp_path / "rubbish").write_bytes(bytes(range(256)) * 40)
    done = run(*GOOD, "--sheet", "@rubbish")
    assert (done.returncode, "[file_not_text]" in done.stderr) == (2, True)


def test_a_cycle_in_a_rules_file(run, tmp_path: Path):
    (tmp_path / "cycle.toml").write_text(
        'format = 1\nid = "cycle"\nbase = "yatzy"\nbox.pair.after = ["chance"]\nbox.chance.after = ["pair"]\n'
    )
    done = run("rules", "cycle.toml")
    assert done.returncode == 2
    assert "cycle.toml, key box.pair" in done.stderr
    assert "circle" in done.stderr


def test_a_record_of_other_rules(run, tmp_path: Path):
    house = tmp_path / "house.toml"
    house.write_text('format = 1\nid = "house"\nbase = "yatzy"\n')
    run("play", "house.toml", "--seed", "1", "--record", "a.record", typed="chance\n")
    house.write_text('format = 1\nid = "house"\nbase = "yatzy"\nbox.yatzy.points = 60\n')
    done = run("verify", "a.record")
    assert (done.returncode, "[record_of_other_rules]" in done.stderr) == (1, True)


def test_a_changed_throw_is_named_by_its_line(run, tmp_path: Path):
    run(
        "play", "yatzy", "--dice", "typed", "--record", "a.record", typed="1 2 3 4 5\nlow\n6 6 6 6 6\nyatzy\n"
    )
    path = tmp_path / "a.record"
    lines = path.read_text().split("\n")
    number = next(place for place, line in enumerate(lines, start=1) if line.startswith("1 throw 6 6 6 6 6"))
    path.write_text(path.read_text().replace("throw 6 6 6 6 6", "throw 5 6 6 6 6"))
    for done in (run("verify", "a.record", "--json"), run("play", "--record", "a.record")):
        assert done.returncode == 1
        assert f"Line {number} of" in done.stderr
        assert "[record_damaged]" in done.stderr
    answer = json.loads(run("verify", "a.record", "--json").stdout)
    assert (answer["valid"], answer["error"], answer["line"]) == (False, "record_damaged", number)
    path.write_text("\n".join(lines))
    assert json.loads(run("verify", "a.record", "--json").stdout).keys() == answer.keys()


@pytest.mark.posix
def test_an_output_that_is_full_or_closed(run, tmp_path: Path):
    command = [sys.executable, "-m", "dicecup", "rules", "yatzy"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "[output_unwritable]" in done.stderr
    assert "Traceback" not in done.stderr
    closed = subprocess.run(
        ["sh", "-c", '"$0" -m dicecup rules yatzy >&-', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert "Traceback" not in closed.stderr


INTERRUPT = """
import runpy, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["dicecup", "rules", "yatzy"]
runpy.run_module("dicecup", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["dicecup.cli.main", "click", "dicecup.cli.rules"])
def test_ctrl_c_while_the_program_is_loaded(module):
    code = INTERRUPT.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.posix
@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "yatzy", "--players", "A", "--seed", "1", "--record", "a.record"],
        ["train", "yatzy", "--seed", "1"],
        ["hint", "-"],
        ["review", "-"],
        ["value", "yatzy", "--position", "-"],
    ],
    ids=lambda value: value[0],
)
def test_a_closed_input_is_an_empty_one(tmp_path: Path, environment, arguments):
    answers = []
    for redirection in ("<&-", "</dev/null"):
        shell = ["sh", "-c", f'"$0" -m dicecup "$@" {redirection}', sys.executable, *arguments]
        settings = environment | {"DICECUP_DATA": str(tmp_path / "data")}
        done = subprocess.run(
            shell, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        answers.append((done.returncode, done.stdout, done.stderr))
        for written in (tmp_path / "a.record", *tmp_path.glob("data/*.db*")):
            written.unlink(missing_ok=True)
    assert answers[0] == answers[1]
    assert "Traceback" not in answers[0][2]


def test_characters_that_the_output_does_not_have(environment):
    command = [sys.executable, "-m", "dicecup", "rules", "yatzy", "--lang", "fr"]
    settings = environment | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, env=settings, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    if sys.platform != "win32":  # there it is always UTF-8
        assert "cinq dés" in done.stdout.decode("cp1252")


def test_only_an_output_that_fails_is_blamed(monkeypatch, capsys):
    def fail(*_arguments, **_settings):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(dicecup, "main", fail)
    assert main(["rules", "yatzy", "--lang", "en"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert os.strerror(errno.EMFILE) in captured.err
    assert "[system_failed]" in captured.err
