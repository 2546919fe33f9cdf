"""Points of dice on a given sheet, and the boxes they may be placed in.

This module applies the rules that depend on the sheet: boxes in order, dependent boxes, jokers, strikes.
`refusal` is the only function that decides why a box cannot be filled; listing legal moves and playing both
use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dicecup.dice import Dice, Faces, layer_faces
from dicecup.engine.state import Sheet
from dicecup.errors import MoveError
from dicecup.rules.model import Points, Ruleset
from dicecup.rules.scoring import NOTHING, Scored, dice_needed, score_table

Offers = Sequence[Scored | None]


def cell_of(rules: Ruleset, box: str, column: str = "") -> int:
    """Return the index of a box in a sheet's cells."""
    if box not in rules.box_index:
        raise MoveError("box_unknown", box=box, known=", ".join(rules.box_index))
    if column not in rules.column_index:
        known = ", ".join(rules.column_index)
        if not column:
            raise MoveError("column_missing", known=known)
        raise MoveError("column_unknown", column=column, known=known or "–")
    return rules.column_index[column] * len(rules.boxes) + rules.box_index[box]


def cell_names(rules: Ruleset, cell: int) -> tuple[str, str]:
    """Return the box and the column of a cell."""
    column, box = divmod(cell, len(rules.boxes))
    return rules.boxes[box].id, rules.columns[column].id


def offers(rules: Ruleset, sheet: Sheet, faces: Faces) -> Offers:
    """Return the points of the dice of one layer in every cell; None where a cell is filled."""
    scores = score_table(rules)[faces]
    links = box_links(rules)
    if not links and rules.joker is None and len(rules.columns) == 1:
        return [scored if cell is None else None for scored, cell in zip(scores, sheet.cells, strict=True)]
    scores = with_joker(rules, sheet, faces, scores)
    boxes = len(rules.boxes)
    given: list[Scored | None] = []
    for first in range(0, rules.cells, boxes):
        cells = sheet.cells[first : first + boxes]
        column = [scored if cell is None else None for scored, cell in zip(scores, cells, strict=True)]
        for box, kind, other in links:
            scored, written = column[box], cells[other]
            if scored is not None and not link_holds(kind, scored.points, written):
                column[box] = NOTHING
        given += column
    return given


def layer_offers(rules: Ruleset, sheet: Sheet, dice: Dice) -> list[tuple[str, Faces, Offers]]:
    """Return each scored layer with its faces and their points, as if it alone were scored."""
    layers = [(layer, layer_faces(dice, rules.dice.layers.index(layer))) for layer in rules.scored]
    return [(layer, faces, offers(rules, sheet, faces)) for layer, faces in layers]


@lru_cache(maxsize=64)
def box_links(rules: Ruleset) -> tuple[tuple[int, str, int], ...]:
    """Return the dependencies between boxes of a column: (box, kind, other box)."""
    links = []
    for index, box in enumerate(rules.boxes):
        links += [(index, "after", rules.box_index[other]) for other in box.after]
        if box.above:
            other = rules.box_index[box.above]
            links += [(index, "above", other), (other, "below", index)]
    return tuple(links)


def link_holds(kind: str, points: int, written: int | None) -> bool:
    if kind == "after":
        return written is not None
    if not written:  # open or struck: a 0 sets no limit
        return True
    return points > written if kind == "above" else points < written


def face_of_alike(rules: Ruleset, faces: Faces) -> int | None:
    """Return the face that all counted dice show, if they are equal; the higher one of two such faces."""
    return max((face for face in faces if faces.count(face) >= rules.dice.counted), default=None)


def filled_everywhere(rules: Ruleset, sheet: Sheet, box: int) -> bool:
    return None not in sheet.cells[box :: len(rules.boxes)]


def joker_face(rules: Ruleset, sheet: Sheet, faces: Faces) -> int | None:
    """Return the face of potential joker dice: all equal, with the boxes that the joker requires filled."""
    if rules.joker is None:
        return None
    face = face_of_alike(rules, faces)
    if face is None or not all(
        filled_everywhere(rules, sheet, rules.box_index[box]) for box in rules.joker.filled
    ):
        return None
    return face


def with_joker(rules: Ruleset, sheet: Sheet, faces: Faces, scores: tuple[Scored, ...]) -> tuple[Scored, ...]:
    """Return the scores, improved where a joker applies."""
    face = joker_face(rules, sheet, faces)
    if rules.joker is None or face is None:
        return scores
    if not filled_everywhere(rules, sheet, rules.upper_box_of_face[face]):
        return scores
    bettered = list(scores)
    for box_id in rules.joker.boxes:
        index = rules.box_index[box_id]
        joker = joker_score(rules, index, face)
        if joker.points > scores[index].points:
            bettered[index] = joker
    return tuple(bettered)


def joker_score(rules: Ruleset, index: int, face: int) -> Scored:
    """Return a box's points as if dice of a single face met its need."""
    box, counted = rules.boxes[index], rules.dice.counted
    matching = (face,) * dice_needed(box.needs, counted)
    points = box.points.base + box.points.all * face * counted + box.points.matching * sum(matching)
    return Scored(points, (face,) * counted if box.points.all else matching)


def refusal(
    rules: Ruleset, sheet: Sheet, faces: Faces, given: Offers, cell: int, strike: bool
) -> MoveError | None:
    """Return the reason why these dice may not be placed in this cell, or None if they may."""
    scored = given[cell]
    box = rules.boxes[cell % len(rules.boxes)]
    if scored is None:
        return MoveError("box_filled", box=box.id)
    if strike and not box.strike:
        return MoveError("box_cannot_be_struck", box=box.id)
    if rules.strike == "free" and not (rules.joker and rules.joker.forced):
        return None
    allowed = forced_cells(rules, sheet, faces)
    if cell not in allowed:
        first = rules.boxes[allowed[0] % len(rules.boxes)]
        if first.section == "upper":
            return MoveError("joker_forced", box=first.id)
        return MoveError("joker_forced_lower")
    if rules.strike == "last_resort" and (strike or not scored.points) and box.points != Points():
        for other in allowed:
            better = given[other]
            if better is not None and better.points > 0:
                return MoveError("strike_not_last_resort", box=rules.boxes[other % len(rules.boxes)].id)
    return None


def forced_cells(rules: Ruleset, sheet: Sheet, faces: Faces) -> Sequence[int]:
    """Return the open cells that a forced joker allows; all open cells if nothing is forced."""
    open_cells = [cell for cell in range(rules.cells) if sheet.cells[cell] is None]
    face = joker_face(rules, sheet, faces)
    if face is None or rules.joker is None or not rules.joker.forced:
        return open_cells
    boxes = len(rules.boxes)
    of_face = [cell for cell in open_cells if cell % boxes == rules.upper_box_of_face[face]]
    lower = [cell for cell in open_cells if rules.boxes[cell % boxes].section != "upper"]
    return of_face or lower or open_cells


def repeat_pays(rules: Ruleset, sheet: Sheet, faces: Faces) -> bool:
    """Return whether these dice repeat a box that already holds points."""
    if rules.repeat is None:
        return False
    index = rules.box_index[rules.repeat.box]
    return bool(sheet.cells[index]) and score_table(rules)[faces][index].points > 0
