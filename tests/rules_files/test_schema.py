"""The JSON Schema of rules files: it accepts what the loader accepts, and rejects what it can see."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema_rs
import pytest
from tests.rules_files.conftest import SMALL
from tests.rules_files.test_wrong_keys import DICE, SHEET

from dicecup.errors import RulesError
from dicecup.rules import build, load_ruleset
from dicecup.rules.loader import BUILTIN, FILE_KEYS
from dicecup.rules.schema import BOX, GAME, NEEDS, rules_schema

ROOT = Path(__file__).parents[2]
SCHEMA = jsonschema_rs.Draft202012Validator(rules_schema())
# What concerns several keys, only the loader knows.
ONLY_LOADER = {
    "expected_every_layer",
    "expected_multiple",
    "expected_different_faces",
    "expected_new_id",
    "expected_boxes",
    "expected_fewer_endings",
    "expected_tiers",
}
WRONG = [case for case in [*DICE, *SHEET] if case[2] not in ONLY_LOADER]
SEEN_BY_LOADER = {
    "dice.count = 2.0",  # JSON has one kind of number
    "dice.counted = 3",
    "upper.boxes.fours = 4",
    'dice.layers = ["a", "b", "c", "d"]',
}


def test_the_published_schema_is_this_one():
    published = json.loads((ROOT / "docs" / "rules.schema.json").read_text("utf-8"))
    assert published == rules_schema(), "run: dicecup rules --schema > docs/rules.schema.json"


def test_it_has_every_key_of_the_format():
    assert set(rules_schema()["properties"]) == FILE_KEYS
    assert {key for key in GAME if key in FILE_KEYS} == build.GAME_KEYS


@pytest.mark.parametrize("known", [*BUILTIN, "small"])
def test_right_files_are_accepted(known, tmp_path):
    path = ROOT / f"src/dicecup/rules/sheets/{known}.toml"
    text = SMALL if known == "small" else path.read_text("utf-8")
    assert SCHEMA.is_valid(tomllib.loads(text))


@pytest.mark.parametrize("change", [case[0] for case in WRONG if case[0] not in SEEN_BY_LOADER])
def test_wrong_files_are_rejected_by_both(change, tmp_path):
    text = f'format = 1\nid = "wrong"\nbase = "small.toml"\n{change}\n'
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(RulesError):
        load_ruleset(str(tmp_path / "wrong.toml"))
    assert not SCHEMA.is_valid(tomllib.loads(text))


@pytest.mark.parametrize("key", ["dice", "throws", "base"])
def test_a_file_is_whole_or_has_a_base(key):
    tables = tomllib.loads(SMALL)
    tables.pop(key, None)
    assert SCHEMA.is_valid(tables) == (key == "base")
    assert SCHEMA.is_valid({"format": 1, "id": "ours", "base": "yatzy"})
    assert {"points", "needs"} <= set(BOX["properties"])
    assert {"alike", "run"} <= set(NEEDS["properties"])


@pytest.mark.parametrize(("at", "right"), [(-1, False), (0, True), (10_000, True), (10_001, False)])
def test_where_steps_begin(at, right, tmp_path):
    step = f"[{{ at = {at}, points = -2 }}]"
    text = f'format = 1\nid = "ours"\nbase = "balut"\ntotal_points = {step}\n'
    (tmp_path / "ours.toml").write_text(text)
    assert SCHEMA.is_valid(tomllib.loads(text)) == right
    if right:
        assert load_ruleset(str(tmp_path / "ours.toml")).total_points[0].at == at
    else:
        with pytest.raises(RulesError):
            load_ruleset(str(tmp_path / "ours.toml"))
