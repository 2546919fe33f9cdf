"""Typed access to the tables of a rules file.

A wrong value becomes one error that names the file, the key and what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dicecup.errors import Phrase, RulesError

Tables = dict[str, Any]

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
