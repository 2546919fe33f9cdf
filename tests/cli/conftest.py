"""Run the program as a user does: in an empty folder, in a known language, with pipes for its streams."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from click import Context
from tests.waiting import PATIENCE

from dicecup.cli.common import speech
from dicecup.cli.main import COMMANDS, dicecup, main

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    keep = {"PATH", "PYTHONPATH", "COVERAGE_PROCESS_START"}
    kept = {name: value for name, value in os.environ.items() if name in keep}
    return kept | {"HOME": str(tmp_path), "LANG": "en_GB.UTF-8", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """run(argument, …, typed="…", VARIABLE="…"): call the command in this process."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        forget_the_call_before(arguments)
        typing = io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8")
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
        with (
            patch.dict(os.environ, environment | more, clear=True),
            patch.multiple(sys, stdin=typing, stdout=out, stderr=err),
        ):
            status = main(list(arguments))
        said = []
        for stream in (out, err):
            stream.flush()
            said.append(stream.buffer.getvalue().decode())
        return subprocess.CompletedProcess(arguments, status, *said)

    return call


def forget_the_call_before(arguments: tuple[str, ...]) -> None:
    """Reset what would be new in another process: the language, and the help option that click remembers."""
    speech.__init__()  # type: ignore[misc]
    for name in {*arguments} & {*COMMANDS}:
        command = dicecup.get_command(Context(dicecup), name)
        assert command
        command._help_option = None


@pytest.fixture
def run_process(tmp_path: Path, environment: dict[str, str]) -> Run:
    """As `run`, in a process of its own: for what depends on its streams, its clock or its hashes."""

    def call(*arguments: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dicecup", *arguments],
            cwd=tmp_path,
            env=environment | more,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    return call
