"""The dice of a turn as arrays: the chance of a throw after a keep, the keeps inside a throw."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dicecup.dice import parts, throws
from dicecup.rules.model import Ruleset
from dicecup.solver.lattice import lattice
from dicecup.solver.learned.moves import Array


class Throws(NamedTuple):
    """Throws are full multisets, keeps smaller ones, both in the order of the lattice."""

    first: Array  # the chance of each throw at the start of a turn
    after_keep: Array  # [keep, throw]: its chance
    keeps: Array  # [throw, n]: the keeps inside it; the last one repeated where there are fewer


@lru_cache(maxsize=4)
def throw_tables(rules: Ruleset) -> Throws:
    dice, faces = rules.dice.count, rules.dice.faces
    known = lattice(dice, faces)
    after_keep = np.zeros((known.keeps, len(known.throws)))
    for number, keep in enumerate(known.multisets[: known.keeps]):
        thrown = dice - len(keep)
        for more, weight in throws(thrown, faces):
            whole = tuple(sorted(keep + tuple(die for die in more if isinstance(die, int))))
            after_keep[number, known.number[whole] - known.keeps] += weight / faces**thrown
    inside = [
        [
            known.number[tuple(die for die in part if isinstance(die, int))]
            for part in parts(throw)
            if len(part) < dice
        ]
        for throw in known.throws
    ]
    most = max(map(len, inside))
    return Throws(
        first=np.array(known.weights),
        after_keep=after_keep,
        keeps=np.array([row + row[-1:] * (most - len(row)) for row in inside], dtype=np.int32),
    )
