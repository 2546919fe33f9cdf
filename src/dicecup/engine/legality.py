"""Points of dice on a given sheet, and the boxes they may be placed in.

This module applies the rules that depend on the sheet: boxes in order, dependent boxes, jokers, strikes; and
those that depend on the turn: the number of the roll, and the box that was announced. The ranks of what is on
offer decide what bars a box: listing legal moves and playing both compare them, and `refusal` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from dicecup.dice import Dice, Faces, layer_faces
from dicecup.engine.links import box_links, link_holds
from dicecup.engine.state import Sheet, State, rolls_made
from dicecup.errors import MoveError
from dicecup.rules.model import Box, Repeat, Ruleset
from dicecup.rules.scoring import NOTHING, Scored, dice_needed, score_table

Offers = Sequence[Scored | None]


class Moment(NamedTuple):
    """The facts about a turn that matter besides the dice: the number of the roll and the announced cell."""

    roll: int
    announced: int | None = None


def moment_of(rules: Ruleset, state: State) -> Moment | None:
    """Return the moment of a turn; None where only the sheet and the dice matter."""
    return Moment(rolls_made(rules, state), state.announced) if rules.counts_rolls else None


def cell_of(rules: Ruleset, box: str, column: str = "") -> int:
    """Return the index of a box in a sheet's cells."""
    try:
        return rules.column_index[column] * len(rules.boxes) + rules.box_index[box]
    except (KeyError, TypeError):  # unknown, or not a string
        raise no_cell(rules, box, column) from None


def no_cell(rules: Ruleset, box: object, column: object) -> MoveError:
    """Return the error for a box or column that the game does not have."""
    if not isinstance(box, str) or box not in rules.box_index:
        return MoveError("box_unknown", box=str(box), known=", ".join(rules.box_index))
    known = ", ".join(rules.column_index)
    if column is None or (isinstance(column, str) and not column):
        return MoveError("column_missing", known=known)
    return MoveError("column_unknown", column=str(column), known=known or "–")


def cell_names(rules: Ruleset, cell: int) -> tuple[str, str]:
    """Return the box and the column of a cell."""
    column, box = divmod(cell, len(rules.boxes))
    return rules.boxes[box].id, rules.columns[column].id


def offers(rules: Ruleset, sheet: Sheet, faces: Faces, moment: Moment | None = None) -> Offers:
    """Return the points of the dice of one layer in every cell; None where a cell cannot be filled now.

    Without a moment, announced columns are open to all dice, and no dice are early.
    """
    scores = score_table(rules)[faces]
    links = box_links(rules)
    if not links and rules.joker is None and len(rules.columns) == 1 and not rules.extensions:
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
    if not rules.extensions:
        return given
    return [
        at_roll(rules, cell, scored, moment)
        if scored is not None and may_fill(rules, sheet, cell, moment)
        else None
        for cell, scored in enumerate(given)
    ]


def may_fill(rules: Ruleset, sheet: Sheet, cell: int, moment: Moment | None) -> bool:
    """Return whether an open cell can be filled now, by the order of its column and by what was announced."""
    if moment is not None and moment.announced is not None:
        return cell == moment.announced
    if moment is not None and rules.columns[cell // len(rules.boxes)].announced:
        return False
    return in_order(rules, sheet, cell)


def barred(rules: Ruleset, sheet: Sheet, cell: int, moment: Moment | None) -> MoveError:
    """Return the reason why a cell cannot be filled now."""
    box = rules.boxes[cell % len(rules.boxes)].id
    if sheet.cells[cell] is not None:
        return MoveError("box_filled", box=box)
    if not in_order(rules, sheet, cell):
        return MoveError("box_out_of_order", box=box)
    if moment is not None and moment.announced is not None:
        return MoveError("box_other_announced")
    return MoveError("box_not_announced", box=box)


def in_order(rules: Ruleset, sheet: Sheet, cell: int) -> bool:
    """Return whether no cell is skipped if this one is filled, in the order of its column."""
    column, box = divmod(cell, len(rules.boxes))
    first, last = cell - box, cell - box + len(rules.boxes)
    match rules.columns[column].order:
        case "down":
            return None not in sheet.cells[first:cell]
        case "up":
            return None not in sheet.cells[cell + 1 : last]
        case _:
            return True


def at_roll(rules: Ruleset, cell: int, scored: Scored, moment: Moment | None) -> Scored:
    """Return the points of dice in a cell with those that they get for being early."""
    early = rules.boxes[cell % len(rules.boxes)].early
    if moment is None or not scored.points or moment.roll > len(early):
        return scored
    return Scored(scored.points + early[moment.roll - 1], scored.counted)


def announceable(rules: Ruleset, sheet: Sheet) -> list[int]:
    """Return the cells that can be announced after the first roll of a turn."""
    return [
        cell
        for cell, points in enumerate(sheet.cells)
        if points is None
        and rules.columns[cell // len(rules.boxes)].announced
        and in_order(rules, sheet, cell)
    ]


def must_announce(rules: Ruleset, sheet: Sheet) -> bool:
    """Return whether no box is open that could be filled without having been announced."""
    boxes = len(rules.boxes)
    return all(
        points is not None or rules.columns[cell // boxes].announced
        for cell, points in enumerate(sheet.cells)
    )


def layer_offers(
    rules: Ruleset, sheet: Sheet, dice: Dice, moment: Moment | None = None
) -> list[tuple[str, Faces, Offers]]:
    """Return each scored layer with its faces and their points, as if it alone were scored."""
    layers = [(layer, layer_faces(dice, rules.dice.layers.index(layer))) for layer in rules.scored]
    return [(layer, faces, offers(rules, sheet, faces, moment)) for layer, faces in layers]


def points_by_box(rules: Ruleset, sheet: Sheet, dice: Dice, moment: Moment | None = None) -> dict[str, Any]:
    """What dice give in every open box: by box, by column and box, or by layer and box."""
    layers = {
        layer: points_of_cells(rules, given)
        for layer, _faces, given in layer_offers(rules, sheet, dice, moment)
    }
    return layers if rules.has_layers else next(iter(layers.values()))


def points_of_cells(rules: Ruleset, given: Offers) -> dict[str, Any]:
    boxes = len(rules.boxes)
    columns = {
        column.id: {
            box.id: scored.points
            for box, scored in zip(rules.boxes, given[number * boxes : (number + 1) * boxes], strict=True)
            if scored is not None
        }
        for number, column in enumerate(rules.columns)
    }
    return columns if rules.has_columns else columns[rules.columns[0].id]


def face_of_alike(rules: Ruleset, faces: Faces) -> int | None:
    """Return the face that all counted dice show, if they are equal; the higher one of two such faces."""
    return highest_alike(faces, rules.dice.counted)


@lru_cache(maxsize=5_000)  # every throw of several games
def highest_alike(faces: Faces, count: int) -> int | None:
    return max((face for face in faces if faces.count(face) >= count), default=None)


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
    if face is None or not filled_everywhere(rules, sheet, rules.upper_box_of_face[face]):
        return scores
    return joker_scores(rules, face, scores)


def joker_scores(rules: Ruleset, face: int, scores: tuple[Scored, ...]) -> tuple[Scored, ...]:
    """Return the scores of dice that are a joker of this face, from those that they have by themselves."""
    improved = list(scores)
    for box_id in rules.joker.boxes if rules.joker else ():
        index = rules.box_index[box_id]
        joker = joker_score(rules, index, face)
        if joker.points > scores[index].points:
            improved[index] = joker
    return tuple(improved)


@lru_cache(maxsize=1024)
def joker_score(rules: Ruleset, index: int, face: int) -> Scored:
    """Return a box's points as if dice of a single face met its need."""
    box, counted = rules.boxes[index], rules.dice.counted
    matching = (face,) * dice_needed(box.needs, counted)
    points = box.points.base + box.points.all * face * counted + box.points.matching * sum(matching)
    return Scored(points, (face,) * counted if box.points.all else matching)


class Rank(NamedTuple):
    """The rank of one way to fill a box among all ways that the dice and the sheet offer.

    A way is barred if another one is offered whose precedence exceeds its endurance. The solver compiles the
    ranks into its tables, so that its kernels know no rules.
    """

    precedence: int
    endurance: int


HIGHEST = 1  # the highest precedence and endurance where no joker is forced
FORCED = 2  # what a forced joker adds to both


def rank_of(rules: Ruleset, box: Box, points: int, forced: bool) -> Rank:
    """Return the rank of writing so many points in a box. `forced`: a joker demands this box.

    Under `last_resort` a 0 can be written only while nothing on offer pays; the 0 of a box that never pays is
    no strike, and can be written at any time.
    """
    last_resort = rules.strike == "last_resort" and crossed_out(box, points)
    endurance = (FORCED if forced else 0) + (0 if last_resort else HIGHEST)
    return Rank(precedence_of(points, forced), endurance)


def crossed_out(box: Box, points: int) -> bool:
    """Return whether these points mean that a box is crossed out: a 0, unless the box never pays."""
    return not points and not box.never_pays


def precedence_of(points: int, forced: bool) -> int:
    return (FORCED if forced else 0) + (HIGHEST if points > 0 else 0)


def never_barred(rules: Ruleset) -> bool:
    """Return whether every way to fill a box is legal in this game, whatever else is on offer."""
    return rules.strike == "free" and not (rules.joker and rules.joker.forced)


def ways_to_fill(box: Box, points: int) -> tuple[tuple[int, bool], ...]:
    """Return what can be written in a box: its points, or 0 as a strike if it has points to forgo."""
    return ((points, False), (0, True)) if points and box.strike else ((points, False),)


def allowed_placements(
    rules: Ruleset, sheet: Sheet, faces: Faces, moment: Moment | None = None
) -> list[tuple[int, bool, Scored]]:
    """Return every legal way to place dice of one layer: the cell, whether it is struck, and its points."""
    given, boxes = offers(rules, sheet, faces, moment), rules.boxes
    count = len(boxes)
    ways = [
        (cell, strike, NOTHING if strike else scored)
        for cell, scored in enumerate(given)
        if scored is not None
        for _points, strike in ways_to_fill(boxes[cell % count], scored.points)
    ]
    if never_barred(rules):
        return ways
    forced = forced_cells(rules, sheet, faces)
    highest = max(precedences(given, forced).values(), default=0)
    if not highest:
        return ways
    return [
        (cell, strike, scored)
        for cell, strike, scored in ways
        if rank_of(rules, boxes[cell % count], scored.points, cell in forced).endurance >= highest
    ]


def precedences(given: Offers, forced: Sequence[int]) -> dict[int, int]:
    """Return the precedence of the points of every cell that is on offer."""
    offered = [(cell, offer.points) for cell, offer in enumerate(given) if offer is not None]
    return {cell: precedence_of(points, cell in forced) for cell, points in offered}


def refusal(
    rules: Ruleset,
    sheet: Sheet,
    faces: Faces,
    given: Offers,
    cell: int,
    strike: bool,
    moment: Moment | None = None,
) -> MoveError | None:
    """Return the reason why these dice may not be placed in this cell, or None if they may."""
    boxes, scored = rules.boxes, given[cell]
    box = boxes[cell % len(boxes)]
    if scored is None:
        return barred(rules, sheet, cell, moment)
    if strike and not box.strike:
        return MoveError("box_cannot_be_struck", box=box.id)
    if never_barred(rules):
        return None
    forced = forced_cells(rules, sheet, faces)
    endurance = rank_of(rules, box, 0 if strike else scored.points, cell in forced).endurance
    if endurance >= HIGHEST + (FORCED if forced else 0):
        return None
    ranks = precedences(given, forced)
    barring = max(ranks, key=ranks.__getitem__)
    if ranks[barring] <= endurance:
        return None
    other_box = boxes[barring % len(boxes)]
    if barring in forced and cell not in forced:
        upper = other_box.section == "upper"
        return MoveError("joker_forced", box=other_box.id) if upper else MoveError("joker_forced_lower")
    return MoveError("strike_not_last_resort", box=other_box.id)


def forced_cells(rules: Ruleset, sheet: Sheet, faces: Faces) -> Sequence[int]:
    """Return the open cells that a forced joker demands; none if nothing is forced."""
    face = joker_face(rules, sheet, faces)
    if face is None:
        return ()
    face_box_filled = filled_everywhere(rules, sheet, rules.upper_box_of_face[face])
    demanded, boxes = forced_boxes(rules, face, face_box_filled), len(rules.boxes)
    return [cell for cell, points in enumerate(sheet.cells) if points is None and cell % boxes in demanded]


def forced_boxes(rules: Ruleset, face: int, face_box_filled: bool) -> frozenset[int]:
    """Return the boxes that a forced joker demands: that of its face, or once it is filled the lower ones."""
    if not (rules.joker and rules.joker.forced):
        return frozenset()
    if not face_box_filled:
        return frozenset({rules.upper_box_of_face[face]})
    return frozenset(index for index, box in enumerate(rules.boxes) if box.section != "upper")


def repeat_pays(rules: Ruleset, sheet: Sheet, faces: Faces) -> bool:
    """Return whether these dice repeat a box that already holds points."""
    return rules.repeat is not None and (
        all(sheet.cells[rules.box_index[rules.repeat.box] :: len(rules.boxes)])
        and meets_repeat(rules, rules.repeat, faces)
    )


def meets_repeat(rules: Ruleset, repeat: Repeat, faces: Faces) -> bool:
    """Return whether these dice pay as a repeat once its box holds points."""
    return score_table(rules)[faces][rules.box_index[repeat.box]].points > 0
