"""The lock files: exact, hashed, independent of any registry, consistent with pyproject.toml."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

EXTRAS = ["dask", "data", "env", "pdf", "postgresql", "site", "solver"]
LOCKS = ["run", *EXTRAS, "check"]


def read(root: Path, lock: str) -> str:
    return (root / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")


def entries(text: str) -> list[str]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [entry for entry in re.split(r"\n(?=\S)", lines) if entry]


def names(root: Path, lock: str) -> set[str]:
    return {entry.split("==")[0] for entry in entries(read(root, lock))}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_is_pinned_and_hashed(root: Path, lock: str) -> None:
    found = entries(read(root, lock))
    assert found
    for entry in found:
        assert re.match(r"[a-z0-9-]+==[\w.]+ ", entry), entry
        hashes = re.findall(r"--hash=(\S+)", entry)
        assert hashes, entry
        for value in hashes:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", value), entry


@pytest.mark.parametrize("lock", LOCKS)
def test_no_host_or_path_is_named(root: Path, lock: str) -> None:
    text = read(root, lock)
    assert "://" not in text
    assert not re.search(r"--(index|extra-index|find-links|trusted)|file:|@ |\.(com|org|io|net)\b", text)
    assert not re.search(r"(^|\s)/", text)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_lock_is_a_part_of_a_check(root: Path, lock: str) -> None:
    everything = {pins_and_hashes(entry) for entry in entries(read(root, "check"))}
    assert {pins_and_hashes(entry) for entry in entries(read(root, lock))} <= everything


def pins_and_hashes(entry: str) -> tuple[str, ...]:
    """An entry without its marker: where a package is wanted by another one too, that is wider."""
    return tuple(re.findall(r"^\S+==\S+|sha256:\w+", entry))


def test_playing_installs_neither_compilers_nor_databases(root: Path) -> None:
    heavy = {"babel", "numba", "llvmlite", "numpy", "psycopg", "psycopg-binary", "psycopg-pool", "typst"}
    assert not heavy & names(root, "run")


def test_all_declared_requirements_are_locked(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))

    def asked(requirements: list[str | dict[str, str]]) -> set[str]:
        plain = [requirement for requirement in requirements if isinstance(requirement, str)]
        return {re.split(r"[<>=;\[ ]", requirement)[0].lower() for requirement in plain}

    groups = project["dependency-groups"]
    run = asked(project["project"]["dependencies"]) | asked(groups["setup"])
    assert run <= names(root, "run")
    everything = run | asked(groups["check"]) | asked(project["build-system"]["requires"])
    assert set(EXTRAS) == set(project["project"]["optional-dependencies"])
    for extra, requirements in project["project"]["optional-dependencies"].items():
        assert asked(requirements) <= names(root, extra)
        everything |= asked(requirements)
    assert everything <= names(root, "check")


def test_every_import_is_asked_for(root: Path) -> None:
    """What the package imports it also names, even where another package would bring it along."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [project["dependencies"], *project["optional-dependencies"].values()]
    asked = {re.split(r"[<>=;\[ ]", name)[0].lower() for names in requirements for name in names}
    found = set()
    for path in (root / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    foreign = {name.replace("_", "-") for name in found - sys.stdlib_module_names - {"dicecup"}}
    on_their_own = {"cupy"}  # for a graphics card: whoever has one knows which of its packages fits
    on_their_own |= {"wasmtime"}  # of the tests; whoever has it needs no Numba for hints of Dice in Dice
    in_browsers = {"js", "pyodide"}
    names = {"PIL": "pillow"}  # of packages, where they are not those of their modules
    assert {names.get(name, name) for name in foreign} - on_their_own - in_browsers <= asked


def test_extras_that_play_or_solve_have_what_that_needs(root: Path) -> None:
    """So that one command installs all that a command needs."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert set(extras["solver"]) <= set(extras["data"])
    assert set(extras["solver"]) <= set(extras["dask"])
