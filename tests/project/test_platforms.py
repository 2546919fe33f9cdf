"""Every command on a Python without the modules and functions that only POSIX systems have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.project.commands import Program, plain_environment

pytestmark = pytest.mark.slow

MODULES = ("fcntl", "grp", "pwd", "readline", "resource", "syslog", "termios", "tty", "uvloop")
FUNCTIONS = ("fork", "forkpty", "getpgid", "killpg", "nice", "sched_getaffinity", "setsid", "sysconf")
# Python imports this first, in child processes too. These libraries bring their own code for each platform.
SITECUSTOMIZE = f"""\
import os, sys
import asyncio, filelock, psutil
os.process_cpu_count = os.cpu_count  # that of Python 3.13 and later calls sched_getaffinity
for name in {MODULES}:
    sys.modules[name] = None
for name in {FUNCTIONS}:
    if hasattr(os, name):
        delattr(os, name)
"""


@pytest.fixture
def environment(tmp_path: Path, root: Path) -> dict[str, str]:
    """Variables that block the modules and functions."""
    blocking = tmp_path / "blocking"
    blocking.mkdir()
    (blocking / "sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")
    kernels = str(root / ".pytest_cache" / "kernels")
    return plain_environment(tmp_path, PYTHONPATH=str(blocking), NUMBA_CACHE_DIR=kernels)


def test_every_command_without_posix(tmp_path: Path, environment: dict[str, str]) -> None:
    code = f"import os; print([hasattr(os, name) for name in {FUNCTIONS}])\nimport fcntl"
    blocked = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, check=False
    )
    assert b"True" not in blocked.stdout
    assert b"ModuleNotFoundError" in blocked.stderr
    Program(sys.executable, tmp_path, environment).check_all({"data", "pdf", "postgresql", "solver"})


def test_workers_need_no_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    from dicecup.web.service.worker_main import lower_priority

    monkeypatch.delenv("DICECUP_NICE")
    monkeypatch.delattr(os, "nice", raising=False)
    lower_priority(19)
