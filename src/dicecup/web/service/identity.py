"""Who plays: keys that hold seats, their hashes, ids of matches and derived values; names of players."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from datetime import UTC, datetime, timedelta

from dicecup.bots import BOT_PREFIX
from dicecup.engine.record_header import MOST_NAME, good_name
from dicecup.errors import UsageError
from dicecup.storage.database import DELETED

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no two characters that look alike
ID_LENGTH = 12
MOST_KEY = 100


def new_key() -> str:
    return secrets.token_urlsafe(32)


def key_hash(key: str) -> str:
    """Return the hash of a key, the only form in which it is stored."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_match_id() -> str:
    """Return a random id, short enough to read out, too long to guess (59 bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def is_match_id(text: str) -> bool:
    """Whether this could be the id of a match; nothing else is ever looked up."""
    return len(text) == ID_LENGTH and all(letter in ALPHABET for letter in text)


def log_name(match: str) -> str:
    """A name for a match in logs, where its id must not be: who knows that can join."""
    return key_hash(match)[:8]


def derived(server_key: bytes, purpose: str, text: str) -> bytes:
    """A value that only this server can derive, the same for the same purpose and text."""
    return hmac.new(server_key, f"{purpose} {text}".encode(), hashlib.sha256).digest()


def now(later: float = 0.0) -> str:
    """The time, or that so many seconds later, in a form that sorts."""
    return (datetime.now(UTC) + timedelta(seconds=later)).isoformat(timespec="seconds")


JOINERS = "\u200c\u200d"  # parts of some scripts and emoji; other characters of their kind only mislead
BLANK_LETTERS = "\u115f\u1160\u2800"  # letters and a symbol by their category, but invisible
# Letters of other alphabets that are drawn like Latin ones. A name is compared in this form, never stored.
LATIN = str.maketrans(
    "АВЕЅЗІЈКМНОРСТУХԌԚԜӀаеорсухіјѕһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρικυχıɑɡꞌ∶ː꞉I1|0",
    "ABES3lJKMHOPCTYXGQWlaeopcyxijshdqwlABEZHlKMNOPTYXoavpikuxiag':::lllo",
)
LATIN_PAIRS = {"rn": "m", "vv": "w"}


def read_name(name: str) -> str:
    """The name as it is stored: normalized, without invisible characters."""
    spelled = unicodedata.normalize("NFKC", name)
    kept = "".join(
        letter for letter in spelled if letter in JOINERS or unicodedata.category(letter) != "Cf"
    ).strip()
    if skeleton(kept).startswith(BOT_PREFIX):
        raise UsageError("name_of_bot", name=name[:80], prefix=BOT_PREFIX)
    if not good_name(kept) or not is_seen(kept) or kept.startswith(DELETED):
        raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
    return kept


def is_seen(name: str) -> bool:
    """Return whether a name is visible: it needs a letter, number or symbol, not only combining marks."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in look_of(name))


def look_of(name: str) -> str:
    """Return a normal form of a name: names that look the same have the same form."""
    seen = [letter for letter in name if letter not in JOINERS + BLANK_LETTERS]
    return " ".join("".join(seen).split()).casefold()


def skeleton(name: str) -> str:
    """Return a coarser normal form of a name: letters that are drawn alike are equal."""
    latin = look_of(name.translate(LATIN))
    for pair, letter in LATIN_PAIRS.items():
        latin = latin.replace(pair, letter)
    return latin


def check_different(names: list[str]) -> None:
    if len({look_of(name) for name in names}) != len(names):
        raise UsageError("name_twice")


def mark_look_alikes(names: list[str]) -> list[str]:
    """Number every name that looks like an earlier one: `Ann`, `Аnn (2)`."""
    marked: list[str] = []
    for name in names:
        number = 1 + sum(skeleton(name) == skeleton(other) for other in names[: len(marked)])
        mark = f" ({number})" if number > 1 else ""
        marked.append(name[: MOST_NAME - len(mark)] + mark)
    return marked
