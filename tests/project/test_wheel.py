"""The wheel, built without network access, and the package installed from it."""

from __future__ import annotations

import re
import subprocess
import sys
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

PO = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "die"
msgstr "dobbelsteen"
"""


@pytest.fixture(scope="module")
def wheel(whole_clone: Path) -> Path:
    """Build the wheel from a clone with one additional catalogue, so that there is always one to compile."""
    dutch = whole_clone / "src/dicecup/i18n/locale/nl/LC_MESSAGES"
    dutch.mkdir(parents=True)
    (dutch / "dicecup.po").write_text(PO, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--wheel", whole_clone],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (built,) = (whole_clone / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def content(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path, content: set[str]) -> Message:
    (name,) = (name for name in content if name.endswith(".dist-info/METADATA"))
    with ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


def test_the_package_is_all_there(root: Path, content: set[str]) -> None:
    source = root / "src"
    for path in source.rglob("*"):
        if path.suffix in {".py", ".toml", ".typed"}:
            assert path.relative_to(source).as_posix() in content
    assert "dicecup/py.typed" in content
    assert any(re.fullmatch(r"dicecup/rules/sheets/.+\.toml", name) for name in content)


def test_every_catalogue_is_compiled(content: set[str]) -> None:
    sources = {name for name in content if name.endswith(".po")}
    assert "dicecup/i18n/locale/nl/LC_MESSAGES/dicecup.po" in sources
    assert {name for name in content if name.endswith(".mo")} == {name[:-2] + "mo" for name in sources}


def test_nothing_else_is_in_it(content: set[str]) -> None:
    assert {re.sub(r"-.*\.", ".", name.split("/")[0]) for name in content} == {"dicecup", "dicecup.dist-info"}
    assert not [name for name in content if "__pycache__" in name]


def test_the_metadata_says_what_it_is(root: Path, metadata: Message) -> None:
    version = re.search(
        r'__version__ = "(.+)"', (root / "src/dicecup/__init__.py").read_text(encoding="utf-8")
    )
    assert version
    assert metadata["Name"] == "dicecup"
    assert metadata["Version"] == version[1]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert metadata.get_all("Provides-Extra") == ["pdf", "postgresql", "solver"]


def test_it_runs_without_the_clone(wheel: Path, metadata: Message, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with ZipFile(wheel) as archive:
        archive.extractall(site)
    code = "import sys, dicecup; sys.stdout.write(dicecup.__version__ + ' ' + dicecup.__file__)"
    result = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={"PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert result.stdout == f"{metadata['Version']} {site / 'dicecup' / '__init__.py'}"
