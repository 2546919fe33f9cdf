"""Reduced games of double dice, each using a different rule that the solver must handle."""

from __future__ import annotations

from pathlib import Path

from dicecup.rules import load_ruleset
from dicecup.rules.model import Ruleset

SHEET = """
format = 1
id = "small"
throws = {throws}
strike = "{strike}"
scored = ["inner", "outer"]

[dice]
count = {dice}
faces = {faces}
layers = ["outer", "inner"]
counted = {counted}

[upper]
boxes = {{ ones = 1, twos = 2 }}
bonus = {bonus}

[box.chance]
points = "all"
{more}

[names.en]
game = "Small"
summary = "A small game"
outer = "outer dice"
inner = "inner dice"
ones = "Ones"
twos = "Twos"
"""
PAIR = """
[box.pair]
needs = { alike = [2] }
points = "matching"
"""
SECOND_CHANCE = """
[box.extra]
after_total = true
points = "all"
"""
NEGATIVE = """
[box.extra]
points = "-all"
strike = false
"""
STRIKABLE_NEGATIVE = """
[box.minus]
points = "3 - all"
"""
FREE_STRIKE = """
[box.extra]
after_total = true
points = 0
"""
STRAIGHT = """
[box.straight]
needs = { faces = [1, 2] }
points = 7
"""
PLAIN = {
    "throws": 3,
    "strike": "free",
    "dice": 2,
    "faces": 3,
    "counted": 2,
    "bonus": "[{ at = 4, points = 5 }]",
    "more": PAIR,
}
SMALLER = PLAIN | {"faces": 2}
THREE_DICE = SMALLER | {"dice": 3}
LAST_RESORT = {"strike": "last_resort"}
GAMES = {
    "three faces": PLAIN,
    "three dice": THREE_DICE,
    "last resort": PLAIN | LAST_RESORT,
    "one throw": PLAIN | {"throws": 1},
    "two throws": THREE_DICE | LAST_RESORT | {"throws": 2},
    "four throws": SMALLER | {"throws": 4},
    "two steps": THREE_DICE | {"bonus": "[{ at = 2, points = 3 }, { at = 5, points = 9 }]"},
    "falling step": THREE_DICE | {"bonus": "[{ at = 2, points = 6 }, { at = 5, points = 1 }]"},
    "no bonus": SMALLER | {"bonus": "[]"},
    "second chance": SMALLER | {"more": SECOND_CHANCE},
    "negative": SMALLER | {"more": NEGATIVE},
    "strikable negative": SMALLER | {"more": STRIKABLE_NEGATIVE},
    "strikable negative, last resort": PLAIN | LAST_RESORT | {"more": STRIKABLE_NEGATIVE},
    "free strike, last resort": PLAIN | LAST_RESORT | {"more": FREE_STRIKE},
    "six boxes": SMALLER | {"throws": 1, "more": SECOND_CHANCE + STRAIGHT + PAIR},
    "six boxes, last resort": SMALLER | LAST_RESORT | {"more": NEGATIVE + STRAIGHT + PAIR},
}


def small_game(name: str, folder: Path) -> Ruleset:
    added = str(GAMES[name]["more"]).splitlines()
    boxes = {"chance"} | {line[5:-1] for line in added if line.startswith("[box.")}
    names = "".join(f'{box} = "{box.title()}"\n' for box in sorted(boxes))
    file = folder / "small.toml"
    file.write_text(SHEET.format(**GAMES[name]) + names, encoding="utf-8")
    return load_ruleset(str(file))
