"""Entry point of ./dicecup and ./check on every platform, once a Python interpreter is found.

    python -I -S tools/launch.py dicecup [ARGUMENT…]    set up what playing needs, then run the program
    python -I -S tools/launch.py check [ARGUMENT…]      set up everything, then run all checks
    python -I -S tools/launch.py install PART           install an extra of pyproject.toml

The set-up writes nothing to stdout and does not change the working directory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))  # -I leaves the script's folder out

from environment import WINDOWS, Environment, SetUpError  # noqa: E402
from setup_texts import tell  # noqa: E402

FAILED, INTERRUPTED = 2, 130


def main(name: str, *arguments: str) -> int:
    if name == "check" and arguments[:1] in {("-h",), ("--help",)}:
        print((ROOT / "tools" / "check-help.txt").read_text(encoding="utf-8"), end="")
        return 0
    for variable in ("PYTHONHOME", "PYTHONPATH"):
        os.environ.pop(variable, None)
    if name == "install":
        return install(*arguments)
    environment = Environment(ROOT, name)
    try:
        environment.set_up("check" if name == "check" else "run")
    except SetUpError as error:
        tell(name, error.sentence, **error.values)
        return FAILED
    if name == "check":
        import checks

        return checks.run_all(ROOT, str(environment.python), list(arguments))
    return run([str(environment.python), "-P", "-m", "dicecup", *arguments])


def install(part: str) -> int:
    """Install an extra for the running program, which reports failures itself."""
    try:
        Environment(ROOT, "dicecup").set_up(part)
    except SetUpError:
        return FAILED
    return 0


def run(command: list[str]) -> int:
    """Replace this process by the command; on Windows, run it and return its exit status."""
    if not WINDOWS:
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the program receives Ctrl-C too and decides what it means
            continue


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
