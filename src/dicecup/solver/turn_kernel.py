"""One turn on several sheets at once, a lane each: from what scoring every throw gives to its worth.

`work` holds a row of lanes for every multiset of dice, the full throws last; `final` a row for every full
throw: the best that scoring it gives. Rows are found by number, so the code is the same for any count of dice
and faces.
"""

from __future__ import annotations

from typing import Any

from dicecup.solver.compiled import kernel
from dicecup.solver.lattice import Walks
from dicecup.solver.program import Program
from dicecup.solver.vector import fill, lanes, larger, load, plus, store, times, times_plus

BLOCK = 16


@kernel()
def expect(program: Walks, work: Any) -> None:
    """Give every keep the mean of the keeps with one die more, largest keeps first."""
    add = program.add
    faces, width = add.shape[1], lanes(work)
    # In 32 bits 1/6 is wrong by a part in 67 million, always the same way: over a game that is 0.0001 points.
    # What is missing from it goes in before the product is rounded.
    share = fill(work, 1.0 / faces)
    work[0] = 1.0 / faces
    rest = fill(work, 1.0 / faces - work[0])
    for keep in range(add.shape[0] - 1, -1, -1):
        total = load(work, add[keep, 0] * width)
        for face in range(1, faces):
            total = plus(total, load(work, add[keep, face] * width))
        store(work, keep * width, times_plus(total, share, times(total, rest)))


@kernel()
def choose(program: Walks, work: Any, final: Any) -> None:
    """Give every multiset the best keep inside it, and every full throw the better of that and scoring."""
    take, starts = program.take, program.take_starts
    keeps, width = program.add.shape[0], lanes(work)
    for row in range(1, starts.size - 1):
        best = load(work, row * width) if row < keeps else load(final, (row - keeps) * width)
        for neighbour in range(starts[row], starts[row + 1]):
            best = larger(best, load(work, take[neighbour] * width))
        store(work, row * width, best)


@kernel()
def first_throw(program: Walks, work: Any) -> Any:
    """The mean over the first throw of a turn, summed block by block: in one long sum of 252 terms the 32-bit
    rounding was 0.0003 points a turn."""
    keeps, throws, width = program.add.shape[0], program.weights.size, lanes(work)
    total = fill(work, 0.0)
    for start in range(0, throws, BLOCK):
        part = fill(work, 0.0)
        for throw in range(start, min(start + BLOCK, throws)):
            chance = fill(work, program.weights[throw])
            part = times_plus(chance, load(work, (keeps + throw) * width), part)
        total = plus(total, part)
    return total


@kernel()
def turn(program: Program, work: Any, final: Any) -> Any:
    """What a whole turn is worth before its first throw."""
    keeps, width = program.add.shape[0], lanes(work)
    for throw in range(program.weights.size):
        store(work, (keeps + throw) * width, load(final, throw * width))
    for _ in range(program.settings[0] - 1):
        expect(program, work)
        choose(program, work, final)
    return first_throw(program, work)
