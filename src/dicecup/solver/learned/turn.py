"""One turn on a batch of sheets, exactly: every throw, keep and box by the values of the following sheets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from dicecup.dice import lattice
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.learned.layout import CLOSED, Array, Moves, book
from dicecup.solver.learned.network import Moved


class ThrowTables(NamedTuple):
    """Throws and keeps as arrays, both in the order of the lattice."""

    first: Array  # the chance of each throw at the start of a turn
    after_keep: Array  # [keep, throw]: its chance
    keeps: Array  # [throw, n]: the keeps inside it; the last one repeated where there are fewer


@lru_cache(maxsize=4)
def throw_tables(rules: Ruleset) -> ThrowTables:
    known = lattice(rules.dice.count, rules.dice.faces)
    most = max(map(len, known.keeps_inside))
    keeps = [rows + rows[-1:] * (most - len(rows)) for rows in known.keeps_inside]
    return ThrowTables(known.weights, known.throw_chances, np.array(keeps, dtype=np.int32))


class Ahead(NamedTuple):
    """What follows a batch of sheets. Slots of all columns are side by side; -inf where there is none."""

    after: Array  # [sheet, slot]: the row afterwards, numbered through the columns, or NOWHERE
    value: Array  # [sheet, slot]: the value of the sheet afterwards
    paid: Array  # [sheet, slot]: the growth of the bonus


class Value(Protocol):
    """Something that values sheets, in points still to come."""

    def after(self, sheets: Array, moved: Moved) -> Array:
        """Return the values of sheets that differ in one row from those of a batch."""


class TurnSteps:
    """The expensive steps as array operations; a GPU has kernels of its own for them."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def score(self, turn: BatchTurn, entries: Array, jokers: Array, ahead: Array, struck: Array) -> Array:
        """Return the value of the best box for every throw, or of the best strike: [sheet, throw]."""
        xp, moves = self.xp, turn.moves
        column = turn.columns(jokers, xp.arange(len(moves.joker))[None])
        best = xp.broadcast_to(struck[:, None], column.shape).copy()
        sheet = xp.arange(len(entries))[:, None]
        for cell in range(entries.shape[1]):
            entry = entries[:, cell, None]
            slot = moves.cell_slot[cell] + moves.entry_slot[entry, column]
            value = ahead[sheet, slot] + moves.entry_points[entry, column] * moves.multiplier[cell]
            xp.maximum(best, xp.where(entry == CLOSED, -xp.inf, value), out=best)
        return best

    def best_keep(self, turn: BatchTurn, expected: Array) -> Array:
        """Return the value of the best keep inside every throw: [sheet, throw]."""
        best = expected[:, turn.throws.keeps[:, 0]]
        for number in range(1, turn.throws.keeps.shape[1]):
            self.xp.maximum(best, expected[:, turn.throws.keeps[:, number]], out=best)
        return best


class BatchTurn:
    """The tables of a game, for batches."""

    def __init__(self, xp: Any, rules: Ruleset, steps: TurnSteps | None = None) -> None:
        self.xp = xp
        self.rules = rules
        self.steps = steps or TurnSteps(xp)
        self.moves = Moves(*(xp.asarray(array) for array in book(rules).moves))
        self.throws = ThrowTables(*(xp.asarray(array) for array in throw_tables(rules)))

    def look_ahead(self, value: Value, sheets: Array) -> Ahead:
        """Return what follows each sheet. A full sheet has nothing more to come."""
        xp = self.xp
        before = sheets[:, self.moves.slot_place]
        after = self.moves.after[before, self.moves.slot_step]
        sheet, slot = xp.nonzero(after != NOWHERE)
        worth = value.after(sheets, Moved(sheet, before[sheet, slot], after[sheet, slot]))
        found = xp.full(after.shape, -xp.inf, dtype=worth.dtype)
        found[sheet, slot] = xp.where(self.open_boxes(sheets)[sheet] > 1, worth, 0)
        return Ahead(after, found, self.moves.paid[before, self.moves.slot_step])

    def open_boxes(self, sheets: Array) -> Array:
        return self.moves.opens[sheets].sum(axis=1)

    def entries(self, sheets: Array) -> Array:
        """Return the entry of every box: [sheet, cell]."""
        return self.moves.entry[sheets[:, self.moves.cell_place], self.moves.cell_number]

    def jokers(self, sheets: Array) -> Array:
        """Return whether dice all of one face are a joker now: [sheet, joker]."""
        return self.moves.passes[sheets].all(axis=1)

    def score(self, sheets: Array, ahead: Array) -> Array:
        """Return the best value of ending the turn with a throw: [sheet, throw]. `ahead`: [sheet, slot]."""
        entries = self.entries(sheets)
        return self.steps.score(
            self, entries, self.jokers(sheets), ahead, self.struck(entries, ahead).max(axis=1)
        )

    def struck(self, entries: Array, ahead: Array) -> Array:
        """Return the value after striking each box: [sheet, cell]."""
        xp = self.xp
        slots = self.moves.cell_slot + self.moves.entry_zero[entries]
        return xp.where(entries == CLOSED, -xp.inf, xp.take_along_axis(ahead, slots, axis=1))

    def columns(self, jokers: Array, throw: Array) -> Array:
        """Return the columns of throws in the entries, by sheet or for all, as jokers or not: [sheet, n]."""
        xp, throws = self.xp, len(self.moves.joker)
        if not jokers.shape[1]:
            return xp.broadcast_to(throw, (len(jokers), throw.shape[1]))
        joker = xp.broadcast_to(self.moves.joker[throw], (len(jokers), throw.shape[1]))
        counts = xp.take_along_axis(jokers, xp.maximum(joker, 0), axis=1) & (joker != NOWHERE)
        return xp.where(counts, throws + joker, throw)

    def expect(self, values: Array) -> Array:
        """Return the mean over the throws that can follow a keep, summed in 64 bits: [sheet, keep]."""
        return (values.astype(self.xp.float64) @ self.throws.after_keep.T).astype(values.dtype)

    def solve(self, final: Array) -> tuple[list[Array], list[Array]]:
        """Return the values of all keeps and all throws, by throws left: `kept[n - 1]` and `thrown[n]`."""
        kept, thrown = [], [final]
        for _ in range(self.rules.throws - 1):
            kept.append(self.expect(thrown[-1]))
            thrown.append(self.xp.maximum(final, self.steps.best_keep(self, kept[-1])))
        return kept, thrown

    def before_throw(self, thrown: list[Array]) -> Array:
        """Return the value of each sheet before its turn."""
        return thrown[-1].astype(self.xp.float64) @ self.throws.first
