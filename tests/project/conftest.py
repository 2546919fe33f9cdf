"""Copies of the clone for testing the launchers and the build."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["check", "dicecup", "docs", "LICENSE", "pyproject.toml", "README.md", "requirements", "src", "tools"]
Completed = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


def copy_clone(target: Path, parts: list[str]) -> Path:
    target.mkdir(parents=True)
    for part in parts:
        source = ROOT / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.mo", "*.pot")
            shutil.copytree(source, target / part, ignore=ignored)
        elif source.exists():
            shutil.copy(source, target / part)
    return target


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The launchers with everything they need except the package; the path has a space and an accent."""
    return copy_clone(tmp_path / "à clone", ["check", "dicecup", "requirements", "tools"])


@pytest.fixture(scope="session")
def whole_clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_clone(tmp_path_factory.mktemp("whole") / "clone", PARTS)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder for PATH with only the basic commands that every machine has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for command in ["cat", "dirname", "readlink", "sh"]:
        found = shutil.which(command)
        assert found, command
        (folder / command).symlink_to(found)
    return folder


@pytest.fixture
def launch(machine: Path, tmp_path: Path) -> Callable[..., Completed]:
    """launch(script, *arguments, cwd=…, NAME=value …): run it on a machine that has nothing else."""

    def launch(*command: str | Path, cwd: Path = tmp_path, **environment: str) -> Completed:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env={"HOME": str(home), "PATH": str(machine)} | environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return launch
