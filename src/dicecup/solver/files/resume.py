"""Unfinished solves: every solved level is saved, so that the next run resumes from there."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock, Timeout

from dicecup.errors import StorageError
from dicecup.solver.arrays import Array
from dicecup.solver.files.tables import TableHeader, replace_file

DIGEST_BYTES = 32
LENGTH = struct.Struct("<I")


class SavedLevel(NamedTuple):
    """The values of one level, as far as they were solved, and what was noted with them."""

    values: Array
    note: Any


class UnfinishedSolve:
    """The levels of a table that are solved already, in a file each beside it.

    A file holds a checksum, which rules and precision it is of, a note of the solver, and the values. Only
    one process at a time can enter; the others are refused, or wait. The lock file is never removed:
    processes that hold different files of the same name would not exclude each other.
    """

    def __init__(self, table: Path, header: TableHeader, *, wait: bool = False) -> None:
        self.table = table
        self.wait = wait
        self.lock = FileLock(table.with_suffix(".lock"))
        names = ("identity", "precision", "encoding", "states", "format")
        self.stamp = {name: getattr(header, name) for name in names}

    def __enter__(self) -> UnfinishedSolve:
        self.table.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.lock.acquire(blocking=self.wait)
        except Timeout:
            raise StorageError("solve_running", file=self.table) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.release()

    def path(self, level: int) -> Path:
        return self.table.with_suffix(f".level{level}")

    def paths(self) -> list[Path]:
        return list(self.table.parent.glob(f"{self.table.stem}.level*"))

    def levels(self) -> list[int]:
        """Return the levels that were saved, even in part."""
        endings = (path.suffix.removeprefix(".level") for path in self.paths())
        return sorted(int(ending) for ending in endings if ending.isdecimal())

    def save(self, level: int, values: Array, note: object = None) -> None:
        """Save the values of a level, as far as they are solved."""
        head = json.dumps({"stamp": self.stamp, "note": note}).encode()
        data = np.ascontiguousarray(values).data.cast("B")
        digest = hashlib.sha256(head)
        digest.update(data)
        replace_file(self.path(level), digest.digest(), LENGTH.pack(len(head)), head, data)

    def load(self, level: int, number: type[np.floating]) -> SavedLevel:
        """Return what was saved of a level: no values if the file is missing, damaged or of other rules."""
        try:
            with self.path(level).open("rb") as stream:
                digest = stream.read(DIGEST_BYTES)
                head = stream.read(*LENGTH.unpack(stream.read(LENGTH.size)))
                found = json.loads(head)
                size = os.fstat(stream.fileno()).st_size - stream.tell()
                values = np.fromfile(stream, dtype=number)
        except (OSError, ValueError, struct.error):
            return SavedLevel(np.empty(0, dtype=number), None)
        whole = hashlib.sha256(head)
        whole.update(values.data.cast("B"))
        if size != values.nbytes or whole.digest() != digest or found["stamp"] != self.stamp:
            return SavedLevel(values[:0], None)
        return SavedLevel(values, found["note"])

    def forget(self, level: int) -> None:
        """Remove a level that is no longer needed."""
        self.path(level).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything that was saved: the table is in its place."""
        for path in self.paths():
            path.unlink(missing_ok=True)
