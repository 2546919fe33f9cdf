"""What every sheet of every group of boxes offers: targets, strikes, entries, options of jokers; and every
way to fill every box by the dice, which is what a turn shows to a person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicecup.lattice import Lattice, lattice
from dicecup.solver.arrays import Array, column_of, row_starts
from dicecup.solver.components import LOWER, Component, Option, alike_face, joker_points, plain_points
from dicecup.solver.single.index import Index

PAYS, ZERO, FREE = 0, 1, 2  # kinds of options: more than 0; a 0 that other points may forbid; always allowed


class StateTables:
    """Collects targets, strikes, entries and options of every state of every group of boxes."""

    def __init__(self, index: Index, dice: Lattice) -> None:
        self.rules = index.rules
        self.dice = dice
        self.first: list[int] = []  # of each component: the number of its first state
        self.targets: list[list[tuple[int, int]]] = []  # by state: (class, gain)
        self.strikes: list[list[int]] = []
        self.entries: list[list[list[tuple[int, int, int]]]] = []  # by state and kind: (dice, points, target)
        self.options: list[list[tuple[int, int, int, int]]] = []
        self.jokers = [
            (number, face)
            for number, faces in enumerate(dice.throws)
            if (face := alike_face(self.rules, faces))
        ]
        for component in index.components:
            self.first.append(len(self.targets))
            columns = [plain_points(self.rules, faces, component.boxes) for faces in dice.throws]
            for number in range(len(component.states)):
                self.add_state(component, number, columns)

    def add_state(self, component: Component, number: int, columns: list[tuple[int, ...]]) -> None:
        offers = component.states[number].offers
        found = {(option.target, option.gain) for options in offers.values() for option in options}
        targets = sorted(found)
        place = {target: order for order, target in enumerate(targets)}
        strikes: set[int] = set()
        entries: list[list[tuple[int, int, int]]] = [[], [], []]
        for dice, column in enumerate(columns):
            for option in offers[column]:
                target, kind = place[option.target, option.gain], self.kind(option)
                if kind == ZERO and self.rules.boxes[option.box].strike:
                    strikes.add(target)
                else:
                    entries[kind].append((dice, option.points, target))
        self.targets.append(targets)
        self.strikes.append(sorted(strikes))
        self.entries.append(entries)
        for dice, face in self.jokers:
            faces = self.dice.throws[dice]
            for column in (columns[dice], joker_points(self.rules, faces, face, component.boxes)):
                self.options.append(
                    [
                        (
                            option.points,
                            place[option.target, option.gain],
                            self.kind(option),
                            self.place(option),
                        )
                        for option in offers[column]
                    ]
                )

    def kind(self, option: Option) -> int:
        if option.points > 0:
            return PAYS
        if option.kind == "zero":
            return ZERO
        # The 0 of a box that never pays is a strike like any other where strikes are free.
        return ZERO if option.kind == "nothing" and self.rules.strike == "free" else FREE

    def place(self, option: Option) -> int:
        return option.box if self.rules.boxes[option.box].section == "upper" else LOWER

    def arrays(self) -> dict[str, Array]:
        entries = [entry for kinds in self.entries for kind in kinds for entry in kind]
        lengths = [len(kind) for kinds in self.entries for kind in kinds]
        ends = np.cumsum([0, *lengths], dtype=np.int32)
        bounds = np.stack([ends[:-1:3], ends[1::3], ends[2::3], ends[3::3]], axis=1)
        options = [option for row in self.options for option in row]
        box_of_face = self.rules.upper_box_of_face
        return {
            "target_start": row_starts(self.targets),
            "target_class": column_of([target for row in self.targets for target in row], 0),
            "strike_start": row_starts(self.strikes),
            "strike_target": np.array([target for row in self.strikes for target in row], dtype=np.int32),
            "entry_bounds": np.ascontiguousarray(bounds),
            "entry_dice": column_of(entries, 0),
            "entry_points": column_of(entries, 1).astype(np.float32),
            "entry_target": column_of(entries, 2),
            "joker_dice": column_of(self.jokers, 0),
            "joker_face": column_of(self.jokers, 1),
            "joker_box": np.array([box_of_face[face] for _, face in self.jokers], dtype=np.int32),
            "option_start": row_starts(self.options),
            "option_points": column_of(options, 0).astype(np.float32),
            "option_target": column_of(options, 1),
            "option_kind": column_of(options, 2),
            "option_box": column_of(options, 3),
        }


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
