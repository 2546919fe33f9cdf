"""A game played by its learned value: the interface of an exact solution, with nearly the same values.

`QuickValue` is a linear approximation of it that is cheap enough for thousands of games.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from dicecup.dice import Dice, lattice, layer_faces
from dicecup.engine.legality import cell_names
from dicecup.engine.state import Sheet, final_score, score
from dicecup.errors import StorageError
from dicecup.rules.model import Ruleset
from dicecup.solver.files.tables import weights_file
from dicecup.solver.learned.layout import CLOSED, Array, Reading, book, layout
from dicecup.solver.learned.network import Network, Weights, inputs, of_rows, shipped
from dicecup.solver.learned.turn import BatchTurn
from dicecup.solver.solution import BoxValue, Solution, Turn

FORMAT = 1


class QuickValue(NamedTuple):
    """What each row, numbered through the columns, adds to the points still to come."""

    late: Array  # when no box is open any more
    early: Array  # how much more when every box is


def from_weights(rules: Ruleset, weights: Array) -> QuickValue:
    """Return the quick value of weights [2, input], with inputs as those of the network."""
    late, early = (of_rows(np, rules, np.asarray(part, dtype=np.float32)) for part in weights)
    return QuickValue(late, early)


def save_quick(stream: IO[bytes], rules: Ruleset, weights: Array, facts: dict[str, Any]) -> None:
    """Save weights; `facts` say how they were made and measured."""
    header = {"format": FORMAT, "ruleset": rules.id, "identity": rules.identity} | facts
    stamp = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(stream, header=stamp, weights=weights.astype(np.float32))


def load_quick(stream: IO[bytes], rules: Ruleset, name: str) -> Array:
    """Return the weights of a quick value, [2, input]; an error says so if they are of other rules."""
    try:
        with np.load(stream, allow_pickle=False) as file:
            header, weights = json.loads(file["header"].tobytes()), file["weights"]
        identity, ruleset, known = header["identity"], header["ruleset"], header["format"] == FORMAT
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile):
        raise StorageError("weights_damaged", file=name) from None
    if identity != rules.identity:
        raise StorageError("weights_of_other_rules", file=name, ruleset=ruleset)
    if not known or weights.shape != (2, inputs(rules)):
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

    def unchecked_turn(self, sheet: Sheet) -> LearnedTurn:
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
