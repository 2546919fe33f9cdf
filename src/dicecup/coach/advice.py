"""Every choice of a position with what it is worth and what it loses against the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dicecup.coach.values import Values
from dicecup.engine.moves import Keep, Score
from dicecup.engine.play import keeps
from dicecup.engine.state import State
from dicecup.engine.totals import final_score

if TYPE_CHECKING:
    from dicecup.solver.games import Turn


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision a player may take now."""

    move: Keep | Score
    expected: float
    loss: float
    points: int = 0  # what it writes on the sheet at once, bonus aside


@dataclass(frozen=True, slots=True)
class Advice:
    """What a position is worth, and every choice, best first. While a throw is due there is none."""

    expected: float
    exact: bool
    choices: tuple[Choice, ...] = ()

    def choice(self, move: Keep | Score) -> Choice:
        """The choice that a player took; striking a box that gives 0 is filling it."""
        found = [choice for choice in self.choices if choice.move == move]
        plain = without_strikes(move) if not found else move
        return found[0] if found else next(choice for choice in self.choices if choice.move == plain)


def advise(values: Values, state: State) -> Advice:
    """Advice for the player whose turn it is; what others hold does not change the best expected score."""
    if state.sheet.full:
        return Advice(float(final_score(values.rules, state.sheet)), exact=True)
    turn = values.turn(state.sheet)
    if not state.dice:
        return Advice(turn.value, values.exact)
    if state.kept is not None:
        return Advice(turn.keep(state.kept, state.throws_left), values.exact)
    worth = worths(turn, state)
    best = max(expected for _, expected, _ in worth)
    # Equal choices stand in this order: ending the turn before throwing on, boxes as on the sheet.
    worth.sort(key=lambda found: -found[1])
    choices = tuple(Choice(move, expected, best - expected, points) for move, expected, points in worth)
    return Advice(best, values.exact, choices)


def worths(turn: Turn, state: State) -> list[tuple[Keep | Score, float, int]]:
    found: list[tuple[Keep | Score, float, int]] = [
        (box.move, box.value, box.points) for box in turn.boxes(state.dice)
    ]
    if state.throws_left:
        found += [(move, turn.keep(move.dice, state.throws_left), 0) for move in keeps(state.dice)]
    return found


def without_strikes(move: Keep | Score) -> Keep | Score:
    if isinstance(move, Keep):
        return move
    return Score(tuple(replace(placement, strike=False) for placement in move.placements))
