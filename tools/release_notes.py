"""Print the notes of a release from CHANGELOG.md, if tag, package, citation and changelog agree.

python tools/release_notes.py v0.2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/dicecup/dicecup"


class DisagreementError(Exception):
    """Two files name different versions or dates."""


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def only(pattern: str, text: str, what: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise DisagreementError(f"{what} is missing")
    return found[1]


def notes(root: Path, tag: str) -> str:
    """The section of the changelog for a tag."""
    version = tag.removeprefix("v")
    package = only(r'^__version__ = "(.+)"$', read(root, "src/dicecup/__init__.py"), "the package's version")
    citation = read(root, "CITATION.cff")
    changelog = read(root, "CHANGELOG.md")
    heading = rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$"
    date = only(heading, changelog, f"the section of {version} in CHANGELOG.md")
    newest = only(r"^## \[(\d[^\]]*)\]", changelog, "a release in CHANGELOG.md")
    expected = {
        "tag": (tag, f"v{version}"),
        "version of the package": (package, version),
        "newest release in CHANGELOG.md": (newest, version),
        "version in CITATION.cff": (only(r"^version: (.+)$", citation, "a version in CITATION.cff"), version),
        "date in CITATION.cff": (only(r"^date-released: (.+)$", citation, "a date in CITATION.cff"), date),
        "link of the release": (
            only(rf"^\[{re.escape(version)}\]: (.+)$", changelog, f"the link of {version} in CHANGELOG.md"),
            f"{REPOSITORY}/releases/tag/v{version}",
        ),
    }
    for what, (found, wanted) in expected.items():
        if found != wanted:
            raise DisagreementError(f"{what}: {found} instead of {wanted}")
    section = re.split(r"^## |^\[", re.split(heading, changelog, flags=re.MULTILINE)[2], flags=re.MULTILINE)[
        0
    ]
    return section.strip() + "\n"


def main() -> int:
    try:
        print(notes(ROOT, sys.argv[1]), end="")
    except DisagreementError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
