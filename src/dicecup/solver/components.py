"""Groups of boxes that look at each other, and what must be remembered of each group.

A box is alone unless another box looks at it, or another box is just like it. For each group every sheet that
it can have is followed to its end; two sheets of a group that offer the same from here on are one *class*.
That is where a struck low score and a low score of 21 become one, and second and third Yum alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from dicecup.dice import Faces
from dicecup.errors import UsageError
from dicecup.lattice import lattice
from dicecup.rules.model import Box, Points, Ruleset
from dicecup.rules.scoring import dice_needed, score_table

MOST_ALIKE = 6  # boxes just like each other that are put in one group: 2^6 sheets to follow
MOST_OPTIONS = 2_000_000  # of one group of boxes: following them takes half a minute and a gigabyte
LOWER = -1

Cells = tuple[int | None, ...]
# "pays": more than 0, or less. "zero": a strike or a natural 0, which `last_resort` forbids while another box
# pays more than 0. "nothing": the 0 of a box that never pays, always allowed.
Kind = Literal["pays", "zero", "nothing"]


class Option(NamedTuple):
    """One way to fill one box of a group."""

    box: int
    points: int
    gain: int  # what it adds to the upper total
    kind: Kind
    struck: bool  # 0 is written although the dice give points
    target: int  # the class of the group afterwards


@dataclass(frozen=True, eq=False)
class LocalState:
    """One sheet of a group: what is remembered of each box, None where it is open."""

    cells: Cells
    group: int  # which class of the group it belongs to
    offers: Mapping[Faces, tuple[Option, ...]]  # by the points that each box of the group would give


@dataclass(frozen=True, eq=False)
class Component:
    """A group of boxes with its sheets and classes; class 0 is the empty sheet."""

    boxes: tuple[int, ...]
    states: tuple[LocalState, ...]
    numbers: Mapping[Cells, int]  # which state some cells are
    classes: tuple[int, ...]  # a state of each class
    opens: tuple[int, ...]  # open boxes in each class
    ready: tuple[bool, ...]  # whether all boxes of the group that a joker waits for are filled, by class
    holding: tuple[bool, ...]  # whether the box that pays repeats holds points, by class
    closed: tuple[frozenset[int], ...]  # which upper boxes are filled, by class
    plain: frozenset[Faces]  # the rows of points that need no joker
    jokers: Mapping[int, frozenset[Faces]]  # the rows of points that a joker of each face offers
    upper: bool  # whether it holds upper boxes


@lru_cache(maxsize=8)
def components(rules: Ruleset) -> tuple[Component, ...]:
    """All groups, those with upper boxes first."""
    made = [build(rules, boxes) for boxes in groups(rules)]
    return tuple(sorted(made, key=lambda component: (not component.upper, component.boxes)))


def groups(rules: Ruleset) -> list[tuple[int, ...]]:
    """Boxes joined by the links between them, or by being just alike."""
    found = [{index} for index in range(len(rules.boxes))]

    def join(one: int, other: int) -> None:
        first, second = (next(group for group in found if index in group) for index in (one, other))
        if first is not second:
            first |= second
            found.remove(second)

    for index, box in enumerate(rules.boxes):
        for looked_at in (*box.after, *((box.above,) if box.above else ())):
            join(index, rules.box_index[looked_at])
    linked = {index for group in found if len(group) > 1 for index in group}
    for index, box in enumerate(rules.boxes):
        for other in range(index):
            apart = index in linked or other in linked
            if not apart and alike(rules, box, rules.boxes[other]):
                group = next(group for group in found if other in group)
                if len(group) < MOST_ALIKE:
                    join(other, index)
                break
    return sorted(tuple(sorted(group)) for group in found)


def alike(rules: Ruleset, box: Box, other: Box) -> bool:
    """Whether it makes no difference which of two boxes is filled."""
    named = {rules.repeat.box} if rules.repeat else set()
    joker = set(rules.joker.boxes) if rules.joker else set()
    named |= set(rules.joker.filled) if rules.joker else set()
    same = (box.needs, box.points, box.strike) == (other.needs, other.points, other.strike)
    places = "upper" in (box.section, other.section) or {box.id, other.id} & named
    return same and not places and (box.id in joker) == (other.id in joker)


def plain_points(rules: Ruleset, dice: Faces, boxes: tuple[int, ...]) -> Faces:
    scores = score_table(rules)[dice]
    return tuple(scores[box].points for box in boxes)


def plain_columns(rules: Ruleset, boxes: tuple[int, ...]) -> set[Faces]:
    """Every different row of points that dice can offer to these boxes."""
    return {plain_points(rules, dice, boxes) for dice in full_dice(rules)}


def joker_columns(rules: Ruleset, boxes: tuple[int, ...]) -> dict[int, set[Faces]]:
    """The rows of points that a joker of each face offers."""
    found: dict[int, set[Faces]] = {}
    for dice in full_dice(rules):
        if face := alike_face(rules, dice):
            found.setdefault(face, set()).add(joker_points(rules, dice, face, boxes))
    return found


def full_dice(rules: Ruleset) -> tuple[Faces, ...]:
    return lattice(rules.dice.count, rules.dice.faces).throws


def alike_face(rules: Ruleset, dice: Faces) -> int | None:
    """The face that could make these dice a joker; of two faces the higher."""
    if rules.joker is None:
        return None
    return max((face for face in dice if dice.count(face) >= rules.dice.counted), default=None)


def joker_points(rules: Ruleset, dice: Faces, face: int, boxes: tuple[int, ...]) -> Faces:
    """What the boxes give for dice that are a joker of this face."""
    joker_boxes = set(rules.joker.boxes) if rules.joker else set()
    given = []
    for index in boxes:
        box, points = rules.boxes[index], score_table(rules)[dice][index].points
        if box.id in joker_boxes:
            matching = face * dice_needed(box.needs, rules.dice.counted)
            total = face * rules.dice.counted
            met = box.points.base + box.points.all * total + box.points.matching * matching
            points = max(points, met)
        given.append(points)
    return tuple(given)


def build(rules: Ruleset, boxes: tuple[int, ...]) -> Component:
    """Follow every sheet of the group from the empty one, then join those that offer the same."""
    columns = plain_columns(rules, boxes).union(*joker_columns(rules, boxes).values())
    remembered = memory(rules, boxes)
    start: Cells = (None,) * len(boxes)
    reached: dict[Cells, dict[Faces, list[tuple[Option, Cells]]]] = {}
    waiting, followed = [start], 0
    while waiting:
        cells = waiting.pop()
        if cells in reached:
            continue
        reached[cells] = {
            column: list(raw_options(rules, boxes, cells, column, remembered)) for column in columns
        }
        waiting += {after for options in reached[cells].values() for _, after in options}
        followed += sum(map(len, reached[cells].values()))
        if followed > MOST_OPTIONS:
            raise too_entangled(rules)
    return joined(rules, boxes, reached)


def too_entangled(rules: Ruleset) -> UsageError:
    return UsageError("solve_entangled", ruleset=rules.id)


def memory(rules: Ruleset, boxes: tuple[int, ...]) -> tuple[Literal["filled", "points", "any"], ...]:
    """What is remembered of each filled box: only that it is, its points, or whether it has any."""
    looked_at = {box.above for box in rules.boxes} | {box.id for box in rules.boxes if box.above}
    kinds: list[Literal["filled", "points", "any"]] = []
    for index in boxes:
        box = rules.boxes[index].id
        repeats = rules.repeat is not None and rules.repeat.box == box
        kinds.append("points" if box in looked_at else "any" if repeats else "filled")
    return tuple(kinds)


def remember(kind: str, points: int) -> int:
    return points if kind == "points" else int(points != 0) if kind == "any" else 0


def raw_options(
    rules: Ruleset, boxes: tuple[int, ...], cells: Cells, column: Faces, remembered: tuple[str, ...]
) -> Iterator[tuple[Option, Cells]]:
    """Every way to fill a box of the group, with the cells afterwards."""
    for place, index in enumerate(boxes):
        if cells[place] is not None:
            continue
        box = rules.boxes[index]
        points = column[place] if links_hold(rules, boxes, cells, place, column[place]) else 0
        written = [(points, False)]
        if points and box.strike and not (rules.strike == "last_resort" and points > 0):
            written.append((0, True))
        for value, struck in written:
            after = cells[:place] + (remember(remembered[place], value),) + cells[place + 1 :]
            gain = value if box.section == "upper" else 0
            kind: Kind = "pays" if value else "nothing" if box.points == Points() else "zero"
            yield Option(index, value, gain, kind, struck, -1), after


def links_hold(rules: Ruleset, boxes: tuple[int, ...], cells: Cells, place: int, points: int) -> bool:
    """Whether what other boxes hold lets this one score."""
    box = rules.boxes[boxes[place]]
    for other_place, other_index in enumerate(boxes):
        other, written = rules.boxes[other_index], cells[other_place]
        if other.id in box.after and written is None:
            return False
        if written and (
            (box.above == other.id and points <= written) or (other.above == box.id and points >= written)
        ):
            return False
    return True


def joined(
    rules: Ruleset, boxes: tuple[int, ...], reached: dict[Cells, dict[Faces, list[tuple[Option, Cells]]]]
) -> Component:
    """Give every sheet its class, fullest sheets first: what a sheet offers names only fuller ones."""
    order = sorted(reached, key=lambda cells: (cells.count(None), cells_key(cells)))
    signatures: dict[object, int] = {}
    group_of: dict[Cells, int] = {}
    for cells in order:
        offers = frozenset(
            (column, frozenset(label(rules, option, group_of[after]) for option, after in options))
            for column, options in reached[cells].items()
        )
        group_of[cells] = signatures.setdefault((visible(rules, boxes, cells), offers), len(signatures))
    # Number the classes from the empty sheet on, so that class 0 is the start everywhere.
    last = len(signatures) - 1
    order.reverse()
    states = tuple(
        LocalState(
            cells,
            last - group_of[cells],
            {
                column: tuple(option._replace(target=last - group_of[after]) for option, after in options)
                for column, options in reached[cells].items()
            },
        )
        for cells in order
    )
    first = {state.group: number for number, state in reversed(list(enumerate(states)))}
    classes = tuple(first[group] for group in range(last + 1))
    seen = [visible(rules, boxes, states[number].cells) for number in classes]
    return Component(
        boxes=boxes,
        states=states,
        numbers={state.cells: number for number, state in enumerate(states)},
        classes=classes,
        opens=tuple(view.opens for view in seen),
        ready=tuple(view.ready for view in seen),
        holding=tuple(view.holding for view in seen),
        closed=tuple(view.closed for view in seen),
        plain=frozenset(plain_columns(rules, boxes)),
        jokers={face: frozenset(columns) for face, columns in joker_columns(rules, boxes).items()},
        upper=any(rules.boxes[index].section == "upper" for index in boxes),
    )


def cells_key(cells: Cells) -> tuple[int, ...]:
    return tuple(-(10**9) if cell is None else cell for cell in cells)


def label(rules: Ruleset, option: Option, target: int) -> tuple[object, ...]:
    """What tells options apart from outside: a forced joker asks for a certain upper box, or a lower one."""
    place = option.box if rules.boxes[option.box].section == "upper" else LOWER
    return (place, option.points, option.gain, option.kind, target)


class View(NamedTuple):
    """What the rest of the sheet can see of a group."""

    opens: int
    ready: bool
    holding: bool
    closed: frozenset[int]


def visible(rules: Ruleset, boxes: tuple[int, ...], cells: Cells) -> View:
    cell_of = dict(zip(boxes, cells, strict=True))
    filled = {rules.boxes[index].id for index, cell in cell_of.items() if cell is not None}
    waited = [
        rules.boxes[index].id
        for index in boxes
        if rules.joker and rules.boxes[index].id in rules.joker.filled
    ]
    repeat = rules.box_index[rules.repeat.box] if rules.repeat else None
    return View(
        opens=cells.count(None),
        ready=all(box in filled for box in waited),
        holding=repeat is not None and bool(cell_of.get(repeat)),
        closed=frozenset(
            index for index in boxes if rules.boxes[index].section == "upper" and cell_of[index] is not None
        ),
    )
