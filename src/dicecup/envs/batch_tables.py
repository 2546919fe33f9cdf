"""A game as one array from which a compiled kernel plays it: what every box gives on every sheet, and when.

It is made from the tables of the solver (`solver.components`), which hold what `engine.legality` decides. A
*state* is one sheet of a group of boxes that depend on each other; a *roll* is the number of a multiset of
dice of one layer, and behind those come the rolls that are jokers, with what they give then. What a cell
gives depends on the roll alone, unless it is *linked*: in a group with others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from dicecup.dice import Faces, lattice
from dicecup.encoding import LIMITS, actions_of
from dicecup.engine.legality import forced_boxes, meets_repeat, never_barred, rank_of
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE, Array
from dicecup.solver.compiled import BLOCK
from dicecup.solver.components import (
    BoxOption,
    Component,
    LocalState,
    components,
    joker_throws,
    memory,
    offered_points,
)
from dicecup.solver.ready import remembered

DIE_BITS = 5  # a die is one number: its faces, so many bits each
MOST_FACES = (1 << DIE_BITS) - 1

# The array begins with numbers …
NUMBERS = range(18)
(DICE, FACES, LAYERS, THROWS, LATTICE_KEEPS, KEEPS, CELLS, COLUMNS, SCORED_LAYERS) = NUMBERS[:9]
(BARS, GROUPS, LINKED_CELLS, LINKED_WIDTH, STATE_SIZE, ROLLS, PLAIN_ROLLS, NEEDS, REPEAT_CELL) = NUMBERS[9:]
# … and with the places where these tables begin, by number:
BONUS_STEPS = 18
PARTS = range(19, 44)
ADD = PARTS[0]  # [dice, face]: the dice with one more, see `lattice`
KEEP_MASK = PARTS[
    1
]  # [which neighbours among the sorted dice are equal, keep]: 1 for the first of equal keeps
POINTS = PARTS[2]  # [roll, cell]: what the cell gives; of linked ones 0
PRECEDENCE = PARTS[3]  # [roll, cell]: see `engine.legality.Rank`; a joker that forces adds `FORCED` to both
ENDURANCE = PARTS[4]  # [roll, cell]
CROSSED_ENDURANCE = PARTS[5]  # by cell
CAN_CROSS_OUT = PARTS[6]  # by cell
LINK = PARTS[7]  # by cell: its number among the linked cells, or NOWHERE; behind that the linked cells
GROUP = PARTS[8]  # by linked cell: its group, numbered through the columns
PLACE = PARTS[9]  # by linked cell: its place in the group
FIRST = PARTS[10]  # by group: the state of an empty sheet
LINKED = PARTS[11]  # [kind, state, roll, place]: points, the state after them, precedence, endurance
CROSSED = PARTS[12]  # [state, place]: the state when it is crossed out
JOKER = PARTS[13]  # by roll: which joker it can be, or NOWHERE
JOKER_CELLS = PARTS[14]  # [joker, column]: the upper box of its face
JOKER_NEEDS = PARTS[15]  # cells that have to be filled before
DEMANDED = PARTS[
    16
]  # [joker × 2 + whether the upper boxes of its face are filled, cell]: whether it is forced
REPEAT = PARTS[17]  # by roll: what it pays as a repeat once `REPEAT_CELL` holds points
BONUS = PARTS[18]  # [step]: the upper sum and the points
SCORED = PARTS[19]  # the layers in the order of scoring
UPPER = PARTS[20]  # by cell: whether it is an upper box
COLUMN = PARTS[21]  # by cell
MULTIPLIER = PARTS[22]  # by cell
SORTED = PARTS[23]  # [roll, place]: the dice in ascending order
COUNTS = PARTS[24]  # [roll, face]: how many dice show it


@lru_cache(maxsize=8)
def batch_tables(rules: Ruleset) -> Array:
    """Return the array of a game; an error for rules that it cannot express."""
    check_batch_possible(rules)
    known, columns = lattice(rules.dice.count, rules.dice.faces), len(rules.columns)
    repeat, linked, jokers = rules.repeat, linked_arrays(rules), joker_arrays(rules)
    endurance = [rank_of(rules, box, 0, forced=False).endurance for box in rules.boxes]
    paid = [repeat.points * meets_repeat(rules, repeat, dice) if repeat else 0 for dice in known.throws]
    parts: dict[int, Any] = {
        ADD: known.add,
        KEEP_MASK: keep_masks(rules.dice.count),
        **plain_arrays(rules),
        CROSSED_ENDURANCE: endurance * columns,
        CAN_CROSS_OUT: [box.strike for box in rules.boxes] * columns,
        **linked,
        **jokers,
        REPEAT: paid,
        BONUS: [(tier.at, tier.points) for tier in rules.bonus],
        SCORED: [rules.dice.layers.index(layer) for layer in rules.scored],
        UPPER: [box.section == "upper" for box in rules.boxes] * columns,
        COLUMN: np.repeat(np.arange(columns), len(rules.boxes)),
        MULTIPLIER: np.repeat([column.multiplier for column in rules.columns], len(rules.boxes)),
        SORTED: known.throws,
        COUNTS: [[dice.count(face + 1) for face in range(known.faces)] for dice in known.throws],
    }
    if most_score(rules, parts) > LIMITS[1]:  # it would not fit in an observation
        raise UsageError("batch_not_possible", ruleset=rules.id)
    numbers = {
        DICE: rules.dice.count,
        FACES: rules.dice.faces,
        LAYERS: len(rules.dice.layers),
        THROWS: rules.throws,
        LATTICE_KEEPS: known.keeps,
        KEEPS: actions_of(rules).keeps,
        CELLS: rules.cells,
        COLUMNS: columns,
        SCORED_LAYERS: len(rules.scored),
        BARS: not never_barred(rules),
        GROUPS: len(linked[FIRST]),
        LINKED_CELLS: len(linked[GROUP]),
        LINKED_WIDTH: linked[CROSSED].shape[1],
        STATE_SIZE: linked[CROSSED].shape[0],
        ROLLS: rolls_of(rules),
        PLAIN_ROLLS: len(known.throws),
        NEEDS: len(jokers[JOKER_NEEDS]),
        REPEAT_CELL: rules.box_index[repeat.box] if repeat else NOWHERE,
        BONUS_STEPS: len(rules.bonus),
    }
    return packed(numbers, parts)


def packed(numbers: dict[int, int], parts: dict[int, Any]) -> Array:
    """Return one array: the numbers, where each part begins, the parts, and room to read a block beyond."""
    head = max(*numbers, *parts) + 1
    flat = {number: np.asarray(part, dtype=np.int32).reshape(-1) for number, part in parts.items()}
    found = np.zeros(head + sum(map(len, flat.values())) + BLOCK, dtype=np.int32)
    for number, value in numbers.items():
        found[number] = value
    at = head
    for number, part in flat.items():
        found[number] = at
        found[at : at + len(part)] = part
        at += len(part)
    return found


def check_batch_possible(rules: Ruleset) -> None:
    actions_of(rules)  # refuses games with too many actions
    if rules.extensions or len(rules.scored) > 2:
        raise UsageError("batch_not_possible", ruleset=rules.id)


def most_score(rules: Ruleset, parts: dict[int, Any]) -> int:
    """Return a score that no game exceeds, upwards or downwards."""
    cells = np.abs(parts[POINTS]).max(axis=0)
    cells[parts[LINK][: rules.cells] != NOWHERE] = np.abs(parts[LINKED][0]).max(initial=0)
    columns = sum(column.multiplier for column in rules.columns)
    bonus = max((tier.points for tier in rules.bonus), default=0)
    return int((cells * parts[MULTIPLIER]).sum() + bonus * columns + rules.turns * max(parts[REPEAT]))


def keep_masks(count: int) -> Array:
    """Return which keeps are shown as legal, by the equal neighbours among the dice: bit i for i and i + 1.

    Of equal dice the first ones are kept, so that every keep has one number. The last row allows none.
    """
    equal, keep = np.ogrid[: 1 << (count - 1), : (1 << count) - 1]
    found: Array = ~keep & (keep >> 1) & equal == 0
    return np.vstack([found, np.zeros_like(found[:1])])


def rolls_of(rules: Ruleset) -> int:
    return len(lattice(rules.dice.count, rules.dice.faces).throws) + len(joker_throws(rules))


def plain_arrays(rules: Ruleset) -> dict[int, Array]:
    """Return what boxes give that depend on no others, by roll."""
    found = np.zeros((3, rolls_of(rules), len(rules.boxes)), dtype=np.int32)
    for group in components(rules):
        if len(group.boxes) > 1:
            continue
        empty = group.states[group.numbers[None,]]
        for roll, ((_place, points, _after, *rank),) in enumerate(options_of(rules, group, empty)):
            found[:, roll, group.boxes[0]] = points, *rank
    points, precedence, endurance = np.tile(found, (1, 1, len(rules.columns)))
    return {POINTS: points, PRECEDENCE: precedence, ENDURANCE: endurance}


def linked_arrays(rules: Ruleset) -> dict[int, Array]:
    """Return what the states of all groups give, numbered one group after the other."""
    groups = [group for group in components(rules) if len(group.boxes) > 1]
    states = sum(len(group.states) for group in groups)
    width = max((len(group.boxes) for group in groups), default=0)
    found = np.zeros((4, states, rolls_of(rules), width), dtype=np.int32)
    crossed = np.zeros((states, width), dtype=np.int32)
    first, begin = list[int](), 0
    for group in groups:
        first.append(begin + group.numbers[(None,) * len(group.boxes)])
        for own, state in enumerate(group.states, start=begin):
            for roll, options in enumerate(options_of(rules, group, state)):
                for place, points, after, *rank in options:
                    found[:, own, roll, place] = points, begin + after, *rank
            for place, box in enumerate(group.boxes):
                if state.cells[place] is None and rules.boxes[box].strike:
                    crossed[own, place] = begin + written(rules, group, state, place, 0)
        begin += len(group.states)
    cells = [
        (column * len(rules.boxes) + box, column * len(groups) + number, place)
        for column in range(len(rules.columns))
        for number, group in enumerate(groups)
        for place, box in enumerate(group.boxes)
    ]
    link = np.full(rules.cells, NOWHERE)
    link[[cell for cell, _, _ in cells]] = np.arange(len(cells))
    return {
        LINK: np.append(link, [cell for cell, _, _ in cells]),
        GROUP: np.array([group for _, group, _ in cells]),
        PLACE: np.array([place for _, _, place in cells]),
        FIRST: np.array(first * len(rules.columns)),
        LINKED: found,
        CROSSED: crossed,
    }


def joker_arrays(rules: Ruleset) -> dict[int, Array]:
    jokers, boxes, columns = joker_throws(rules), len(rules.boxes), len(rules.columns)
    joker = np.full(len(lattice(rules.dice.count, rules.dice.faces).throws), NOWHERE)
    joker[[number for number, _ in jokers]] = np.arange(len(jokers))
    demanded = np.zeros((2 * len(jokers), boxes))
    for number, (_, face) in enumerate(jokers):
        for filled in (False, True):
            demanded[2 * number + filled, list(forced_boxes(rules, face, filled))] = 1
    needs = [rules.box_index[box] for box in (rules.joker.filled if rules.joker else ())]
    own = [
        [rules.upper_box_of_face[face] + boxes * column for column in range(columns)] for _, face in jokers
    ]
    return {
        JOKER: joker,
        JOKER_CELLS: np.array(own),
        JOKER_NEEDS: np.array([box + boxes * column for box in needs for column in range(columns)]),
        DEMANDED: np.tile(demanded, (1, columns)),
    }


Option = tuple[int, int, int, int, int]  # place in the group, points, state afterwards, precedence, endurance


def options_of(rules: Ruleset, group: Component, state: LocalState) -> Iterator[list[Option]]:
    """Yield by roll what can be written in the open boxes of a group."""
    offered = offered_points(rules, group.boxes)
    known: dict[Faces, list[Option]] = {}
    for column in (*offered.throws, *offered.jokers):
        if column not in known:
            known[column] = [
                option_of(rules, group, state, option) for option in state.offers[column] if not option.struck
            ]
        yield known[column]


def option_of(rules: Ruleset, group: Component, state: LocalState, option: BoxOption) -> Option:
    place = group.boxes.index(option.box)
    after = written(rules, group, state, place, option.points)
    return place, option.points, after, *rank_of(rules, rules.boxes[option.box], option.points, forced=False)


def written(rules: Ruleset, group: Component, state: LocalState, place: int, points: int) -> int:
    """Return the state of a group when points are written in one of its boxes."""
    kind = memory(rules, group.boxes)[place]
    cells = (*state.cells[:place], remembered(kind, points), *state.cells[place + 1 :])
    return group.numbers.get(cells, 0)  # where no game leads it does not matter
