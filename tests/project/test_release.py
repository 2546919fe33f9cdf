"""A release: version, tag, date and notes agree in every file that names them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import dicecup
from release_notes import DisagreementError, notes

FILES = ("CHANGELOG.md", "CITATION.cff", "src/dicecup/__init__.py")


def test_this_version_can_be_released(root: Path) -> None:
    found = notes(root, f"v{dicecup.__version__}")
    assert "### Added" in found
    assert "## [" not in found
    assert "releases/tag" not in found


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("CITATION.cff", "version: 0", "version: 1"),
        ("CITATION.cff", "date-released: 20", "date-released: 19"),
        ("src/dicecup/__init__.py", '__version__ = "0', '__version__ = "1'),
        ("CHANGELOG.md", "## [0.2.0] - ", "## [0.3.0] - 2026-12-24\n\n## [0.2.0] - "),
        ("CHANGELOG.md", "releases/tag/v0", "releases/tag/v1"),
        ("CHANGELOG.md", "## [0.2.0] - ", "## [0.2.1] - "),
    ],
)
def test_a_disagreement_is_found(root: Path, tmp_path: Path, file: str, old: str, new: str) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    changed = tmp_path / file
    text = changed.read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DisagreementError):
        notes(tmp_path, f"v{dicecup.__version__}")


def test_the_tag_has_a_v(root: Path) -> None:
    with pytest.raises(DisagreementError):
        notes(root, dicecup.__version__)
