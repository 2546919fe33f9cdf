"""A sheet as plain data, `{"ones": 3, "pair": 12}`, and the proof that such a sheet can occur.

With columns the data is one such table per column. Points for repeats stand under the id of their line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dicecup.dice import layer_faces, throws
from dicecup.engine.offers import box_links, cell_of, filled_everywhere, joker_score, link_holds
from dicecup.engine.state import Sheet
from dicecup.errors import MoveError, PositionError
from dicecup.messages import Phrase
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_box

SheetData = dict[str, Any]
MOST_WRITTEN = 1_000_000  # no box holds more; keeps numbers printable


def wrong(key: str, expected: str, **values: object) -> PositionError:
    return PositionError("position_key_wrong", key=key, expected=Phrase(expected, **values))


def sheet_to_data(rules: Ruleset, sheet: Sheet) -> SheetData:
    """Only filled boxes are in it."""
    boxes = len(rules.boxes)
    columns = {
        column.id: {
            box.id: points
            for box, points in zip(rules.boxes, sheet.cells[number * boxes :], strict=False)
            if points is not None
        }
        for number, column in enumerate(rules.columns)
    }
    if rules.has_columns:
        return {name: cells for name, cells in columns.items() if cells}
    data: SheetData = next(iter(columns.values()))
    if rules.repeat and sheet.repeats:
        data[rules.repeat.id] = sheet.repeats * rules.repeat.points
    return data


def sheet_from_data(rules: Ruleset, data: object) -> Sheet:
    """The sheet, if it can occur in the game."""
    if not isinstance(data, Mapping):
        raise wrong("sheet", "expected_table")
    cells: list[int | None] = [None] * rules.cells
    repeats = 0
    columns = data if rules.has_columns else {rules.columns[0].id: data}
    for column, boxes in columns.items():
        if column not in rules.column_index:
            known = ", ".join(rules.column_index)
            raise MoveError("column_unknown", column=str(column)[:40], known=known)
        if not isinstance(boxes, Mapping):
            raise wrong(f"sheet.{column}", "expected_table")
        for box, points in boxes.items():
            if rules.repeat and box == rules.repeat.id:
                repeats = read_repeats(rules, points)
                continue
            cell = cell_of(rules, str(box), str(column))
            if type(points) is not int or abs(points) > MOST_WRITTEN:
                raise wrong(f"sheet.{box}", "expected_points_written")
            cells[cell] = points
    sheet = Sheet(tuple(cells), repeats)
    check_sheet(rules, sheet)
    return sheet


def read_repeats(rules: Ruleset, points: object) -> int:
    assert rules.repeat is not None
    step = rules.repeat.points
    if type(points) is not int or not 0 <= points <= MOST_WRITTEN or points % step:
        raise wrong(f"sheet.{rules.repeat.id}", "expected_multiple_of", step=step)
    return points // step


def check_sheet(rules: Ruleset, sheet: Sheet) -> None:
    """Refuse a sheet that no game can lead to, as far as single boxes, links and counts show it."""
    filled = sum(points is not None for points in sheet.cells)
    if filled % len(rules.scored):
        raise PositionError("position_turn_unfinished", filled=filled, scored=len(rules.scored))
    for cell, points in enumerate(sheet.cells):
        index = cell % len(rules.boxes)
        if points is not None and points not in possible_points(rules, index) | joker_points(
            rules, sheet, index
        ):
            raise PositionError("position_points_impossible", box=rules.boxes[index].id, points=points)
    check_links(rules, sheet)
    if sheet.repeats:
        assert rules.repeat is not None
        if not sheet.cells[rules.box_index[rules.repeat.box]] or sheet.repeats >= filled:
            points = sheet.repeats * rules.repeat.points
            raise PositionError("position_points_impossible", box=rules.repeat.id, points=points)


@lru_cache(maxsize=1000)
def possible_points(rules: Ruleset, index: int) -> frozenset[int]:
    """Every number that can stand in a box without a joker: what the dice that count can give."""
    box, counted = rules.boxes[index], rules.dice.counted
    found = {
        score_box(box, layer_faces(dice, 0), counted).points for dice, _ in throws(counted, rules.dice.faces)
    }
    return frozenset(found | {0} if box.strike else found)


def joker_points(rules: Ruleset, sheet: Sheet, index: int) -> frozenset[int]:
    """What a joker can have written in a box, given what is filled by now."""
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
                raise PositionError("position_points_impossible", box=rules.boxes[box].id, points=points)
