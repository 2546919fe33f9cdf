"""Nothing that a file contains can control the terminal on which it is shown."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from dicecup.i18n.language import printable
from dicecup.rules import load_ruleset

ESCAPE = "\x1b]0;owned\x07"
CONTROLLING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def record(*changed: tuple[str, str], entries: list[str] | None = None) -> bytes:
    """A record with right checks whose lines were changed."""
    rules = load_ruleset("yatzy")
    lines = ["dicecup record 1", "game yatzy"]
    lines += [f"option {name}={value}" for name, value in rules.options.items()]
    lines += [f"identity {rules.identity}", "date 2026", "player Ann", "dice typed", "begin"]
    whole = "\n".join([*lines, *(entries or [])])
    for old, new in changed:
        whole = whole.replace(old, new)
    text, check = "", ""
    for line in whole.split("\n"):
        check = hashlib.sha256(f"{check}\n{line}".encode()).hexdigest()[:8]
        text += f"{line:<56} #{check}\n"
    return text.encode()


@pytest.mark.parametrize(
    "data",
    [
        record(("game yatzy", f"game {ESCAPE}")),
        record(("identity ", f"identity {ESCAPE}")),
        record(("date 2026", f"date {ESCAPE}")),
        record(("date 2026", "date \x9b2J")),
        record(("player Ann", f"player {ESCAPE}")),
        record(("dice typed", f"dice {ESCAPE}")),
        record(("dicecup record 1", f"dicecup record {ESCAPE}")),
        record(("option scoring=printed", f"option scoring={ESCAPE}")),
        record(("option scoring=printed", f"option {ESCAPE}=printed")),
        record(entries=[f"1 throw {ESCAPE}"]),
        record(entries=["1 throw 1 2 3 4 5", f"1 score {ESCAPE} 3"]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("command", ["verify", "play --record"])
def test_records(run, tmp_path: Path, command, data):
    (tmp_path / "a.record").write_bytes(data)
    done = run(*command.split(), "a.record")
    assert done.returncode in (1, 2)
    assert not CONTROLLING.search(done.stdout + done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        'format = 1\nid = "x"\n"\\u001b[2J" = 1\n',
        'format = 1\nid = "\\u001b[2J"\n',
        'format = 1\nid = "x"\nbase = "\\u001b[2J"\n',
        'format = 1\nid = "x"\nbase = "yatzy"\n[names.en]\ngame = "\\u001b[2J"\n',
        'format = 1\nid = "x"\nbase = "yatzy"\n[box."\\u009b2J"]\npoints = 1\n',
        'format = 1\nid = "x"\nbase = "yatzy"\n[box.pair]\nafter = ["\\n\\u001b[2J"]\n',
        'format = 1\nid = "x"\nbase = "yatzy"\n[options]\n"\\u001b" = ["a"]\n',
    ],
)
def test_rules_files(run, tmp_path: Path, text):
    (tmp_path / "a.toml").write_text(text)
    done = run("rules", "a.toml")
    assert done.returncode == 2
    assert not CONTROLLING.search(done.stdout + done.stderr)
    assert done.stderr.count("\n") == 1


def test_positions_and_arguments(run, tmp_path: Path):
    (tmp_path / "a.json").write_text(json.dumps({"ruleset": "yatzy", ESCAPE: 1}))
    for arguments in (["hint", "a.json"], ["score", ESCAPE, "3"], ["score", "yatzy", ESCAPE], [ESCAPE]):
        done = run(*arguments)
        assert done.returncode == 2
        assert not CONTROLLING.search(done.stdout + done.stderr)


def test_names_that_turn_the_direction_of_text(run, tmp_path: Path):
    """They are no control characters, so that records with them stay valid; they are shown as escapes."""
    (tmp_path / "a.record").write_bytes(record(("player Ann", "player \u202eAnn")))
    done = run("play", "--record", "a.record", typed="sheet\n")
    assert r"\u202eAnn" in done.stdout
    answer = run("verify", "a.record", "--json").stdout
    assert not CONTROLLING.search(answer)
    assert json.loads(answer)["standings"][0]["name"] == "\u202eAnn"


def test_printable_leaves_text_alone():
    text = "Åsa, 李, 🎲, é, ‘x’\u200d"
    assert printable(text) == text
    assert printable("a\nb\tc\x1b", keep="\n\t") == "a\nb\tc\\u001b"
    assert printable("a\nb\ud800") == "a\\u000ab\\ud800"
