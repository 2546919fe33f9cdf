"""Whole games, many at once, each turn played exactly against the network; expensive steps as GPU kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

from dicecup.engine.state import empty_sheet
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.learned.layout import CLOSED, Array, layout
from dicecup.solver.learned.network import Moved, NetworkSteps
from dicecup.solver.learned.value import Ahead, BatchTurn, TurnSteps, Value

CHANGED = """
const long long item = i / width;
const int unit = i % width;
const float sum = sums[sheet[item] * width + unit]
    + vectors[after[item] * width + unit] - vectors[before[item] * width + unit];
hidden = sum > 0 ? sum : 0;
"""

ACTIVATE = """
const float sum = given + bias[i % width];
hidden = sum > 0 ? sum : 0;
"""

SCORE = """
const long long sheet = i / throws;
const int thrown = i % throws;
const int joker = joker_of_throw[thrown];
const int column = joker >= 0 && jokers[sheet * joker_count + joker] ? throws + joker : thrown;
float found = struck[sheet];
for (int cell = 0; cell < cells; ++cell) {
    const int entry = entries[sheet * cells + cell];
    if (entry == 0) continue;
    const int place = entry * (throws + joker_count) + column;
    const float value = ahead[sheet * slots + cell_slot[cell] + entry_slot[place]]
        + entry_points[place] * multiplier[cell];
    found = value > found ? value : found;
}
best = found;
"""

BEST_KEEP = """
const long long first = (i / throws) * keeps;
const int* const own = &inside[(i % throws) * most];
float found = expected[first + own[0]];
for (int number = 1; number < most; ++number) {
    const float value = expected[first + own[number]];
    found = value > found ? value : found;
}
best = found;
"""


class GpuNetworkSteps(NetworkSteps):
    def __init__(self, cupy: Any) -> None:
        super().__init__(cupy)
        self.changed_kernel = cupy.ElementwiseKernel(
            "raw float32 sums, raw float32 vectors, raw int64 sheet, raw int64 before, raw int64 after, "
            "int32 width",
            "float32 hidden",
            CHANGED,
            "dicecup_changed",
        )
        self.activate_kernel = cupy.ElementwiseKernel(
            "float32 given, raw float32 bias, int32 width", "float32 hidden", ACTIVATE, "dicecup_activate"
        )

    def changed(self, sums: Array, vectors: Array, moved: Moved) -> Array:
        xp, width = self.xp, sums.shape[1]
        hidden = xp.empty((len(moved.sheet), width), dtype=xp.float32)
        sheet, before, after = (array.astype(xp.int64) for array in moved)
        self.changed_kernel(sums, vectors, sheet, before, after, width, hidden)
        return hidden

    def activate(self, hidden: Array, bias: Array) -> Array:
        self.activate_kernel(hidden, bias, hidden.shape[1], hidden)
        return hidden


class GpuTurnSteps(TurnSteps):
    def __init__(self, cupy: Any) -> None:
        super().__init__(cupy)
        self.score_kernel = cupy.ElementwiseKernel(
            "raw int32 entries, raw bool jokers, raw float32 ahead, raw float32 struck, "
            "raw int32 entry_slot, raw float32 entry_points, raw int32 cell_slot, raw float32 multiplier, "
            "raw int32 joker_of_throw, int32 cells, int32 throws, int32 slots, int32 joker_count",
            "float32 best",
            SCORE,
            "dicecup_score",
        )
        self.keep_kernel = cupy.ElementwiseKernel(
            "raw float32 expected, raw int32 inside, int32 throws, int32 keeps, int32 most",
            "float32 best",
            BEST_KEEP,
            "dicecup_best_keep",
        )

    def score(self, turn: BatchTurn, entries: Array, jokers: Array, ahead: Array, struck: Array) -> Array:
        xp, moves, throws = self.xp, turn.moves, turn.throws.first.shape[0]
        best = xp.empty((len(entries), throws), dtype=xp.float32)
        self.score_kernel(
            entries,
            jokers,
            ahead,
            struck,
            moves.entry_slot,
            moves.entry_points,
            moves.cell_slot,
            moves.multiplier,
            moves.joker,
            entries.shape[1],
            throws,
            ahead.shape[1],
            jokers.shape[1],
            best,
        )
        return best

    def best_keep(self, turn: BatchTurn, expected: Array) -> Array:
        xp, inside = self.xp, turn.throws.keeps
        best = xp.empty((len(expected), len(inside)), dtype=xp.float32)
        self.keep_kernel(expected, inside, len(inside), expected.shape[1], inside.shape[1], best)
        return best


class SelfPlayed(NamedTuple):
    """The states and values of a batch of games, by [turn, game]."""

    sheets: Array  # [turn, game, part]: before the turn
    backed_up: Array  # the exact value of the turn against the network
    expected: Array  # what the network gave for the sheet after the turn
    explored: Array  # whether the turn ended in a random box
    scores: Array  # [game]: final scores


class Dealer:
    """Throws dice by their chances."""

    def __init__(self, turn: BatchTurn, seed: int) -> None:
        xp = turn.xp
        self.xp = xp
        self.random = xp.random.default_rng(seed)
        self.first = closed(xp, turn.throws.first)
        self.after_keep = closed(xp, turn.throws.after_keep)

    def uniform(self, *shape: int) -> Array:
        """Return random numbers above 0, up to 1."""
        found: Array = 1 - self.random.random(shape)
        return found

    def first_throw(self, games: int) -> Array:
        return self.xp.searchsorted(self.first, self.uniform(games))

    def throw(self, keep: Array) -> Array:
        """Return a throw after each keep."""
        return (self.after_keep[keep] < self.uniform(len(keep), 1)).sum(axis=1)


def closed(xp: Any, chances: Array) -> Array:
    """Return cumulative sums that end above 1, whatever the rounding."""
    sums = xp.cumsum(chances, axis=-1)
    return xp.where(sums > 1 - 1e-12, 2.0, sums)


def play(
    turn: BatchTurn, value: Value, dealer: Dealer, exploring: Array, start: list[int] | None = None
) -> SelfPlayed:
    """Play as many games as `exploring` has chances to end a turn in a random box.

    `start`: the rows of the sheet they all begin with, an empty one by default; what is on it is not in the
    scores.
    """
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
    return SelfPlayed(seen, backed_up, expected, explored, scores)


def throw_dice(turn: BatchTurn, dealer: Dealer, kept: list[Array], final: Array) -> Array:
    """Return the throw that each game ends its turn with."""
    every = turn.xp.arange(len(final))
    throw = dealer.first_throw(len(final))
    for values in reversed(kept):
        inside = turn.throws.keeps[throw]
        found = values[every[:, None], inside]
        best = found.argmax(axis=1)
        again = dealer.throw(inside[every, best])
        throw = turn.xp.where(found[every, best] > final[every, throw], again, throw)
    return throw


def choose_box(turn: BatchTurn, sheets: Array, value: Array, throw: Array) -> tuple[Array, Array]:
    """Return the slot of the best box, and the points written there, times the multiplier of the column."""
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
    """Return a random slot among those that can follow, whatever the dice show."""
    chances = xp.where(ahead.after == NOWHERE, 0, dealer.uniform(*ahead.after.shape))
    return chances.argmax(axis=1)


def returns(xp: Any, played: SelfPlayed, carried: float) -> Array:
    """Return λ-returns: each backed-up value, corrected by the later turns; `carried` is λ.

    The dice add no noise: only the differences between the network's value of a sheet and the value of its
    turn are propagated back. They stop at a turn that ended in a random box.
    """
    found = xp.empty_like(played.backed_up)
    later = xp.zeros_like(found[0])
    for number in reversed(range(len(found))):
        kept = xp.where(played.explored[number], 0, later - played.expected[number])
        found[number] = played.backed_up[number] + carried * kept
        later = found[number]
    return found
