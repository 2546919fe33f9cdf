"""The game as flat arrays: what the kernels of all backends read.

Everything the rules say about a turn is worked out here once, so that the kernels know no rules: for every
sheet of every group of boxes the classes it can lead to (*targets*), and for every dice the points that come
with them (*entries*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicecup.rules.scoring import score_table
from dicecup.solver.index import Array, Index
from dicecup.solver.lattice import Lattice, lattice
from dicecup.solver.state_tables import StateTables
from dicecup.solver.upper_arrays import upper_arrays


class Program(NamedTuple):
    """Arrays in the order the kernels use them. A *state* is a sheet of one group of boxes."""

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
    digit_state: Array  # the state that stands for a class
    opens: Array  # by lower class
    kinds: Array
    ready: Array
    holding: Array
    # The upper part: groups of rows, by [kind, open upper boxes]
    group_size: Array
    group_first: Array  # where the group begins in `member`
    member: Array  # the upper class of each position
    upper_states: Array  # [n, 2]: the states that stand for classes of the upper part, and their groups
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
    entry_bounds: Array  # [state, 4]: entries that pay, that are a natural 0, that are always allowed
    entry_dice: Array
    entry_points: Array
    entry_target: Array
    # Dice that can be a joker, with every option they have
    joker_dice: Array
    joker_face: Array
    joker_box: Array  # the upper box of the face
    option_start: Array  # [state, joker dice, whether it is one]
    option_points: Array
    option_target: Array
    option_kind: Array
    option_box: Array  # which upper box, or LOWER
    # Points for repeats
    repeat_dice: Array
    # Plain numbers: throws, points for a repeat, last resort, forced joker
    settings: Array


def build_program(index: Index) -> Program:
    rules = index.rules
    dice = lattice(rules.dice.count, rules.dice.faces)
    states = StateTables(index, dice)
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
                rules.strike == "last_resort",
                rules.joker is not None and rules.joker.forced,
            ],
            dtype=np.int64,
        ),
    )


def repeat_dice(index: Index, dice: Lattice) -> Array:
    """The throws for which a repeat pays."""
    rules = index.rules
    if rules.repeat is None:
        return np.zeros(0, dtype=np.int32)
    box, table = rules.box_index[rules.repeat.box], score_table(rules)
    found = [number for number, faces in enumerate(dice.throws) if table[faces][box].points > 0]
    return np.array(found, dtype=np.int32)


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
