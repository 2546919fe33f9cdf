"""The marker that names a sheet and its clauses."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "clause(*sheets, *names): the clauses of rule sheets that a test proves"
    )
