"""Keys that hold seats, their hashes, the ids of matches, and values that only this server can derive."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no two characters that look alike
ID_LENGTH = 12
MOST_KEY = 100


def new_key() -> str:
    return secrets.token_urlsafe(32)


def key_hash(key: str) -> str:
    """The only form in which a key is stored."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_match_id() -> str:
    """Short enough to read out, long enough that nobody finds a match by guessing (59 bits)."""
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
