"""Locations of files: solved tables and compiled kernels in the cache folder, games in the data folder."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    if chosen := os.environ.get("DICECUP_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification says to ignore relative paths.
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "dicecup"


def tables_folder() -> Path:
    return cache_folder() / "tables"


def kernels_folder() -> Path:
    return cache_folder() / "kernels"


def data_folder() -> Path:
    if folder := os.environ.get("DICECUP_DATA"):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "dicecup"
