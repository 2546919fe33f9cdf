"""Reading rules: the bytes and tables of files, typed access to tables, house rules inside a reference.

A wrong value becomes one error that names the file, the key and what was expected.

A link, a game file and a database can carry them, so no file is needed to play, verify or review a game with
them. They come from strangers: everything about them is bounded here before anything is built.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import tomllib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from math import comb, prod
from pathlib import Path
from typing import Any

from dicecup.errors import Phrase, RulesError, problem_of
from dicecup.rules.model import Ruleset

FORMAT = 1
MOST_BYTES = 200_000
MOST_DEPTH = 10
MOST_DOTS = 100
# The built-in games, in the order they are listed; the folder holds exactly these.
MAIN = ("yatzy", "yatzy-sv", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee")
FAMILY = ("kniffel", "yacht", "maxi-yatzy", "triple-yahtzee", "balut", "generala", "jamb")
BUILTIN = MAIN + FAMILY

Tables = dict[str, Any]

TOML_PLACE = re.compile(r"at line (\d+), column (\d+)")
# Line breaks, lone surrogates, and characters that change the direction of the text around them.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Reader:
    """A table of a rules file, with its location."""

    table: dict[str, Any]
    file: str
    path: str = ""

    def key(self, name: str) -> str:
        return ".".join(filter(None, (self.path, name)))

    def error(self, name: str, expected: str, **values: object) -> RulesError:
        return RulesError(
            "rules_key_wrong", file=self.file, key=self.key(name), expected=Phrase(expected, **values)
        )

    def allow(self, names: Iterable[str]) -> None:
        """Reject any key that the format does not define: most often a typo."""
        known = sorted(names)
        for name in self.table:
            if name not in known:
                raise self.error(name, "expected_one_of_keys", known=", ".join(known))

    def has(self, name: str) -> bool:
        return name in self.table

    def child(self, name: str) -> Reader:
        """Return the table under a key; an empty one if there is none."""
        value = self.table.get(name, {})
        if not isinstance(value, dict):
            raise self.error(name, "expected_table")
        return Reader(value, self.file, self.key(name))

    def children(self) -> list[tuple[str, Reader]]:
        """Return the tables under this table, each with its name, which must be a valid id."""
        for name in self.table:
            self.check_id(name, name)
        return [(name, self.child(name)) for name in self.table]

    def whole_number(self, name: str, low: int, high: int, default: int | None = None) -> int:
        value = self.table.get(name, default)
        if type(value) is not int or not low <= value <= high:
            raise self.error(name, "expected_whole_number", low=low, high=high)
        return value

    def yes_or_no(self, name: str, default: bool) -> bool:
        value = self.table.get(name, default)
        if not isinstance(value, bool):
            raise self.error(name, "expected_true_or_false")
        return value

    def one_of(self, name: str, choices: Iterable[str], default: str) -> str:
        value = self.table.get(name, default)
        known = list(choices)
        if value not in known:
            raise self.error(name, "expected_one_of", known=", ".join(known))
        return str(value)

    def id(self, name: str) -> str:
        return self.check_id(name, self.table.get(name))

    def check_id(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not ID_PATTERN.fullmatch(value):
            raise self.error(name, "expected_id")
        return value

    def ids(self, name: str) -> tuple[str, ...]:
        """Return a list of distinct ids."""
        value = self.table.get(name)
        if not isinstance(value, list) or not value or len({str(entry) for entry in value}) != len(value):
            raise self.error(name, "expected_ids")
        return tuple(self.check_id(name, entry) for entry in value)

    def whole_numbers(self, name: str, low: int, high: int, most: int) -> tuple[int, ...]:
        """Return a list of one to `most` integers, each from `low` to `high`."""
        value = self.table.get(name)
        if (
            not isinstance(value, list)
            or not 1 <= len(value) <= most
            or not all(type(entry) is int and low <= entry <= high for entry in value)
        ):
            raise self.error(name, "expected_whole_numbers", most=most, low=low, high=high)
        return tuple(value)


def check_text(table: Reader, name: str) -> None:
    value = table.table[name]
    if not isinstance(value, str) or not value or len(value) > 500 or CONTROL.search(value):
        raise table.error(name, "expected_text")


def checked_head(reference: str, tables: Tables) -> Tables:
    """Return the tables if they say what they are."""
    file = Reader(tables, reference)
    file.whole_number("format", FORMAT, FORMAT)
    file.id("id")
    return tables


def tables_of(reference: str, data: bytes) -> Tables:
    """Parse the text of a rules file."""
    # A key with thousands of parts would take the parser minutes.
    if any(line.count(b".") > MOST_DOTS for line in data.splitlines()):
        raise RulesError("rules_too_deep", file=reference)
    try:
        tables = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise RulesError("rules_not_text", file=reference, byte=error.start) from None
    except (ValueError, RecursionError) as error:
        found = TOML_PLACE.search(str(error))
        line, column = found.groups() if found else (data.count(b"\n") + 1, 1)
        raise RulesError("rules_not_toml", file=reference, line=line, column=column) from None
    if depth(tables) > MOST_DEPTH:
        raise RulesError("rules_too_deep", file=reference)
    return tables


def depth(tables: Tables) -> int:
    """Return the nesting depth of the tables."""
    levels, inside = 0, [tables]
    while inside:
        levels += 1
        inside = [value for table in inside for value in table.values() if isinstance(value, dict)]
    return levels


def read_bytes(reference: str) -> bytes:
    """Return the content of a rules file: of a built-in game by its id, of any other by its path."""
    if reference in BUILTIN:
        return resources.files("dicecup.rules").joinpath(f"sheets/{reference}.toml").read_bytes()
    path = Path(reference)
    try:
        if not path.is_file():
            raise RulesError("ruleset_unknown", ruleset=reference, known=", ".join(BUILTIN))
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RulesError("file_unreadable", file=reference, problem=problem_of(error)) from None
    if len(data) > MOST_BYTES:
        raise RulesError("file_too_large", file=reference, most=MOST_BYTES)
    return data


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
