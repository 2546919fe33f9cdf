"""Run the examples of README and docs, and compare their output with the documented output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dicecup

pytestmark = pytest.mark.posix  # the examples are for a shell

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"^```(?P<language>console|json|python|text)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks(language: str) -> list[tuple[Path, str]]:
    return [
        (page, found["text"])
        for page in PAGES
        for found in BLOCK.finditer(page.read_text())
        if found["language"] == language
    ]


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of a console block with its documented output."""
    pieces = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (piece.partition("\n") for piece in pieces)]


def pages_with(language: str) -> list[Path]:
    return sorted({page for page, _text in blocks(language)})


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The cache folder of all pages, as a reader has one: the first that needs a game solves it."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.kernels
@pytest.mark.parametrize("page", pages_with("console"), ids=lambda page: page.name)
def test_console_examples(page: Path, tmp_path: Path, cache: str) -> None:
    """Run all examples of a page in one folder, since later ones use files of earlier ones."""
    (tmp_path / "dicecup").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dicecup "$@"\n')
    (tmp_path / "dicecup").chmod(0o755)
    copy_toml_blocks(page, tmp_path)
    keep = {"PATH", "PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name in keep}
    environment |= {"LANG": "C.UTF-8", "HOME": str(tmp_path), "DICECUP_CACHE": cache}
    # Shared with the compiled kernels of the solver tests.
    environment["NUMBA_CACHE_DIR"] = str(ROOT / ".pytest_cache" / "kernels")
    for from_page, text in blocks("console"):
        if from_page != page:
            continue
        for command, output in commands(text):
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            assert agrees(output, done.stdout + done.stderr), f"{command}\n{done.stdout}{done.stderr}"


def copy_toml_blocks(page: Path, folder: Path) -> None:
    """Write each rules file shown on a page to the folder, named after its id."""
    for found in re.finditer(r"^```toml\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        name = re.search(r'^id = "([^"]+)"', found[1], re.MULTILINE)
        if name:
            (folder / f"{name[1]}.toml").write_text(found[1])


def agrees(claimed: str, real: str) -> bool:
    """Return whether the output matches; a line of `…` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else re.escape(line) + r"[ ]*\n"
        for line in claimed.strip("\n").split("\n")
    )
    return bool(re.fullmatch(pattern, real.strip("\n") + "\n"))


@pytest.mark.xdist_group("readme")
@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.name)
def test_python_examples(page: Path, tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All examples of a page one after the other, since later ones use names and files of earlier ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DICECUP_CACHE", cache)
    copy_toml_blocks(page, tmp_path)
    names: dict[str, object] = {}
    for from_page, text in blocks("python"):
        if from_page == page:
            exec(compile(text, str(page), "exec"), names)


def test_there_are_examples() -> None:
    """The manual shows every command."""
    manual = ROOT / "docs" / "commands.md"
    shown = {command for page, text in blocks("console") if page == manual for command, _ in commands(text)}
    from dicecup.cli.main import COMMANDS

    for name in COMMANDS:
        assert any(f"./dicecup {name}" in command for command in shown), name


def test_position_examples() -> None:
    """A position that a page shows as JSON is the one that it shows as a line of text below."""
    found = 0
    for page in pages_with("json"):
        lines = [text.strip() for from_page, text in blocks("text") if from_page == page and " / " in text]
        shown = [json.loads(text) for from_page, text in blocks("json") if from_page == page]
        positions = [dicecup.Position.from_data(data) for data in shown if "ruleset" in data]
        assert list(map(str, positions)) == lines, page
        found += len(positions)
    assert found
