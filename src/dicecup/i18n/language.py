"""A language: its catalogue, translating errors and phrases with it, and text that is safe on a terminal."""

from __future__ import annotations

import gettext as catalogues
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from dicecup.errors import DicecupError, Phrase
from dicecup.i18n.names import name as box_name
from dicecup.rules.model import Ruleset

# Control characters, marks that change the direction of text, line separators, and halves of characters.
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

    def value(self, name: str, value: object, rules: Ruleset | None) -> object:
        if isinstance(value, DicecupError | Phrase):
            return self.sentence(value, rules)
        if name == "box" and rules is not None and value in rules.lines:
            return box_name(rules, str(value), self.code)
        if name == "layers" and rules is not None:
            return ", ".join(box_name(rules, layer, self.code) for layer in str(value).split(", "))
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
