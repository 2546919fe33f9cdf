"""Build the turn of double dice for browsers: `python tools/turn_wasm.py [FILE]`, with clang and lld.

On Debian: `apt-get install clang lld`. Writes src/dicecup/solver/double/turn.wasm unless told otherwise.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src/dicecup/solver/double/turn.cpp"
BUILT_WITH = "clang version 14.0.6"  # others write other bytes
COMMAND = (
    *("clang", "--target=wasm32", "-std=c++17", "-O3", "-msimd128", "-mbulk-memory"),
    *("-nostdlib", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"),
    *("-Wl,--no-entry", "-Wl,--strip-all", "-Wl,--export-dynamic"),
)


def compiler() -> str:
    """Return the version of the compiler here; nothing if there is none that can do it."""
    if not (shutil.which("clang") and shutil.which("wasm-ld")):
        return ""
    found = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[0]


def build(file: Path) -> None:
    subprocess.run([*COMMAND, SOURCE.name, "-o", str(file.resolve())], cwd=SOURCE.parent, check=True)
    file.chmod(0o644)


def main() -> None:
    if not compiler():
        raise SystemExit("clang and lld are not installed")
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE.with_suffix(".wasm")
    build(file)
    print(f"{file}: {file.stat().st_size:,} bytes by {compiler()}")


if __name__ == "__main__":
    main()
