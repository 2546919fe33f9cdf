"""Optional dependencies: installed in a clone when first needed, named elsewhere."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from dicecup import installation

Refused = Callable[..., AbstractContextManager[None]]
ABSENT = "a_package_that_is_not_there"


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(installation.MODULES, "pdf", (ABSENT,))
    monkeypatch.delitem(sys.modules, ABSENT, raising=False)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone that was set up, with this process in its environment."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/launch.py").touch()
    monkeypatch.setattr(installation, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    return tmp_path


def installing(monkeypatch: pytest.MonkeyPatch, status: int, module: Path | None = None) -> list[list[str]]:
    """Replace the launcher; return the list of its calls."""
    calls: list[list[str]] = []

    def run(command: list[str], **settings: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        assert settings["stdin"] == subprocess.DEVNULL
        if module is not None:
            module.touch()
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_the_extras_are_those_of_the_package(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(installation.MODULES) == set(installation.MISSING) == set(project["optional-dependencies"])


@pytest.mark.parametrize("extra", installation.MODULES)
def test_what_is_installed_is_imported(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = installing(monkeypatch, 1)
    assert installation.is_installed(extra)
    assert installation.is_available(extra)
    installation.need(extra)
    assert calls == []
    assert all(name in sys.modules for name in installation.MODULES[extra])


@pytest.mark.parametrize("extra", installation.MODULES)
def test_outside_a_clone_the_error_names_the_extra(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setitem(installation.MODULES, extra, (ABSENT,))
    monkeypatch.setattr(installation, "ROOT", tmp_path)
    assert not installation.is_available(extra)
    with pytest.raises(Exception, match=rf"pip install 'dicecup\[{extra}\]'"):
        installation.need(extra)


def test_a_blocked_module_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    assert not installation.is_installed("pdf")


@pytest.mark.usefixtures("missing")
def test_in_a_clone_it_is_installed(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(clone))
    calls = installing(monkeypatch, 0, clone / f"{ABSENT}.py")
    assert installation.is_available("pdf")
    assert not installation.is_installed("pdf")
    installation.need("pdf")
    installation.need("pdf")
    assert calls == [[sys.executable, "-I", "-S", str(clone / "tools/launch.py"), "install", "pdf"]]


@pytest.mark.usefixtures("missing")
def test_an_installation_that_fails(clone: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused) -> None:
    installing(monkeypatch, 2)
    with refused("packages_not_installed", file=clone / ".venv/setup.log"):
        installation.ensure("pdf")
    installing(monkeypatch, 0)  # says that it is there, but it is not
    with refused("typst_missing"):
        installation.ensure("pdf")


def test_another_environment_is_left_alone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone that is used from an environment of the user's own installs nothing there."""
    monkeypatch.setattr(sys, "prefix", str(clone / "mine"))
    assert not installation.is_clone()


def test_a_package_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, refused: Refused) -> None:
    def fail(name: str) -> None:
        raise OSError("cannot allocate memory")

    monkeypatch.setattr(importlib, "import_module", fail)
    with refused("memory_out"):
        installation.need("pdf")


@pytest.mark.usefixtures("missing")
def test_a_clone_that_cannot_be_written_is_named(
    clone: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    calls = installing(monkeypatch, 0)
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (clone, os.W_OK))
    assert not installation.is_available("pdf")
    with refused("file_unwritable", file=clone / ".venv"):
        installation.need("pdf")
    assert calls == []
