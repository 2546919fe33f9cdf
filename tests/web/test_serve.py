"""`dicecup serve` from outside: the QR code for the network, and rejected options."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.waiting import PATIENCE
from tests.web.serving import Server

from dicecup.cli.main import main
from dicecup.cli.serve import is_web_address, local_address
from dicecup.storage.store import open_store
from dicecup.web import connections


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dicecup", "serve", "--no-browser", "--lang", "en", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_the_network_gets_a_code_in_terminal_and_lobby(tmp_path: Path) -> None:
    server = Server(str(tmp_path / "games.db"), "--lan")
    lobby = httpx.get(server.address, timeout=PATIENCE).text
    said = server.stop()
    assert "Everyone on this network: http://" in said
    assert said.count("█") > 100
    assert 'class="code"' in lobby


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = serve("--port", port, "--database", str(tmp_path / "games.db"))
    assert done.returncode == 2
    assert port in done.stderr
    assert "[port_in_use]" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("host", ["999.1.1.1", "192.0.2.1", "a..b", "x" * 70, "::g"])
def test_an_address_of_no_machine_here_is_named(tmp_path: Path, host: str) -> None:
    done = serve("--host", host, "--port", "0", "--database", str(tmp_path / "games.db"))
    assert done.returncode == 2
    assert host in done.stderr
    assert "[host_wrong]" in done.stderr
    assert "--port" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "address",
    [
        "nonsense",
        "javascript:alert(1)",
        "http://",
        "https://exa mple.org",
        "http://a:x",
        "ftp://a",
        "//a",
        "",
    ],
)
def test_an_address_that_no_link_can_begin_with_is_rejected(tmp_path: Path, address: str) -> None:
    done = serve("--lan", "--port", "0", "--address", address, "--database", str(tmp_path / "games.db"))
    assert (done.returncode, "[address_wrong]" in done.stderr) == (2, True), done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "address", ["http://192.168.1.5:8000", "https://dice.example.org/", "http://[fe80::1]:80", "http://pi"]
)
def test_addresses_that_links_can_begin_with(address: str) -> None:
    assert is_web_address(address)


def test_an_unknown_database_scheme_is_rejected() -> None:
    done = serve("--port", "0", "--database", "mysql://ann:geheim@localhost/games")
    assert done.returncode == 2
    assert "“mysql://”" in done.stderr
    assert "[database_unknown]" in done.stderr
    assert "geheim" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_several_workers_need_postgres(tmp_path: Path) -> None:
    done = serve("--workers", "2", "--database", str(tmp_path / "games.db"))
    assert (done.returncode, "[workers_need_postgres]" in done.stderr) == (2, True)


def test_a_database_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = serve("--port", "0", "--database", str(tmp_path / "file" / "games.db"))
    assert done.returncode == 2
    assert "[database_unusable]" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_database_of_the_environment_counts_for_workers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It passes the check and fails later: no database answers at that address."""
    monkeypatch.setenv("DICECUP_DATABASE", "postgresql://127.0.0.1:1/none?connect_timeout=1")
    assert "[workers_need_postgres]" not in serve("--workers", "2", "--port", "0").stderr
    done = serve("--workers", "2", "--database", str(tmp_path / "games.db"))
    assert "[workers_need_postgres]" in done.stderr


def test_the_key_is_replaced_before_the_server_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    database = str(tmp_path / "games.db")
    monkeypatch.setenv("DICECUP_DATABASE", database)  # set again by the command, and then restored
    keys: list[bytes] = []

    def run(listener: socket.socket, _workers: int) -> None:
        listener.close()
        store = open_store(database)
        keys.append(store.server_key())
        store.close()

    monkeypatch.setattr(connections, "run", run)
    for options in ([], [], ["--rotate-key"]):
        assert main(["serve", "--no-browser", "--port", "0", "--database", database, *options]) == 0
    assert keys[0] == keys[1] != keys[2]


def test_addresses_for_the_browser_of_this_machine() -> None:
    assert local_address("::1", 8166) == "http://[::1]:8166"
    assert local_address("0.0.0.0", 8000) == "http://127.0.0.1:8000"
    assert local_address("localhost", 8000) == "http://localhost:8000"
