"""The record that a command is given, to be looked at."""

from __future__ import annotations

import sys
from pathlib import Path

from dicecup.cli.common import is_stdin
from dicecup.engine.record import Record
from dicecup.engine.record_text import MOST_BYTES, record_from_text
from dicecup.storage.record_file import read_record


def given_record(path: Path) -> Record:
    """In a file, or on stdin for `-`."""
    if not is_stdin(path):
        return read_record(path)
    record, _ = record_from_text(sys.stdin.buffer.read(MOST_BYTES + 1))
    return record
