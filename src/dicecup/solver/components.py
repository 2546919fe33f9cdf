"""Groups of boxes that depend on each other, and what must be remembered of each group and of the upper
total.

A box forms a group of its own unless it depends on another box or equals one. All sheets of a group are
enumerated to the end; sheets of a group with the same future are merged into one *class*: a struck low
score and one of 21, for example, or the second and the third Yum box.

Upper totals are merged likewise: those are one class that no way to go on can distinguish by the bonus.
All totals that can no longer reach a step are one class, and all beyond the last step; so are totals
between two multiples of the only face still open: with only sixes open, 33 to 38 all need five of them.

What a box gives, and whether it may be struck, is decided by `engine.legality`; here it is only
tabulated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from dicecup.dice import Faces, lattice
from dicecup.engine.legality import face_of_alike, joker_scores, rank_of, ways_to_fill
from dicecup.engine.links import box_links, links_hold
from dicecup.engine.state import bonus
from dicecup.errors import Phrase, UsageError
from dicecup.rules.model import Box, Ruleset
from dicecup.rules.scoring import score_table
from dicecup.solver.ready import remembered

MOST_ALIKE = 6  # equal boxes in one group: 2^6 sheets
MOST_OPTIONS = 2_000_000  # of one group of boxes: enumerating them takes half a minute and a gigabyte
LOWER = -1

Cells = tuple[int | None, ...]


class BoxOption(NamedTuple):
    """One way to fill one box of a group."""

    box: int
    points: int
    gain: int  # what it adds to the upper total
    struck: bool  # 0 is written although the dice give points
    target: int  # the class of the group afterwards


@dataclass(frozen=True, eq=False)
class LocalState:
    """One sheet of a group: what is remembered of each box, None if it is open."""

    cells: Cells
    group: int  # which class of the group it belongs to
    offers: Mapping[Faces, tuple[BoxOption, ...]]  # by the points that each box of the group would give


@dataclass(frozen=True, eq=False)
class Component:
    """A group of boxes with its sheets and classes; class 0 is the empty sheet."""

    boxes: tuple[int, ...]
    states: tuple[LocalState, ...]
    numbers: Mapping[Cells, int]  # the state of some cells
    classes: tuple[int, ...]  # a state of each class
    opens: tuple[int, ...]  # open boxes in each class
    ready: tuple[bool, ...]  # whether all boxes of the group that a joker requires are filled, by class
    holding: tuple[bool, ...]  # whether the box that pays repeats holds points, by class
    closed: tuple[frozenset[int], ...]  # which upper boxes are filled, by class
    plain: frozenset[Faces]  # the rows of points that need no joker
    jokers: Mapping[int, frozenset[Faces]]  # the rows of points that a joker of each face offers
    upper: bool  # whether it holds upper boxes


# What `Ruleset.extensions` names, in words.
EXTENSIONS = {
    "across": Phrase("rule_across"),
    "announced": Phrase("rule_announced"),
    "difference": Phrase("rule_difference"),
    "early": Phrase("rule_early"),
    "order": Phrase("rule_order"),
    "repeat": Phrase("rule_repeat"),
    "saved_throws": Phrase("rule_saved_throws"),
    "total_points": Phrase("rule_total_points"),
    "win": Phrase("rule_win"),
}


def check_rules(rules: Ruleset) -> None:
    """Raise an error for rules that no backend supports; all solvers and learned values call this first.

    A state of a solved game is what boxes are filled and the upper total: all these rules depend on more.
    """
    for extension in sorted(rules.extensions):
        raise UsageError("solve_extension", ruleset=rules.id, rule=EXTENSIONS[extension])


@lru_cache(maxsize=8)
def components(rules: Ruleset) -> tuple[Component, ...]:
    """Return all groups, those with upper boxes first."""
    check_rules(rules)
    made = [build(rules, boxes) for boxes in groups(rules)]
    return tuple(sorted(made, key=lambda component: (not component.upper, component.boxes)))


def groups(rules: Ruleset) -> list[tuple[int, ...]]:
    """Return the groups: boxes joined by the links between them, or because they are equal."""
    found = [{index} for index in range(len(rules.boxes))]

    def join(one: int, other: int) -> None:
        first, second = (next(group for group in found if index in group) for index in (one, other))
        if first is not second:
            first |= second
            found.remove(second)

    for box, _kind, other in box_links(rules):
        join(box, other)
    linked = {index for group in found if len(group) > 1 for index in group}
    for index in range(len(rules.boxes)):
        for other in range(index):
            apart = index in linked or other in linked
            if not apart and alike(rules, rules.boxes[index], rules.boxes[other]):
                group = next(group for group in found if other in group)
                if len(group) < MOST_ALIKE:
                    join(other, index)
                break
    return sorted(tuple(sorted(group)) for group in found)


def alike(rules: Ruleset, box: Box, other: Box) -> bool:
    """Return whether it makes no difference which of two boxes is filled."""
    named = {rules.repeat.box} if rules.repeat else set()
    joker = set(rules.joker.boxes) if rules.joker else set()
    named |= set(rules.joker.filled) if rules.joker else set()
    same = (box.needs, box.points, box.strike) == (other.needs, other.points, other.strike)
    places = "upper" in (box.section, other.section) or {box.id, other.id} & named
    return same and not places and (box.id in joker) == (other.id in joker)


class OfferedPoints(NamedTuple):
    """The points that dice give in the boxes of a group, before links between the boxes are applied."""

    throws: tuple[Faces, ...]  # by throw
    jokers: tuple[Faces, ...]  # by throw that can be a joker, when it is one


@lru_cache(maxsize=8)
def joker_throws(rules: Ruleset) -> tuple[tuple[int, int], ...]:
    """Return the throws that can be a joker, by their number, with its face."""
    if rules.joker is None:
        return ()
    throws = lattice(rules.dice.count, rules.dice.faces).throws
    faces = [(number, face_of_alike(rules, dice)) for number, dice in enumerate(throws)]
    return tuple((number, face) for number, face in faces if face is not None)


@lru_cache(maxsize=64)
def offered_points(rules: Ruleset, boxes: tuple[int, ...]) -> OfferedPoints:
    throws = lattice(rules.dice.count, rules.dice.faces).throws
    scores = [score_table(rules)[dice] for dice in throws]
    jokers = [joker_scores(rules, face, scores[number]) for number, face in joker_throws(rules)]
    plain, joker = (
        tuple(tuple(row[box].points for box in boxes) for row in rows) for rows in (scores, jokers)
    )
    return OfferedPoints(plain, joker)


def build(rules: Ruleset, boxes: tuple[int, ...]) -> Component:
    """Follow every sheet of the group from the empty one, then join those that offer the same."""
    offered = offered_points(rules, boxes)
    columns = {*offered.throws, *offered.jokers}
    kinds = memory(rules, boxes)
    start: Cells = (None,) * len(boxes)
    reached: dict[Cells, dict[Faces, list[tuple[BoxOption, Cells]]]] = {}
    waiting, followed = [start], 0
    while waiting:
        cells = waiting.pop()
        if cells in reached:
            continue
        reached[cells] = {column: list(raw_options(rules, boxes, cells, column, kinds)) for column in columns}
        waiting += {after for options in reached[cells].values() for _, after in options}
        followed += sum(map(len, reached[cells].values()))
        if followed > MOST_OPTIONS:
            raise too_entangled(rules)
    return joined(rules, boxes, offered, reached)


def too_entangled(rules: Ruleset) -> UsageError:
    return UsageError("solve_entangled", ruleset=rules.id)


def memory(rules: Ruleset, boxes: tuple[int, ...]) -> tuple[Literal["filled", "points", "any"], ...]:
    """Return what is remembered of each filled box: only that it is filled, its points, or whether it has
    any.
    """
    compared = {box for box, kind, _other in box_links(rules) if kind != "after"}
    kinds: list[Literal["filled", "points", "any"]] = []
    for index in boxes:
        repeats = rules.repeat is not None and rules.repeat.box == rules.boxes[index].id
        kinds.append("points" if index in compared else "any" if repeats else "filled")
    return tuple(kinds)


def raw_options(
    rules: Ruleset, boxes: tuple[int, ...], cells: Cells, column: Faces, kinds: tuple[str, ...]
) -> Iterator[tuple[BoxOption, Cells]]:
    """Yield every way to fill a box of the group, with the cells afterwards."""
    written = dict(zip(boxes, cells, strict=True))  # boxes that one depends on are in its group
    for place, index in enumerate(boxes):
        if cells[place] is not None:
            continue
        box = rules.boxes[index]
        points = column[place] if links_hold(rules, index, column[place], written) else 0
        precedence = rank_of(rules, box, points, forced=False).precedence
        for value, struck in ways_to_fill(box, points):
            if precedence > rank_of(rules, box, value, forced=False).endurance:
                continue  # the points of the box itself bar it
            after = cells[:place] + (remembered(kinds[place], value),) + cells[place + 1 :]
            gain = value if box.section == "upper" else 0
            yield BoxOption(index, value, gain, struck, -1), after


def joined(
    rules: Ruleset,
    boxes: tuple[int, ...],
    offered: OfferedPoints,
    reached: dict[Cells, dict[Faces, list[tuple[BoxOption, Cells]]]],
) -> Component:
    """Give every sheet its class, fullest sheets first: its options lead only to fuller ones."""
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
    jokers: dict[int, set[Faces]] = {}
    for (_throw, face), column in zip(joker_throws(rules), offered.jokers, strict=True):
        jokers.setdefault(face, set()).add(column)
    return Component(
        boxes=boxes,
        states=states,
        numbers={state.cells: number for number, state in enumerate(states)},
        classes=classes,
        opens=tuple(view.opens for view in seen),
        ready=tuple(view.ready for view in seen),
        holding=tuple(view.holding for view in seen),
        closed=tuple(view.closed for view in seen),
        plain=frozenset(offered.throws),
        jokers={face: frozenset(columns) for face, columns in jokers.items()},
        upper=any(rules.boxes[index].section == "upper" for index in boxes),
    )


def cells_key(cells: Cells) -> tuple[int, ...]:
    return tuple(-(10**9) if cell is None else cell for cell in cells)


def label(rules: Ruleset, option: BoxOption, target: int) -> tuple[object, ...]:
    """Return the equivalence key of an option: what its rank depends on, and where it leads."""
    box = rules.boxes[option.box]
    place = option.box if box.section == "upper" else LOWER
    return (place, option.points, option.gain, box.never_pays, target)


class View(NamedTuple):
    """What the rest of the sheet depends on."""

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


def last_step(rules: Ruleset) -> int:
    """Return the total from which on the bonus no longer grows."""
    return rules.bonus[-1].at if rules.bonus else 0


def bonus_by_total(rules: Ruleset, most: int) -> list[int]:
    """Return the bonus of every total up to `most`."""
    return [bonus(rules, total) for total in range(most + 1)]


def join_totals(totals: Iterable[int], outcomes: Callable[[int], Hashable]) -> dict[int, int]:
    """Return the class of each total, in ascending order; `outcomes` holds its result for every continuation.

    Totals with the same outcomes are one class. Classes are numbered by their lowest total.
    """
    classes: dict[Hashable, int] = {}
    return {total: classes.setdefault(outcomes(total), len(classes)) for total in sorted(totals)}


def lowest_totals(classes: dict[int, int]) -> list[int]:
    """Return the lowest total of each class."""
    lowest: dict[int, int] = {}
    for total, number in classes.items():
        lowest.setdefault(number, total)
    return list(lowest.values())
