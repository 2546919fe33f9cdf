"""A database that hangs, servers that start at the same moment, and two servers on one file."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.waiting import eventually

from dicecup.errors import StorageError
from dicecup.storage import postgres
from dicecup.storage.postgres import PostgresDatabase
from dicecup.storage.sqlite import SqliteDatabase
from dicecup.storage.store import open_store

SOCKET = ".s.PGSQL.5432"


class Proxy:
    """Stands between the store and PostgreSQL, and can stop passing anything on."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.target = target
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / SOCKET))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.target / SOCKET))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                self.open.wait()
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                end.close()


@pytest.fixture
def proxy(postgres_server, postgres_database: str) -> Iterator[tuple[Proxy, str]]:
    folder = Path(tempfile.mkdtemp(prefix="dicecup-proxy-"))  # the path of a socket must be short
    proxy = Proxy(folder, postgres_server.folder)
    real, between = (quote(str(path), safe="") for path in (postgres_server.folder, folder))
    assert real in postgres_database
    yield proxy, postgres_database.replace(real, between)
    proxy.listener.close()
    proxy.open.set()
    shutil.rmtree(folder)


PATIENCE = 3.0  # seconds: a busy machine answers within them, and the tests wait for them only once


def wait_for_answer(database: PostgresDatabase) -> None:
    """Ask until the database answers: connecting may take longer than its patience."""

    def answers() -> bool:
        try:
            return database.rows("SELECT 1") == [(1,)]
        except StorageError:
            return False

    eventually(answers)


@pytest.mark.posix
def test_a_database_that_hangs_is_given_up(proxy: tuple[Proxy, str], monkeypatch: pytest.MonkeyPatch) -> None:
    between, address = proxy
    open_store(address).close()
    database = PostgresDatabase(address, PATIENCE)
    wait_for_answer(database)
    between.open.clear()
    with pytest.raises(StorageError) as caught:
        database.rows("SELECT 1")
    assert caught.value.code == "database_unusable"
    # For a moment nobody else waits for it.
    monkeypatch.setattr(postgres, "monotonic", lambda: database.silent_until - 0.1)
    with monkeypatch.context() as patched:
        patched.setattr(database.pool, "connection", lambda: pytest.fail("it was asked again"))
        with pytest.raises(StorageError):
            database.rows("SELECT 1")
    monkeypatch.undo()
    between.open.set()
    wait_for_answer(database)
    database.close()


def test_statements_that_take_too_long_are_given_up(postgres_database: str) -> None:
    database = PostgresDatabase(postgres_database, PATIENCE)
    wait_for_answer(database)
    with pytest.raises(StorageError) as caught:
        database.rows("SELECT pg_sleep(600)")
    assert "statement timeout" in str(caught.value)
    wait_for_answer(database)
    database.close()


def test_a_database_that_was_restarted_fails_one_request(postgres_database: str) -> None:
    """All connections of the pool are lost, and the first request to notice replaces them."""
    database = PostgresDatabase(postgres_database)
    with database.changes(), database.changes(), database.changes():
        pass
    # The pool may still be opening another one.
    eventually(database.pool.get_stats, lambda seen: seen["pool_available"] == seen["pool_size"])
    ours = "pid <> pg_backend_pid() AND datname = current_database()"
    with database.connect() as elsewhere:
        elsewhere.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}")

        def left() -> object:
            elsewhere.rollback()  # the view shows one moment of a transaction
            return elsewhere.execute(f"SELECT 1 FROM pg_stat_activity WHERE {ours}").fetchone()

        eventually(left, lambda found: found is None)
    with pytest.raises(StorageError):
        database.rows("SELECT 1")
    for _ in range(3):
        assert database.rows("SELECT 1") == [(1,)]
    database.close()


def test_waiting_for_a_connection_is_bounded(postgres_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "CONNECTIONS", 1)
    database = PostgresDatabase(postgres_database, PATIENCE)
    wait_for_answer(database)
    with database.changes(), pytest.raises(StorageError):
        database.rows("SELECT 1")
    database.close()


def test_many_processes_may_start_on_an_empty_database(postgres_database: str) -> None:
    code = (
        "import sys; from dicecup.storage.store import open_store\n"
        "import dicecup.storage.postgres; print(flush=True); sys.stdin.readline()\n"
        "print(open_store(sys.argv[1]).server_key().hex())"
    )
    command = [sys.executable, "-c", code, postgres_database]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    for process in started:  # all have imported what they need before the first begins
        assert process.stdout
        process.stdout.readline()
    for process in started:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate()[0].strip() for process in started}
    assert [process.returncode for process in started] == [0] * len(started)
    assert len(keys) == 1


@pytest.mark.one_database
def test_two_servers_on_one_file(database: str) -> None:
    code = "import sys; from dicecup.storage.store import open_store; open_store(sys.argv[1], exclusive=True)"
    command = [sys.executable, "-c", code, database]
    first = open_store(database, exclusive=True)
    again = open_store(database, exclusive=True)  # this process has it already
    open_store(database).close()  # others may look
    again.close()
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (second.returncode, "Another Dicecup server is using" in second.stderr) == (1, True)
    first.close()
    assert subprocess.run(command, check=False).returncode == 0


def test_several_servers_on_postgres(postgres_database: str) -> None:
    first, second = (open_store(postgres_database, exclusive=True) for _ in range(2))
    first.close()
    second.close()


def test_moves_wait_for_one_other_transaction(tmp_path: Path) -> None:
    """Otherwise everybody who opens matches or uploads games would be before them, or shut out by moves."""
    database = SqliteDatabase(tmp_path / "games.db")
    waiting = database.turns.waiting
    order: list[str] = []

    def change(name: str, first: bool) -> None:
        with database.changes(first=first):
            database.rows("SELECT 1")  # the holder takes the lock again
            order.append(name)

    others = [threading.Thread(target=change, args=("other", False)) for _ in range(4)]
    moves = [threading.Thread(target=change, args=("move", True)) for _ in range(2)]
    with database.changes():
        for thread in (*others, *moves):
            thread.start()
        eventually(lambda: dict(waiting), lambda found: found == {True: 2, False: 4})
    for thread in (*others, *moves):
        thread.join()
    assert order == ["move", "other", "move", "other", "other", "other"]
    database.close()
