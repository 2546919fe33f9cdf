"""Pinned numbers of reachable sheets per game: sets of filled boxes, without and with the upper total.

The upper total is capped at the sum that earns the highest bonus: above it nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

import pytest

from dicecup.dice import Dice
from dicecup.engine import Placement, Score, Sheet, State, legal_moves
from dicecup.engine.play import score_sheet
from dicecup.rules import Ruleset, load_ruleset, main_ids

# Sets of filled boxes, at the ends of turns.
FILLED_SETS = {
    "yatzy": 32_768,  # 2 ** 15
    "yatzy-sv": 32_768,
    "dice-in-dice": 32_768,  # half of 2 ** 16: an even number is filled
    "yum-plus": 4_194_304,  # 2 ** 22
    "triple-yum-plus": 73_786_976_294_838_206_464,  # 2 ** 66
    "yahtzee": 8_192,  # 2 ** 13
}
# Sets of filled upper boxes with their total, capped at 63 (Yum Plus: 78; with jokers in the upper boxes).
UPPER_SHEETS = 2_794
YUM_UPPER_SHEETS = 3_015
YUM_UPPER_SHEETS_WITH_JOKERS = 3_493
# Sets of filled boxes with the capped upper total. The first is the number published for solvers of
# Scandinavian Yatzy, the last that for Yahtzee, where the box of five alike is open, struck, or holds 50.
SHEETS = {
    "yatzy": 1_430_528,
    "yatzy-sv": 1_430_528,
    "dice-in-dice": 1_430_528,
    "yum-plus": 201_506_816,
    "yahtzee": 536_448,
    # Without jokers in the upper boxes, which make the columns depend on each other.
    "triple-yum-plus joker_upper=none": 7_714_392_673_561_413_156_864_000,
}

FACES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
Upper = tuple[frozenset[str], int]  # the filled upper boxes, and their capped total


def sheet_with(rules: Ruleset, written: dict[str, int]) -> Sheet:
    cells: list[int | None] = [None] * rules.cells
    boxes = [box.id for box in rules.boxes]
    for box, points in written.items():
        cells[boxes.index(box)] = points
    return Sheet(tuple(cells))


def test_every_game_is_counted():
    assert set(FILLED_SETS) == set(main_ids())


# Sets of filled boxes.


def sets_after(rules: Ruleset, cells: frozenset[int]) -> set[frozenset[int]]:
    """Return the sets of filled cells one turn later, by any legal score with one throw."""
    sheet = Sheet(tuple(0 if cell in cells else None for cell in range(rules.cells)))
    dice = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)) if rules.has_layers else (1, 2, 3, 4, 6)
    places = {
        (column.id, box.id): number * len(rules.boxes) + index
        for number, column in enumerate(rules.columns)
        for index, box in enumerate(rules.boxes)
    }
    return {
        cells | {places[placement.column, placement.box] for placement in move.placements}
        for move in legal_moves(rules, State((sheet,), 0, dice, None, 0))
        if isinstance(move, Score)
    }


@pytest.mark.parametrize("game", ["yatzy", "yahtzee"])
def test_every_set_of_boxes_is_reached(game: str):
    """Played turn by turn through the engine: after n turns every set of n boxes is reached, and no other."""
    rules = load_ruleset(game)
    reached, total = {frozenset[int]()}, 0
    for turn in range(rules.turns + 1):
        assert len(reached) == comb(rules.cells, turn)
        total += len(reached)
        reached = set().union(*(sets_after(rules, cells) for cells in reached))
    assert total == FILLED_SETS[game] == 2**rules.cells


@pytest.mark.parametrize(
    ("game", "turns"), [("yatzy-sv", 3), ("dice-in-dice", 2), ("yum-plus", 3), ("triple-yum-plus", 2)]
)
def test_every_set_of_boxes_in_the_first_and_last_turns(game: str, turns: int):
    """Where there are too many sets: the first turns completely, then every sheet with few open boxes."""
    rules = load_ruleset(game)
    boxes = len(rules.scored)
    reached = {frozenset[int]()}
    for turn in range(turns):
        assert len(reached) == comb(rules.cells, turn * boxes)
        reached = set().union(*(sets_after(rules, cells) for cells in reached))
    assert len(reached) == comb(rules.cells, turns * boxes)
    every = frozenset(range(rules.cells))
    for left in combinations(range(rules.cells), boxes):
        assert sets_after(rules, every - set(left)) == {every}
    total = sum(comb(rules.cells, filled) for filled in range(0, rules.cells + 1, boxes))
    assert total == FILLED_SETS[game]


# Upper boxes with their total.


def upper_by_counting(most: int, jokers: bool = False) -> set[Upper]:
    """Count with plain sets: each box takes none to five of its face, or a joker of a filled face."""
    reached: set[Upper] = {(frozenset(), 0)}
    for filled in range(6):
        for boxes, total in [upper for upper in reached if len(upper[0]) == filled]:
            for box in set(FACES) - boxes:
                worth = {FACES[box] * count for count in range(6)}
                if jokers:
                    worth |= {FACES[other] * 5 for other in boxes}
                reached |= {(boxes | {box}, min(most, total + points)) for points in worth}
    return reached


def upper_by_engine(rules: Ruleset, most: int, lower: dict[str, int]) -> set[Upper]:
    """Score throws of up to five alike in upper boxes, from one sheet for each (filled, total)."""
    found: dict[Upper, dict[str, int]] = {(frozenset(), 0): {}}
    todo = [(frozenset[str](), 0)]
    while todo:
        written = found[todo.pop()]
        for after in upper_after(rules, written, lower):
            upper = (frozenset(after), min(most, sum(after.values())))
            if upper not in found:
                found[upper] = after
                todo.append(upper)
    return set(found)


@cache
def dice_showing(face: int, count: int, size: int, has_layers: bool) -> Dice:
    """Return dice of which so many show this face, as inner dice if there are layers."""
    filler = 1 if face != 1 else 2
    faces = tuple(sorted((face,) * count + (filler,) * (size - count)))
    return tuple((1, one) for one in faces) if has_layers else faces


def upper_after(rules: Ruleset, written: dict[str, int], lower: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield the upper boxes one score later, with jokers if the sheet allows; outer dice go to chance."""
    sheet = sheet_with(rules, written | lower)
    boxes = [box.id for box in rules.boxes]
    rest = (Placement("chance"),) if rules.has_layers else ()
    seen = set()
    for box, own_face in FACES.items():
        if box in written:
            continue
        for face in FACES.values() if lower else (own_face,):
            for count in range(6) if face == own_face else (5,):
                dice = dice_showing(face, count, rules.dice.count, rules.has_layers)
                own = Placement(box, strike=count == 0)
                after, _ = score_sheet(rules, sheet, dice, (own, *rest))
                points = after.cells[boxes.index(box)]
                assert points is not None
                if (box, points) not in seen:
                    seen.add((box, points))
                    yield written | {box: points}


@pytest.mark.parametrize("game", ["yatzy", "yatzy-sv", "dice-in-dice", "yahtzee"])
def test_upper_sheets(game: str):
    found = upper_by_engine(load_ruleset(game), 63, {})
    assert found == upper_by_counting(63)
    assert len(found) == UPPER_SHEETS


@pytest.mark.slow
def test_upper_sheets_of_yum_plus():
    yums = {"yum": 0, "second_yum": 0, "third_yum": 0}
    found = upper_by_engine(load_ruleset("yum-plus"), 78, {})
    assert found == upper_by_counting(78)
    assert len(found) == YUM_UPPER_SHEETS
    found = upper_by_engine(load_ruleset("yum-plus"), 78, yums)
    assert found == upper_by_counting(78, jokers=True)
    assert len(found) == YUM_UPPER_SHEETS_WITH_JOKERS
    without = load_ruleset("yum-plus", {"joker_upper": "none"})
    assert len(upper_by_engine(without, 78, yums)) == YUM_UPPER_SHEETS


def test_sheets():
    """Lower boxes are filled independently of the upper ones, so the numbers multiply."""
    assert SHEETS["yatzy"] == SHEETS["yatzy-sv"] == UPPER_SHEETS * 2**9
    # Ten lower boxes, an even number filled in all: half of their sets for each upper sheet.
    assert SHEETS["dice-in-dice"] == UPPER_SHEETS * 2**10 // 2
    # Six lower boxes besides the one for five alike.
    assert SHEETS["yahtzee"] == UPPER_SHEETS * 2**6 * 3
    # Three columns that are filled independently.
    assert SHEETS["triple-yum-plus joker_upper=none"] == (YUM_UPPER_SHEETS * 2**16) ** 3
    # Sixteen lower boxes; jokers only if the three boxes for five alike are filled.
    assert SHEETS["yum-plus"] == (YUM_UPPER_SHEETS * (2**16 - 2**13) + YUM_UPPER_SHEETS_WITH_JOKERS * 2**13)
