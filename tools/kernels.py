"""Compile what the tests need of the solver and the coach, once, into the clone: python tools/kernels.py

Every process that finds no kernels compiles them for itself, and the tests start many processes at once. Here
two share the work: dice of one layer and double dice have few kernels in common.
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
