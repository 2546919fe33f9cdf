"""Unfinished solves: every finished level stays on disk, so that the next run resumes from there."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from dicecup.errors import StorageError
from dicecup.solver.files.tables import (
    HEADER_BYTES,
    TableHeader,
    arrays_of,
    decode_header,
    encode_header,
    sections_hold,
    write_aside,
    write_section,
)
from dicecup.solver.single.cpu import empty_level
from dicecup.solver.single.index import Array, Index


def acquire(lock: FileLock, file: Path) -> None:
    try:
        lock.acquire()
    except Timeout:
        raise StorageError("solve_running", file=file) from None


class UnfinishedTable:
    """The files of one unfinished table. Only one process at a time can hold it; the others are refused, or
    `wait`. The lock stays where it is: a file that is gone would lock nobody out."""

    def __init__(self, path: Path, header: TableHeader, *, wait: bool = False) -> None:
        self.path = path
        self.header = header
        self.part, self.progress = path.with_suffix(".part"), path.with_suffix(".progress")
        self.lock = FileLock(path.with_suffix(".lock"), blocking=wait)

    def __enter__(self) -> UnfinishedTable:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        acquire(self.lock, self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.release()

    def level_path(self, open_boxes: int) -> Path:
        return self.path.with_suffix(f".level{open_boxes}")

    def resume(self, index: Index) -> Array | None:
        """Take up what an earlier run left: its last level, or None if there is nothing to go on with."""
        try:
            data = json.loads(self.progress.read_text(encoding="utf-8"))
            found = decode_header(bytes.fromhex(data["header"]), self.progress)
            wanted = asdict(self.header) | {"sections": None, "backend": None}
            if asdict(found) | {"sections": None, "backend": None} != wanted:
                return None
            size = index.level(len(found.sections) - 1).size
            values = empty_level(size, self.header.precision)
            raw = np.fromfile(self.level_path(len(found.sections) - 1), dtype=values.dtype)
            if len(raw) != size or checksum(raw) != data["checksum"] or not sections_hold(self.part, found):
                return None
            values[:size] = raw
        except (OSError, ValueError, KeyError, TypeError, StorageError):
            return None
        self.header = found
        return values

    def begin(self) -> None:
        """Start from nothing."""
        self.header.sections = []
        self.part.write_bytes(bytes(HEADER_BYTES))

    def add(self, open_boxes: int, values: Array, encoded: object) -> None:
        """A level is done: `values` as solved, `encoded` as the table keeps it."""
        end = self.header.sections[-1].end if self.header.sections else HEADER_BYTES
        self.header.sections.append(write_section(self.part, end, open_boxes, arrays_of(encoded)))
        values.tofile(self.level_path(open_boxes))
        header = encode_header(self.header).rstrip(b"\0").hex()
        write_aside(self.progress, json.dumps({"checksum": checksum(values), "header": header}).encode())
        self.level_path(open_boxes - 1).unlink(missing_ok=True)

    def finish(self, expected: float) -> None:
        """Put the header in front and the table in its place."""
        self.header.expected = expected
        with self.part.open("r+b") as stream:
            stream.write(encode_header(self.header))
            stream.flush()
            os.fsync(stream.fileno())
        self.part.replace(self.path)
        for path in (self.progress, self.level_path(len(self.header.sections) - 1)):
            path.unlink(missing_ok=True)


def checksum(values: Array) -> str:
    return hashlib.sha256(values.data.cast("B")).hexdigest()


DIGEST_BYTES = 32


class UnfinishedDouble:
    """The levels of one unfinished table, a file each: a checksum, then 64-bit values, the first sheet first.

    The folder's name carries the identity of the rules, as the table's does. Only one process can hold it.
    """

    def __init__(self, table: Path) -> None:
        self.folder = table.with_suffix(".unfinished")
        self.lock = FileLock(self.folder / "lock", blocking=False)

    def __enter__(self) -> UnfinishedDouble:
        self.folder.mkdir(parents=True, exist_ok=True)
        acquire(self.lock, self.folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.release()

    def path(self, filled: int) -> Path:
        return self.folder / f"level-{filled:02}"

    def load(self, filled: int, most: int) -> npt.NDArray[Any]:
        """What is done of a level; nothing, if the file is not whole."""
        try:
            data = self.path(filled).read_bytes()
        except OSError:
            data = b""
        body = data[DIGEST_BYTES:]
        if len(body) % 8 or len(body) > 8 * most or hashlib.sha256(body).digest() != data[:DIGEST_BYTES]:
            return np.empty(0)
        return np.frombuffer(body)

    def save(self, filled: int, values: npt.NDArray[Any]) -> None:
        body = np.ascontiguousarray(values, dtype=np.float64).tobytes()
        write_aside(self.path(filled), hashlib.sha256(body).digest() + body)

    def remove(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()
        self.folder.rmdir()
