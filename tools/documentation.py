"""Build the documentation site into build/site, strictly, and check that it needs no other host.

    .venv/bin/python tools/documentation.py

A broken link, a missing anchor and a page that is not in the navigation are errors. So is anything that a
browser would load from another host: only plain links may lead there. Needs no network.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"
ELSEWHERE = re.compile(r"(https?:)?//", re.IGNORECASE)
LOADED_BY_STYLE = re.compile(r"""(?:url\(|@import)\s*['"]?((?:https?:)?//[^'")\s]+)""", re.IGNORECASE)
# Parts of the theme whose scripts ask another host: facts about a repository, and Mermaid.
ASKING = ('data-md-component="source"', 'class="mermaid"')


class Loaded(HTMLParser):
    """Collect the addresses that a browser loads by itself when it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        names = ["src", "srcset", "poster", "data", "style"]
        if tag == "link" and values.get("rel") != "canonical":
            names.append("href")
        self.found += [values[name] for name in names if name in values]


def loaded_from_elsewhere(folder: Path) -> Iterator[str]:
    """Yield what the pages and styles in a folder load from another host, with the file that does."""
    for path in sorted(folder.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        page = Loaded()
        page.feed(text)
        addresses = [address for address in page.found if ELSEWHERE.match(address.strip())]
        addresses += [part for part in ASKING if part in text]
        yield from (f"{path.relative_to(folder).as_posix()}: {address}" for address in addresses)
    for path in sorted(folder.rglob("*.css")):
        for address in LOADED_BY_STYLE.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder).as_posix()}: {address}"


def main() -> int:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(SITE)]
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        return 1
    found = list(loaded_from_elsewhere(SITE))
    for line in found:
        print(f"loaded from another host: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
