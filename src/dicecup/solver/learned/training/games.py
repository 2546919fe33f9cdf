"""Whole games, many side by side, each turn played exactly against the network."""

from __future__ import annotations

from typing import Any, NamedTuple

from dicecup.engine.state import empty_sheet
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import CLOSED, NOWHERE, Array
from dicecup.solver.learned.turn import Ahead, Turn, Value


class Played(NamedTuple):
    """What games of a batch went through, by [turn, game]."""

    sheets: Array  # [turn, game, part]: before the turn
    backed_up: Array  # the exact value of the turn against the network
    expected: Array  # what the network gave for the sheet after the turn
    explored: Array  # whether the turn ended in a random box
    scores: Array  # [game]: final scores


class Dealer:
    """Throws dice by their chances."""

    def __init__(self, turn: Turn, seed: int) -> None:
        xp = turn.xp
        self.xp = xp
        self.random = xp.random.default_rng(seed)
        self.first = closed(xp, turn.throws.first)
        self.after_keep = closed(xp, turn.throws.after_keep)

    def uniform(self, *shape: int) -> Array:
        """Numbers above 0, up to 1."""
        found: Array = 1 - self.random.random(shape)
        return found

    def first_throw(self, games: int) -> Array:
        return self.xp.searchsorted(self.first, self.uniform(games))

    def throw(self, keep: Array) -> Array:
        """The throw after each keep."""
        return (self.after_keep[keep] < self.uniform(len(keep), 1)).sum(axis=1)


def closed(xp: Any, chances: Array) -> Array:
    """Running sums that end above 1, whatever the rounding."""
    sums = xp.cumsum(chances, axis=-1)
    return xp.where(sums > 1 - 1e-12, 2.0, sums)


def play(
    turn: Turn, value: Value, dealer: Dealer, exploring: Array, start: list[int] | None = None
) -> Played:
    """Play as many games as `exploring` has chances to end a turn in a random box. `start`: the rows of the
    sheet they all begin with, an empty one if none is given; what is on it is not in the scores."""
    xp, games = turn.xp, len(exploring)
    start = layout(turn.rules).read(empty_sheet(turn.rules)).rows if start is None else start
    sheets = xp.tile(xp.asarray(start, dtype=xp.int32), (games, 1))
    turns = int(turn.open_boxes(sheets[:1])[0])
    every = xp.arange(games)
    seen = xp.empty((turns, *sheets.shape), dtype=xp.int16)
    backed_up, expected = xp.empty((turns, games), xp.float32), xp.empty((turns, games), xp.float32)
    explored = xp.zeros((turns, games), dtype=bool)
    scores = xp.zeros(games)
    for number in range(turns):
        seen[number] = sheets
        ahead = turn.look_ahead(value, sheets)
        worth = ahead.value + ahead.paid
        final = turn.score(sheets, worth)
        kept, thrown = turn.solve(final)
        backed_up[number] = turn.before_throw(thrown)
        throw = throw_dice(turn, dealer, kept, final)
        slot, points = choose_box(turn, sheets, worth, throw)
        explored[number] = dealer.uniform(games) <= exploring
        slot = xp.where(explored[number], random_slot(xp, ahead, dealer), slot)
        expected[number] = ahead.value[every, slot]
        scores += points + ahead.paid[every, slot]
        sheets[every, turn.moves.slot_place[slot]] = ahead.after[every, slot]
    return Played(seen, backed_up, expected, explored, scores)


def throw_dice(turn: Turn, dealer: Dealer, kept: list[Array], final: Array) -> Array:
    """The throw that each game ends its turn with."""
    every = turn.xp.arange(len(final))
    throw = dealer.first_throw(len(final))
    for values in reversed(kept):
        inside = turn.throws.keeps[throw]
        found = values[every[:, None], inside]
        best = found.argmax(axis=1)
        again = dealer.throw(inside[every, best])
        throw = turn.xp.where(found[every, best] > final[every, throw], again, throw)
    return throw


def choose_box(turn: Turn, sheets: Array, value: Array, throw: Array) -> tuple[Array, Array]:
    """The slot that the best box leads to, and the points written there, times those of the column."""
    xp, moves = turn.xp, turn.moves
    entries, jokers = turn.entries(sheets), turn.jokers(sheets)
    column = turn.columns(jokers, throw[:, None])
    first = moves.cell_slot
    slots = xp.concatenate(
        [first + moves.entry_slot[entries, column], first + moves.entry_zero[entries]], axis=1
    )
    points = moves.entry_points[entries, column] * moves.multiplier
    points = xp.concatenate([points, xp.zeros_like(points)], axis=1)
    found = xp.take_along_axis(value, slots, axis=1) + points
    found = xp.where(xp.tile(entries == CLOSED, (1, 2)), -xp.inf, found)
    best = found.argmax(axis=1)
    every = xp.arange(len(sheets))
    return slots[every, best], points[every, best]


def random_slot(xp: Any, ahead: Ahead, dealer: Dealer) -> Array:
    """Anything that can become of the sheet, whatever the dice show."""
    chances = xp.where(ahead.after == NOWHERE, 0, dealer.uniform(*ahead.after.shape))
    return chances.argmax(axis=1)


def returns(xp: Any, played: Played, carried: float) -> Array:
    """λ-returns: each backed-up value, corrected by what the turns after it found out; `carried` is λ.

    The dice add no noise: only the differences between what the network said of a sheet and what its turn
    was then found to be worth are carried back. They stop at a turn that ended in a random box.
    """
    found = xp.empty_like(played.backed_up)
    later = xp.zeros_like(found[0])
    for number in reversed(range(len(found))):
        kept = xp.where(played.explored[number], 0, later - played.expected[number])
        found[number] = played.backed_up[number] + carried * kept
        later = found[number]
    return found
