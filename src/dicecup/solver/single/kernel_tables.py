"""The game as flat arrays, which the kernels of all backends read: the legality of the game, compiled once.

`components` lists the ways to fill the boxes of a group by itself. Which of them are legal depends on the
others on offer: under `last_resort` a 0 must not be written while another box pays, and a forced joker
demands certain boxes. `engine.legality.rank_of` says so as two numbers, and these tables hold them, so that
kernels compare numbers and know no rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dicecup.dice import Faces, Lattice, lattice
from dicecup.engine.legality import Rank, forced_boxes, meets_repeat, rank_of
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array, by_reference, column_of, row_starts
from dicecup.solver.components import (
    BoxOption,
    Component,
    LocalState,
    OfferedPoints,
    joker_throws,
    last_step,
    offered_points,
    too_entangled,
)
from dicecup.solver.single.index import Index, promotion

# The rank of an entry, jokers aside: BARRING ones make YIELDING ones illegal, NEUTRAL ones are unaffected.
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


@by_reference
class ChoiceTables(NamedTuple):
    """All options of all dice, by [state, column]: a column is a throw, or a joker as in `KernelTables`;
    these follow the throws.
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


MOST_MOVES = 1 << 27  # numbers in one table of moves: half a gigabyte


def upper_arrays(index: Index, states: StateTables) -> dict[str, Array]:
    upper = index.upper
    groups = [(kind, group) for kind, row in enumerate(index.groups) for group in row]
    shape = (upper.kinds, upper.most_open + 1)
    member = [np.array(group.members, dtype=np.int32)[group.row] for _, group in groups]
    moves = [
        upper_moves(index, states, kind, number).ravel()
        for kind in range(shape[0])
        for number in range(shape[1])
    ]
    promote = [promotion(index, number) for number in range(shape[1])]
    faces = {box: face for face, box in index.rules.upper_box_of_face.items()}
    closed = [
        [box for part, digit in zip(upper.components, digits, strict=True) for box in part.closed[digit]]
        for digits in upper.digits
    ]
    return {
        "group_size": index.group_sizes,
        "group_first": starts_of(member).reshape(shape),
        "member": np.concatenate(member),
        "upper_states": np.array(
            [
                (states.first[number] + state, number)
                for number, part in enumerate(upper.components)
                for state in part.classes
                if any(part.states[state].offers.values())
            ],
            dtype=np.int32,
        ).reshape(-1, 2),
        "member_state": np.array(
            [
                [
                    states.first[number] + part.classes[digit]
                    for number, (part, digit) in enumerate(zip(upper.components, digits, strict=True))
                ]
                for digits in upper.digits
            ],
            dtype=np.int32,
        ).reshape(len(upper.digits), len(upper.components)),
        "move_first": starts_of(moves).reshape(shape),
        "move": np.concatenate(moves),
        "promote_first": starts_of(promote),
        "promote": np.concatenate(promote),
        "closed": np.array([sum(1 << faces[box] for box in boxes) for boxes in closed], dtype=np.int64),
        "upper_ready": np.array([all_of(upper.components, digits, "ready") for digits in upper.digits]),
        "upper_holding": np.array([any_of(upper.components, digits, "holding") for digits in upper.digits]),
    }


def all_of(parts: tuple[Component, ...], digits: tuple[int, ...], name: str) -> bool:
    return all(getattr(part, name)[digit] for part, digit in zip(parts, digits, strict=True))


def any_of(parts: tuple[Component, ...], digits: tuple[int, ...], name: str) -> bool:
    return any(getattr(part, name)[digit] for part, digit in zip(parts, digits, strict=True))


def starts_of(parts: list[Array]) -> Array:
    lengths = np.array([part.size for part in parts], dtype=np.int64)
    return np.asarray(np.cumsum(lengths) - lengths)


def upper_moves(index: Index, states: StateTables, kind: int, open_boxes: int) -> Array:
    """Return [target, position]: where filling an upper box leads in the group with one open box less."""
    upper, group = index.upper, index.groups[kind][open_boxes]
    above = len(upper.components)
    targets = states.targets[: states.first[above] if above < len(states.first) else len(states.targets)]
    shape = (sum(map(len, targets)), group.size)
    if shape[0] * shape[1] > MOST_MOVES:
        raise too_entangled(index.rules)
    found = np.full(shape, NOWHERE, dtype=np.int32)
    last = last_step(index.rules)
    target_start = row_starts(targets)
    for row, member in enumerate(group.members):
        totals = np.array(upper.rows[kind][member].totals, dtype=np.int64)
        here = slice(int(group.starts[row]), int(group.starts[row + 1]))
        for number, part in enumerate(upper.components):
            digit = upper.digits[member][number]
            for state, local in enumerate(part.states, start=states.first[number]):
                if local.group != digit:
                    continue
                for target, (group_after, gain) in enumerate(targets[state], start=int(target_start[state])):
                    after = member + (group_after - digit) * upper.strides[number]
                    slots = upper.rows[kind][after].slot[np.minimum(totals + gain, last)]
                    positions = index.row_starts[kind][after] + slots
                    found[target, here] = np.where(slots == NOWHERE, NOWHERE, positions)
    return found


@by_reference
class KernelTables(NamedTuple):
    """The arrays of a game in the order the kernels use them. A *state* is a sheet of one group of boxes."""

    # The lattice of dice
    sizes: Array  # where each size of multisets begins, and the end
    add: Array
    take: Array
    take_starts: Array
    weights: Array
    # The lower part: the digits of a lower class
    stride: Array
    digits: Array  # how many classes each group of boxes has
    digit_first: Array  # where the classes of each group begin in digit_state
    digit_state: Array  # the state that represents a class
    opens: Array  # by lower class
    kinds: Array
    ready: Array
    holding: Array
    # The upper part: groups of rows, by [kind, open upper boxes]
    group_size: Array
    group_first: Array  # where the group begins in `member`
    member: Array  # the upper class of each position
    upper_states: Array  # [n, 2]: the states that represent classes of the upper part, and their groups
    member_state: Array  # [upper class, group of boxes]: its state
    move_first: Array  # where the group begins in `move`
    move: Array  # [target, position]: the position that filling an upper box leads to
    promote_first: Array
    promote: Array  # the position in kind 1 of each position in kind 0, by open upper boxes
    closed: Array  # by upper class: the faces whose upper box is filled, as bits
    upper_ready: Array
    upper_holding: Array
    # What states offer
    target_start: Array  # by state
    target_class: Array
    strike_start: Array  # by state
    strike_target: Array
    entry_bounds: Array  # [state, 4]: entries that bar yielding ones, that yield, and the others
    entry_dice: Array
    entry_points: Array
    entry_target: Array
    # Dice that can be a joker, with every option they have
    joker_dice: Array
    joker_face: Array
    option_start: Array  # [state, joker dice, whether the upper box of the face is filled]
    option_points: Array
    option_target: Array
    option_precedence: Array  # an option is barred while another has a precedence above its endurance
    option_endurance: Array
    # Points for repeats
    repeat_dice: Array
    # Plain numbers: throws, points for a repeat, whether strikes yield to entries that bar them
    settings: Array


def build_program(index: Index) -> KernelTables:
    rules = index.rules
    dice = lattice(rules.dice.count, rules.dice.faces)
    states = StateTables(index)
    return KernelTables(
        sizes=dice.starts,
        add=dice.add,
        take=dice.take,
        take_starts=dice.take_starts,
        weights=dice.weights,
        **lower_arrays(index, states),
        **upper_arrays(index, states),
        **states.arrays(),
        repeat_dice=repeat_dice(index, dice),
        settings=np.array(
            [
                rules.throws,
                rules.repeat.points if rules.repeat else 0,
                states.strikes_yield,
            ],
            dtype=np.int64,
        ),
    )


def repeat_dice(index: Index, dice: Lattice) -> Array:
    """Return the throws for which a repeat pays."""
    rules, repeat = index.rules, index.rules.repeat
    met = [repeat is not None and meets_repeat(rules, repeat, faces) for faces in dice.throws]
    return np.flatnonzero(met).astype(np.int32)


def lower_arrays(index: Index, states: StateTables) -> dict[str, Array]:
    above = len(index.upper.components)
    first: list[int] = []
    digit_state: list[int] = []
    for number, component in enumerate(index.lower):
        first.append(len(digit_state))
        digit_state += [states.first[above + number] + state for state in component.classes]
    return {
        "stride": np.array(index.lower_strides, dtype=np.int64),
        "digits": np.array([len(component.classes) for component in index.lower], dtype=np.int64),
        "digit_first": np.array(first, dtype=np.int32),
        "digit_state": np.array(digit_state, dtype=np.int32),
        "opens": index.opens,
        "kinds": index.kinds,
        "ready": index.ready,
        "holding": index.holding,
    }
