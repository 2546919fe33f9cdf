"""The last moves of a record with the resulting states, so that they need not be replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dicecup.engine.fairness import ThrowNumber
from dicecup.engine.state import Move, Score, State, Throw
from dicecup.rules.scoring import Scored

Step = tuple[Move, State, tuple[Scored, ...]]  # a move, the state after it, the points of each filled box

FIRST_THROW = ThrowNumber(1, 1, 1)


@dataclass(frozen=True, slots=True)
class Recent:
    """The last current moves of a record with the resulting states, and the position before them."""

    skipped: int  # how many current moves there were before
    before: State
    number: ThrowNumber  # of the next throw then
    steps: tuple[Step, ...]

    @property
    def state(self) -> State:
        return self.steps[-1][1] if self.steps else self.before


def steps_backwards(first: State, steps: tuple[Step, ...]) -> Iterator[tuple[State, Move, State]]:
    for at in range(len(steps) - 1, -1, -1):
        move, after, _ = steps[at]
        yield steps[at - 1][1] if at else first, move, after


def number_after(number: ThrowNumber, move: Move) -> ThrowNumber:
    """The number of the next throw after a move, from what it was before the move."""
    if isinstance(move, Throw):
        return ThrowNumber(number.in_game + 1, number.turn, number.in_turn + 1)
    if isinstance(move, Score):
        return ThrowNumber(number.in_game, number.turn + 1, 1)
    return number
