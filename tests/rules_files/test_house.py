"""House rules that a reference carries: the same game as from a file, and bounded whatever is sent."""

from __future__ import annotations

import base64
import json
import sys
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dicecup.errors import DicecupError, RulesError
from dicecup.rules import builtin_ids, load_ruleset
from dicecup.rules.loader import house_reference, load_without_files
from dicecup.rules.reader import (
    MOST_REFERENCE,
    MOST_TEXT,
    check_tables,
    pack_tables,
    rules_text,
    unpack_tables,
)

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
MOST_CALLS = 400_000  # of Python functions, whatever the text: some tenths of a second


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


def calls_of(function: Callable[[], object]) -> int:
    """Count the Python functions that are called; any error but ours is passed on."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    except DicecupError as error:
        str(error)
    finally:
        sys.setprofile(before)
    return count


ids = st.sampled_from(["pair", "chance", "yatzy", "ones", "extra", "more", "x1", "Bad Id", "grand_total"])
small = st.integers(-1, 70)
points = st.one_of(small, st.sampled_from(["all", "matching", "50 + all", "36 - all", "-all", "?"]))
needs = st.dictionaries(
    st.sampled_from(["alike", "run", "faces", "at_least", "different"]),
    st.one_of(small, st.lists(small, max_size=6), st.booleans()),
    max_size=2,
)
box = st.one_of(
    st.just(False),
    st.fixed_dictionaries(
        {},
        optional={
            "needs": needs,
            "points": points,
            "strike": st.booleans(),
            "after": st.lists(ids, max_size=3),
            "above": ids,
            "after_total": st.booleans(),
        },
    ),
)
game = st.fixed_dictionaries(
    {},
    optional={
        "dice": st.dictionaries(st.sampled_from(["count", "faces", "counted", "layers"]), small, max_size=3),
        "throws": small,
        "strike": st.sampled_from(["free", "last_resort", "never"]),
        "upper": st.fixed_dictionaries(
            {},
            optional={
                "boxes": st.dictionaries(ids, st.one_of(small, st.just(False)), max_size=4),
                "bonus": st.lists(st.fixed_dictionaries({"at": small, "points": small}), max_size=3),
            },
        ),
        "box": st.dictionaries(ids, box, max_size=5),
        "order": st.lists(ids, max_size=5),
        "columns": st.dictionaries(ids, small, max_size=6),
        "joker": st.fixed_dictionaries({"filled": st.lists(ids), "boxes": st.lists(ids)}),
        "repeat": st.fixed_dictionaries({"id": ids, "box": ids, "points": small}),
    },
)
rules = st.builds(
    lambda head, patch, options: head | patch | options,
    st.fixed_dictionaries(
        {"format": st.just(1), "id": st.just("ours")},
        optional={"base": st.sampled_from([*builtin_ids(), "ours", "../x"])},
    ),
    game,
    st.fixed_dictionaries(
        {},
        optional={
            "options": st.dictionaries(ids, st.lists(ids, max_size=4), max_size=4),
            "option": st.dictionaries(ids, st.dictionaries(ids, game, max_size=3), max_size=3),
            "names": st.dictionaries(
                st.sampled_from(["en", "fr"]), st.dictionaries(ids, st.text(max_size=9))
            ),
        },
    ),
)
chain = {f"b{number}": {"points": 1, "after": [f"b{number + 1}"]} for number in range(40)}


@settings(max_examples=150, deadline=None)
@example({"format": 1, "id": "ours", "base": "yatzy", "box": chain | {"b40": {"points": 1}}})
@example({"format": 1, "id": "ours", "base": "yatzy", "box": chain | {"b40": {"points": 1, "after": ["b0"]}}})
@given(rules)
def test_no_tables_are_slow_or_raise_anything_else(tables: dict[str, Any]):
    def load() -> None:
        load_without_files(packed(json.dumps(tables).encode()))

    assert calls_of(load) < MOST_CALLS


@settings(max_examples=150, deadline=None)
@example("a = [" + "[" * 9_000)
@example(".".join("a" * 9_000) + " = 1")
@example("\n".join(f"[a{number}.b]" for number in range(2_500)))
@given(st.one_of(st.text(max_size=300), st.text("[]{}=.\"'\n ab1,#", max_size=300)))
def test_no_text_is_slow_or_raises_anything_else(text: str):
    for given_text in (text, HEAD + text, "house:" + text):
        assert calls_of(lambda: house_reference(given_text)) < MOST_CALLS  # noqa: B023
        assert calls_of(lambda: load_without_files(given_text)) < MOST_CALLS  # noqa: B023
