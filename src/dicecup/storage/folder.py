"""Where a user's games are kept when nobody names a place."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    if folder := os.environ.get("DICECUP_DATA"):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "dicecup"
