"""Names of games, lines, columns, layers and options, in the words of the sheets, from the rules file.

A house rule may have names in some languages or none: then the closest available ones are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicecup.messages import N_
from dicecup.rules.model import Ruleset

# For a house rule without names and without a base.
LINE_NAMES = {
    "upper_sum": N_("Upper sum"),
    "bonus": N_("Bonus"),
    "upper_total": N_("Upper total"),
    "lower_total": N_("Lower total"),
    "grand_total": N_("Grand total"),
    "weighted_total": N_("Column total"),
    "all_columns": N_("All columns"),
    "across": N_("Points for rows"),
    "total_points": N_("Points for the total"),
    "final_score": N_("Final score"),
}


def words(rules: Ruleset, language: str) -> list[Mapping[str, Any]]:
    """Return the rules' names: the requested language first, then English, then any other."""
    order = dict.fromkeys([language, "en", *rules.names])
    return [rules.names[code] for code in order if code in rules.names]


def name(rules: Ruleset, key: str, language: str) -> str:
    for table in words(rules, language):
        if key in table:
            return str(table[key])
    if key in LINE_NAMES:
        from dicecup.i18n.language import language as language_called  # a circular import

        return language_called(language).gettext(LINE_NAMES[key])
    return key.replace("_", " ").capitalize()


def game_name(rules: Ruleset, language: str) -> str:
    named = any("game" in table for table in rules.names.values())
    return name(rules, "game", language) if named else rules.id


def summary(rules: Ruleset, language: str) -> str:
    named = any("summary" in table for table in rules.names.values())
    return name(rules, "summary", language) if named else ""


def option_name(rules: Ruleset, option: str, language: str) -> str:
    return option_text(rules, option, "name", language) or option


def option_text(rules: Ruleset, option: str, value: str, language: str) -> str:
    """Return what a value of an option means; empty if the rules do not say."""
    for table in words(rules, language):
        text = table.get("options", {}).get(option, {}).get(value)
        if text:
            return str(text)
    return ""
