"""Reading rules files: the bytes, the tables of their text, and typed access to those tables.

A wrong value becomes one error that names the file, the key and what was expected.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from dicecup.errors import Phrase, RulesError, problem_of

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
# More than one line, half of a character, or what turns the direction of the text around it.
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
