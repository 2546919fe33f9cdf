"""How strong the bots are: mean final scores of each game with its default options, as docs/coach.md tells.

Measured with `dicecup simulate GAME --bot NAME --games 500 --seed 1`; the standard errors are about 1 %.
"""

from __future__ import annotations

from dicecup.rules.model import Ruleset

NAMES = ("random", "greedy", "careless", "steady", "optimal")
MEANS = {
    "yatzy": (30, 183, 191, 234, 249),
    "yatzy-sv": (30, 184, 191, 232, 248),
    "yahtzee": (27, 197, 212, 237, 255),
    "dice-in-dice": (50, 225, 259, 300, 315),
    "yum-plus": (50, 304, 357, 415, 465),
    "triple-yum-plus": (316, 1973, 2555, 2982, 3279),
}


def usual_score(rules: Ruleset, bot: str) -> int | None:
    """What a bot scores on average; None for a game or a bot that was never measured."""
    means = dict(zip(NAMES, MEANS.get(rules.id, ()), strict=False))
    return means.get(bot)
