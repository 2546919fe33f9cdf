"""Numbers, shares, places and dates in the form of each language."""

from __future__ import annotations

import datetime

from dicecup.i18n.language import Language

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
}
ENGLISH_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def number_text(value: float, language: Language, decimals: int = 2) -> str:
    """Return a number with the decimal separator of the language."""
    text = f"{value:z.{decimals}f}"
    return text if language.code == "en" else text.replace(".", ",")


def signed_text(value: float, language: Language, decimals: int = 2) -> str:
    text = number_text(value, language, decimals)
    return f"+{text}" if value > 0 else text


def percent_text(share: float, language: Language, decimals: int = 0) -> str:
    """Return a share in per cent: `76%` in English, with a no-break space in the other languages."""
    space = "" if language.code == "en" else "\u00a0"
    return f"{number_text(100 * share, language, decimals)}{space}%"


def ordinal_text(number: int, language: Language) -> str:
    """Return a place such as `1st`, `1er`, `1.` or `1:a`."""
    teens = number % 100 in (11, 12, 13)
    match language.code:
        case "fr":
            return f"{number}er" if number == 1 else f"{number}e"
        case "de":
            return f"{number}."
        case "sv":
            return f"{number}:a" if number % 10 in (1, 2) and not teens else f"{number}:e"
        case _:
            return f"{number}{'th' if teens else ENGLISH_ENDINGS.get(number % 10, 'th')}"


def date_text(date: str, language: Language) -> str:
    """Return an ISO date as people write it, such as `16 November 2026`; anything else as it is."""
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return date
    first_in_french = language.code == "fr" and day.day == 1
    number = ordinal_text(day.day, language) if first_in_french or language.code == "de" else str(day.day)
    return f"{number} {MONTHS[language.code].split()[day.month - 1]} {day.year}"
