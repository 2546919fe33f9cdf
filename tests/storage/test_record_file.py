"""Record files: created once, locked by one program, append-only, with the secret next to them."""

from __future__ import annotations

import os
import stat

import pytest

from dicecup.engine import Keep, Throw, score
from dicecup.engine.record import DiceOrigin, Header, Undo
from dicecup.engine.record_text import record_to_text
from dicecup.errors import RecordError
from dicecup.match import Match, verifiable_origin
from dicecup.rules import load_ruleset
from dicecup.storage.record_file import RecordFile, read_record, secret_path

SECRET = bytes(range(32))
HEADER = Header("yatzy", load_ruleset("yatzy"), ("Ann",), DiceOrigin("typed"))
VERIFIABLE = Header("yatzy", load_ruleset("yatzy"), ("bot:greedy",), verifiable_origin(SECRET, ("luck",)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "game.record"


def grow(file: RecordFile, *entries) -> None:
    for entry in entries:
        Match(file.record, file.save).add(entry)


def test_file_holds_exactly_the_text_of_the_record(path):
    file = RecordFile.create(path, HEADER)
    assert path.read_text() == record_to_text(file.record)
    for entry in (Throw((1, 2, 3, 4, 5)), Keep((5,)), Throw((5, 5, 5, 5)), score("yatzy"), Undo(1)):
        grow(file, entry)
        assert path.read_text() == record_to_text(file.record)
    file.close()
    assert read_record(path).entries == file.record.entries


def test_file_is_gone_on_with(path):
    file = RecordFile.create(path, HEADER)
    grow(file, Throw((1, 2, 3, 4, 5)))
    file.close()
    file = RecordFile.open(path)
    assert file.record.state.dice == (1, 2, 3, 4, 5)
    grow(file, score("chance"))
    file.close()
    assert read_record(path).state.sheet.cells[-2] == 15
    assert path.read_text() == record_to_text(read_record(path))


@pytest.mark.parametrize("cut", [1, 5, 40, 65])
def test_cut_line_gives_way_to_the_next(path, cut):
    file = RecordFile.create(path, HEADER)
    grow(file, Throw((1, 2, 3, 4, 5)), Keep((5,)))
    file.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert len(read_record(path).entries) == 1
    assert path.read_bytes() == whole[:-cut]  # reading changes nothing
    file = RecordFile.open(path)
    assert len(file.record.entries) == 1
    grow(file, Keep((5,)))
    assert path.read_bytes() == whole
    grow(file, Throw((1, 1, 1, 1)))
    file.close()
    assert path.read_text() == record_to_text(read_record(path))
    assert len(read_record(path).entries) == 3


def test_longer_cut_line_gives_way_to_a_shorter_one(path):
    file = RecordFile.create(path, HEADER)
    grow(file, Throw((1, 2, 3, 4, 5)))
    file.close()
    with path.open("ab") as stream:
        stream.write(b"1 keep " + b"5 " * 200)
    file = RecordFile.open(path)
    grow(file, Keep((5,)))
    file.close()
    assert path.read_text() == record_to_text(read_record(path))
    assert len(read_record(path).entries) == 2


def test_folders_are_made(tmp_path):
    path = tmp_path / "a" / "b" / "game.record"
    RecordFile.create(path, HEADER).close()
    assert read_record(path).entries == ()


def test_existing_file_is_never_overwritten(path, refused):
    path.write_text("my diary")
    with refused("file_exists", file=path):
        RecordFile.create(path, HEADER)
    with refused("file_exists", file=path):
        RecordFile.create(path, VERIFIABLE, SECRET)
    assert path.read_text() == "my diary"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.posix
def test_link_to_nowhere_is_not_followed(path, tmp_path, refused):
    path.symlink_to(tmp_path / "elsewhere")
    with refused("file_exists"):
        RecordFile.create(path, HEADER)
    assert not (tmp_path / "elsewhere").exists()


def test_two_writers(path, refused):
    file = RecordFile.create(path, HEADER)
    with refused("file_in_use", file=path):
        RecordFile.open(path)
    assert read_record(path).entries == ()  # reading is always possible
    file.close()
    file = RecordFile.open(path)
    with refused("file_in_use"):
        RecordFile.open(path)
    file.close()
    RecordFile.open(path).close()


def test_refused_opening_holds_nothing(path, refused):
    path.write_text("rubbish\n")
    for _ in range(3):
        with refused("record_not_text"):
            RecordFile.open(path)
    assert path.read_text() == "rubbish\n"


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"rubbish\n", bytes(range(256)) * 10])
def test_rubbish_is_left_as_it_is(path, data):
    path.write_bytes(data)
    for act in (RecordFile.open, read_record):
        with pytest.raises(RecordError) as caught:
            act(path)
        assert caught.value.code in ("record_cut", "record_not_text")
    assert path.read_bytes() == data


def test_damaged_file_is_left_as_it_is(path, refused):
    file = RecordFile.create(path, HEADER)
    grow(file, Throw((1, 2, 3, 4, 5)))
    file.close()
    changed = path.read_bytes().replace(b"1 2 3 4 5", b"2 2 3 4 5") + b"cut"
    path.write_bytes(changed)
    with refused("record_damaged", line=10):
        RecordFile.open(path)
    assert path.read_bytes() == changed


def test_no_such_file(path, refused):
    with refused("file_unreadable", file=path, problem="system_missing"):
        read_record(path)
    with refused("file_unwritable", file=path, problem="system_missing"):
        RecordFile.open(path)


def test_folder_instead_of_a_file(tmp_path, refused):
    with refused("file_unreadable", problem="system_folder"):
        read_record(tmp_path)
    with refused("file_unwritable", problem="system_folder"):
        RecordFile.open(tmp_path)
    with refused("file_exists"):
        RecordFile.create(tmp_path, HEADER)


def test_folder_that_cannot_be_written(tmp_path, refused):
    (tmp_path / "file").write_text("")
    with refused("file_unwritable", problem="system_no_folder"):
        RecordFile.create(tmp_path / "file" / "below" / "game.record", HEADER)
    with refused("file_unwritable"):
        RecordFile.create(tmp_path / ("x" * 300), HEADER)


@pytest.mark.posix
@pytest.mark.skipif(os.access("/", os.W_OK), reason="permissions do not bind root")
def test_permissions(tmp_path, path, refused):
    RecordFile.create(path, HEADER).close()
    path.chmod(0o400)
    with refused("file_unwritable", problem="system_no_permission"):
        RecordFile.open(path)
    path.chmod(0)
    with refused("file_unreadable", problem="system_no_permission"):
        read_record(path)
    tmp_path.chmod(0o500)
    with refused("file_unwritable", problem="system_no_permission"):
        RecordFile.create(tmp_path / "other.record", HEADER)
    tmp_path.chmod(0o700)


def test_header_that_could_not_be_read_back_makes_no_file(path):
    header = Header("yatzy", load_ruleset("yatzy"), ("Ann\nBo",), DiceOrigin("typed"))
    with pytest.raises(RecordError):
        RecordFile.create(path, header, SECRET)
    assert list(path.parent.iterdir()) == []


def test_huge_file(path, refused):
    with path.open("wb") as stream:
        stream.truncate(10**9)  # a sparse file
    with refused("record_too_large"):
        read_record(path)


@pytest.mark.parametrize(
    ("entry", "code"),
    [(Keep((1,)), "throw_first"), (Undo(1), "undo_too_far"), (score("ones"), "score_before_throw")],
)
def test_illegal_entry_is_not_written(path, refused, entry, code):
    file = RecordFile.create(path, HEADER)
    before = path.read_bytes()
    with refused(code):
        Match(file.record, file.save).add(entry)
    assert path.read_bytes() == before
    grow(file, Throw((1, 2, 3, 4, 5)))
    file.close()
    assert len(read_record(path).entries) == 1


# The secret next to the record


def test_secret_is_for_its_owner_until_it_is_revealed(path):
    old = os.umask(0)
    try:
        file = RecordFile.create(path, VERIFIABLE, SECRET)
    finally:
        os.umask(old)
    beside = secret_path(path)
    assert beside == path.with_name("game.record.secret")
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert file.secret() == SECRET
    assert SECRET.hex() not in path.read_text()
    match = Match(file.record, file.save, file.secret())
    while not match.state.finished:
        if match.state.throw_due:
            match.throw()
        else:
            match.let_bot_decide()
    match.reveal()
    file.forget_secret()
    file.forget_secret()
    file.close()
    assert not beside.exists()
    assert read_record(path).secret == SECRET.hex()


def test_no_secret_beside_other_records(path):
    file = RecordFile.create(path, HEADER)
    assert file.secret() is None
    file.close()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("data", [b"", b"zz", b"\xff\xfe", b"abc"])
def test_broken_secret_is_a_missing_one(path, data):
    file = RecordFile.create(path, VERIFIABLE, SECRET)
    secret_path(path).write_bytes(data)
    assert not file.secret()
    file.close()


def test_secret_left_over_by_a_record_that_is_gone(path):
    secret_path(path).write_text("00")
    file = RecordFile.create(path, VERIFIABLE, SECRET)
    assert file.secret() == SECRET
    assert stat.S_IMODE(secret_path(path).stat().st_mode) == 0o600
    file.close()
