"""The wheel, built without network access, and the package installed from it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from tests.project.commands import ARGUMENTS, Program, plain_environment

pytestmark = pytest.mark.slow

PO = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "die"
msgstr "dobbelsteen"
"""

TRAINING = "dicecup/solver/learned/training"  # for tools, tests and benchmarks
RELEASES = "https://github.com/dicecup/dicecup/releases"  # a page that is no file of the repository


@pytest.fixture(scope="module")
def wheel(whole_clone: Path) -> Path:
    """Build the wheel from a clone with one additional catalogue, so that there is always one to compile."""
    dutch = whole_clone / "src/dicecup/i18n/locale/nl/LC_MESSAGES"
    dutch.mkdir(parents=True)
    (dutch / "dicecup.po").write_text(PO, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", whole_clone],
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
        name = path.relative_to(source).as_posix()
        if path.suffix in {".py", ".toml", ".typed"}:
            assert (name in content) is not name.startswith(TRAINING), name
    assert "dicecup/py.typed" in content
    assert any(re.fullmatch(r"dicecup/rules/sheets/.+\.toml", name) for name in content)


def test_pages_to_read_are_in_it(root: Path, content: set[str]) -> None:
    """The rules and the guide, which the server shows from files."""
    pages = {path.relative_to(root / "docs").as_posix() for path in (root / "docs").glob("*/??/*.md")}
    assert {name for name in pages if name.startswith("guide/")}
    assert {f"dicecup/web/reading/{name}" for name in pages} <= content


def test_every_catalogue_is_compiled(content: set[str]) -> None:
    sources = {name for name in content if name.endswith(".po")}
    assert "dicecup/i18n/locale/nl/LC_MESSAGES/dicecup.po" in sources
    assert {name for name in content if name.endswith(".mo")} == {name[:-2] + "mo" for name in sources}


def test_nothing_else_is_in_it(content: set[str]) -> None:
    assert {re.sub(r"-.*\.", ".", name.split("/")[0]) for name in content} == {"dicecup", "dicecup.dist-info"}
    assert not [name for name in content if "__pycache__" in name]


def test_only_kernels_of_the_solver_are_in_it(content: set[str]) -> None:
    """The simulation of double dice and the reference solver are for tests and benchmarks."""
    kernels = {"dicecup/solver/single/level.cu", "dicecup/solver/double/turns.cu"}
    assert {name for name in content if name.endswith(".cu")} == kernels
    assert not [name for name in content if "simulate_double" in name or "reference_solver" in name]


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
    extras = ["dask", "data", "env", "pdf", "postgresql", "site", "solver"]
    assert metadata.get_all("Provides-Extra") == extras


def test_the_metadata_says_where_it_is(metadata: Message) -> None:
    urls = dict(line.split(", ", maxsplit=1) for line in metadata.get_all("Project-URL") or ())
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(urls)
    classifiers = metadata.get_all("Classifier") or ()
    for system in ("MacOS", "Microsoft :: Windows", "POSIX :: Linux"):
        assert f"Operating System :: {system}" in classifiers
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers


def test_the_readme_shows_on_a_package_index(root: Path, metadata: Message) -> None:
    """Pictures and links have complete URLs there, and lead to files that exist."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = metadata.get_payload()
    assert isinstance(text, str)
    targets = re.findall(r'(?:\]\(|src=")([^)"]+)', text)
    assert len(targets) > 10
    pictures = 0
    for target in targets:
        found = re.match(
            r"https://(raw\.githubusercontent\.com/dicecup/dicecup|github\.com/dicecup/dicecup/blob)/main/(.+)",
            target,
        )
        assert found or target == RELEASES or not target.startswith("https://github.com/dicecup"), target
        assert target.startswith("https://"), target
        if found:
            assert (root / found[2].partition("#")[0]).exists(), target
            pictures += found[1].startswith("raw")
    assert pictures >= 5
    assert (root / "docs/images/turn.gif").stat().st_size < 500_000


def distributions(metadata: Message, extras: set[str]) -> set[str]:
    """The names of all distributions that installing the wheel with these extras brings."""
    found: set[str] = set()
    waiting = [(text, extras) for text in metadata.get_all("Requires-Dist") or ()]
    while waiting:
        text, chosen = waiting.pop()
        wanted = Requirement(text)
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in {"", *chosen}):
            continue
        if wanted.name not in found:
            found.add(wanted.name)
            waiting += [(more, wanted.extras) for more in requires(wanted.name) or ()]
    return found


def install(wheel: Path, names: set[str], folder: Path) -> Path:
    """Create an environment with the wheel and links to these distributions; return its Python."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    with ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in names:
        installed = distribution(name)
        for top in {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                link(Path(str(installed.locate_file(top))), site / top)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def link(source: Path, target: Path) -> None:
    if os.name != "nt":
        target.symlink_to(source)
    elif source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def test_playing_needs_only_what_the_wheel_asks_for(wheel: Path, metadata: Message, tmp_path: Path) -> None:
    """Every other command names the extra that it needs."""
    python = install(wheel, distributions(metadata, set()), tmp_path / "environment")
    program = Program(python, tmp_path, plain_environment(tmp_path))
    code = "import sys, dicecup; print(dicecup.__version__, dicecup.__file__, sys.prefix, sep='|')"
    found = subprocess.run(
        [python, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    version, file, prefix = found.stdout.strip().split("|")
    assert version == metadata["Version"]
    assert Path(file).is_relative_to(tmp_path / "environment")
    assert Path(prefix) == tmp_path / "environment"
    program.check_all(set())


IMPORT_ALL = """\
import importlib, pkgutil, dicecup
for module in pkgutil.walk_packages(dicecup.__path__, "dicecup."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
"""


def test_with_its_extras_every_module_can_be_imported(wheel: Path, metadata: Message, tmp_path: Path) -> None:
    """The commands that compile kernels are not run here: compiling them again would take minutes."""
    extras = set(metadata.get_all("Provides-Extra") or ())
    python = install(wheel, distributions(metadata, extras), tmp_path / "environment")
    program = Program(python, tmp_path, plain_environment(tmp_path))
    modules = subprocess.run(
        [python, "-P", "-c", IMPORT_ALL], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert modules.returncode == 0, modules.stderr
    assert "dicecup.storage.postgres" in modules.stdout.split()
    for name in ("sheet", "simulate"):
        result = program.run(name, *ARGUMENTS[name])
        assert result.returncode == 0, result
    program.check_server(coach=True)
