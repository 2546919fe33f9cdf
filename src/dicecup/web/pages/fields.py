"""Fields of forms as what they should be; strangers send anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PATH = re.compile(r"/(?:[!-.0-\[\]-~][!-\[\]-~]*)?")


def number(form: Mapping[str, Any], name: str, digits: int) -> int | None:
    """A whole number of at most so many digits. What else Unicode calls a digit is none."""
    text = str(form.get(name, ""))
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def path_here(form: Mapping[str, Any], name: str) -> str:
    """A path of this server: no other place, and nothing that breaks a header."""
    text = str(form.get(name, "/"))
    return text if PATH.fullmatch(text) else "/"
