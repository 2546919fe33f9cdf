"""What ./dicecup and ./check do on every system once a Python is found.

    python -I -S tools/launch.py dicecup [ARGUMENT…]    set up what playing needs, then run the program
    python -I -S tools/launch.py check [ARGUMENT…]      set up everything, then run all checks
    python -I -S tools/launch.py install PART           install what an extra of pyproject.toml names

The set-up writes nothing to stdout and stays in the working directory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))  # an isolated Python leaves out the folder of the script

from environment import WINDOWS, Environment, SetUpError  # noqa: E402

FAILED, INTERRUPTED = 2, 130


def main(name: str, *arguments: str) -> int:
    if name == "check" and arguments[:1] in {("-h",), ("--help",)}:
        print((ROOT / "tools" / "check-help.txt").read_text(encoding="utf-8"), end="")
        return 0
    for variable in ("PYTHONHOME", "PYTHONPATH"):
        os.environ.pop(variable, None)
    environment = Environment(ROOT, "dicecup" if name == "install" else name)
    try:
        if name == "install":
            environment.set_up(*arguments)
            return 0
        environment.set_up("check" if name == "check" else "run")
    except SetUpError:
        return FAILED
    if name == "check":
        import checks

        return checks.run_all(ROOT, str(environment.python), list(arguments))
    return run([str(environment.python), "-P", "-m", "dicecup", *arguments])


def run(command: list[str]) -> int:
    """Become the command; on Windows, where that is impossible, wait for it and return its status."""
    if not WINDOWS:
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # Ctrl-C is for the program, which has got it too
            continue


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
