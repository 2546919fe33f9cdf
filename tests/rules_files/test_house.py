"""House rules that a reference carries: the same game as from a file, and bounded whatever is sent."""

from __future__ import annotations

import base64
import tomllib
import zlib
from pathlib import Path

import pytest

from dicecup.errors import RulesError, UsageError
from dicecup.rules import load_ruleset
from dicecup.rules.house import (
    MOST_REFERENCE,
    MOST_TEXT,
    check_tables,
    pack_tables,
    rules_text,
    unpack_tables,
)
from dicecup.rules.loader import house_reference, load_without_files

OURS = """
format = 1
id = "ours"
base = "yatzy"
throws = 4
order = ["yatzy", "pair"]
upper.bonus = [{ at = 63, points = 35 }]
box.chance = false
box.extra = { needs = { alike = [2, 2], different = true }, points = "10 + all", after = ["pair"] }
options = { scoring = false, yatzy = false, strike = false }

[names.en]
game = "Ours \\u007f \\" “quoted”"
"""
HEAD = 'format = 1\nid = "ours"\nbase = "yatzy"\n'


def packed(data: bytes) -> str:
    packer = zlib.compressobj(9, wbits=-15)
    return "house:" + base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).decode().rstrip("=")


def test_the_same_game_as_from_a_file(tmp_path):
    text = OURS.replace("\\u007f ", "")
    path = tmp_path / "ours.toml"
    path.write_text(text, encoding="utf-8")
    reference = house_reference(text)
    assert len(reference) < 400
    carried = load_without_files(reference)
    assert carried == load_ruleset(str(path)) == load_ruleset(reference)
    assert (carried.id, carried.reference, carried.throws) == ("ours", reference, 4)
    assert [box.id for box in carried.boxes][6:9] == ["yatzy", "pair", "two_pairs"]
    assert carried.names["en"]["game"] == 'Ours " “quoted”'


def test_the_tables_come_back_as_a_file():
    tables = tomllib.loads(OURS.replace("\\u007f", "x")) | {"names": {"en": {"a b": 'del\x7f "x"'}}}
    assert tomllib.loads(rules_text(tables)) == tables
    assert unpack_tables(pack_tables(tables)) == tables
    assert rules_text({"format": 1, "box": {"pair": {}}}) == "format = 1\n\n[box.pair]\n"


@pytest.mark.parametrize(
    "reference",
    [
        "house:",
        "house:====",
        "house:é",
        "house:AAAA",
        "house:" + "A" * MOST_REFERENCE,
        packed(b"[]"),
        packed(b"{"),
        packed(b"\xff"),
        packed(b"9" * 5000),
        packed(b"[" * 15_000),
        packed(b" " * (MOST_TEXT + 1)),
        packed(b'{"format":1,"id":"ours","base":"yatzy","names":{"en":{"game":"\\ud800"}}}'),
        packed(b'{"format":1,"id":"ours","base":"yatzy","\\udfff":1}'),
    ],
)
def test_references_that_carry_nothing(reference, refused):
    with refused("house_rules_damaged"):
        load_without_files(reference)


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ('base = "other.toml"', "base"),
        ('base = "/etc/passwd"', "base"),
        ('base = "house:AAAA"', "base"),
        ("throws = 11", "throws"),
        ("throws = 2.5", "throws"),
        (f"throws = 0x{'f' * 4000}", "throws"),
        ("throws = 2026-11-16", "throws"),
        (f'names.en.game = "{"x" * 201}"', "game"),
        ("order = " + str(list(range(1501))), "order"),
        ('order = ["nothing"]', "order"),
        ('order = ["ones"]', "order"),
        ('options.more = ["a", "b", "c", "d", "e", "f"]', "options"),
        ("columns = { " + ", ".join(f"c{number} = 1" for number in range(8)) + " }", "box"),
        ("dice.count = 8\ndice.faces = 10", "dice"),
        ('dice.layers = ["a", "b"]\ndice.faces = 7\nbox.chance = false', "dice"),
        ('dice.count = 7\ndice.layers = ["a", "b"]\nbox.chance = false', "dice"),
        ("format = 2", "format"),
        ('id = "Not an id"', "id"),
        ("id = 7", "id"),
    ],
)
def test_bounds_of_rules_from_strangers(more, key, refused):
    keys = {line.partition(" =")[0] for line in more.splitlines()}
    head = "".join(f"{line}\n" for line in HEAD.splitlines() if line.partition(" =")[0] not in keys)
    with refused("rules_key_wrong", key=key):
        house_reference(f"{head}{more}\n")


@pytest.mark.parametrize("more", ["throws = 2.5", "throws = nan", "throws = inf"])
def test_a_wrong_number_is_not_called_a_wrong_text(more):
    with pytest.raises(RulesError, match="key throws: expected a whole number from 1 to 10"):
        house_reference(f"{HEAD}{more}\n")


def test_an_option_that_makes_a_game_too_large(refused):
    """Only what is chosen is played, but every value is built."""
    text = HEAD + 'options = { scoring = false, yatzy = false, strike = false, n = ["few", "many"] }\n'
    few = house_reference(text + "[option.n.many]\nthrows = 5\n")
    assert load_without_files(few, {"n": "many"}).throws == 5
    large = text + "[option.n.many]\ndice = { count = 8, faces = 10 }\n"
    reference = house_reference(large)
    with refused("rules_key_wrong", key="dice"):
        load_without_files(reference, {"n": "many"})


def test_texts_that_are_too_large_or_too_deep(refused):
    with refused("file_too_large"):
        house_reference("#" * (MOST_TEXT + 1))
    noise = "".join(f"b{number} = 'x{number * number * 7919}'\n" for number in range(700))
    with refused("file_too_large"):
        house_reference(f"{HEAD}[names.en]\n{noise}")
    with refused("rules_too_deep"):
        check_tables({"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}}})
    with refused("rules_not_toml"):
        house_reference("format =")


def test_no_file_is_opened(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours").write_text("no rules")

    def opened(*arguments: object) -> bytes:
        raise AssertionError(arguments)

    load_ruleset("yatzy")
    monkeypatch.setattr(Path, "open", opened)
    for base in ("ours", "./ours", "house:ours"):
        with pytest.raises(RulesError):
            house_reference(f'format = 1\nid = "ours"\nbase = "{base}"')


def test_a_text_is_wanted():
    with pytest.raises(UsageError) as caught:
        house_reference(b"format = 1")  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.values["argument"]) == ("argument_wrong", "text")
