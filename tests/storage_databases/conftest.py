"""Every test of the store runs on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dicecup.storage.store import Store, open_store


@pytest.fixture
def address(database: str) -> str:
    return database


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    opened = open_store(address)
    yield opened
    opened.close()
