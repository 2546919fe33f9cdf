"""What every sheet of every group of boxes offers, as flat arrays: the legality of the game, compiled once.

`components` lists the ways to fill the boxes of a group by itself. Which of them are legal depends on the
others on offer: under `last_resort` a 0 must not be written while another box pays, and a forced joker
demands certain boxes. `engine.legality.rank_of` says so as two numbers, and these tables hold them, so that
kernels compare numbers and know no rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dicecup.dice import Faces, lattice
from dicecup.engine.legality import Rank, forced_boxes, rank_of
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array, column_of, row_starts
from dicecup.solver.components import (
    BoxOption,
    Component,
    LocalState,
    OfferedPoints,
    joker_throws,
    offered_points,
)
from dicecup.solver.single.index import Index

# Entries of a state by their rank, jokers aside: those that bar yielding ones, those that yield, the others.
BARRING, YIELDING, NEUTRAL = 0, 1, 2

Targets = dict[tuple[int, int], int]  # the number of each (class of the group, gain above) of a state


class RankedOption(NamedTuple):
    """One way to fill a box with certain dice."""

    box: int
    points: int
    target: int  # of the state's targets
    struck: bool
    precedence: int  # see `engine.legality.Rank`
    endurance: int


class StateTables:
    """Collects targets, strikes, entries and options of every state of every group of boxes."""

    def __init__(self, index: Index) -> None:
        self.rules = index.rules
        self.jokers = joker_throws(self.rules)
        zeros = [rank_of(self.rules, box, 0, forced=False) for box in self.rules.boxes]
        self.strikes_yield = any(class_of(rank) == YIELDING for rank in zeros)
        self.first: list[int] = []  # of each component: the number of its first state
        self.targets: list[list[tuple[int, int]]] = []  # by state: (class, gain)
        self.strikes: list[list[int]] = []
        self.entries: list[list[list[tuple[int, int, int]]]] = []  # by state and rank: (dice, points, target)
        self.joker_options: list[list[RankedOption]] = []  # by state, joker and whether its box is filled
        for component in index.components:
            self.first.append(len(self.targets))
            self.add_component(component)

    def add_component(self, component: Component) -> None:
        offered = offered_points(self.rules, component.boxes)
        for state in component.states:
            targets = numbered_targets(state)
            strikes, entries = self.plain_entries(state, targets, offered.throws)
            self.targets.append(list(targets))
            self.strikes.append(strikes)
            self.entries.append(entries)
            self.joker_options += joker_options(self.rules, offered, state, targets)

    def plain_entries(
        self, state: LocalState, targets: Targets, columns: Iterable[Faces]
    ) -> tuple[list[int], list[list[tuple[int, int, int]]]]:
        """Return the targets of strikes, which any dice have, and by class what certain dice have."""
        strike_class = YIELDING if self.strikes_yield else NEUTRAL
        strikes: set[int] = set()
        entries: list[list[tuple[int, int, int]]] = [[], [], []]
        for dice, column in enumerate(columns):
            for option in state.offers[column]:
                box, target = self.rules.boxes[option.box], targets[option.target, option.gain]
                own_class = class_of(rank_of(self.rules, box, option.points, forced=False))
                if not option.points and box.strike and own_class == strike_class:
                    strikes.add(target)
                else:
                    entries[own_class].append((dice, option.points, target))
        return sorted(strikes), entries

    def arrays(self) -> dict[str, Array]:
        entries = [entry for classes in self.entries for rows in classes for entry in rows]
        lengths = [len(rows) for classes in self.entries for rows in classes]
        ends = np.cumsum([0, *lengths], dtype=np.int32)
        bounds = np.stack([ends[:-1:3], ends[1::3], ends[2::3], ends[3::3]], axis=1)
        options = option_arrays(self.joker_options)
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
            "option_start": options["option_start"],
            "option_points": options["option_points"].astype(np.float32),
            "option_target": options["option_target"],
            "option_precedence": options["option_precedence"],
            "option_endurance": options["option_endurance"],
        }


def class_of(rank: Rank) -> int:
    """Return the class of an option that no joker demands."""
    return BARRING if rank.precedence else NEUTRAL if rank.endurance else YIELDING


def numbered_targets(state: LocalState) -> Targets:
    """Return everything that filling a box can lead to (the class of the group, and the gain above)."""
    found = {(option.target, option.gain) for options in state.offers.values() for option in options}
    return {target: number for number, target in enumerate(sorted(found))}


def joker_options(
    rules: Ruleset, offered: OfferedPoints, state: LocalState, targets: Targets
) -> list[list[RankedOption]]:
    """Return the options of a state for each throw that can be a joker: when the upper box of its face is
    open, so that it is none, and when that is filled.
    """
    rows = []
    for (throw, face), joker_column in zip(joker_throws(rules), offered.jokers, strict=True):
        for column, filled in ((offered.throws[throw], False), (joker_column, True)):
            demanded = forced_boxes(rules, face, filled)
            rows.append(ranked(rules, state.offers[column], targets, demanded))
    return rows


def ranked(
    rules: Ruleset, options: Iterable[BoxOption], targets: Targets, demanded: frozenset[int]
) -> list[RankedOption]:
    found = []
    for option in options:
        rank = rank_of(rules, rules.boxes[option.box], option.points, option.box in demanded)
        target = targets[option.target, option.gain]
        found.append(RankedOption(option.box, option.points, target, option.struck, *rank))
    return found


def option_arrays(rows: list[list[RankedOption]]) -> dict[str, Array]:
    """Return rows of options as arrays, by the names that the kernels know."""
    types = {"option_precedence": np.int8, "option_endurance": np.int8}
    options = [option for row in rows for option in row]
    arrays = {
        f"option_{name}": column_of(options, number) for number, name in enumerate(RankedOption._fields)
    }
    arrays = {name: array.astype(types.get(name, np.int32)) for name, array in arrays.items()}
    return {"option_start": row_starts(rows)} | arrays


class ChoiceTables(NamedTuple):
    """All options of all dice, by [state, column]: a column is a throw, or a joker as in `Program`; these
    follow the throws.
    """

    option_start: Array
    option_box: Array
    option_points: Array
    option_target: Array
    option_struck: Array
    option_precedence: Array
    option_endurance: Array
    joker: Array  # by throw: which joker it can be, or NOWHERE
    first_state: Array  # by group of boxes


def build_choices(index: Index) -> ChoiceTables:
    rules = index.rules
    throws = len(lattice(rules.dice.count, rules.dice.faces).throws)
    joker = np.full(throws, NOWHERE, dtype=np.int32)
    joker[[number for number, _face in joker_throws(rules)]] = np.arange(len(joker_throws(rules)))
    rows: list[list[RankedOption]] = []
    first_state, states = [], 0
    for component in index.components:
        first_state.append(states)
        states += len(component.states)
        offered = offered_points(rules, component.boxes)
        for state in component.states:
            targets = numbered_targets(state)
            rows += [ranked(rules, state.offers[column], targets, frozenset()) for column in offered.throws]
            rows += joker_options(rules, offered, state, targets)
    first = np.array(first_state, dtype=np.int32)
    return ChoiceTables(**option_arrays(rows), joker=joker, first_state=first)
