"""A small game on disk to modify and to break, and the check of the resulting error messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tests.same_examples  # noqa: F401 - for all tests

from dicecup.errors import Phrase, RulesError
from dicecup.rules import load_ruleset

SMALL = """\
format = 1
id = "small"
throws = 2

[dice]
count = 2
faces = 3

[upper]
boxes = { ones = 1, twos = 2, threes = 3 }
bonus = [{ at = 5, points = 10 }]

[box.pair]
needs = { alike = [2] }
points = "matching"

[box.chance]
points = "all"

[options]
o = ["v", "w"]

[option.o.w]
throws = 3

[names.en]
game = "Small"
"""

WriteRules = Callable[..., str]
RefuseRules = Callable[..., str]


@pytest.fixture
def write_rules(tmp_path: Path) -> WriteRules:
    """write_rules(text) → the path of a rules file, with a small game next to it as `small.toml`."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")

    def write_rules(text: str | bytes, name: str = "house.toml") -> str:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write_rules


@pytest.fixture
def change_small(write_rules: WriteRules) -> WriteRules:
    """change_small(lines) → the path of a file that patches the small game with these lines."""

    def change_small(lines: str, name: str = "house.toml") -> str:
        return write_rules(f'format = 1\nid = "house"\nbase = "small.toml"\n{lines}\n', name)

    return change_small


@pytest.fixture(scope="session")
def refuse_rules() -> RefuseRules:
    """refuse_rules(path, key, phrase, **values) → the message; checks its file, key and expectation."""

    def refuse_rules(path: str, key: str, phrase: str, **values: object) -> str:
        with pytest.raises(RulesError) as caught:
            load_ruleset(path)
        error = caught.value
        assert error.code == "rules_key_wrong", str(error)
        assert (error.values["file"], error.values["key"]) == (path, key), str(error)
        expected = error.values["expected"]
        assert isinstance(expected, Phrase)
        assert expected.code == phrase, str(error)
        for name, value in values.items():
            assert expected.values[name] == value
        sentence = str(error)
        assert sentence == f"{path}, key {key}: expected {expected}."
        return sentence

    return refuse_rules
