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
