"""Every clause of a rule sheet has a test."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from tests.rulebook.clauses import CLAUSES, TESTED


@pytest.mark.parametrize("sheet", CLAUSES)
def test_every_clause_has_a_test(sheet: str):
    for path in Path(__file__).parent.glob("test_*.py"):
        if path != Path(__file__):
            import_module(f"tests.rulebook.{path.stem}")
    assert set(CLAUSES[sheet]) - TESTED[sheet] == set()
