"""The game as flat arrays, which the kernels of all backends read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicecup.dice import Lattice, lattice
from dicecup.engine.legality import meets_repeat
from dicecup.solver.arrays import NOWHERE, Array, row_starts
from dicecup.solver.components import Component, last_step, too_entangled
from dicecup.solver.single.index import Index
from dicecup.solver.single.state_tables import StateTables

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


def promotion(index: Index, open_boxes: int) -> Array:
    """Return the positions in the group of kind 1 that those of a group of kind 0 become."""
    upper = index.upper
    if upper.kinds == 1:
        return np.zeros(0, dtype=np.int32)
    found = []
    for member in index.groups[0][open_boxes].members:
        row = upper.rows[1][member]
        found += [index.row_starts[1][member] + row.slot[total] for total in upper.rows[0][member].totals]
    return np.array(found, dtype=np.int32)


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


class Program(NamedTuple):
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


def build_program(index: Index) -> Program:
    rules = index.rules
    dice = lattice(rules.dice.count, rules.dice.faces)
    states = StateTables(index)
    return Program(
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
