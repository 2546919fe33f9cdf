#!/usr/bin/env python3
"""Extract messages into the gettext catalogues, and compile the catalogues.

    python tools/catalogues.py extract [--check]
    python tools/catalogues.py compile

The msgids are in English; each other language has one catalogue,
src/dicecup/i18n/locale/<language>/LC_MESSAGES/dicecup.po. Extraction needs Babel, which only ./check
installs; compilation needs only polib.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

ROOT = Path(__file__).resolve().parent.parent
KEYWORDS = {
    "_": None,
    "N_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
LINE = re.compile(r'(#.*|((msgctxt|msgid|msgid_plural|msgstr(\[\d\])?) )?"([^"\\]|\\.)*")?')


def locale_dir(root: Path) -> Path:
    return root / "src" / "dicecup" / "i18n" / "locale"


def catalogues(root: Path) -> list[Path]:
    return sorted(locale_dir(root).glob("*/LC_MESSAGES/dicecup.po"))


class CatalogueError(Exception):
    """Raised when a catalogue cannot be parsed; the message names file and line."""


def read(path: Path) -> Catalog:
    from babel.messages.pofile import PoFileError, read_po

    try:
        with path.open("rb") as file:
            return read_po(file, locale=path.parent.parent.name, domain="dicecup", abort_invalid=True)
    except (PoFileError, ValueError) as error:
        raise CatalogueError(f"{path}: {error}") from error


def template(root: Path) -> Catalog:
    """Return all messages in the source in a fixed order, with locations but without line numbers."""
    from babel.messages.catalog import Catalog
    from babel.messages.extract import extract_from_dir

    source = root / "src" / "dicecup"
    found = extract_from_dir(
        source,
        method_map=[("**.py", "python"), ("**.html", "jinja2")],
        keywords=KEYWORDS,
        comment_tags=("i18n:",),
        strip_comment_tags=True,
    )
    catalog = Catalog(project="dicecup", charset="utf-8")
    for name, _line, message, comments, context in sorted(found, key=lambda entry: entry[:2]):
        location = [(f"src/dicecup/{Path(name).as_posix()}", 0)]
        catalog.add(message, None, location, auto_comments=comments, context=context)
    return catalog


def render(catalog: Catalog, language: str | None, comment: str) -> bytes:
    """Return the text of a .po file, without dates, versions or line numbers."""
    from babel.messages.pofile import write_po

    out = BytesIO()
    write_po(out, catalog, width=100, omit_header=True, ignore_obsolete=True, include_lineno=False)
    header = [comment + 'msgid ""', 'msgstr ""']
    if language:
        header += [f'"Language: {language}\\n"', f'"Plural-Forms: {catalog.plural_forms}\\n"']
    header += [
        '"MIME-Version: 1.0\\n"',
        '"Content-Type: text/plain; charset=utf-8\\n"',
        '"Content-Transfer-Encoding: 8bit\\n"',
    ]
    return ("\n".join(header) + "\n\n").encode() + out.getvalue().strip() + b"\n"


def updated(po: Path, new: Catalog) -> bytes:
    catalog = read(po)
    catalog.update(new, no_fuzzy_matching=True, update_header_comment=False)
    lines = po.read_text(encoding="utf-8").splitlines(keepends=True)
    comment = "".join(takewhile(lambda line: line.startswith("#"), lines))
    return render(catalog, po.parent.parent.name, comment)


def extract(root: Path, *, check: bool) -> Iterator[Path]:
    """Update the template and the catalogues; yield the files that change (or would change)."""
    new = template(root)
    pot = locale_dir(root) / "dicecup.pot"
    for po in catalogues(root):
        text = updated(po, new)
        if text != po.read_bytes():
            if not check:
                replace(po, text)
            yield po
    if not check and pot.parent.is_dir():
        replace(pot, render(new, None, ""))


def compile_all(root: Path) -> list[Path]:
    """Write a .mo file next to each .po file."""
    written = []
    for po in catalogues(root):
        mo = po.with_suffix(".mo")
        replace(mo, compiled(po))
        written.append(mo)
    return written


def compiled(po: Path) -> bytes:
    """The .mo file of a .po file. Faults that polib would pass over are refused."""
    import polib

    try:
        text = po.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            if not LINE.fullmatch(line):
                raise ValueError(f"line {number} is neither a comment nor a quoted text")
        catalogue = polib.pofile(text)
        if "Plural-Forms" not in catalogue.metadata and any(entry.msgid_plural for entry in catalogue):
            raise ValueError("there are plurals, but no header Plural-Forms")
        binary: bytes = catalogue.to_binary()
    except (OSError, ValueError) as error:
        raise CatalogueError(f"{po}: {error}") from error
    return binary


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically, so that no reader sees a partial one."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract and compile the gettext catalogues.")
    commands = parser.add_subparsers(dest="command", required=True)
    extracting = commands.add_parser("extract", help="update the .po files from the source")
    extracting.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file would change"
    )
    commands.add_parser("compile", help="write a .mo file for each .po file")
    args = parser.parse_args()
    try:
        if args.command == "compile":
            compile_all(ROOT)
            return 0
        changed = list(extract(ROOT, check=args.check))
    except CatalogueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in changed:
        print(path.relative_to(ROOT), "is out of date" if args.check else "updated")
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
