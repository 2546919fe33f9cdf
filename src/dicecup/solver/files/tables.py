"""Files of values: tables of games of one layer on disk, and the values that come with the package.

A table is a header, then one section a level, memory-mapped and checked; no reader ever sees a half-
written one. Shipped values are found by the identity of the rules.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dicecup.errors import StorageError, problem_of
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array

MAGIC = b"dicecup\n"
FORMAT = 1
HEADER_BYTES = 1 << 16
ALIGNMENT = 64
# Checking every byte of a table this large takes a second: done once, and again when the file changed.
CHECK_ALWAYS = 1 << 26
CHUNK = 1 << 24

Encoding = Literal["plain", "packed", "rows"]


@dataclass(frozen=True)
class Part:
    """One array of a section."""

    name: str
    offset: int
    count: int
    dtype: str


@dataclass(frozen=True)
class Section:
    """One level."""

    open_boxes: int
    parts: tuple[Part, ...]
    end: int
    checksum: str


@dataclass
class TableHeader:
    """The header of a table: its rules, its precision, and the position of its levels."""

    ruleset: str
    identity: str
    precision: int
    encoding: Encoding
    states: int
    backend: str
    expected: float = 0.0
    sections: list[Section] = field(default_factory=list)
    format: int = FORMAT


def table_path(folder: Path, rules: Ruleset, precision: int | str) -> Path:
    """Return the path of the table of these rules: their id and identity are in the file name.

    So the same rules under another id are solved once, also by two processes at the same time.
    """
    name = f"{rules.identity[:16]}-{precision}"
    for kind in ("table", "progress", "lock"):
        if found := sorted(folder.glob(f"*-{name}.{kind}")):
            return found[0].with_suffix(".table")
    return folder / f"{rules.id}-{name}.table"


def damaged(path: Path | Traversable) -> StorageError:
    return StorageError("table_damaged", file=path)


def check_header(found: Mapping[str, Any], rules: Ruleset, path: Path | Traversable) -> None:
    """Raise an error if a table is of other rules or of another format."""
    if found["identity"] != rules.identity:
        raise StorageError("table_of_other_rules", file=path, ruleset=found["ruleset"])
    if found["format"] != FORMAT:
        raise StorageError("table_format", file=path, found=found["format"], expected=FORMAT)


def encode_header(header: TableHeader) -> bytes:
    """Return a magic word, a checksum, the length, and the header as JSON."""
    text = json.dumps(asdict(header)).encode()
    body = struct.pack("<I", len(text)) + text
    block = MAGIC + hashlib.sha256(body).digest() + body
    return block.ljust(HEADER_BYTES, b"\0")


def decode_header(block: bytes, rules: Ruleset, path: Path) -> TableHeader:
    """Return the header; an error says so if it is damaged, or the table is not of these rules."""
    start = len(MAGIC) + 32
    try:
        (length,) = struct.unpack_from("<I", block, start)
        body = block[start : start + 4 + length]
        if not block.startswith(MAGIC) or hashlib.sha256(body).digest() != block[len(MAGIC) : start]:
            raise damaged(path)
        data = json.loads(body[4:])
        check_header(data, rules, path)
        header = TableHeader(**(data | {"sections": sections_from_data(data["sections"])}))
        if not sections_fit(header.sections) or len(header.sections) != len(rules.boxes) + 1:
            raise damaged(path)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        raise damaged(path) from None
    return header


def sections_fit(sections: list[Section]) -> bool:
    """Return whether there is a section for every level, each with arrays that lie one after the other."""
    end = HEADER_BYTES
    for number, section in enumerate(sections):
        if section.open_boxes != number or not any(part.count for part in section.parts):
            return False
        for part in section.parts:
            if part.offset < end or part.count < 0:
                return False
            end = part.offset + part.count * np.dtype(part.dtype).itemsize
        if section.end < end:
            return False
        end = section.end
    return bool(sections)


def sections_from_data(data: list[dict[str, Any]]) -> list[Section]:
    return [
        Section(**(section | {"parts": tuple(Part(**part) for part in section["parts"])})) for section in data
    ]


class TableWriter:
    """A table that is being written, level by level, under another name until it is whole."""

    def __init__(self, path: Path, header: TableHeader) -> None:
        self.path = path
        self.header = header
        self.part = path.with_suffix(".part")

    def start(self) -> None:
        """Start an empty table."""
        self.header.sections = []
        self.part.write_bytes(bytes(HEADER_BYTES))

    def resume(self, sections: list[dict[str, Any]]) -> bool:
        """Continue a table that an earlier run began; return False if these sections are not in the file."""
        self.header.sections = sections_from_data(sections)
        try:
            return sections_fit(self.header.sections) and sections_hold(self.part, self.header)
        except OSError:
            return False

    def add(self, open_boxes: int, encoded: object) -> list[dict[str, Any]]:
        """Write the next level; return all sections so far, as `resume` takes them."""
        end = self.header.sections[-1].end if self.header.sections else HEADER_BYTES
        self.header.sections.append(write_section(self.part, end, open_boxes, arrays_of(encoded)))
        return [asdict(section) for section in self.header.sections]

    def finish(self, expected: float) -> None:
        """Write the header and give the table its name."""
        self.header.expected = expected
        with self.part.open("r+b") as stream:
            stream.write(encode_header(self.header))
            stream.flush()
            os.fsync(stream.fileno())
        self.part.replace(self.path)


def write_section(path: Path, offset: int, open_boxes: int, arrays: dict[str, Array]) -> Section:
    """Write the arrays of a level from `offset` on; cut off what a killed run left there."""
    digest = hashlib.sha256()
    parts = []
    with path.open("r+b") as stream:
        stream.truncate(offset)
        stream.seek(offset)
        for name, array in arrays.items():
            parts.append(Part(name, offset, len(array), array.dtype.str))
            data = np.ascontiguousarray(array).data.cast("B")
            padding = bytes(-len(data) % ALIGNMENT)
            for piece in (data, padding):
                stream.write(piece)
                digest.update(piece)
            offset += len(data) + len(padding)
    return Section(open_boxes, tuple(parts), offset, digest.hexdigest())


class TableFile:
    """An open table: its header, and its arrays mapped into memory."""

    def __init__(self, path: Path, header: TableHeader) -> None:
        self.path = path
        self.header = header
        self.data = np.memmap(path, dtype=np.uint8, mode="r")

    def arrays(self, open_boxes: int) -> dict[str, Array]:
        section = self.header.sections[open_boxes]
        return {
            part.name: np.asarray(self.data)[part.offset :][
                : part.count * np.dtype(part.dtype).itemsize
            ].view(part.dtype)
            for part in section.parts
        }


def open_table(path: Path, rules: Ruleset, precision: int) -> TableFile:
    """Return the table of these rules, checked; an error says what is wrong with it."""
    try:
        with path.open("rb") as stream:
            header = decode_header(stream.read(HEADER_BYTES), rules, path)
        if header.precision != precision or path.stat().st_size != header.sections[-1].end:
            raise damaged(path)
        check(path, header)
        return TableFile(path, header)
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


def check(path: Path, header: TableHeader) -> None:
    """Compare the checksums; a large table that was checked before and has not changed since is trusted."""
    stamp_path, stamp = path.with_suffix(".checked"), stamp_of(path)
    large = path.stat().st_size > CHECK_ALWAYS
    if large and stamp_path.is_file() and stamp_path.read_text(encoding="ascii") == stamp:
        return
    if not sections_hold(path, header):
        raise damaged(path)
    if large:
        with suppress(OSError):  # where nothing can be written, a large table is checked each time
            replace_file(stamp_path, stamp.encode())


def sections_hold(path: Path, header: TableHeader) -> bool:
    """Return whether every section is as it was written."""
    with path.open("rb") as stream:
        for section in header.sections:
            start = section.parts[0].offset
            stream.seek(start)
            if read_digest(stream.read, section.end - start) != section.checksum:
                return False
    return True


def stamp_of(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def read_digest(read: Callable[[int], bytes], length: int) -> str:
    digest = hashlib.sha256()
    while length > 0:
        piece = read(min(length, CHUNK))
        if not piece:
            break
        digest.update(piece)
        length -= len(piece)
    return digest.hexdigest()


def replace_file(path: Path, *pieces: bytes | memoryview) -> None:
    """Write a file under another name first, so that it appears whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as stream:
            for piece in pieces:
                stream.write(piece)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Report errors of the system inside as errors about this file."""
    try:
        yield
    except OSError as error:
        raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None


def arrays_of(values: Any) -> dict[str, Array]:
    """Return the arrays of a level by name."""
    return dict(values._asdict()) if hasattr(values, "_asdict") else {"values": values}


QUICK_PREFIX = "quick-"


def weights_name(rules: Ruleset, *, quick: bool = False) -> str:
    """Return the name under which the weights of a learned value, or of a quick one, are stored."""
    return f"{QUICK_PREFIX if quick else ''}{rules.id}-{rules.identity[:16]}.npz"


def weights_file(rules: Ruleset, *, quick: bool = False) -> Traversable | None:
    """Return the weights of these rules that came with the package, whatever the id of the rules then was."""
    ending = f"-{rules.identity[:16]}.npz"
    for file in files("dicecup.solver.learned").joinpath("data").iterdir():
        if file.name.endswith(ending) and file.name.startswith(QUICK_PREFIX) == quick:
            return file
    return None


def has_weights(rules: Ruleset) -> bool:
    return weights_file(rules) is not None


MOST_HOUSE_BYTES = 1_000_000_000  # of all tables of house rules


def forget_oldest(folder: Path, most: int = MOST_HOUSE_BYTES) -> None:
    """Remove the tables of a folder that were made first until the others take no more room than this."""
    tables = sorted(folder.glob("*.table"), key=lambda path: path.stat().st_mtime, reverse=True)
    room = most
    for number, path in enumerate(tables):
        room -= path.stat().st_size
        if room < 0 and number:  # the newest one stays: somebody has just asked for it
            path.unlink(missing_ok=True)
