"""A game played by its learned value: the interface of an exact solution, and turns on batches of sheets.

`QuickValue` is a linear approximation of it that is cheap enough for thousands of games.
"""

from __future__ import annotations

from functools import lru_cache
from typing import IO, Any, NamedTuple, Protocol

import numpy as np

from dicecup.dice import Dice, lattice, layer_faces
from dicecup.engine.legality import cell_names
from dicecup.engine.state import Sheet, final_score, score
from dicecup.errors import StorageError
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.files.tables import weights_file
from dicecup.solver.learned.layout import CLOSED, Array, Moves, Reading, book, layout
from dicecup.solver.learned.network import Moved, Network, Weights, inputs, load_arrays, of_rows, shipped
from dicecup.solver.solution import BoxValue, Solution, Turn


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


class QuickValue(NamedTuple):
    """What each row, numbered through the columns, adds to the points still to come."""

    late: Array  # when no box is open any more
    early: Array  # how much more when every box is


def from_weights(rules: Ruleset, weights: Array) -> QuickValue:
    """Return the quick value of weights [2, input], with inputs as those of the network."""
    late, early = (of_rows(np, rules, np.asarray(part, dtype=np.float32)) for part in weights)
    return QuickValue(late, early)


def load_quick(stream: IO[bytes], rules: Ruleset, name: str) -> Array:
    """Return the weights of a quick value, [2, input]."""
    (weights,), _facts = load_arrays(stream, rules, name, ["weights"])
    if weights.shape != (2, inputs(rules)):
        raise StorageError("weights_damaged", file=name)
    return weights


def quick_weights(rules: Ruleset) -> Array | None:
    """Return the weights of the quick value that comes with the package for these rules, if it has one."""
    file = weights_file(rules, quick=True)
    if file is None:
        return None
    with file.open("rb") as stream:
        return load_quick(stream, rules, file.name)


@lru_cache(maxsize=8)
def find_quick(rules: Ruleset) -> QuickValue | None:
    """Return the quick value that comes with the package for these rules, if it has one."""
    weights = quick_weights(rules)
    return None if weights is None else from_weights(rules, weights)


class LearnedTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, source: LearnedValue, sheet: Sheet) -> None:
        self.rules = source.rules
        self.source = source
        self.sheet = sheet
        self.so_far = final_score(source.rules, sheet)  # a bonus that is reached is in it
        self.reading = source.layout.read(sheet)
        self.rows: Array = np.array([self.reading.rows])
        self.value = float(self.so_far)
        if not sheet.full:
            self._solve()

    def _solve(self) -> None:
        turn = self.source.tables
        ahead = turn.look_ahead(self.source.network, self.rows)
        self._ahead: Array = ahead.value.astype(np.float64) + ahead.paid
        self._kept, self._thrown = turn.solve(turn.score(self.rows, self._ahead))
        self.value += float(turn.before_throw(self._thrown)[0])

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return self.so_far + float(
            self._kept[throws_left - 1][0, self.source.dice.number[layer_faces(dice, 0)]]
        )

    def _throw(self, dice: Dice, throws_left: int) -> float:
        return self.so_far + float(self._thrown[throws_left][0, self.source.throw_number(dice)])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        rules, moves, turn = self.source.rules, self.source.tables.moves, self.source.tables
        throw = np.array([[self.source.throw_number(dice)]])
        column = int(turn.columns(turn.jokers(self.rows), throw)[0, 0])
        found = []
        for cell, entry in enumerate(self.source.cell_entries(self.reading)):
            if entry == CLOSED:
                continue
            box, name = cell_names(rules, cell)
            points, first = int(moves.entry_points[entry, column]), int(moves.cell_slot[cell])
            slots = [first + int(moves.entry_slot[entry, column]), first + int(moves.entry_zero[entry])]
            for strike, slot in enumerate(slots if points else slots[:1]):
                written = 0 if strike else points
                gained = written * float(moves.multiplier[cell]) + float(self._ahead[0, slot])
                found.append(BoxValue(score(box, name, strike=bool(strike)), written, self.so_far + gained))
        return found


class LearnedValue(Solution):
    """A game and the network that values its sheets. `facts` say how it was made."""

    exact = False

    def __init__(self, rules: Ruleset, weights: Weights, facts: dict[str, Any]) -> None:
        self.rules = rules
        self.facts = facts
        self.layout = layout(rules)
        self.dice = lattice(rules.dice.count, rules.dice.faces)
        self.tables = BatchTurn(np, rules)
        # In 64 bits: sums of a thousand points in 32 would differ by 0.0005, depending on their order.
        self.network = Network(np, rules, Weights(*(array.astype(np.float64) for array in weights)))

    def throw_number(self, dice: Dice) -> int:
        return self.dice.number[layer_faces(dice, 0)] - self.dice.keeps

    def cell_entries(self, reading: Reading) -> list[int]:
        """Return the entry of each box, by states and not by classes: boxes keep their names."""
        moves, states = self.tables.moves, book(self.rules).state_entries
        found = []
        for place, number in zip(moves.cell_place.tolist(), moves.cell_number.tolist(), strict=True):
            column, part = divmod(place, self.layout.parts)
            if part:
                entry = states[part - 1][reading.states[column][part - 1], number]
            else:
                entry = moves.entry[reading.rows[place], number]
            found.append(int(entry))
        return found

    def _unchecked_turn(self, sheet: Sheet) -> LearnedTurn:
        return LearnedTurn(self, sheet)

    def estimate(self, sheet: Sheet) -> float:
        """Return the network's value of a sheet, without solving the next turn."""
        more = 0.0 if sheet.full else float(self.network.of(np.array([self.layout.read(sheet).rows]))[0])
        return final_score(self.rules, sheet) + more


@lru_cache(maxsize=8)
def find_learned(rules: Ruleset) -> LearnedValue | None:
    """Return the learned value that comes with the package for these rules, if it has one."""
    found = shipped(rules)
    return LearnedValue(rules, *found) if found else None
