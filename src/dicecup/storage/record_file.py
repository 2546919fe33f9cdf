"""A record as an append-only file that survives crashes.

Every line is on disk before the game continues. A partial line left by a killed process is removed when the
file is opened again; a full disk leaves the file intact. Only one program at a time can write.

The secret of verifiable dice is stored next to the record, readable by its owner only, until it is revealed.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dicecup.engine.record import Header, Record
from dicecup.engine.record_text import MOST_BYTES, RecordWriter, last_check, record_from_text, record_to_text
from dicecup.errors import Phrase, StorageError, problem_of
from dicecup.installation import check_replaceable
from dicecup.rules.house import is_house
from dicecup.rules.loader import builtin_ids, rules_beside

if TYPE_CHECKING:
    from dicecup.match import Change

BINARY = getattr(os, "O_BINARY", 0)  # else Windows translates line ends


def read_record(path: Path) -> Record:
    """Read the record in a file without locking it."""
    record, _ = record_from_text(read_bytes(path), rules_beside(path.parent))
    return record


def read_bytes(path: Path, descriptor: int | None = None) -> bytes:
    """Read a file, through the descriptor that holds its lock if given: Windows allows no other."""
    try:
        if path.exists() and not path.is_dir() and not path.is_file():
            # Reading a pipe would block forever.
            raise StorageError("file_unreadable", file=path, problem=Phrase("system_device"))
        with open(path if descriptor is None else descriptor, "rb", closefd=descriptor is None) as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise StorageError("file_unreadable", file=path, problem=problem_of(error)) from None


class RecordFile:
    """An open record file: its record, and appending to it."""

    def __init__(
        self, path: Path, descriptor: int, record: Record, writer: RecordWriter, size: int = 0
    ) -> None:
        self.path = path
        self.size = size  # the number of valid bytes
        self.descriptor = descriptor
        self.record = record
        self.writer = writer

    @classmethod
    def create(cls, path: Path, header: Header, secret: bytes | None = None) -> RecordFile:
        """Create a file with the header. An existing file is never overwritten."""
        writer = RecordWriter()
        text = writer.header(header, rules_beside(path.parent))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | BINARY, 0o644)
        except FileExistsError:
            raise StorageError("file_exists", file=path) from None
        except OSError as error:
            raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None
        file = cls(path, descriptor, Record(header), writer)
        try:
            lock(descriptor, path)
            if secret is not None:
                write_secret(secret_path(path), secret)
            file.write(text)
        except BaseException:
            file.close()
            path.unlink()
            secret_path(path).unlink(missing_ok=True)
            raise
        return file

    @classmethod
    def open(cls, path: Path) -> RecordFile:
        """Open an existing record to continue it; a partial last line is removed."""
        try:
            descriptor = os.open(path, os.O_RDWR | BINARY)
        except OSError as error:
            raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None
        try:
            lock(descriptor, path)
            data = read_bytes(path, descriptor)
            record, whole = record_from_text(data, rules_beside(path.parent))
            file = cls(path, descriptor, record, RecordWriter(last_check(data[:whole])), whole)
            file.write("")
        except BaseException:
            os.close(descriptor)
            raise
        return file

    def save(self, change: Change) -> None:
        """Append the lines of a match's change and flush them to disk."""
        writer = RecordWriter(self.writer.check)
        self.write("".join(writer.line(text) for text in change.texts))
        self.writer = writer
        self.record = change.after

    def write(self, text: str) -> None:
        """Write after the last valid line, overwriting what an earlier failure left behind it."""
        data = text.encode()
        try:
            os.ftruncate(self.descriptor, self.size)
            os.lseek(self.descriptor, self.size, os.SEEK_SET)
            rest = data
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
            os.fsync(self.descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self.descriptor, self.size)
            raise StorageError("file_unwritable", file=self.path, problem=problem_of(error)) from None
        self.size += len(data)

    def secret(self) -> bytes | None:
        """Return the secret stored next to the record, if there is one."""
        return read_secret(self.path)

    def forget_secret(self) -> None:
        """Delete the file of a secret that has been revealed in the record."""
        secret_path(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        os.close(self.descriptor)


def write_record(path: Path, record: Record, secret: bytes | None = None, *, overwrite: bool = False) -> None:
    """Write a whole record to a new file, and its secret beside it until it is revealed."""
    header = record.header
    if header.reference not in builtin_ids() and not is_house(header.reference):
        header = replace(header, reference=os.path.relpath(header.rules.reference, path.parent))
    text = record_to_text(replace(record, header=header), rules_beside(path.parent))
    check_replaceable(path)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if not overwrite and path.exists():
            raise StorageError("file_exists", file=path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if secret is not None and header.origin.kind == "verifiable" and record.secret is None:
            write_secret(secret_path(path), secret)
        else:
            secret_path(path).unlink(missing_ok=True)
        aside.write_text(text, encoding="utf-8", newline="\n")
        aside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None


def read_secret(path: Path) -> bytes | None:
    """Return the secret stored beside a record, if there is one."""
    try:
        return bytes.fromhex(secret_path(path).read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None


def secret_path(path: Path) -> Path:
    return path.with_name(path.name + ".secret")


def write_secret(path: Path, secret: bytes) -> None:
    """Write the secret file, overwriting one left over from a deleted record."""
    try:
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(secret.hex() + "\n")
            stream.flush()
            os.fsync(descriptor)
    except OSError as error:
        raise StorageError("file_unwritable", file=path, problem=problem_of(error)) from None


def lock(descriptor: int, path: Path) -> None:
    """Lock the file for this program until it is closed."""
    from filelock import lock_descriptor

    with contextlib.suppress(OSError):  # a platform or a file system without locks
        if not lock_descriptor(descriptor, blocking=False):
            raise StorageError("file_in_use", file=path)
