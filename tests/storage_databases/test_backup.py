"""Backups are really made and restored, on both databases, with a running server and after an upgrade."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from tests.cli.conftest import forget_the_call_before
from tests.conftest import Refused
from tests.databases import Databases
from tests.storage_databases.old_database import make_old_database
from tests.storage_databases.test_upgrading import check_everything_is_there
from tests.waiting import PATIENCE
from tests.web.serving import Server

from dicecup.cli.main import main
from dicecup.storage.backup import make_backup, restore_backup
from dicecup.storage.database import MIGRATIONS
from dicecup.storage.store import open_database, open_store
from dicecup.storage.stored import Addition

TABLES = ("settings", "matches", "seats", "seat_keys", "entries", "consents", "results")


def contents(address: str) -> dict[str, list[Any]]:
    database = open_database(address)
    found = {table: sorted(map(repr, database.rows(f"SELECT * FROM {table}"))) for table in TABLES}
    database.close()
    return found


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Another database, to restore into."""
    if request.param == "sqlite":
        yield str(tmp_path / "other" / "games.db")
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    with databases.lent() as address:
        yield address


@pytest.fixture
def filled(address: str) -> str:
    make_old_database(address, 1)
    open_store(address).close()
    return address


def test_a_backup_goes_into_either_database(filled: str, other: str, tmp_path: Path) -> None:
    before = contents(filled)
    made = make_backup(filled, tmp_path / "games.backup")
    assert (made.schema, made.matches, made.entries) == (len(MIGRATIONS), 3, 6)
    assert restore_backup(other, tmp_path / "games.backup") == made
    assert contents(other) == before == contents(filled)
    store = open_store(other)
    check_everything_is_there(store)
    with pytest.raises(Exception, match="only added"), store.database.changes() as changes:
        changes.run("DELETE FROM entries")
    store.close()
    if os.name != "nt":
        assert (tmp_path / "games.backup").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_upgrade_is_undone_with_the_backup_before_it(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Back up, upgrade, play on, roll back to the version before and find what it had."""
    earlier = MIGRATIONS[: MIGRATIONS.index(MIGRATIONS[-1])]
    file = tmp_path / "games.backup"
    make_old_database(address, len(earlier))
    before = contents(address)
    assert make_backup(address, file).schema == len(earlier)
    upgraded = open_store(address)
    upgraded.append(Addition("running", 2, ("2 throw 1 1 1 1 1",), "2026-01-01"))
    upgraded.close()
    assert restore_backup(address, file, replace=True).schema == len(earlier)
    assert contents(address) == before
    with monkeypatch.context() as rolled_back:  # the program of before
        rolled_back.setattr("dicecup.storage.database.MIGRATIONS", earlier)
        open_store(address).close()
    store = open_store(address)  # and upgraded again
    check_everything_is_there(store)
    store.close()


def test_a_database_with_games_is_replaced_only_on_request(
    filled: str, tmp_path: Path, refused: Refused
) -> None:
    file = tmp_path / "games.backup"
    make_backup(filled, file)
    before = contents(filled)
    with refused("restore_not_empty"):
        restore_backup(filled, file)
    assert contents(filled) == before
    restore_backup(filled, file, replace=True)
    assert contents(filled) == before


def test_what_is_no_backup_changes_nothing(filled: str, tmp_path: Path, refused: Refused) -> None:
    before, file = contents(filled), tmp_path / "games.backup"
    make_backup(filled, file)
    whole = file.read_bytes()
    with refused("file_unreadable"):
        restore_backup(filled, tmp_path / "none", replace=True)
    for wrong in (b"", b"dicecup record 1\n" * 100, whole[: len(whole) // 2], b"\0" * 5000):
        file.write_bytes(wrong)
        with refused("backup_wrong"):
            restore_backup(filled, file, replace=True)
    sqlite3.connect(file.with_name("empty")).close()
    with refused("backup_wrong"):
        restore_backup(filled, file.with_name("empty"), replace=True)
    assert contents(filled) == before


def test_a_backup_of_a_newer_program_is_refused(filled: str, tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "games.backup"
    make_backup(filled, file)
    connection = sqlite3.connect(file)
    connection.execute("INSERT INTO migrations (number) VALUES (1000)")
    connection.commit()
    connection.close()
    with refused("database_newer"):
        restore_backup(filled, file, replace=True)


def test_a_failed_restore_leaves_what_was_there(
    filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.backup"
    make_backup(filled, file)
    before = contents(filled)

    def fail(*_arguments: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("dicecup.storage.backup.finish_journal", fail)
    monkeypatch.setattr("dicecup.storage.backup.insertion", fail)
    with pytest.raises(RuntimeError):
        restore_backup(filled, file, replace=True)
    assert contents(filled) == before


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Call a command in this process, which has no lock on the database."""
    forget_the_call_before(arguments)
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = main([*arguments, "--lang", "en"])
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@pytest.mark.slow
def test_a_backup_is_made_while_people_play(address: str, tmp_path: Path) -> None:
    """Every move that was answered before the backup began is in it, and no half of one that was not."""
    file, answered, over = tmp_path / "games.backup", 0, threading.Event()
    with Server(address) as server:
        seats = [{"kind": "person", "name": "Ann"}]
        body = {"game": "yatzy", "dice": "table", "seats": seats}
        opened = httpx.post(f"{server.address}/api/matches", json=body, timeout=PATIENCE).json()
        match, headers = opened["state"]["id"], {"Authorization": f"Bearer {opened['key']}"}

        def play() -> None:
            nonlocal answered
            while not over.is_set():
                version = answered % 2
                move = {"throw": [1, 2, 3, 4, 5]} if not version else None
                path = "moves" if move else "undo"
                wish = {"version": answered, "move": move} if move else {"version": answered}
                url = f"{server.address}/api/matches/{match}/{path}"
                assert httpx.post(url, json=wish, headers=headers, timeout=PATIENCE).status_code == 200
                answered += 1

        player = threading.Thread(target=play)
        player.start()
        for _backup in range(3):
            before = answered
            done = command("backup", str(file), "--database", address, "--json")
            assert done.returncode == 0, done.stderr
            made = json.loads(done.stdout)
            assert made["entries"] >= before
        over.set()
        player.join()
        refused = command("restore", str(file), "--replace", "--database", address)
        if not address.startswith("postgresql"):
            assert (refused.returncode, "[database_in_use]" in refused.stderr) == (2, True)
    done = command("restore", str(file), "--replace", "--database", address)
    assert (done.returncode, done.stdout) == (0, "1 game is restored.\n")
    with Server(address) as server:
        state = httpx.get(f"{server.address}/api/matches/{match}", timeout=PATIENCE).json()
        assert state["version"] == made["entries"]


def test_commands_say_what_is_wrong(tmp_path: Path) -> None:
    done = command("backup", str(tmp_path / "x"), "--database", str(tmp_path / "none.db"))
    assert (done.returncode, "[file_unreadable]" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "games.db").touch()
    for file in (str(tmp_path / "no" / "x"), ".", "/"):
        done = command("backup", file, "--database", str(tmp_path / "games.db"))
        assert (done.returncode, "[file_unwritable]" in done.stderr) == (2, True)


def other_program(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()


@pytest.mark.parametrize(
    "make",
    [lambda file: file.write_text("diary\n"), lambda file: file.write_bytes(b"\0\1" * 5000), other_program],
    ids=["text", "bytes", "other program"],
)
def test_only_a_database_is_replaced(make: Callable[[Path], object], tmp_path: Path) -> None:
    games, backup, other = tmp_path / "games.db", tmp_path / "games.backup", tmp_path / "other"
    open_store(str(games)).close()
    make_backup(str(games), backup)
    make(other)
    before = other.read_bytes()
    for options in ([], ["--replace"]):
        done = command("restore", str(backup), "--database", str(other), *options)
        assert (done.returncode, "[database_unusable]" in done.stderr) == (2, True), done.stderr
        assert str(other) in done.stderr
        assert other.read_bytes() == before
    done = command("backup", str(tmp_path / "new"), "--database", str(other))
    assert (done.returncode, "[database_unusable]" in done.stderr) == (2, True), done.stderr
    assert str(other) in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_damaged_database_is_replaced_on_request(tmp_path: Path) -> None:
    games, backup = tmp_path / "games.db", tmp_path / "games.backup"
    open_store(str(games)).close()
    made = make_backup(str(games), backup)
    whole = backup.read_bytes()
    games.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    assert "[restore_not_empty]" in command("restore", str(backup), "--database", str(games)).stderr
    assert restore_backup(str(games), backup, replace=True) == made


def test_a_folder_is_no_backup(tmp_path: Path) -> None:
    done = command("restore", str(tmp_path), "--database", str(tmp_path / "games.db"))
    assert (done.returncode, "it’s a folder" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("options", [(), ("--replace",)], ids=["", "replace"])
def test_no_backup_is_put_in_the_place_of_a_folder(options: tuple[str, ...], tmp_path: Path) -> None:
    games, backup = tmp_path / "games.db", tmp_path / "games.backup"
    open_store(str(games)).close()
    make_backup(str(games), backup)
    folder = tmp_path / "folder"
    folder.mkdir()
    done = command("restore", str(backup), "--database", str(folder), *options)
    assert (done.returncode, "it’s a folder" in done.stderr) == (2, True), done.stderr
    assert list(folder.iterdir()) == []
