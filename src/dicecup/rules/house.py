"""House rules inside a reference: packed into text, unpacked, and bounded.

A link, a game file and a database can carry them, so no file is needed to play, verify or review a game with
them. They come from strangers: here and in `rules.loader` each bound is checked before the work it limits.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from math import comb, prod
from typing import Any

from dicecup.errors import Phrase, RulesError
from dicecup.rules.model import Ruleset
from dicecup.rules.reader import Tables

HOUSE = "house:"
MOST_REFERENCE = 3_000  # characters: fits into a link and a line of a record
MOST_TEXT = 20_000  # bytes of a rules file, and of its tables as JSON
MOST_ENTRIES = 1_500  # keys and list entries
MOST_HOUSE_DEPTH = 8  # tables within tables
MOST_WORD = 200  # characters of a name
MOST_NUMBER = 1_000_000
MOST_BUILDS = 60  # combinations of options that are checked
MOST_CELLS = 100  # boxes in all columns
MOST_SCORES = 60_000  # points that scoring looks up: rolls, times dice left out, times boxes
MOST_KEEPS = 10_000  # ways to keep dice
MOST_SIDES = 36  # of a die, its layers together


def is_house(reference: str) -> bool:
    return reference.startswith(HOUSE)


def wrong(key: str, expected: str, **values: object) -> RulesError:
    return RulesError("rules_key_wrong", file="house", key=key, expected=Phrase(expected, **values))


def pack_tables(tables: Mapping[str, Any]) -> str:
    """Return a reference that carries the tables of a rules file."""
    check_tables(tables)
    text = json.dumps(tables, separators=(",", ":"), ensure_ascii=False)
    packer = zlib.compressobj(9, wbits=-15)
    data = packer.compress(text.encode()) + packer.flush()
    reference = HOUSE + base64.urlsafe_b64encode(data).decode().rstrip("=")
    if len(text.encode()) > MOST_TEXT or len(reference) > MOST_REFERENCE:
        raise RulesError("file_too_large", file=str(tables.get("id", "house"))[:40], most=MOST_TEXT)
    return reference


def unpack_tables(reference: str) -> Tables:
    """Return the tables in a reference, which may be invalid."""
    packed = reference.removeprefix(HOUSE)
    if len(reference) > MOST_REFERENCE:
        raise RulesError("house_rules_damaged")
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        plain = zlib.decompressobj(wbits=-15).decompress(data, MOST_TEXT + 1)
        tables = json.loads(plain) if len(plain) <= MOST_TEXT else None
        json.dumps(tables, ensure_ascii=False).encode()  # JSON can express lone surrogates
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise RulesError("house_rules_damaged") from None
    if not isinstance(tables, dict):
        raise RulesError("house_rules_damaged")
    check_tables(tables)
    return tables


def check_tables(tables: Mapping[str, Any]) -> None:
    """Check what can be counted without building anything: kinds of values, their number, depth, lengths."""
    entries, depth = 0, 0
    level: list[tuple[str, Any]] = [("", tables)]
    while level:
        depth += 1
        inside: list[tuple[str, Any]] = []
        for key, value in level:
            if isinstance(value, dict | list):
                entries += len(value)
                if entries > MOST_ENTRIES:
                    raise wrong(key, "expected_at_most", most=MOST_ENTRIES)
                named = isinstance(value, dict)
                inside += [(str(name)[:40], value[name]) if named else (key, name) for name in value]
            elif not isinstance(value, str | int | float) or (
                isinstance(value, str) and len(value) > MOST_WORD
            ):
                raise wrong(key, "expected_text")
            elif isinstance(value, int) and abs(value) > MOST_NUMBER:  # Python writes no int of 5,000 digits
                raise wrong(key, "expected_whole_number", low=-MOST_NUMBER, high=MOST_NUMBER)
        if depth > MOST_HOUSE_DEPTH:
            raise RulesError("rules_too_deep", file="house")
        level = inside


def check_choices(choices: Mapping[str, tuple[str, ...]]) -> None:
    """Check how many builds it takes to validate the rules with every option."""
    counts = [len(values) for values in choices.values()]
    if sum(counts) + prod(counts) > MOST_BUILDS:
        raise wrong("options", "expected_at_most", most=MOST_BUILDS)


def check_cost(rules: Ruleset) -> None:
    """Check what scoring and playing cost, from the numbers of the dice and boxes alone."""
    dice = rules.dice
    scores = comb(dice.count + dice.faces - 1, dice.count) * comb(dice.count, dice.counted) * len(rules.boxes)
    if rules.cells > MOST_CELLS:
        raise wrong("box", "expected_at_most", most=MOST_CELLS)
    if (
        scores > MOST_SCORES
        or comb(dice.count + dice.faces, dice.count) > MOST_KEEPS
        or dice.faces ** len(dice.layers) > MOST_SIDES
        or (len(dice.layers) > 1 and dice.count > 6)
    ):
        raise wrong("dice", "expected_smaller_game")


def rules_text(tables: Mapping[str, Any]) -> str:
    """Return the tables as the text of a rules file."""
    lines: list[str] = []
    add_table(lines, "", tables)
    return "\n".join(lines).strip() + "\n"


def add_table(lines: list[str], path: str, table: Mapping[str, Any]) -> None:
    """Add a table: its plain values, then the tables in it, each under a heading of its own."""
    nested = {key: value for key, value in table.items() if isinstance(value, dict) and key != "needs"}
    plain = {key: value for key, value in table.items() if key not in nested}
    if path and (plain or not nested):
        lines += ["", f"[{path}]"]
    lines += [f"{bare(key)} = {inline(value)}" for key, value in plain.items()]
    for key, value in nested.items():
        add_table(lines, f"{path}.{bare(key)}" if path else bare(key), value)


def bare(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else inline(key)


def inline(value: object) -> str:
    """Return a value as TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{bare(key)} = {inline(found)}" for key, found in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
