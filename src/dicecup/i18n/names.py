"""Names of games, lines, columns, layers and options, in the words of the sheets, from the rules file itself.

A house rule may bring names in some languages or none: then the nearest that there is serves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicecup.rules.model import Ruleset


def words(rules: Ruleset, language: str) -> list[Mapping[str, Any]]:
    """The rules' words, the wanted language first, then English, then any other."""
    order = dict.fromkeys([language, "en", *rules.names])
    return [rules.names[code] for code in order if code in rules.names]


def name(rules: Ruleset, key: str, language: str) -> str:
    for table in words(rules, language):
        if key in table:
            return str(table[key])
    return key.replace("_", " ").capitalize()


def game_name(rules: Ruleset, language: str) -> str:
    named = any("game" in table for table in rules.names.values())
    return name(rules, "game", language) if named else rules.id


def summary(rules: Ruleset, language: str) -> str:
    named = any("summary" in table for table in rules.names.values())
    return name(rules, "summary", language) if named else ""


def box_name(rules: Ruleset, box: str, language: str) -> str:
    return name(rules, box, language)


def option_name(rules: Ruleset, option: str, language: str) -> str:
    return option_text(rules, option, "name", language) or option


def option_text(rules: Ruleset, option: str, value: str, language: str) -> str:
    """What a value of an option means; empty where the rules do not say."""
    for table in words(rules, language):
        text = table.get("options", {}).get(option, {}).get(value)
        if text:
            return str(text)
    return ""
