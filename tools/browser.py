"""Find a Chromium or Chrome for the browser tests, and install one if there is none.

    python tools/browser.py

Prints the path of the browser; exits with status 1 if none was found and none could be installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The headless shells come first: they need half the processor time and half the download.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
NAMES = (*SHELLS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PACKAGES = ("chromium-headless-shell", "chromium")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/snap/bin/chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
FOLDER = Path(sys.prefix) / "browsers"  # inside .venv: nothing is written outside the clone
MINUTES = 5


def find_browser() -> str | None:
    """Return the browser named by DICECUP_BROWSER, else an installed one, else one downloaded earlier."""
    named = os.environ.get("DICECUP_BROWSER")
    found: list[str | None] = [named] if named else [shutil.which(name) for name in NAMES]
    if not named:
        found += PLACES
        found += [
            str(path)
            for path in sorted(FOLDER.glob("chromium*/chrome-*/*"))
            if path.name.removesuffix(".exe") in NAMES
        ]
        found += [str(path) for path in sorted(FOLDER.glob("chromium*/chrome-*/*.app/Contents/MacOS/*"))]
    return next((path for path in found if path and starts(path)), None)


def starts(path: str) -> bool:
    """Return whether the browser runs; a downloaded one may lack system libraries."""
    if not os.access(path, os.X_OK):
        return False
    if sys.platform == "win32":
        return True  # asked for its version, it would open a window there, and it lacks no libraries
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return asked.returncode == 0


def get_browser() -> str | None:
    """Download a browser into .venv, or install one with the package manager if we are root."""
    environment = os.environ | {"PLAYWRIGHT_BROWSERS_PATH": str(FOLDER)}
    attempts = [[sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        install = [f"apt-get install -y --no-install-recommends {package}" for package in PACKAGES]
        attempts.insert(0, ["sh", "-c", f"apt-get update && {{ {' || '.join(install)}; }}"])
    for attempt in attempts:
        try:
            subprocess.run(
                attempt,
                env=environment,
                check=True,
                timeout=MINUTES * 60,
                stdout=sys.stderr,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if found := find_browser():
            return found
    return None


def main() -> int:
    found = find_browser() or get_browser()
    if found is None:
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
