"""A full disk: the file stays intact, and the game continues when there is space again."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

import dicecup
from dicecup.engine import Throw, score
from dicecup.engine.record import DiceOrigin, Header
from dicecup.match import Match, verifiable_origin
from dicecup.rules import load_ruleset
from dicecup.storage.record_file import RecordFile, read_record, secret_path

SECRET = bytes(range(32))
RULES = load_ruleset("yatzy")
HEADER = Header("yatzy", RULES, ("Ann",), DiceOrigin("typed"))
VERIFIABLE = Header("yatzy", RULES, ("Ann",), verifiable_origin(SECRET, ("luck",)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "game.record"


@pytest.fixture
def disk(monkeypatch):
    """disk(room) → only that many more bytes can be written; disk(None) → there is space again."""
    write = os.write

    def disk(room: int | None) -> None:
        left = room

        def scarce(descriptor: int, data: bytes) -> int:
            nonlocal left
            if left is None:
                return write(descriptor, data)
            if left == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            done = write(descriptor, data[:left])
            left -= done
            return done

        monkeypatch.setattr(os, "write", scarce)

    return disk


@pytest.mark.parametrize("room", [0, 1, 20, 60])
def test_full_disk_while_playing(path, disk, refused, room):
    file = RecordFile.create(path, HEADER)
    match = Match(file.record, file.save)
    match.throw((1, 2, 3, 4, 5))
    before, state = path.read_bytes(), match.state
    disk(room)
    for _ in range(2):
        with refused("file_unwritable", file=path, problem="system_full"):
            match.decide(score("chance"))
        assert path.read_bytes() == before
        assert match.state == state
        assert match.version == 1
    disk(None)
    match.decide(score("chance"))
    match.throw((1, 1, 1, 1, 1))
    file.close()
    assert read_record(path).entries == match.record.entries


def test_partial_writes_are_completed(path, monkeypatch):
    """A write may accept only part of the data without an error: the rest must follow."""
    write = os.write
    file = RecordFile.create(path, HEADER)
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    Match(file.record, file.save).add(Throw((1, 2, 3, 4, 5)))
    file.close()
    assert read_record(path).entries == (Throw((1, 2, 3, 4, 5)),)


def test_disk_that_fails_to_sync(path, monkeypatch, refused):
    file = RecordFile.create(path, HEADER)
    before = path.read_bytes()

    def failing(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with refused("file_unwritable", problem="system_other"):
            Match(file.record, file.save).add(Throw((1, 2, 3, 4, 5)))
    assert path.read_bytes() == before
    Match(file.record, file.save).add(Throw((1, 2, 3, 4, 5)))
    file.close()
    assert len(read_record(path).entries) == 1


def test_half_a_line_that_could_not_be_taken_away(path, disk, monkeypatch, refused):
    file = RecordFile.create(path, HEADER)
    before = path.read_bytes()
    truncate = os.ftruncate
    calls = 0

    def failing(descriptor: int, size: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:  # the one after the failed write
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        truncate(descriptor, size)

    monkeypatch.setattr(os, "ftruncate", failing)
    disk(20)
    with refused("file_unwritable", problem="system_full"):
        Match(file.record, file.save).add(Throw((1, 2, 3, 4, 5)))
    assert path.read_bytes() == before + b"1 throw 1 2 3 4 5   "
    disk(None)
    Match(file.record, file.save).add(Throw((1, 1, 1, 1, 1)))
    file.close()
    assert read_record(path).entries == (Throw((1, 1, 1, 1, 1)),)


@pytest.mark.parametrize("room", [0, 100])
@pytest.mark.parametrize("header", [HEADER, VERIFIABLE])
def test_full_disk_when_the_file_is_made(path, disk, refused, header, room):
    disk(room)
    secret = SECRET if header is VERIFIABLE else None
    with refused("file_unwritable"):
        RecordFile.create(path, header, secret)
    assert list(path.parent.iterdir()) == []
    disk(None)
    file = RecordFile.create(path, header, secret)
    assert file.secret() == secret
    file.close()


def test_full_disk_when_the_secret_is_written(path, monkeypatch, refused):
    fsync = os.fsync
    calls = 0

    def failing(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with refused("file_unwritable"):
        RecordFile.create(path, VERIFIABLE, SECRET)
    assert list(path.parent.iterdir()) == []
    RecordFile.create(path, VERIFIABLE, SECRET).close()
    assert secret_path(path).exists()


LIMITED = """
import resource, signal, sys
from pathlib import Path
from dicecup.engine import Throw, score
from dicecup.engine.record import DiceOrigin, Header
from dicecup.errors import StorageError
from dicecup.match import Match
from dicecup.rules import load_ruleset
from dicecup.storage.record_file import RecordFile

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
file = RecordFile.create(path, Header("yatzy", load_ruleset("yatzy"), ("Ann",), DiceOrigin("typed")))
match = Match(file.record, file.save)
match.throw((1, 2, 3, 4, 5))
size = path.stat().st_size
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 30, hard))
try:
    match.decide(score("chance"))
except StorageError as error:
    print(error.code, path.stat().st_size == size, match.version)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
match.decide(score("chance"))
print(match.version)
"""


@pytest.mark.posix
def test_limit_of_the_system(path):
    """The same with a limit set by the operating system, in a separate program."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        env=os.environ | {"PYTHONPATH": str(Path(dicecup.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.split() == ["file_unwritable", "True", "1", "2"], done.stderr
    assert [type(entry).__name__ for entry in read_record(path).entries] == ["Throw", "Score"]
