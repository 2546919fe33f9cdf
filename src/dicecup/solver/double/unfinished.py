"""A solve in the making: the levels done so far stay on disk, so that the next run goes on from there."""

from __future__ import annotations

import fcntl
import hashlib
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from dicecup.errors import StorageError
from dicecup.solver.tables import write_aside

DIGEST_BYTES = 32


class Unfinished:
    """The levels of one unfinished table, a file each: a checksum, then 64-bit values, the first sheet first.

    The folder's name carries the identity of the rules, as the table's does. Only one process can hold it.
    """

    def __init__(self, table: Path) -> None:
        self.folder = table.with_suffix(".unfinished")

    def __enter__(self) -> Unfinished:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.lock.close()
            raise StorageError("solve_running", file=self.folder) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.close()

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
