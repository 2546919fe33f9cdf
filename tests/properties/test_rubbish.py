"""Arbitrary input raises only errors of the DicecupError family."""

from __future__ import annotations

import hashlib
import json
import tomllib
from copy import deepcopy
from importlib import resources
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dicecup.dice import parse_die
from dicecup.engine import apply, start
from dicecup.engine.record_text import record_from_text
from dicecup.engine.serialize import move_from_data, position_from_data, position_from_line
from dicecup.errors import DicecupError
from dicecup.rules import builtin_ids, load_ruleset

properties = settings(settings.get_profile("properties"), max_examples=300)

SHEETS = {
    game: resources.files("dicecup.rules").joinpath(f"sheets/{game}.toml").read_text(encoding="utf-8")
    for game in builtin_ids()
}
RULES = {game: text.partition("# Words:")[0] for game, text in SHEETS.items()}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=8), inside, max_size=4),
    max_leaves=10,
)


def survive(action, *arguments) -> Any:
    """Return the result, or None after an error of the family whose message can be formatted."""
    try:
        return action(*arguments)
    except DicecupError as error:
        return None if str(error) else "an error without a sentence"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("rubbish") / "file"


# Rules files


@properties
@given(data=st.binary(max_size=200))
@example(data=b"\xff")
@example(data=b"")
def test_random_bytes_as_a_rules_file(path, data):
    path.write_bytes(data)
    assert survive(load_ruleset, str(path)) is None


@properties
@given(
    game=st.sampled_from(builtin_ids()),
    cuts=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 12), st.text(max_size=6)), min_size=1, max_size=3
    ),
)
def test_changed_text_of_a_builtin_game(path, step, game, cuts):
    text = RULES[game]
    for where, size, put in cuts:
        place = int(where * len(text))
        text = text[:place] + put + text[place + size :]
    path.write_text(text, encoding="utf-8", errors="replace")
    rules = survive(load_ruleset, str(path))
    if rules is not None:
        play_a_little(rules, step)


@properties
@given(game=st.sampled_from(builtin_ids()), seed=st.integers(0, 2**32))
def test_lines_of_a_builtin_game_taken_out_doubled_or_swapped(path, step, game, seed):
    chance = Random(seed)
    lines = RULES[game].splitlines()
    for _ in range(chance.randint(1, 4)):
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(3):
            case 0:
                del lines[one]
            case 1:
                lines.insert(one, lines[other])
            case _:
                lines[one], lines[other] = lines[other], lines[one]
    path.write_text("\n".join(lines), encoding="utf-8")
    rules = survive(load_ruleset, str(path))
    if rules is not None:
        play_a_little(rules, step)


WRONG_VALUES: list[Any] = [
    *(
        0,
        1,
        2,
        3,
        -1,
        7,
        100,
        10**6,
        2**70,
        True,
        False,
        1.5,
        "",
        "all",
        "matching",
        "50 + all",
        "yatzy",
        "ones",
    ),
    *("free", "x" * 600, [], [1], ["ones"], [[1]], [{}], {}, {"a": 1}, {"alike": [2]}, {"needs": {}}),
]


def places(tables: Any, here: tuple = ()) -> list[tuple]:
    found = [here] if here else []
    if isinstance(tables, dict):
        for key, value in tables.items():
            found += places(value, (*here, key))
    elif isinstance(tables, list):
        for number, value in enumerate(tables):
            found += places(value, (*here, number))
    return found


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@properties
@given(game=st.sampled_from(builtin_ids()), seed=st.integers(0, 2**32))
def test_values_of_a_builtin_game_replaced(path, step, game, seed):
    """Valid TOML with strange values in one to three places; rulesets that still load can be played."""
    chance = Random(seed)
    tables = tomllib.loads(RULES[game])
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(places(tables))
        table: Any = tables
        for key in way:
            table = table[key]
        if isinstance(table, dict) and chance.random() < 0.2:
            last = chance.choice(["points", "needs", "after", "above", "strike", "boxes", "x"])
        table[last] = deepcopy(chance.choice(WRONG_VALUES))
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in tables.items()))
    chosen = {
        name: str(chance.choice(values))
        for name, values in (tables["options"].items() if isinstance(tables.get("options"), dict) else ())
        if isinstance(values, list) and values and chance.random() < 0.5
    }
    rules = survive(load_ruleset, str(path), chosen)
    if rules is not None:
        play_a_little(rules, step)


def play_a_little(rules, step) -> None:
    chance = Random(1)
    state = start(rules)
    for _ in range(6):
        if not state.finished:
            state = apply(rules, state, step(rules, state, chance))


@properties
@given(
    name=st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), max_size=30),
    options=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
)
def test_any_name_of_a_game_and_any_options(path, name, options):
    survive(load_ruleset, str(path.parent / "nothing" / name), options)
    survive(load_ruleset, "yatzy", options)


# Positions and moves

KEYS = st.sampled_from(["ruleset", "options", "sheet", "dice", "throws_left", "kept"])


@properties
@given(data=JSON)
@example(data=float("nan"))
def test_any_json_as_a_position_or_a_move(data):
    survive(position_from_data, data)
    for game in builtin_ids():
        survive(move_from_data, load_ruleset(game), data)


@properties
@given(
    game=st.sampled_from(builtin_ids()),
    data=st.dictionaries(KEYS, JSON),
    dice=st.none() | st.lists(st.integers(0, 7) | st.sampled_from(["6-5", "1-1", "6_5"]), max_size=7),
)
def test_any_json_in_a_position(game, data, dice):
    data |= {"ruleset": game} | ({} if dice is None else {"dice": dice})
    survive(position_from_data, data)


@properties
@given(
    game=st.sampled_from(builtin_ids()),
    data=st.dictionaries(
        st.sampled_from(["keep", "throw", "box", "column", "strike", "inner", "outer"]), JSON, max_size=3
    ),
)
def test_any_json_in_a_move(game, data):
    rules = load_ruleset(game)
    move = survive(move_from_data, rules, data)
    if move is not None:
        survive(apply, rules, start(rules), move)


LINE = st.lists(
    st.sampled_from(
        [
            *builtin_ids(),
            *("/", "1", "2 2", "6-5", "0", "ones=3", "x1.ones=3", "ones.ones=1", "x1=3", "=", ".", ".=1"),
            *("a=b", "strike=free", "extra=negative", "%2F", "%00", "ones=-1", "yahtzee_bonus=100"),
        ]
    )
    | st.text(max_size=5),
    max_size=12,
).map(" ".join)


@properties
@given(line=LINE | st.text())
def test_any_text_as_a_position(line):
    survive(position_from_line, line)


@given(text=st.text(max_size=10), layers=st.integers(1, 3))
def test_any_text_as_a_die(text, layers):
    survive(parse_die, text, 6, layers)


# Records


@properties
@given(
    data=st.binary(max_size=300)
    | st.binary(max_size=100).map(lambda data: b"dicecup record 1" + data + b"\n")
)
def test_random_bytes_as_a_record(data):
    assert survive(record_from_text, data) is None


def chained(lines: list[str]) -> bytes:
    """Return a record with these lines and valid checksums."""
    text, check = "", ""
    for line in lines:
        check = hashlib.sha256(f"{check}\n{line}".encode()).hexdigest()[:8]
        text += f"{line} #{check}\n"
    return text.encode()


HEADER = [
    *("dicecup record 1", "game dice-in-dice", "option scoring=printed", "option yatzy=flat"),
    *("option strike=free", "option extra=chance", f"identity {load_ruleset('dice-in-dice').identity}"),
    *("player Ann", "dice typed", "begin"),
]
WORDS = st.sampled_from(
    [
        *(
            "1",
            "2",
            "throw",
            "keep",
            "score",
            "undo",
            "secret",
            "struck",
            "inner",
            "outer",
            "pair",
            "ones",
            "0",
        ),
        *(
            "6-5",
            "6-5 6-5 6-5 6-5 6-5 6-5",
            "inner pair 10, outer sixes 30",
            ",",
            "begin",
            "game",
            "yatzy",
            "²",
        ),
        *(
            "option",
            "x=y",
            "dice",
            "seed",
            "typed",
            "verifiable",
            "ab" * 32,
            "player",
            "identity",
            "date",
            "",
        ),
    ]
)
ENTRY = st.lists(
    WORDS | st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=4)
)


@properties
@given(
    entries=st.lists(ENTRY.map(" ".join), max_size=4),
    place=st.integers(0, len(HEADER)),
    header=st.lists(ENTRY.map(" ".join), max_size=1),
    thrown=st.booleans(),
)
def test_any_lines_in_a_record(entries, place, header, thrown):
    lines = [*HEADER[:place], *header, *HEADER[place + len(header) :]]
    first = ["1 throw 1-1 2-2 3-3 4-4 5-5 6-6"] if thrown else []
    survive(record_from_text, chained([*lines, *first, *entries]), load_ruleset)
