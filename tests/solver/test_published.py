"""Published values, and values implied by a house rule."""

from __future__ import annotations

import pytest

PUBLISHED = [
    ("yatzy-sv", {}, 248.4399893779),
    ("yatzy", {"scoring": "scandinavian"}, 248.4399893779),
    ("yahtzee", {"joker": "free"}, 254.5896094820),
    ("yahtzee", {"joker": "forced"}, 254.5877287345),
    ("yahtzee", {"joker": "none"}, 245.8707745141),
]
HOUSE_RULE = """
format = 1
id = "five-alike-full-house"
base = "yahtzee"

[box.full_house]
needs = { alike = [3, 2], different = false }
"""


@pytest.mark.parametrize(("game", "options", "value"), PUBLISHED)
def test_64_bit(solved, game, options, value):
    assert solved(game, options).table.header.expected == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(("game", "options", "value"), PUBLISHED[:1] + PUBLISHED[2:4])
def test_32_bit(solved, game, options, value):
    assert solved(game, options, 32).table.header.expected == pytest.approx(value, abs=1e-3)


def test_a_house_rule(solved, tmp_path):
    path = tmp_path / "house.toml"
    path.write_text(HOUSE_RULE, encoding="utf-8")
    solution = solved(str(path), {"joker": "none"})
    assert solution.table.header.expected == pytest.approx(245.9047283707, abs=1e-8)


def test_last_resort_is_another_game(solved):
    free = solved("yatzy-sv").table.header
    last_resort = solved("yatzy-sv", {"strike": "last_resort"}).table.header
    assert last_resort.identity != free.identity
    assert last_resort.expected == pytest.approx(240.8851241313, abs=1e-8)
