"""Where tables and compiled kernels are kept: the user's cache folder, or where DICECUP_CACHE says."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    if chosen := os.environ.get("DICECUP_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    # A relative XDG path is to be ignored, says its specification.
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "dicecup"


def tables_folder() -> Path:
    return cache_folder() / "tables"


def kernels_folder() -> Path:
    return cache_folder() / "kernels"
