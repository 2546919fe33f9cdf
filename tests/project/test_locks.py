"""The lock files: exact, hashed, independent of any registry, consistent with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

LOCKS = ["run", "check"]


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
    assert len(found) > 3
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


def test_a_run_is_a_part_of_a_check(root: Path) -> None:
    assert set(entries(read(root, "run"))) <= set(entries(read(root, "check")))


def test_all_declared_requirements_are_locked(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))

    def asked(requirements: list[str | dict[str, str]]) -> set[str]:
        plain = [requirement for requirement in requirements if isinstance(requirement, str)]
        return {re.split(r"[<>=;\[ ]", requirement)[0].lower() for requirement in plain}

    groups = project["dependency-groups"]
    run = asked(project["project"]["dependencies"]) | asked(groups["setup"])
    for extra in project["project"]["optional-dependencies"].values():
        run |= asked(extra)
    assert run <= names(root, "run")
    assert run | asked(groups["check"]) | asked(project["build-system"]["requires"]) <= names(root, "check")
