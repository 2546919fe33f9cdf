"""A language: its catalogue, names from rules files, errors and phrases; text that is safe on a terminal.

A house rule may have names in some languages or none: then the closest available ones are used.
"""

from __future__ import annotations

import gettext as catalogues
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dicecup.errors import DicecupError, Phrase
from dicecup.messages import N_
from dicecup.rules.model import Ruleset

# Control characters, marks that change the direction of text, line separators, and lone surrogates.
UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)


def printable(text: str, keep: str = "") -> str:
    """Return the text with escapes such as `\\u001b` for characters that would control a terminal."""
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", text)


LANGUAGES = ("en", "fr", "de", "sv")
LANGUAGE_NAMES = {"en": "English", "fr": "Français", "de": "Deutsch", "sv": "Svenska"}
DOMAIN = "dicecup"
LOCALE_FOLDER = Path(__file__).parent / "locale"


class Language:
    """One of the four languages. English is the language of the message ids."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.catalogue = (
            catalogues.NullTranslations()
            if code == "en"
            else catalogues.translation(DOMAIN, LOCALE_FOLDER, languages=[code])
        )
        self.gettext = self.catalogue.gettext
        self.ngettext = self.catalogue.ngettext
        self.pgettext = self.catalogue.pgettext

    def sentence(self, error: DicecupError | Phrase, rules: Ruleset | None = None) -> str:
        """Return an error's sentence, with names of boxes where the error or the caller knows the rules."""
        rules = getattr(error, "rules", None) or rules
        values = {name: self.value(name, value, rules) for name, value in error.values.items()}
        return self.template(error).format(**values)

    def template(self, error: DicecupError | Phrase) -> str:
        """Return the translated sentence with its placeholders, in the singular or plural it needs."""
        plural = error.plural if isinstance(error, DicecupError) else None
        number = error.values.get(plural.by) if plural else None
        if plural and isinstance(number, int):
            return self.ngettext(plural.one, plural.many, number)
        return self.gettext(error.template)

    def value(self, key: str, value: object, rules: Ruleset | None) -> object:
        if isinstance(value, DicecupError | Phrase):
            return self.sentence(value, rules)
        if key == "box" and rules is not None and value in rules.lines:
            return name(rules, str(value), self.code)
        if key == "layers" and rules is not None:
            return ", ".join(name(rules, layer, self.code) for layer in str(value).split(", "))
        return printable(str(value)) if isinstance(value, str | Path) else value

    def join(self, parts: list[str]) -> str:
        """Return a list such as `a, b and c`."""
        if len(parts) < 2:
            return "".join(parts)
        return self.gettext("{first} and {last}").format(first=", ".join(parts[:-1]), last=parts[-1])


@lru_cache(maxsize=len(LANGUAGES))
def language(code: str) -> Language:
    return Language(code)


def language_of_environment(environment: Mapping[str, str]) -> str:
    """Return the first supported language that the environment requests, else that of the system, else
    English."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wish in environment.get(variable, "").split(":"):
            code = wish.partition(".")[0].partition("_")[0].lower()
            if code in LANGUAGES:
                return code
            if wish and variable != "LANGUAGE":  # LC_ALL=C takes precedence over LANG=sv_SE
                return "en"
    return language_of_windows()


def language_of_windows() -> str:
    """Return the language of the Windows desktop if it is supported, else English."""
    if sys.platform == "win32":
        import ctypes
        import locale

        name = locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "en")
        if (code := name.partition("_")[0]) in LANGUAGES:
            return code
    return "en"


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


def translated(text: str, code: str) -> str:
    return language(code).gettext(text)


def name(rules: Ruleset, key: str, language: str) -> str:
    for table in words(rules, language):
        if key in table:
            return str(table[key])
    if key in LINE_NAMES:
        return translated(LINE_NAMES[key], language)
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
