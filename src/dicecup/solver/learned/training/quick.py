"""Fitting the quick value to the network, on the sheets of the network's own games."""

from __future__ import annotations

import numpy as np

from dicecup.rules.model import Ruleset
from dicecup.solver.learned.moves import Array
from dicecup.solver.learned.network import Moved, Network, inputs, of_rows
from dicecup.solver.learned.quick import QuickValue
from dicecup.solver.learned.turn import Turn

STIFFNESS = 0.1  # of the fit, in squared points: inputs that hardly occur stay near 0


def fit_quick(turn: Turn, network: Network, sheets: Array) -> tuple[Array, float]:
    """The weights ([2, input]), and by how many points they are off the network (root mean square)."""
    known = row_inputs(turn.rules)
    seen = np.ones((len(sheets), inputs(turn.rules)))
    seen[:, :-1] = 0
    for part in range(sheets.shape[1]):
        seen[:, :-1] += known[sheets[:, part]]
    share = turn.open_boxes(sheets)[:, None] / turn.rules.cells
    both = np.concatenate([seen, seen * share], axis=1)
    wanted = network.of(sheets).astype(np.float64)
    found = np.linalg.solve(both.T @ both + STIFFNESS * np.eye(both.shape[1]), both.T @ wanted)
    return found.reshape(2, -1), float(np.sqrt(np.mean((both @ found - wanted) ** 2)))


def row_inputs(rules: Ruleset) -> Array:
    """[row, input]: the inputs of every row, the constant one aside."""
    return of_rows(np, rules, np.eye(inputs(rules), dtype=np.float64)[:, :-1])


class QuickPlayer:
    """The quick value as games in training ask for one."""

    def __init__(self, turn: Turn, value: QuickValue) -> None:
        self.turn = turn
        self.value = value

    def after(self, sheets: Array, moved: Moved) -> Array:
        """What the change adds; the rest of a sheet is the same for all its choices."""
        share = (self.turn.open_boxes(sheets)[moved.sheet] - 1) / self.turn.rules.cells
        late, early = self.value
        grown = late[moved.after] - late[moved.before]
        found: Array = grown + share * (early[moved.after] - early[moved.before])
        return found.astype(np.float32)
