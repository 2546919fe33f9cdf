"""One turn on LANES sheets at once: from what every throw gives at its end to what the turn is worth.

`work` holds a row of lanes for every multiset of dice, the full throws last; `final` a row for every full
throw: the best that scoring it gives. Rows are found by number, so the code is the same for any count of dice
and faces.
"""

from __future__ import annotations

from typing import Any

import numba

from dicecup.solver.program import Program
from dicecup.solver.vector import LANES, fill, larger, load, plus, store, times


@numba.njit(cache=True)
def expect(program: Program, work: Any) -> None:
    """Give every keep the mean of the keeps with one die more, largest keeps first."""
    add = program.add
    faces = add.shape[1]
    share = fill(work, 1.0 / faces)
    for keep in range(add.shape[0] - 1, -1, -1):
        total = load(work, add[keep, 0] * LANES)
        for face in range(1, faces):
            total = plus(total, load(work, add[keep, face] * LANES))
        store(work, keep * LANES, times(total, share))


@numba.njit(cache=True)
def choose(program: Program, work: Any, final: Any) -> None:
    """Give every multiset the best keep inside it, and every full throw the better of that and scoring."""
    take, starts = program.take, program.take_starts
    keeps = program.add.shape[0]
    for row in range(1, starts.size - 1):
        best = load(work, row * LANES) if row < keeps else load(final, (row - keeps) * LANES)
        for neighbour in range(starts[row], starts[row + 1]):
            best = larger(best, load(work, take[neighbour] * LANES))
        store(work, row * LANES, best)


@numba.njit(cache=True)
def first_throw(program: Program, work: Any) -> Any:
    """The mean over the first throw of a turn."""
    keeps = program.add.shape[0]
    total = fill(work, 0.0)
    for throw in range(program.weights.size):
        chance = fill(work, program.weights[throw])
        total = plus(total, times(chance, load(work, (keeps + throw) * LANES)))
    return total


@numba.njit(cache=True)
def turn(program: Program, work: Any, final: Any) -> Any:
    """What a whole turn is worth before its first throw."""
    keeps = program.add.shape[0]
    for throw in range(program.weights.size):
        store(work, (keeps + throw) * LANES, load(final, throw * LANES))
    for _ in range(program.settings[0] - 1):
        expect(program, work)
        choose(program, work, final)
    return first_throw(program, work)
