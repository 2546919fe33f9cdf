"""A pad: points written straight into the boxes, without dice.

A value is possible in a box if some dice write it there, in some order of filling the boxes that are filled
now. So any box of any player can be filled or corrected at any time, and nothing impossible can be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from dicecup.dice import lattice, layer_faces, throws
from dicecup.engine.legality import cell_of, in_order
from dicecup.engine.links import box_links, links_hold
from dicecup.engine.sheet_data import competing_boxes, joker_points, most_repeats, possible_points
from dicecup.engine.state import Sheet, State, Write, turn_start
from dicecup.errors import MoveError, Phrase, as_integer
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import Scored, score_box, score_table


def is_repeat(rules: Ruleset, box: object) -> bool:
    """Return whether this is the line of the repeats, which is written like a box."""
    return rules.repeat is not None and isinstance(box, str) and rules.repeat.id == box


def written(rules: Ruleset, sheet: Sheet, box: str, column: str = "") -> int | None:
    """Return the points in a box, None if it is open. The line of the repeats always holds points."""
    if rules.repeat and is_repeat(rules, box):
        return sheet.repeats * rules.repeat.points
    return sheet.cells[cell_of(rules, box, column)]


def possible_values(rules: Ruleset, sheet: Sheet, box: str, column: str = "") -> tuple[int, ...]:
    """Return all points that can be written in a box, or instead of those that it holds; lowest first."""
    if rules.repeat and is_repeat(rules, box):
        return tuple(count * rules.repeat.points for count in range(most_repeats(rules, sheet) + 1))
    return tuple(sorted(cell_values(rules, sheet, cell_of(rules, box, column))))


def cell_values(rules: Ruleset, sheet: Sheet, cell: int) -> Iterator[int]:
    """Yield all points that can stand in a cell beside those in the other cells."""
    index = cell % len(rules.boxes)
    others = with_points(sheet, cell, None)
    column = others.cells[cell - index :][: len(rules.boxes)]
    if sheet.cells[cell] is None and not in_order(rules, sheet, cell):
        return
    for points in possible_points(rules, index) | joker_points(rules, others, index):
        if not links_hold(rules, index, points, column):
            continue
        if not points and not zero_possible(rules, others, index):
            continue
        if sheet.repeats <= most_repeats(rules, with_points(sheet, cell, points)):
            yield points


def with_points(sheet: Sheet, cell: int, points: int | None) -> Sheet:
    return replace(sheet, cells=sheet.cells[:cell] + (points,) + sheet.cells[cell + 1 :])


def zero_possible(rules: Ruleset, sheet: Sheet, index: int) -> bool:
    """Return whether a 0 is possible in a box that is open on this sheet.

    If strikes are a last resort, some dice must give nothing in it and in the boxes that compete with it.
    With several layers another box of the same turn may still be missing on the sheet.
    """
    if rules.strike == "free" or rules.boxes[index].never_pays:
        return True
    competing, layers = competing_boxes(rules, sheet) - {index}, len(rules.scored)
    filled = sum(points is not None for points in sheet.cells)
    missing = layers - 1 - filled % layers
    return any(index not in paying and len(paying & competing) <= missing for paying in paying_boxes(rules))


@lru_cache(maxsize=64)
def paying_boxes(rules: Ruleset) -> frozenset[frozenset[int]]:
    """Return for every throw the boxes in which it surely pays; linked boxes may be prevented from that."""
    linked = {box for box, _kind, _other in box_links(rules)}
    table = score_table(rules)
    return frozenset(
        frozenset(
            box
            for box, scored in enumerate(table[layer_faces(dice, 0)])
            if scored.points > 0 and box not in linked
        )
        for dice, _ in throws(rules.dice.count, rules.dice.faces)
    )


def plain_write(move: Write) -> Write:
    """Return the same write in plain integers, which records can be read with again."""
    seat, points, was = (
        number if number is None or type(number) is int else as_integer(number)
        for number in (move.seat, move.points, move.was)
    )
    if seat is None:
        raise MoveError("seat_unknown")
    if points is None and move.points is not None:
        expected = Phrase("expected_points_written")
        raise MoveError("argument_wrong", argument="points", expected=expected)
    if was is None and move.was is not None:
        raise MoveError("box_changed", box=move.box)
    return Write(seat, move.box, points, move.column, was)


def apply_write(rules: Ruleset, state: State, move: Write) -> tuple[State, tuple[Scored, ...]]:
    """Return the state after points are written, and the points; any player's box may be written any time."""
    move = plain_write(move)
    if not 0 <= move.seat < len(state.sheets):
        raise MoveError("seat_unknown")
    before = state.sheets[move.seat]
    found = written(rules, before, move.box, move.column)
    if move.was != found:
        raise MoveError("box_changed", box=move.box)
    if move.points == found:
        raise MoveError("points_unchanged", box=move.box)
    sheet = written_sheet(rules, before, move)
    sheets = state.sheets[: move.seat] + (sheet,) + state.sheets[move.seat + 1 :]
    player = next_player(rules, state, sheets, move) if found is None else state.player
    return turn_start(rules, sheets, player), (Scored(move.points or 0, ()),)


def written_sheet(rules: Ruleset, sheet: Sheet, move: Write) -> Sheet:
    repeat, points = rules.repeat, move.points
    if points is not None and points not in possible_values(rules, sheet, move.box, move.column):
        if may_come_later(rules, sheet, move.box, move.column):
            raise MoveError("box_out_of_order", box=move.box)
        raise MoveError("points_impossible", box=move.box, points=points)
    if repeat and is_repeat(rules, move.box):
        if points is None:
            raise MoveError("points_impossible", box=move.box, points="–")
        return replace(sheet, repeats=points // repeat.points)
    cell = cell_of(rules, move.box, move.column)
    changed = with_points(sheet, cell, points)
    if points is None and not all(
        in_order(rules, changed, other) for other in filled_cells(rules, changed, cell // len(rules.boxes))
    ):
        raise MoveError("box_out_of_order", box=move.box)
    if repeat and changed.repeats > most_repeats(rules, changed):
        raise MoveError("points_impossible", box=repeat.id, points=changed.repeats * repeat.points)
    return changed


def may_come_later(rules: Ruleset, sheet: Sheet, box: str, column: str) -> bool:
    """Return whether an open box waits for others of its column."""
    if is_repeat(rules, box):
        return False
    cell = cell_of(rules, box, column)
    return sheet.cells[cell] is None and not in_order(rules, sheet, cell)


def filled_cells(rules: Ruleset, sheet: Sheet, column: int) -> Iterator[int]:
    """Yield the filled cells of a column."""
    first = column * len(rules.boxes)
    for cell in range(first, first + len(rules.boxes)):
        if sheet.cells[cell] is not None:
            yield cell


def next_player(rules: Ruleset, state: State, sheets: tuple[Sheet, ...], move: Write) -> int:
    """Return whose turn it seems to be: the writer's until the turn is complete, then whoever comes next."""
    filled = sum(points is not None for points in sheets[move.seat].cells)
    if filled % len(rules.scored):
        return move.seat
    count = len(sheets)
    order = [(move.seat + step) % count for step in range(1, count + 1)]
    return next((seat for seat in order if not sheets[seat].full), state.player)


@lru_cache(maxsize=1000)
def usual_points(rules: Ruleset, index: int) -> Mapping[int, float]:
    """Return the chance of each number of points for somebody who plays a whole turn for one box.

    The lower box of a difference is better with fewer points.
    """
    dice, box = lattice(rules.dice.count, rules.dice.faces), rules.boxes[index]
    sign = -1 if rules.difference and rules.difference.low == box.id else 1
    points = [score_box(box, faces, rules.dice.counted).points for faces in dice.throws]
    value = [float(sign * given) for given in points]
    keeps: list[list[int]] = []  # what to keep of all dice, before the last throw first
    for _ in range(rules.throws - 1):
        worth = dice.mean_rolls(value)
        keeps.append(dice.best_parts(worth))
        value = [worth[kept] for kept in keeps[-1][dice.keeps :]]
    chances = [1.0] + [0.0] * (dice.rows - 1)
    dice.roll_all(chances)
    for keep in reversed(keeps):
        thrown, chances = chances, [0.0] * dice.rows
        for row in range(dice.keeps, dice.rows):
            chances[keep[row]] += thrown[row]
        dice.roll_all(chances)
    found: dict[int, float] = {}
    for given, chance in zip(points, chances[dice.keeps :], strict=True):
        found[given] = found.get(given, 0.0) + chance
    return found
