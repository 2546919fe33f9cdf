"""Tables on disk: a header, then one section a level. Memory-mapped, checked, never half-written."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dicecup.errors import StorageError
from dicecup.messages import problem_of
from dicecup.rules.model import Ruleset
from dicecup.solver.single.index import Array

MAGIC = b"dicecup\n"
FORMAT = 1
HEADER_BYTES = 1 << 16
ALIGNMENT = 64
# Checking every byte of a table this large takes a second: done once, and again when the file changed.
CHECK_ALWAYS = 1 << 26
CHUNK = 1 << 24

Encoding = Literal["plain", "packed"]


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
    """What a table is: of which rules, how exact, and where its levels are."""

    ruleset: str
    identity: str
    precision: int
    encoding: Encoding
    states: int
    backend: str
    expected: float = 0.0
    sections: list[Section] = field(default_factory=list)
    format: int = FORMAT


def table_path(folder: Path, rules: Ruleset, precision: int) -> Path:
    return folder / f"{rules.id}-{rules.identity[:16]}-{precision}.table"


def damaged(path: Path) -> StorageError:
    return StorageError("table_damaged", file=path)


def encode_header(header: TableHeader) -> bytes:
    """A magic word, a checksum, the length, the header as JSON."""
    text = json.dumps(asdict(header)).encode()
    body = struct.pack("<I", len(text)) + text
    block = MAGIC + hashlib.sha256(body).digest() + body
    return block.ljust(HEADER_BYTES, b"\0")


def decode_header(block: bytes, path: Path) -> TableHeader:
    start = len(MAGIC) + 32
    try:
        (length,) = struct.unpack_from("<I", block, start)
        body = block[start : start + 4 + length]
        if not block.startswith(MAGIC) or hashlib.sha256(body).digest() != block[len(MAGIC) : start]:
            raise damaged(path)
        data = json.loads(body[4:])
        if data["format"] != FORMAT:
            raise StorageError("table_format", file=path, found=data["format"], expected=FORMAT)
        sections = [
            Section(**(section | {"parts": tuple(Part(**part) for part in section["parts"])}))
            for section in data.pop("sections")
        ]
        return TableHeader(**data, sections=sections)
    except (struct.error, ValueError, KeyError, TypeError):
        raise damaged(path) from None


def write_section(path: Path, offset: int, open_boxes: int, arrays: dict[str, Array]) -> Section:
    """Write the arrays of a level from `offset` on; what stood there, of a run that was killed, goes."""
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
    """The table of these rules, checked; an error says what is wrong with it."""
    try:
        with path.open("rb") as stream:
            header = decode_header(stream.read(HEADER_BYTES), path)
        if header.identity != rules.identity:
            raise StorageError("table_of_other_rules", file=path, ruleset=header.ruleset)
        if header.precision != precision or path.stat().st_size != header.sections[-1].end:
            raise damaged(path)
        check(path, header)
        return TableFile(path, header)
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


def check(path: Path, header: TableHeader) -> None:
    """Compare the checksums; a large table that was checked and has not changed since is believed."""
    stamp_path, stamp = path.with_suffix(".checked"), stamp_of(path)
    large = path.stat().st_size > CHECK_ALWAYS
    if large and stamp_path.is_file() and stamp_path.read_text(encoding="ascii") == stamp:
        return
    if not sections_hold(path, header):
        raise damaged(path)
    if large:
        with suppress(OSError):  # where nothing can be written, a large table is checked each time
            write_aside(stamp_path, stamp.encode())


def sections_hold(path: Path, header: TableHeader) -> bool:
    """Whether every section is what was written."""
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


def write_aside(path: Path, data: bytes) -> None:
    """Write a small file so that it is there as a whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(data)
    aside.replace(path)


def arrays_of(values: Any) -> dict[str, Array]:
    """The arrays of a level by name."""
    return dict(values._asdict()) if hasattr(values, "_asdict") else {"values": values}
