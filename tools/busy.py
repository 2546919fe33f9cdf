"""Run the browser and web tests again and again on a machine that is kept busy.

    .venv/bin/python tools/busy.py                              # ten rounds beside four busy loops
    .venv/bin/python tools/busy.py --rounds 1 tests/browser     # other rounds, loops, tests
    .venv/bin/python tools/busy.py -- -k keyboard -n 2          # arguments for pytest
    .venv/bin/python tools/busy.py --rounds 1 --loops 0 --late-events 500 tests/browser

A test that passes here does not depend on speed. The last example lets pages see live events half a second
late (`--late-answers`: answers to requests), which finds immediately what a busy machine finds occasionally.
Prints one line per round, the tests that failed, and a summary. The loops end with this program, however it
ends. Exit status: 0 if every round passed, 1 if not.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ["tests/browser", "tests/web"]
LATE = ("events", "answers")  # see tests/browser/late.py
# It also ends when its parent is killed, which cannot clean up.
LOOP = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
BROKEN = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-I", "-c", LOOP, str(os.getpid())]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


def run_tests(arguments: list[str], late: dict[str, str]) -> tuple[int, str]:
    """Return the exit status of pytest and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=short", *arguments],
        cwd=ROOT,
        env=os.environ | late,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--loops", type=int, default=4)
    for what in LATE:
        parser.add_argument(f"--late-{what}", type=int, default=0, metavar="MILLISECONDS")
    parser.add_argument("arguments", nargs="*", help="tests, and after -- options, for pytest")
    chosen = parser.parse_args()
    arguments = chosen.arguments
    if not arguments or arguments[0].startswith("-"):
        arguments = [*TESTS, *arguments]
    late = {f"DICECUP_LATE_{what.upper()}": str(vars(chosen)[f"late_{what}"]) for what in LATE}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    passed, broken = 0, Counter[str]()
    with busy_loops(chosen.loops):
        for number in range(1, chosen.rounds + 1):
            start = time.monotonic()
            status, output = run_tests(arguments, late)
            passed += status == 0
            broken.update(BROKEN.findall(output))
            result = "passed" if status == 0 else f"failed with status {status}"
            print(f"round {number}: {result}, {time.monotonic() - start:.0f} s", flush=True)
            if status:
                print(output, flush=True)
    for test, times in broken.most_common():
        print(f"{times} times: {test}")
    print(f"{passed} of {chosen.rounds} rounds passed beside {chosen.loops} busy loops")
    return 0 if passed == chosen.rounds else 1


if __name__ == "__main__":
    sys.exit(main())
