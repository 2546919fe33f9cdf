"""Classes of upper totals: those that no way to go on can distinguish by the bonus.

All totals that can no longer reach a step are one class, and all beyond the last step; so are totals between
two multiples of the only face still open: with only sixes open, 33 to 38 all need five of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dicecup.engine.state import bonus
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array


def last_step(rules: Ruleset) -> int:
    """Return the total from which on the bonus no longer grows."""
    return rules.bonus[-1].at if rules.bonus else 0


def bonus_by_total(rules: Ruleset, most: int) -> Array:
    """Return the bonus of every total up to `most`."""
    return np.array([bonus(rules, total) for total in range(most + 1)], dtype=np.int32)


def join_totals(totals: Iterable[int], outcomes: Callable[[int], Array]) -> dict[int, int]:
    """Return the class of each total, in ascending order; `outcomes` are what every way to go on makes of it.

    Totals with the same outcomes are one class. Classes are numbered by their lowest total.
    """
    classes: dict[bytes, int] = {}
    return {total: classes.setdefault(outcomes(total).tobytes(), len(classes)) for total in sorted(totals)}


def lowest_totals(classes: dict[int, int]) -> list[int]:
    """Return the lowest total of each class."""
    lowest: dict[int, int] = {}
    for total, number in classes.items():
        lowest.setdefault(number, total)
    return list(lowest.values())
