"""Records from strangers: bounded in size, and of no rules but those that come along."""

from __future__ import annotations

from dicecup.engine.record import Record
from dicecup.engine.record_text import record_from_text, split_lines
from dicecup.errors import RulesError
from dicecup.rules.loader import builtin_ids

MOST_LINES = 20_000


def read_upload(data: bytes) -> Record:
    """The record in an upload. Its `game` line could name a file of this machine: that is refused first."""
    lines, _ = split_lines(data)
    for line in lines[:200]:
        word, _, reference = line.text.partition(" ")
        if word == "game" and reference not in builtin_ids():
            raise RulesError("ruleset_unknown", ruleset=reference[:40], known=", ".join(builtin_ids()))
        if word == "begin":
            break
    record, _ = record_from_text(data)
    return record
