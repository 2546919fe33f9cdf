"""Locations of files: solved tables and compiled kernels in the cache folder, games in the data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "dicecup"


def cache_folder() -> Path:
    if chosen := os.environ.get("DICECUP_CACHE"):
        return Path(chosen)
    from platformdirs import user_cache_path

    return earlier(".cache") or user_cache_path(NAME, appauthor=False)


def tables_folder() -> Path:
    return cache_folder() / "tables"


def kernels_folder() -> Path:
    return cache_folder() / "kernels"


def data_folder() -> Path:
    if chosen := os.environ.get("DICECUP_DATA"):
        return Path(chosen)
    from platformdirs import user_data_path

    return earlier(".local/share") or user_data_path(NAME, appauthor=False)


def earlier(base: str) -> Path | None:
    """Return the folder that the first versions used on macOS, if it exists: it holds games and tables."""
    folder = Path.home() / base / NAME
    return folder if sys.platform == "darwin" and folder.is_dir() else None
