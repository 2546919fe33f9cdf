"""Compile the solver's and the coach's kernels for the tests into the clone: python tools/kernels.py

Each test process that finds no compiled kernels compiles its own, and the tests start many processes at once.
This script compiles them beforehand in two processes: single-layer dice and double dice share few kernels.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).resolve().parents[1] / ".pytest_cache"
KEPT = {"NUMBA_CACHE_DIR": str(CACHE / "kernels"), "DICECUP_CACHE": str(CACHE / "coach")}
SHARES = (("dice-in-dice",), ("yatzy", "yum-plus"))
PREPARE = (
    "import sys; from dicecup.rules import load_ruleset; "
    "from dicecup.web.service.worker_main import prepare; "
    "[prepare(load_ruleset(game)) for game in sys.argv[1:]]"
)


def main() -> int:
    started = [
        subprocess.Popen([sys.executable, "-c", PREPARE, *games], env=os.environ | KEPT) for games in SHARES
    ]
    return max(process.wait() for process in started)


if __name__ == "__main__":
    sys.exit(main())
