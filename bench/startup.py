"""Measure the run time of commands, minimum and median of several runs. Run: python bench/startup.py"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 15
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "dicecup --help": [sys.executable, "-m", "dicecup", "--help"],
    "dicecup score yatzy": [sys.executable, "-m", "dicecup", "score", "yatzy", "3", "3", "3", "6", "6"],
    "./dicecup --help": [str(ROOT / "dicecup"), "--help"],
    "./dicecup score yatzy": [str(ROOT / "dicecup"), "score", "yatzy", "3", "3", "3", "6", "6"],
}


def seconds(command: list[str]) -> list[float]:
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - began)
    return taken


def main() -> None:
    print(f"{'command':<24} {'best, s':>8} {'median, s':>10}")
    for name, command in COMMANDS.items():
        taken = seconds(command)
        print(f"{name:<24} {min(taken):>8.3f} {statistics.median(taken):>10.3f}")


if __name__ == "__main__":
    main()
