"""The lattice of multisets of dice: one die more, one die less.

Dice kept and dice thrown are multisets of up to `count` dice, ordered by size. Throwing n dice is throwing
one die n times, so the expectation of a keep is the mean over the faces of the keeps with one die more; and
what can be kept of some dice is what can be kept of them with one die taken away. Both walks touch each pair
of neighbours once: 1,260 steps for five dice, where 4,116 pairs of keep and throw are the plain way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, Protocol

import numpy as np

from dicecup.dice import Faces

Indexes = np.ndarray[tuple[int, ...], np.dtype[np.int32]]


class Walks(Protocol):
    """What the kernels of a turn need to know of the dice; see `Lattice`."""

    @property
    def add(self) -> Any: ...
    @property
    def take(self) -> Any: ...
    @property
    def take_starts(self) -> Any: ...
    @property
    def weights(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Lattice:
    """All multisets of up to `count` dice and their neighbours, as the kernels want them."""

    count: int
    faces: int
    multisets: tuple[Faces, ...]  # by size; the full ones last
    number: dict[Faces, int]
    starts: Indexes  # where each size begins, and the end
    add: Indexes  # [keep, face]: the multiset with one die more
    take: Indexes  # the multisets with one die less, one after the other
    take_starts: Indexes  # where those of each multiset begin, and the end
    weights: np.ndarray[tuple[int], np.dtype[np.float64]]  # chance of each full multiset in one throw

    @property
    def rows(self) -> int:
        return len(self.multisets)

    @property
    def keeps(self) -> int:
        """The multisets that leave a die to throw: rows 0 up to here."""
        return int(self.starts[self.count])

    @property
    def throws(self) -> tuple[Faces, ...]:
        """The full multisets."""
        return self.multisets[self.keeps :]


@lru_cache(maxsize=8)
def lattice(count: int, faces: int) -> Lattice:
    values = range(1, faces + 1)
    sizes = [list(combinations_with_replacement(values, size)) for size in range(count + 1)]
    multisets = tuple(dice for size in sizes for dice in size)
    number = {dice: index for index, dice in enumerate(multisets)}
    keeps = len(multisets) - len(sizes[-1])
    more = [[number[tuple(sorted((*dice, face)))] for face in values] for dice in multisets[:keeps]]
    fewer = [[number[without(dice, face)] for face in sorted(set(dice))] for dice in multisets]
    return Lattice(
        count=count,
        faces=faces,
        multisets=multisets,
        number=number,
        starts=np.cumsum([0] + [len(size) for size in sizes], dtype=np.int32),
        add=np.array(more, dtype=np.int32).reshape(keeps, faces),
        take=np.array([number for row in fewer for number in row], dtype=np.int32),
        take_starts=np.cumsum([0, *map(len, fewer)], dtype=np.int32),
        weights=np.array([chance(dice, faces) for dice in sizes[-1]]),
    )


def without(dice: Faces, face: int) -> Faces:
    place = dice.index(face)
    return dice[:place] + dice[place + 1 :]


def chance(dice: Faces, faces: int) -> float:
    copies = Counter(dice).values()
    return float(factorial(len(dice)) / prod(map(factorial, copies)) / faces ** len(dice))
