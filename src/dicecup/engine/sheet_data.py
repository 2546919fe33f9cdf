"""A sheet as plain data, `{"ones": 3, "pair": 12}`.

With columns the data is one such table per column. Points for repeats stand under the id of their line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicecup.engine.offers import cell_of
from dicecup.engine.sheet_check import check_sheet
from dicecup.engine.state import Sheet
from dicecup.errors import MoveError, PositionError
from dicecup.messages import Phrase
from dicecup.rules.model import Ruleset

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
