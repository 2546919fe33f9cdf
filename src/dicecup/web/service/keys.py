"""Keys that hold seats. Only hashes of them are kept; a key itself is known to its device alone."""

from __future__ import annotations

import hashlib
import hmac
import secrets

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that is mistaken for something else
TABLE_LETTERS = 12
MOST_KEY = 100


def new_key() -> str:
    return secrets.token_urlsafe(32)


def new_table_id() -> str:
    """Short enough to read out, long enough that nobody finds a table by guessing (59 bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(TABLE_LETTERS))


def is_table_id(text: str) -> bool:
    """Whether a table could be called so: nothing else is ever looked up."""
    return len(text) == TABLE_LETTERS and all(letter in ALPHABET for letter in text)


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def derived(server_key: bytes, purpose: str, text: str) -> bytes:
    """A value that only this server can work out, the same for the same purpose and text."""
    return hmac.new(server_key, f"{purpose} {text}".encode(), hashlib.sha256).digest()
