"""What players may be called: a name that can be seen, and told from the others at the table."""

from __future__ import annotations

import unicodedata

from dicecup.bots import BOT_PREFIX
from dicecup.engine.record_text import MOST_NAME, good_name
from dicecup.errors import UsageError

JOINERS = "\u200c\u200d"  # parts of some scripts and emoji; the other marks of their kind only mislead
BLANK_LETTERS = "\u115f\u1160\u2800"  # letters and a sign by their category, which show nothing


def read_name(name: str) -> str:
    """The name as it is kept: in one spelling, without marks that nobody sees."""
    spelled = unicodedata.normalize("NFKC", name)
    kept = "".join(
        letter for letter in spelled if letter in JOINERS or unicodedata.category(letter) != "Cf"
    ).strip()
    if kept.startswith(BOT_PREFIX):
        raise UsageError("name_of_bot", name=name[:80], prefix=BOT_PREFIX)
    if not good_name(kept) or not is_seen(kept):
        raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
    return kept


def is_seen(name: str) -> bool:
    """Marks that stand on a letter show nothing alone: there has to be a letter, a number or a sign."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in look_of(name))


def look_of(name: str) -> str:
    """What is left of a name for the eye: two that look the same are the same."""
    seen = [letter for letter in name if letter not in JOINERS + BLANK_LETTERS]
    return " ".join("".join(seen).split()).casefold()


def check_different(names: list[str]) -> None:
    if len({look_of(name) for name in names}) != len(names):
        raise UsageError("name_twice")
