"""Text from files that is safe to show on a terminal."""

from __future__ import annotations

import re

# Control characters, marks that change the direction of text, line separators, and halves of characters.
UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)


def printable(text: str, keep: str = "") -> str:
    """Return the text with escapes such as `\\u001b` for characters that would control a terminal."""
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", text)
