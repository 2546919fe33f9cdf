"""The architecture page shows the code as it is, and the walks through it stay short."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

WALKS = {"Rules file → score": 4, "Click → other browser": 11, "Hint → value": 12}


@pytest.mark.kernels
def test_the_page_is_made_from_the_code(root: Path) -> None:
    command = [sys.executable, str(root / "tools" / "walks.py"), "--check"]
    assert not subprocess.run(command, check=False).returncode, "run tools/walks.py"


def test_walks_pass_few_modules(root: Path) -> None:
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = {name: int(count) for name, count in re.findall(r"^## (.*): (\d+) modules$", page, re.M)}
    assert found.keys() == WALKS.keys()
    for name, count in found.items():
        assert count <= WALKS[name], name


def sources(root: Path) -> list[Path]:
    return sorted((root / "src" / "dicecup").rglob("*.py"))


def test_a_class_name_means_one_thing(root: Path) -> None:
    found = Counter(
        node.name
        for path in sources(root)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_what_is_decided_somewhere_is_there(root: Path) -> None:
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Where it is decided")[2].partition("##")[0]
    places = re.findall(r"`([\w.]+)`", table)
    assert len(places) > 20
    for place in places:
        names = place.split(".")
        depth = next(n for n in range(len(names), 0, -1) if (source_of(root, names[:n])).is_file())
        body: list[ast.stmt] = ast.parse(source_of(root, names[:depth]).read_text(encoding="utf-8")).body
        for name in names[depth:]:
            found = [node for node in body if name in defined_by(node)]
            assert found, place
            body = getattr(found[0], "body", [])


def source_of(root: Path, names: list[str]) -> Path:
    return root.joinpath("src", "dicecup", *names).with_suffix(".py")


def defined_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def test_a_module_name_means_one_thing(root: Path) -> None:
    """Backends of the solver share names, and a command has the name of its file."""
    folders: dict[str, set[str]] = {}
    for path in sources(root):
        kind = path.parent.relative_to(root / "src" / "dicecup").parts[:1]
        if path.stem != "__init__" and kind != ("cli",):
            folders.setdefault(path.stem, set()).add("".join(kind))
    assert {name for name, found in folders.items() if len(found) > 1} == set()


def test_files_are_short(root: Path) -> None:
    long = {path.name for path in sources(root) if path.read_text(encoding="utf-8").count("\n") > 400}
    assert long == set()
