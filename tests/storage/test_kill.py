"""A program killed while writing: acknowledged data is in the file, and another program can continue."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

import dicecup
from dicecup.match import Match
from dicecup.storage.record_file import RecordFile, read_record

WRITER = """
import sys
from pathlib import Path
from dicecup.engine.record import DiceOrigin, Header
from dicecup.match import Match
from dicecup.rules import load_ruleset
from dicecup.storage.record_file import RecordFile

path = Path(sys.argv[1])
if path.exists():
    file = RecordFile.open(path)
else:
    rules = load_ruleset("yatzy")
    file = RecordFile.create(path, Header("yatzy", rules, ("bot:random",) * 40, DiceOrigin("seed", seed=5)))
match = Match(file.record, file.save)
print("at", match.version, flush=True)
while not match.state.finished:
    if match.state.throw_due:
        match.throw()
    else:
        match.let_bot_decide()
    print(match.version, flush=True)
"""


@pytest.mark.slow
def test_killed_twenty_times(tmp_path):
    path = tmp_path / "game.record"
    chance = Random(1)
    environment = os.environ | {"PYTHONPATH": str(Path(dicecup.__file__).parents[1])}
    before: tuple = ()
    for _ in range(20):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], env=environment, stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline().split()
            told = [int(writer.stdout.readline()) for _ in range(chance.randrange(5, 15))]
            time.sleep(chance.random() * 0.01)
            writer.kill()
            rest = writer.stdout.read().splitlines(keepends=True)
            told += [int(line) for line in rest if line.endswith("\n")]
        assert first[0] == "at"
        assert int(first[1]) == len(before), "goes on from where the last one was stopped"
        entries = read_record(path).entries
        assert len(entries) >= max(told)
        assert entries[: len(before)] == before
        before = entries
    assert len(before) >= 100
    file = RecordFile.open(path)  # no longer locked
    file.close()


def test_killed_while_a_line_is_half_written(tmp_path):
    """A kill in the middle of a line, simulated at every byte of the line."""
    path = tmp_path / "game.record"
    environment = os.environ | {"PYTHONPATH": str(Path(dicecup.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], env=environment, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert "12\n" in iter(writer.stdout.readline, "")  # reads as far as that
        writer.kill()
    data = b"".join(path.read_bytes().splitlines(keepends=True)[:-1])
    path.write_bytes(data)
    whole = read_record(path)
    last = data.rindex(b"\n", 0, -1) + 1
    for size in range(last, len(data), 5):
        path.write_bytes(data[:size])
        file = RecordFile.open(path)
        entry = whole.entries[len(file.record.entries)]
        Match(file.record, file.save).add(entry)
        file.close()
        assert path.read_bytes() == data
