"""Load rules: a built-in game by id, a user's file by path, house rules that a reference carries.

A file can name a `base` whose tables it patches, and options whose values patch its own tables. A patch sets
single values, or removes them by `false`. Every combination is again a plain game.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from dicecup.errors import Phrase, RulesError, UsageError, problem_of
from dicecup.rules.build import GAME_KEYS, build_ruleset
from dicecup.rules.house import (
    MOST_TEXT,
    check_choices,
    check_cost,
    is_house,
    pack_tables,
    unpack_tables,
)
from dicecup.rules.model import Ruleset
from dicecup.rules.reader import Reader, Tables, check_text
from dicecup.rules.removed import without_removed

# The built-in games, in the order they are listed; the folder holds exactly these.
MAIN = ("yatzy", "yatzy-sv", "dice-in-dice", "yum-plus", "triple-yum-plus", "yahtzee")
FAMILY = ("kniffel", "yacht", "maxi-yatzy", "triple-yahtzee", "balut", "generala", "jamb")
BUILTIN = MAIN + FAMILY

FORMAT = 1
MOST_BYTES = 200_000
MOST_DEPTH = 10
MOST_DOTS = 100
MOST_BASES = 10
MOST_OPTIONS = 20
MOST_VALUES = 20  # of one option
MOST_COMBINATIONS = 100  # maximum number of option combinations checked when a file is loaded
FILE_KEYS = GAME_KEYS | {"format", "id", "base", "options", "option", "names"}

TOML_POSITION = re.compile(r"at line (\d+), column (\d+)")

plain_text = str.__str__  # a `str` of a subclass, such as NumPy's, becomes a plain one

FindRules = Callable[[str, Mapping[str, str]], Ruleset]
AnyGame = str | os.PathLike[str] | Ruleset
"""A game: its id, the path of a rules file, a reference `house:…`, `Rules` or a `Ruleset`."""


def builtin_ids() -> tuple[str, ...]:
    """The ids of all games, the main ones first."""
    return BUILTIN


def main_ids() -> tuple[str, ...]:
    """The ids of the main games: those of the rule sheets, and Yahtzee. The others are their relatives."""
    return MAIN


def as_ruleset(game: object, options: object = None) -> Ruleset:
    """The ruleset of an id, a path or a ruleset, with options changed."""
    if options is not None and not (
        isinstance(options, Mapping)
        and all(isinstance(text, str) for option in options.items() for text in option)
    ):
        raise UsageError("argument_wrong", argument="options", expected=Phrase("expected_table"))
    if isinstance(game, Ruleset):
        return load_ruleset(game.reference, {**game.options, **options}) if options else game
    if not isinstance(game, str | os.PathLike):
        raise UsageError("argument_wrong", argument="game", expected=Phrase("expected_ruleset"))
    try:
        reference = os.fsdecode(game)
    except TypeError:  # a path-like object whose path is not text
        raise UsageError("argument_wrong", argument="game", expected=Phrase("expected_ruleset")) from None
    return load_ruleset(reference, options)


def load_ruleset(reference: str, options: Mapping[str, str] | None = None) -> Ruleset:
    """Load the ruleset of an id or a path, with these options; the others have their default values."""
    # Plain texts only: equal ones, such as those of NumPy, would stay in the caches.
    chosen = ((plain_text(name), plain_text(value)) for name, value in (options or {}).items())
    return _load(plain_text(reference), tuple(sorted(chosen)))


def load_without_files(reference: str, options: Mapping[str, str] | None = None) -> Ruleset:
    """Load a built-in game, or house rules that the reference carries.

    For references from untrusted sources: no file they name is ever opened.
    """
    if reference not in BUILTIN and not is_house(reference):
        raise RulesError("ruleset_unknown", ruleset=reference[:40], known=", ".join(BUILTIN))
    return load_ruleset(reference, options)


def rules_beside(folder: Path) -> FindRules:
    """Return a function that searches rules files in this folder, then in the working directory."""

    def find(reference: str, options: Mapping[str, str]) -> Ruleset:
        beside, file = str(folder / reference), reference not in BUILTIN and not is_house(reference)
        if file and os.path.isfile(beside):  # noqa: PTH113 - no error for any text
            return load_ruleset(beside, options)
        return load_ruleset(reference, options)

    return find


def _load(reference: str, options: tuple[tuple[str, str], ...]) -> Ruleset:
    if reference in BUILTIN:
        return _load_builtin(reference, options)
    if is_house(reference):
        return _load_house(reference, options)
    file = read_rules(reference)
    file.check()
    return file.build(dict(options))


@lru_cache(maxsize=1000)  # more than all combinations of options of all games
def _load_builtin(reference: str, options: tuple[tuple[str, str], ...]) -> Ruleset:
    """Load a built-in game; equal options give the same object, however they were written."""
    rules = builtin_rules(reference).build(dict(options))
    chosen = tuple(sorted(rules.options.items()))
    return rules if chosen == options else _load_builtin(reference, chosen)


@lru_cache(maxsize=200)
def _load_house(reference: str, options: tuple[tuple[str, str], ...]) -> Ruleset:
    """Load house rules from a stranger; every bound is checked before the work that it bounds."""
    tables = unpack_tables(reference)
    house_id = tables.get("id")
    try:
        file = read_rules(reference, tables)
        check_choices(file.choices)
        check_cost(file.build({}))
        file.check()
        rules = file.build(dict(options))
        check_cost(rules)
    except RulesError as error:  # it names the file, here the reference, which is too long to show
        named = {"file": house_id if isinstance(house_id, str) else "house"} if "file" in error.values else {}
        raise RulesError(error.code, **error.values | named) from None
    return rules


def house_reference(text: str) -> str:
    """Return the reference `house:…` that carries the rules of a file's text; it is a game wherever an id is.

    The base of the rules must be a built-in game.

    >>> import dicecup
    >>> text = 'format = 1\\nid = "no-chance"\\nbase = "yatzy"\\nbox.chance = false'
    >>> len(dicecup.Rules(dicecup.house_reference(text)).boxes)
    14
    """
    if not isinstance(text, str):
        raise UsageError("argument_wrong", argument="text", expected=Phrase("expected_rules_text"))
    data = text.encode(errors="replace")
    if len(data) > MOST_TEXT:
        raise RulesError("file_too_large", file="house", most=MOST_TEXT)
    reference = pack_tables(parse_rules_text("house", data))
    load_ruleset(reference)
    return reference


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A rules file merged with its bases; what does not depend on the chosen options is checked once."""

    reference: str
    tables: Tables
    choices: Mapping[str, tuple[str, ...]]
    names: Mapping[str, Mapping[str, Any]]

    def build(self, chosen: Mapping[str, str]) -> Ruleset:
        file, tables = Reader(self.tables, self.reference), self.tables
        options = choose(self.choices, chosen, file.id("id"))
        patches = file.child("option")
        for name, value in options.items():
            patch = patches.child(name).child(value)
            patch.allow(GAME_KEYS)
            tables = merge(tables, patch.table)
        return build_ruleset(
            Reader({key: tables[key] for key in tables if key in GAME_KEYS}, self.reference),
            ruleset_id=self.reference if self.reference in BUILTIN else file.id("id"),
            options=options,
            choices=self.choices,
            names=self.names,
        )

    def check(self) -> None:
        """Check the rules with every option value, including those not chosen."""
        self.build({})
        choices = self.choices
        combinations = [{name: value} for name, values in choices.items() for value in values]
        if prod(map(len, choices.values())) <= MOST_COMBINATIONS:
            combinations += [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
        for chosen in combinations:
            try:
                self.build(chosen)
            except RulesError as error:
                changed = [f"{name}.{value}" for name, value in chosen.items() if value != choices[name][0]]
                key = f"option.{' + '.join(changed)}: {error.values['key']}"
                raise RulesError(error.code, **error.values | {"key": key}) from None


def rules_file(reference: str, tables: Tables) -> RulesFile:
    file = Reader(tables, reference)
    file.allow(FILE_KEYS)
    return RulesFile(reference, tables, read_choices(file), read_names(file))


def read_choices(file: Reader) -> dict[str, tuple[str, ...]]:
    """Return every option with its values, after checking that each patch belongs to one."""
    table = file.child("options")
    if len(table.table) > MOST_OPTIONS:
        raise file.error("options", "expected_at_most", most=MOST_OPTIONS)
    for name, values in table.table.items():
        if isinstance(values, list) and len(values) > MOST_VALUES:
            raise table.error(name, "expected_at_most", most=MOST_VALUES)
    choices = {table.check_id(name, name): table.ids(name) for name in table.table}
    patches = file.child("option")
    patches.allow(choices)
    for name, values in patches.children():
        values.allow(choices[name])
    return choices


def choose(
    choices: Mapping[str, tuple[str, ...]], chosen: Mapping[str, str], ruleset_id: str
) -> dict[str, str]:
    for name, value in chosen.items():
        if name not in choices:
            known = ", ".join(choices) or "–"
            raise RulesError("option_unknown", option=name, ruleset=ruleset_id, known=known)
        if value not in choices[name]:
            raise RulesError("option_value_unknown", option=name, value=value, known=", ".join(choices[name]))
    return {name: chosen.get(name, values[0]) for name, values in choices.items()}


def read_names(file: Reader) -> Mapping[str, Mapping[str, Any]]:
    """Return names by language: texts by id, and under `options` a table of texts per option."""
    names = file.child("names")
    for language in names.table:
        words = names.child(language)
        for word in words.table:
            if word != "options":
                check_text(words, word)
        for _, option in words.child("options").children():
            for word in option.table:
                check_text(option, word)
    return names.table


@lru_cache(maxsize=len(BUILTIN))
def builtin_rules(reference: str) -> RulesFile:
    """Read a built-in game once for all its variants."""
    return read_rules(reference)


def read_rules(reference: str, given: Tables | None = None) -> RulesFile:
    """Read a file and its bases, each of them once; or tables that are `given` instead of a file."""
    chain: list[tuple[str, Tables]] = []
    here: str | None = reference
    while here is not None:
        circular = here in (seen for seen, _ in chain)
        if circular or len(chain) > MOST_BASES:
            expected = (
                Phrase("expected_no_base_cycle")
                if circular
                else Phrase("expected_few_bases", most=MOST_BASES)
            )
            raise RulesError("rules_key_wrong", file=chain[-1][0], key="base", expected=expected)
        if here in BUILTIN:
            tables = builtin_tables(here)
        else:
            tables = parse_tables(here) if given is None else checked_head(here, given)
        chain.append((here, tables))
        here = base_of(here, tables)
    whole: Tables = {}
    for source, tables in reversed(chain):
        changes = [change for values in whole.get("option", {}).values() for change in values.values()]
        whole = merge(without_removed(without_title(whole), tables), tables, changes)
        whole.pop("base", None)
        if source != reference and source not in BUILTIN:
            rules_file(source, whole).check()  # an error in a base names the base's own file
    return rules_file(reference, whole)


def without_title(tables: Tables) -> Tables:
    """Drop the base's title: a derived game does not inherit it."""
    names = {
        language: {word: text for word, text in words.items() if word not in ("game", "summary")}
        for language, words in tables.get("names", {}).items()
    }
    return tables | {"names": names}


def merge(below: Tables, patch: Tables, changes: Sequence[Tables] = ()) -> Tables:
    """Return the tables with the patch applied. `needs` is replaced as a whole; `false` removes a value, even
    one that only an option sets: `changes` are the patches of all options."""
    merged = dict(below)
    for key, value in patch.items():
        found = [tables[key] for tables in (merged, *changes) if key in tables]
        if value is False and found and not isinstance(found[0], bool):
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict) and key != "needs":
            merged[key] = merge(merged[key], value, [table for table in found[1:] if isinstance(table, dict)])
        else:
            merged[key] = value
    return merged


def base_of(here: str, tables: Tables) -> str | None:
    """Return the base's id, or its path relative to the file that names it."""
    base = tables.get("base")
    if base is None:
        return None
    if not isinstance(base, str) or not base:
        raise Reader(tables, here).error("base", "expected_ruleset")
    if is_house(here) and base not in BUILTIN:
        raise Reader(tables, here).error("base", "expected_one_of", known=", ".join(BUILTIN))
    return base if base in BUILTIN else str(Path(here).parent / base)


@lru_cache(maxsize=len(BUILTIN))
def builtin_tables(reference: str) -> Tables:
    """Parse the file of a built-in game once, also for all games that are based on it."""
    return parse_tables(reference)


def parse_tables(reference: str) -> Tables:
    return checked_head(reference, parse_rules_text(reference, read_bytes(reference)))


def checked_head(reference: str, tables: Tables) -> Tables:
    """Return the tables if they say what they are."""
    file = Reader(tables, reference)
    file.whole_number("format", FORMAT, FORMAT)
    file.id("id")
    return tables


def parse_rules_text(reference: str, data: bytes) -> Tables:
    """Parse the text of a rules file."""
    # A key with thousands of parts would take the parser minutes.
    if any(line.count(b".") > MOST_DOTS for line in data.splitlines()):
        raise RulesError("rules_too_deep", file=reference)
    try:
        tables = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise RulesError("rules_not_text", file=reference, byte=error.start) from None
    except (ValueError, RecursionError) as error:
        found = TOML_POSITION.search(str(error))
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
