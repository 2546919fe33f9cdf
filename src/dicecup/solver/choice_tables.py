"""Every way to fill every box, by the sheet of its group and the dice: what a turn shows to a person.

Solving needs only the best of them, and joins boxes that are alike; here each box keeps its name.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicecup.solver.components import alike_face, joker_points, plain_points
from dicecup.solver.index import Array, Index
from dicecup.solver.lattice import lattice
from dicecup.solver.state_tables import StateTables


class ChoiceTables(NamedTuple):
    """By [state, column]: a column is a throw, or a throw that is a joker (these follow the throws)."""

    start: Array
    box: Array
    points: Array
    target: Array  # of the state's targets
    struck: Array
    kind: Array
    upper: Array  # by box: whether it stands in the upper section
    joker_column: Array  # by throw: its column as a joker, or -1
    first_state: Array  # by group of boxes


def build_choices(index: Index) -> ChoiceTables:
    rules = index.rules
    dice = lattice(rules.dice.count, rules.dice.faces)
    tables = StateTables(index, dice)
    jokers = [
        (number, face) for number, faces in enumerate(dice.throws) if (face := alike_face(rules, faces))
    ]
    joker_column = np.full(len(dice.throws), -1, dtype=np.int32)
    joker_column[[number for number, _ in jokers]] = len(dice.throws) + np.arange(len(jokers))
    start, rows = [0], []
    for component, first in zip(index.components, tables.first, strict=True):
        columns = [plain_points(rules, faces, component.boxes) for faces in dice.throws]
        columns += [
            joker_points(rules, dice.throws[number], face, component.boxes) for number, face in jokers
        ]
        for number, state in enumerate(component.states):
            place = {target: order for order, target in enumerate(tables.targets[first + number])}
            for column in columns:
                rows += [
                    (
                        option.box,
                        option.points,
                        place[option.target, option.gain],
                        option.struck,
                        tables.kind(option),
                    )
                    for option in state.offers[column]
                ]
                start.append(len(rows))
    table = np.array(rows, dtype=np.int32).reshape(-1, 5)
    box, points, target, struck, kind = (np.ascontiguousarray(table[:, column]) for column in range(5))
    return ChoiceTables(
        start=np.array(start, dtype=np.int32),
        box=box,
        points=points,
        target=target,
        struck=struck,
        kind=kind,
        upper=np.array([entry.section == "upper" for entry in rules.boxes]),
        joker_column=joker_column,
        first_state=np.array(tables.first, dtype=np.int32),
    )
