"""Sheets as JSON data; and whether a sheet is reachable, as far as its boxes, counts and order show it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dicecup.dice import lattice, layer_faces, throws
from dicecup.engine.legality import cell_of, filled_everywhere, in_order, joker_score
from dicecup.engine.links import box_links, link_holds
from dicecup.engine.state import Sheet, check_size
from dicecup.errors import MoveError, Phrase, PositionError, as_integer
from dicecup.rules.model import Needs, Points, Ruleset
from dicecup.rules.scoring import box_scores, score_box

SheetData = dict[str, Any]
"""The filled boxes of a sheet with their points, `{"ones": 3}`; with columns, one such table for each."""
SAVED = "saved_throws"  # beside the boxes of a sheet: the rolls that earlier turns have saved
MOST_WRITTEN = 1_000_000  # upper bound of any box, so that numbers stay printable


def wrong(key: str, expected: str, **values: object) -> PositionError:
    return PositionError("position_key_wrong", key=key, expected=Phrase(expected, **values))


def sheet_to_data(rules: Ruleset, sheet: Sheet) -> SheetData:
    """Return the filled boxes as data."""
    boxes = len(rules.boxes)
    columns = {
        column.id: {
            box.id: points
            for box, points in zip(rules.boxes, sheet.cells[number * boxes :], strict=False)
            if points is not None
        }
        for number, column in enumerate(rules.columns)
    }
    data: SheetData = (
        {name: cells for name, cells in columns.items() if cells}
        if rules.has_columns
        else next(iter(columns.values()))
    )
    if rules.repeat and sheet.repeats:
        data[rules.repeat.id] = sheet.repeats * rules.repeat.points
    if sheet.saved:
        data[SAVED] = sheet.saved
    return data


def sheet_from_data(rules: Ruleset, data: object) -> Sheet:
    """Return the sheet, if it can occur in the game."""
    if not isinstance(data, Mapping):
        raise wrong("sheet", "expected_table")
    cells: list[int | None] = [None] * rules.cells
    boxes_only = dict(data)
    repeats = read_repeats(rules, boxes_only.pop(rules.repeat.id, 0)) if rules.repeat else 0
    saved = read_saved(boxes_only.pop(SAVED, 0)) if rules.saved_throws else 0
    columns = boxes_only if rules.has_columns else {rules.columns[0].id: boxes_only}
    for column, boxes in columns.items():
        if column not in rules.column_index:
            known = ", ".join(rules.column_index)
            raise MoveError("column_unknown", column=str(column)[:40], known=known)
        if not isinstance(boxes, Mapping):
            raise wrong(f"sheet.{column}", "expected_table")
        for box, points in boxes.items():
            cell = cell_of(rules, str(box), str(column))
            if type(points) is not int or abs(points) > MOST_WRITTEN:
                raise wrong(f"sheet.{box}", "expected_points_written")
            cells[cell] = points
    sheet = Sheet(tuple(cells), repeats, saved)
    check_sheet(rules, sheet)
    return sheet


def checked_sheet(rules: Ruleset, sheet: object) -> Sheet:
    """Return a sheet of this game, given as a `Sheet` or as data, as one of plain integers.

    One that is surely impossible is refused: nothing about it has a value.
    """
    if not isinstance(sheet, Sheet):
        return sheet_from_data(rules, sheet)
    plain = plain_sheet(rules, sheet)
    check_sheet(rules, plain)
    return plain


def plain_sheet(rules: Ruleset, sheet: object) -> Sheet:
    """Return a `Sheet` of this game as one of plain integers: the same one if it is."""
    check_size(rules, sheet)
    assert isinstance(sheet, Sheet)
    cells = sheet.cells
    if not (
        type(cells) is tuple
        and CELL_TYPES.issuperset(map(type, cells))
        and type(sheet.repeats) is type(sheet.saved) is int
    ):
        plain = tuple(None if points is None else whole_points(points) for points in cells)
        sheet = Sheet(plain, whole_points(sheet.repeats), whole_points(sheet.saved))
    check_points(rules, sheet)
    return sheet


CELL_TYPES = frozenset({int, type(None)})


def check_points(rules: Ruleset, sheet: Sheet) -> None:
    """Refuse numbers that no sheet of this game has, even if points were written into it by hand."""
    cells = sheet.cells
    written = [sheet.repeats, sheet.saved, *[points for points in cells if points is not None]]
    if max(written) > MOST_WRITTEN or min(written) < -MOST_WRITTEN:
        raise wrong("sheet", "expected_points_written")
    if sheet.repeats < 0 or sheet.saved < 0:
        raise PositionError("sheet_impossible")
    if min(written) >= 0:
        return
    for first in range(0, rules.cells, len(rules.boxes)):
        if sum(cells[first + box] or 0 for box in rules.upper) < 0:
            raise PositionError("sheet_impossible")  # numbered by their upper total, which would be no number


def whole_points(points: object) -> int:
    number = as_integer(points)
    if number is None or abs(number) > MOST_WRITTEN:
        raise wrong("sheet", "expected_points_written")
    return number


def read_repeats(rules: Ruleset, points: object) -> int:
    assert rules.repeat is not None
    step = rules.repeat.points
    if type(points) is not int or not 0 <= points <= MOST_WRITTEN or points % step:
        raise wrong(f"sheet.{rules.repeat.id}", "expected_multiple_of", step=step)
    return points // step


def read_saved(saved: object) -> int:
    if type(saved) is not int or not 0 <= saved <= MOST_WRITTEN:
        raise wrong(f"sheet.{SAVED}", "expected_points_written")
    return saved


def check_sheet(rules: Ruleset, sheet: Sheet) -> None:
    """Reject sheets that are surely impossible; every reachable sheet passes."""
    filled = sum(points is not None for points in sheet.cells)
    if filled % len(rules.scored):
        raise PositionError("position_turn_unfinished", filled=filled, scored=len(rules.scored))
    for cell, points in enumerate(sheet.cells):
        index = cell % len(rules.boxes)
        if points is None:
            continue
        if points not in possible_points(rules, index) and points not in joker_points(rules, sheet, index):
            raise impossible(rules.boxes[index].id, points)
        if not in_order(rules, sheet, cell):
            raise PositionError("position_out_of_order", box=rules.boxes[index].id)
    check_links(rules, sheet)
    if rules.strike == "last_resort":
        check_last_resorts(rules, sheet)
    if sheet.repeats:
        check_repeats(rules, sheet)
    most_saved = filled * (rules.throws - 1) if rules.saved_throws else 0
    if sheet.saved > most_saved:
        raise impossible("saved_throws", sheet.saved)


def impossible(box: str, points: int) -> PositionError:
    return PositionError("position_points_impossible", box=box, points=points)


def points_of_throws(rules: Ruleset, index: int) -> tuple[int, ...]:
    """Return the points in a box for every throw of the counted dice, ignoring links and jokers."""
    box = rules.boxes[index]
    return points_by_throw(box.needs, box.points, rules.dice.counted, rules.dice.faces)


@lru_cache(maxsize=1000)  # the variants of a game have most boxes in common
def points_by_throw(needs: Needs, points: Points, counted: int, faces: int) -> tuple[int, ...]:
    scores = box_scores(needs, points, counted)
    return tuple(scores[dice].points for dice in lattice(counted, faces).throws)


@lru_cache(maxsize=1000)
def possible_points(rules: Ruleset, index: int) -> frozenset[int]:
    """Return all points that a box can hold without a joker."""
    found = frozenset(points_of_throws(rules, index))
    found |= {points + more for points in found for more in rules.boxes[index].early if points}
    return found | {0} if rules.boxes[index].strike else found


def joker_points(rules: Ruleset, sheet: Sheet, index: int) -> frozenset[int]:
    """Return the points that a joker can have written in a box, given the filled boxes."""
    joker = rules.joker
    if joker is None or rules.boxes[index].id not in joker.boxes:
        return frozenset()
    if not all(filled_everywhere(rules, sheet, rules.box_index[box]) for box in joker.filled):
        return frozenset()
    faces = [
        face
        for face, upper in rules.upper_box_of_face.items()
        if upper != index and filled_everywhere(rules, sheet, upper)
    ]
    return frozenset(joker_score(rules, index, face).points for face in faces)


def check_links(rules: Ruleset, sheet: Sheet) -> None:
    for first in range(0, rules.cells, len(rules.boxes)):
        for box, kind, other in box_links(rules):
            points = sheet.cells[first + box]
            if points and not link_holds(kind, points, sheet.cells[first + other]):
                raise impossible(rules.boxes[box].id, points)


def check_last_resorts(rules: Ruleset, sheet: Sheet) -> None:
    """Check each 0: some dice must score nothing in its box and in all boxes that compete with it."""
    competing, boxes = competing_boxes(rules, sheet), rules.boxes
    for cell, points in enumerate(sheet.cells):
        box = cell % len(boxes)
        if points == 0 and not boxes[box].never_pays:
            throws_left = (worthless_throws(rules, other) for other in {box} | competing)
            if not frozenset.intersection(*throws_left):
                raise PositionError("position_strike_impossible", box=boxes[box].id)


def competing_boxes(rules: Ruleset, sheet: Sheet) -> set[int]:
    """Return the boxes that would be filled rather than crossing out another as a last resort: the open ones.

    None where it is unknown which of them could be filled: a forced joker may have excluded all of them, and
    boxes may wait for others of their column or for an announcement.
    """
    if (rules.joker and rules.joker.forced) or rules.extensions & {"order", "announced"}:
        return set()
    return {cell % len(rules.boxes) for cell, points in enumerate(sheet.cells) if points is None}


@lru_cache(maxsize=1000)
def worthless_throws(rules: Ruleset, index: int) -> frozenset[int]:
    """Return the throws that can score nothing in a box; all of them if another box can prevent points.

    More dice than are counted never score less, so throws of the counted dice are sufficient.
    """
    given = points_of_throws(rules, index)
    if any(box == index for box, _kind, _other in box_links(rules)):
        return frozenset(range(len(given)))
    return frozenset(number for number, points in enumerate(given) if points <= 0)


def check_repeats(rules: Ruleset, sheet: Sheet) -> None:
    """Check that every scored repeat filled a box, with points that such dice give there."""
    if rules.repeat is None:
        raise wrong("repeats", "expected_whole_number", low=0, high=0)
    if sheet.repeats > most_repeats(rules, sheet):
        raise impossible(rules.repeat.id, sheet.repeats * rules.repeat.points)


def most_repeats(rules: Ruleset, sheet: Sheet) -> int:
    """Return how many of the filled boxes can have been filled by repeats that paid, times their columns."""
    if rules.repeat is None:
        return 0
    repeated, boxes = rules.box_index[rules.repeat.box], len(rules.boxes)
    if not all(sheet.cells[repeated::boxes]):
        return 0
    return sum(
        rules.columns[cell // boxes].multiplier
        for cell, points in enumerate(sheet.cells)
        if points is not None
        and cell % boxes != repeated
        and points in points_of_repeats(rules)[cell % boxes] | joker_points(rules, sheet, cell % boxes)
    )


@lru_cache(maxsize=64)
def points_of_repeats(rules: Ruleset) -> tuple[frozenset[int], ...]:
    """Return the points that repeating dice can write in each box, without jokers. All dice count."""
    assert rules.repeat is not None
    dice, repeated = rules.dice, rules.boxes[rules.box_index[rules.repeat.box]]
    found = [layer_faces(thrown, 0) for thrown, _ in throws(dice.count, dice.faces)]
    repeats = [faces for faces in found if score_box(repeated, faces, dice.counted).points > 0]
    # A 0 may be a strike, or caused by another box.
    return tuple(
        frozenset(score_box(box, faces, dice.counted).points for faces in repeats) | {0}
        for box in rules.boxes
    )
