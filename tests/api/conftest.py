"""What the tests of the public API share. Those that ask the coach run beside the tests of the coach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tests.same_examples  # noqa: F401 - for all tests

ROOT = Path(__file__).resolve().parents[2]
# Compiled kernels outlive a run, inside the clone; must be said before the solver is imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".pytest_cache" / "kernels"))

import dicecup  # noqa: E402

HOUSE_RULES = """
format = 1
id = "our-yatzy"
base = "yatzy"
upper.bonus = [{ at = 63, points = 35 }]
box.chance = false
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("coach"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder of these tests: a game is solved once for all of them."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def here(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to work in, with the house rules and the record that the examples speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DICECUP_CACHE", str(cache))
    (tmp_path / "our-yatzy.toml").write_text(HOUSE_RULES)
    game = dicecup.Game("yatzy-sv", players=["Ann", "bot:greedy"], seed=12)
    for _round in range(2):
        game.roll()
        game.play(next(move for move in game.legal_moves() if isinstance(move, dicecup.Score)))
        game.play_bots()
    game.save("sunday.record")
    return tmp_path
