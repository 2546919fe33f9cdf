"""The upper part as flat arrays: which upper boxes are filled where, and where filling one leads."""

from __future__ import annotations

import numpy as np

from dicecup.solver.components import Component, too_entangled
from dicecup.solver.index import Array, Index
from dicecup.solver.state_tables import StateTables, row_starts
from dicecup.solver.totals import NOWHERE, last_step

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
    """Where the positions of a group of kind 0 stand in the group of kind 1."""
    upper = index.upper
    if upper.kinds == 1:
        return np.zeros(0, dtype=np.int32)
    found = []
    for member in index.groups[0][open_boxes].members:
        row = upper.rows[1][member]
        found += [index.row_starts[1][member] + row.slot[total] for total in upper.rows[0][member].totals]
    return np.array(found, dtype=np.int32)


def upper_moves(index: Index, states: StateTables, kind: int, open_boxes: int) -> Array:
    """[target, position]: where filling an upper box leads in the group with one open box less."""
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
