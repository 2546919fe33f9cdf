"""Paths that no file has: each function says so in a sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dicecup
from dicecup.storage.backup import make_backup

LONG = "x" * 300


class Seven:
    """A path of one's own that gives no text."""

    def __fspath__(self) -> Any:
        return 7


class Bytes:
    def __fspath__(self) -> Any:
        return b"yatzy"


CALLS: dict[str, Callable[[Any], object]] = {
    "save": lambda path: dicecup.Game("yatzy").save(path),
    "overwrite": lambda path: dicecup.Game("yatzy").save(path, overwrite=True),
    "load": dicecup.Game.load,
    "review": dicecup.review,
    "folder": lambda path: dicecup.Rules("yatzy-sv").solve(folder=path),
    "data": lambda path: dicecup.write_data(path, "yatzy", "random", games=1, seed=1),
    "rules": dicecup.Rules,
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("path", [LONG, "a\ud800", "a\0b", 5, Seven()], ids=["long", "half", "0", "5", "7"])
def test_paths_that_no_file_has(call, path):
    with pytest.raises(dicecup.DicecupError) as caught:
        call(path)
    assert str(caught.value)
    assert not list(Path().iterdir())


@pytest.mark.parametrize("call", ["overwrite", "load", "data"])
def test_a_folder_is_no_file(call):
    with pytest.raises(dicecup.StorageError):
        CALLS[call](".")


def test_rules_by_a_path_of_bytes(tmp_path):
    (tmp_path / "ours.toml").write_text('format = 1\nid = "ours"\nbase = "yatzy"\n', encoding="utf-8")
    with os.scandir(os.fsencode(tmp_path)) as found:
        entry: Any = next(found)
    assert dicecup.Rules(entry).id == "ours"
    named: Any = Bytes()
    assert dicecup.Rules(named).id == "yatzy"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no devices among the files")
def test_a_device_is_not_replaced(tmp_path, refused):
    """Root could: all programs need /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    database = tmp_path / "games.db"
    database.touch()
    game = dicecup.Game("yatzy", seed=1)
    calls: tuple[Callable[[], object], ...] = (
        lambda: game.save(pipe),
        lambda: game.save(pipe, overwrite=True),
        lambda: dicecup.write_data(pipe, "yatzy", "random", games=1, seed=1),
        lambda: make_backup(str(database), pipe),
    )
    for write in calls:
        with refused("file_unwritable", problem="system_device"):
            write()
        assert pipe.is_fifo()
