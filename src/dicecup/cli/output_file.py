"""The file a command was asked to write: its path checked before the work, written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dicecup.errors import StorageError
from dicecup.messages import Phrase, problem_of


def check_writable(path: Path) -> None:
    """Notice a wrong path before the work begins that it would waste."""
    try:
        if path.is_dir():  # also a path without a name: “.”, “/” or nothing
            raise IsADirectoryError(errno.EISDIR, "")
        if path.exists() and not path.is_file():  # a device, say
            return
        aside = aside_of(path)
        try:
            aside.touch()
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def write_file(path: Path, content: bytes) -> None:
    """A full disk or a kill leaves what was there."""
    try:
        if path.exists() and not path.is_file():  # a device, say
            path.write_bytes(content)
            return
        aside = aside_of(path)
        try:
            aside.write_bytes(content)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def aside_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def unwritable(path: Path, error: OSError) -> StorageError:
    missing = isinstance(error, FileNotFoundError)  # what is written need not exist, so it is the folder
    problem = Phrase("system_folder_missing") if missing else problem_of(error)
    return StorageError("file_unwritable", file=path, problem=problem)
