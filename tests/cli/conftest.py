"""Run the program as a user does: in its own process, in an empty folder, in a known language."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    keep = {"PATH", "PYTHONPATH", "COVERAGE_PROCESS_START"}
    environment = {name: value for name, value in os.environ.items() if name in keep}
    environment |= {"HOME": str(tmp_path), "LANG": "en_GB.UTF-8", "PYTHONIOENCODING": "utf-8"}

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
