"""Which database a URL or path means, and the permissions of the SQLite file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from dicecup.storage.entries import insert_entries
from dicecup.storage.store import open_store


@pytest.mark.parametrize(
    "address", ["mysql://x", "MySQL+driver://x", "sqlite://x", "file:///x", "http://x/y"]
)
def test_an_unknown_kind_of_database_is_no_file(tmp_path, monkeypatch, refused, address) -> None:
    monkeypatch.chdir(tmp_path)
    with refused("database_unknown", scheme=address.partition("//")[0] + "//"):
        open_store(address)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("address", ["{}/a.db", "sqlite:///{}/a.db"])
def test_a_path_is_a_file(tmp_path, address) -> None:
    open_store(address.format(tmp_path)).close()
    assert (tmp_path / "a.db").exists()


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def open_mask():
    """A typical umask: new files are readable for everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.posix
@pytest.mark.usefixtures("open_mask")
def test_a_new_file_is_for_its_owner_only(tmp_path) -> None:
    store = open_store(str(tmp_path / "games.db"))
    store.server_key()
    files = {path.name: rights(path) for path in tmp_path.iterdir()}
    store.close()
    assert files == {"games.db": 0o600, "games.db-wal": 0o600, "games.db-shm": 0o600}


@pytest.mark.usefixtures("open_mask")
@pytest.mark.posix
def test_an_existing_file_keeps_its_permissions(tmp_path) -> None:
    """It may be shared with a group on purpose."""
    path = tmp_path / "games.db"
    open_store(str(path)).close()
    path.chmod(0o660)
    open_store(str(path)).close()
    assert rights(path) == 0o660


def test_many_entries_take_few_statements() -> None:
    """Around each statement of SQLite the thread gives up the GIL, while others wait for the transaction."""
    inserted: list[tuple[object, ...]] = []
    statements = 0

    class Noting:
        def run(self, statement: str, values: Sequence[object] = ()) -> int:
            nonlocal statements
            statements += 1
            assert statement.count("?") == len(values) <= 999
            inserted.extend(zip(*[iter(values)] * 4, strict=True))
            return len(values) // 4

    texts = [f"line {number}" for number in range(1050)]
    insert_entries(Noting(), "match", texts, "now")  # type: ignore[arg-type]
    assert inserted == [("match", number, text, "now") for number, text in enumerate(texts)]
    assert statements < 10
