"""The costly steps as kernels of a GPU, through CuPy: one pass over the memory each."""

from __future__ import annotations

from typing import Any

from dicecup.solver.learned import network, turn
from dicecup.solver.learned.moves import Array
from dicecup.solver.learned.network import Moved

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


class NetworkSteps(network.Steps):
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


class TurnSteps(turn.Steps):
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

    def score(self, turn: turn.Turn, entries: Array, jokers: Array, ahead: Array, struck: Array) -> Array:
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

    def best_keep(self, turn: turn.Turn, expected: Array) -> Array:
        xp, inside = self.xp, turn.throws.keeps
        best = xp.empty((len(expected), len(inside)), dtype=xp.float32)
        self.keep_kernel(expected, inside, len(inside), expected.shape[1], inside.shape[1], best)
        return best
