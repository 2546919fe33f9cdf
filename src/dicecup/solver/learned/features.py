"""What the network is told about a row. Rows of groups are told apart as they are; upper rows by what
matters.

That is: which boxes are open, how far the sum is from par (the share of the first bonus step that the filled
boxes owe), and how likely each step is if every open box gets so many dice of its face as throwing for it
would give.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from dicecup.rules.model import OfFace, Ruleset
from dicecup.solver.learned.layout import Layout, layout
from dicecup.solver.learned.moves import Array

# Chances of a die to show the face in the end, from careless to most careful.
SHARES = (0.45, 0.55, 0.65, 0.75)
RAMP = np.arange(-20, 20, 2)  # distances from par where a ramp begins, each two points wide
RAMP_WIDTH = 2


@lru_cache(maxsize=8)
def upper_features(rules: Ruleset) -> Array:
    """[upper row, feature]"""
    place = layout(rules)
    filled, total = np.divmod(np.arange(place.upper_rows), place.totals)
    bits = filled[:, None] >> np.arange(len(place.upper)) & 1
    found = [1.0 - bits]
    if rules.bonus:
        faces = np.array([face_of(rules, box) for box in place.upper])
        par = rules.bonus[0].at / faces.sum()
        distance = total - bits @ faces * par
        found += [np.clip(distance, -20, 20)[:, None] / 10]
        found += [np.clip((distance[:, None] - RAMP) / RAMP_WIDTH, 0, 1)]
        found += [step_chances(place, share) for share in SHARES]
    return np.concatenate(found, axis=1).astype(np.float32)


def face_of(rules: Ruleset, box: int) -> int:
    needs = rules.boxes[box].needs
    return needs.face if isinstance(needs, OfFace) else 0


def step_chances(place: Layout, share: float) -> Array:
    """[upper row, step]: the chance to reach a bonus step that is not yet reached."""
    rules, last = place.rules, place.totals - 1
    dice = rules.dice.counted
    chances = [comb(dice, count) * share**count * (1 - share) ** (dice - count) for count in range(dice + 1)]
    tiers = np.array([tier.at for tier in rules.bonus])
    totals = np.arange(place.totals)
    reached = totals[:, None] >= tiers
    every = (1 << len(place.upper)) - 1
    found = np.zeros((every + 1, place.totals, len(tiers)))
    found[every] = reached
    for filled in reversed(range(every)):
        number = next(bit for bit in range(len(place.upper)) if not filled >> bit & 1)
        face = face_of(rules, place.upper[number])
        found[filled] = sum(
            chance * found[filled | 1 << number][np.minimum(totals + count * face, last)]
            for count, chance in enumerate(chances)
        )
    found -= reached
    return found.reshape(-1, len(tiers))
