"""Why a choice is good, as ids and numbers: its aims with their chances, or its points and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dicecup.coach.advice import Choice, Values
from dicecup.dice import Faces, Lattice, lattice, layer_faces
from dicecup.engine.play import score_sheet, with_strikes
from dicecup.engine.state import Keep, Score, State, final_score
from dicecup.rules.model import OfFace, Ruleset
from dicecup.solver.double.wasm import WasmGame

if TYPE_CHECKING:
    from dicecup.playout.double import Ending
    from dicecup.solver.solution import BoxValue, Turn


class Forecast:
    """Follows the best decisions of one turn of a game of one layer, on the lattice of its dice."""

    def __init__(self, rules: Ruleset, turn: Turn) -> None:
        self.turn = turn
        self.dice: Lattice = lattice(rules.dice.count, rules.dice.faces)
        self.scored: dict[int, BoxValue] = {}  # by row
        self.kept: dict[int, list[int]] = {}  # by throws left

    def best_box(self, row: int) -> BoxValue:
        if row not in self.scored:
            self.scored[row] = self.turn.best_box(self.dice.multisets[row])
        return self.scored[row]

    @cached_property
    def ends(self) -> list[float]:
        """By throw: the value of ending the turn."""
        return [self.turn.throw(dice, 0) for dice in self.dice.throws]

    def best_keeps(self, throws_left: int) -> list[int]:
        """By row: the best of all that can be kept of it; of a throw the row itself, if the turn ends."""
        if throws_left not in self.kept:
            values = [*self.turn.keep_values(throws_left), *self.ends]
            self.kept[throws_left] = self.dice.best_parts(values)
        return self.kept[throws_left]

    def endings(self, kept: Faces, throws_left: int) -> list[tuple[float, BoxValue]]:
        """Return how the turn ends after this keep, each way with its chance."""
        keeps = self.dice.keeps
        chances = [0.0] * self.dice.rows
        ended = [0.0] * self.dice.rows
        chances[self.dice.number[kept]] = 1.0
        for left in range(throws_left - 1, -1, -1):
            self.dice.roll_all(chances)
            thrown, chances = chances, [0.0] * self.dice.rows
            best = self.best_keeps(left) if left else range(self.dice.rows)
            for row in range(keeps, self.dice.rows):
                (ended if best[row] == row else chances)[best[row]] += thrown[row]
        return [(chance, self.best_box(row)) for row, chance in enumerate(ended) if chance]


class Aim(NamedTuple):
    """A box in which the turn may end with points."""

    box: str
    column: str
    chance: float
    points: float  # on average, when it ends there


class Reason(NamedTuple):
    """Of a keep: its aims, most likely first, and the chance of a 0. Of a score: what is still to come."""

    aims: tuple[Aim, ...] = ()
    nothing: float = 0.0
    points: int = 0  # what a score adds at once, bonuses included
    rest: float = 0.0  # what is still to come after a score, on average
    standard_error: float = 0.0  # of the chances, where they are sampled


class Reasons:
    """The reasons of one position's choices."""

    def __init__(self, values: Values, state: State) -> None:
        self.values = values
        self.state = state
        self.forecast = Forecast(values.rules, values.turn(state.sheet))
        self.never_pay = frozenset(box.id for box in values.rules.boxes if box.never_pays)

    def reason(self, choice: Choice) -> Reason:
        if not isinstance(choice.move, Keep):
            rules, state = self.values.rules, self.state
            after, _ = score_sheet(rules, state.sheet, state.dice, choice.move.placements)
            total = final_score(rules, after)
            return Reason(points=total - final_score(rules, state.sheet), rest=choice.expected - total)
        if self.values.rules.has_layers:
            endings, error = self.sampled_endings(choice.move)
        else:
            endings, error = self.exact_endings(choice.move), 0.0
        return summarise(endings, self.never_pay, error)

    def sampled_endings(self, move: Keep) -> tuple[list[tuple[float, list[Ending]]], float]:
        """Return endings with their chances, and the largest standard error of a chance."""
        solution, state = self.values.source, self.state
        if isinstance(solution, WasmGame):
            return solution.sample_endings(state.sheet, move.dice, state.throws_left)
        from dicecup.playout.double import sample_endings
        from dicecup.solver.double.solution import DoubleSolution

        assert isinstance(solution, DoubleSolution)
        return sample_endings(solution, state, move)

    def exact_endings(self, move: Keep) -> list[tuple[float, list[Ending]]]:
        endings = self.forecast.endings(layer_faces(move.dice, 0), self.state.throws_left)
        return [(chance, [(box.move.placements[0], box.points)]) for chance, box in endings]


def summarise(
    endings: list[tuple[float, list[Ending]]], never_pay: frozenset[str], standard_error: float
) -> Reason:
    """Merge endings in the same box. A turn that fills two boxes, one of them with 0, counts as a 0."""
    chances: dict[tuple[str, str], float] = {}
    points: dict[tuple[str, str], float] = {}
    nothing = 0.0
    for chance, boxes in endings:
        if any(not written and placement.box not in never_pay for placement, written in boxes):
            nothing += chance
        for placement, written in boxes:
            if not written:
                continue
            box = (placement.box, placement.column)
            chances[box] = chances.get(box, 0.0) + chance
            points[box] = points.get(box, 0.0) + chance * written
    aims = [
        Aim(box, column, chance, points[box, column] / chance) for (box, column), chance in chances.items()
    ]
    aims.sort(key=lambda aim: -aim.chance)
    return Reason(tuple(aims), nothing, standard_error=standard_error)


def reason_from_data(data: Mapping[str, Any]) -> Reason:
    """Return the reason that `reason_data` wrote; that of a puzzle may be empty."""
    aims = tuple(
        Aim(aim["box"], aim.get("column", ""), aim["chance"], aim["points"]) for aim in data.get("aims", ())
    )
    return Reason(aims, data.get("zero", 0.0), data.get("points", 0), data.get("rest", 0.0))


RemarkKind = Literal["aims", "bonus", "towards_bonus", "zero", "points", "least"]


class Remark(NamedTuple):
    """One thing to say about a choice: a kind, and the boxes with chances or the number it speaks of."""

    kind: RemarkKind
    aims: tuple[tuple[str, str, float], ...] = ()
    value: float = 0.0


SAID_AIMS = 2
LIKELY = 0.05  # chance of an aim that is worth saying
RISKY = 0.25  # chance of a 0 that is worth saying


def remarks(rules: Ruleset, state: State, move: Keep | Score, reason: Reason) -> tuple[Remark, ...]:
    """Return what to say about a choice, the most important first."""
    if isinstance(move, Keep):
        return tuple(remarks_on_keep(rules, state, reason))
    said = with_strikes(rules, state.sheet, state.dice, move)
    assert isinstance(said, Score)
    if any(placed.strike for placed in said.placements):
        return (Remark("least"),)
    found = [Remark("points", value=reason.points)]
    for placed, scored in zip(
        move.placements, score_sheet(rules, state.sheet, state.dice, move.placements)[1], strict=True
    ):
        found += remarks_on_bonus(rules, state, placed.box, placed.column, scored.points)
    return tuple(found)


def remarks_on_keep(rules: Ruleset, state: State, reason: Reason) -> Iterator[Remark]:
    likely = [aim for aim in reason.aims if aim.chance >= LIKELY][:SAID_AIMS]
    if likely:
        yield Remark("aims", tuple((aim.box, aim.column, aim.chance) for aim in likely))
        yield from remarks_on_bonus(rules, state, likely[0].box, likely[0].column, likely[0].points)
    if reason.nothing >= RISKY:
        yield Remark("zero", value=reason.nothing)


def remarks_on_bonus(rules: Ruleset, state: State, box: str, column: str, points: float) -> Iterator[Remark]:
    """Say what so many points in an upper box do for the next bonus, if it can still be reached."""
    faces = upper_faces(rules)
    if not rules.bonus or box not in faces or points < bonus_par(rules, box):
        return
    first = rules.column_index.get(column, 0) * len(rules.boxes)
    written = {known: state.sheet.cells[first + rules.box_index[known]] for known in faces}
    total = sum(value or 0 for value in written.values())
    most = total + sum(rules.dice.counted * faces[known] for known in faces if written[known] is None)
    if total >= rules.bonus[0].at or most < rules.bonus[0].at:
        return
    filled = [known for known in faces if written[known] is not None or known == box]
    on_course = total + points >= sum(bonus_par(rules, known) for known in filled)
    yield Remark("bonus" if on_course else "towards_bonus")


def upper_faces(rules: Ruleset) -> dict[str, int]:
    """Return the boxes whose sum earns the bonus, each with its face."""
    return {
        box.id: box.needs.face
        for box in rules.boxes
        if box.section == "upper" and isinstance(box.needs, OfFace)
    }


def bonus_par(rules: Ruleset, box: str) -> float:
    """Return the points of an upper box that lead to the first bonus; 0 for other boxes."""
    faces = upper_faces(rules)
    if box not in faces or not rules.bonus:
        return 0.0
    return rules.bonus[0].at * faces[box] / sum(faces.values())
