"""Why a choice is good, as ids and numbers: its aims with their chances, or its points and what is left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dicecup.coach.advice import Choice, Values
from dicecup.dice import Dice, parts, sort_dice, throws
from dicecup.engine.play import score_sheet
from dicecup.engine.state import Keep, State, final_score
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.playout.double import Ending
    from dicecup.solver.solution import BoxValue, Turn


Ends = dict[Dice, float]  # dice that end the turn, with their chance


@lru_cache(maxsize=32)
def outcomes(count: int, faces: int) -> tuple[tuple[Dice, float], ...]:
    """Return every throw of so many dice with its chance."""
    ways = faces**count
    return tuple((dice, weight / ways) for dice, weight in throws(count, faces))


class Forecast:
    """Follows the best decisions of one turn."""

    def __init__(self, rules: Ruleset, turn: Turn) -> None:
        self.rules = rules
        self.turn = turn
        self.scored: dict[Dice, BoxValue] = {}
        self.known: dict[tuple[Dice, int], Ends] = {}

    def best_box(self, dice: Dice) -> BoxValue:
        if dice not in self.scored:
            self.scored[dice] = max(self.turn.boxes(dice), key=lambda box: box.value)
        return self.scored[dice]

    def best_keep(self, dice: Dice, throws_left: int) -> Dice:
        """Return the dice to keep; all of them means to end the turn."""
        best, kept = self.best_box(dice).value, dice
        for part in parts(dice):
            if len(part) < len(dice) and (worth := self.turn.keep(part, throws_left)) > best:
                best, kept = worth, part
        return kept

    def ends(self, kept: Dice, throws_left: int) -> Ends:
        """Return the dice that end the turn after this keep, with so many throws left before that."""
        key = (kept, throws_left)
        if key not in self.known:
            self.known[key] = self.follow(kept, throws_left)
        return self.known[key]

    def follow(self, kept: Dice, throws_left: int) -> Ends:
        found: Ends = {}
        count, faces = self.rules.dice.count, self.rules.dice.faces
        for thrown, chance in outcomes(count - len(kept), faces):
            dice = sort_dice(kept + thrown)
            again = self.best_keep(dice, throws_left - 1) if throws_left > 1 else dice
            later = {dice: 1.0} if again == dice else self.ends(again, throws_left - 1)
            for end, share in later.items():
                found[end] = found.get(end, 0.0) + chance * share
        return found


@dataclass(frozen=True, slots=True)
class Aim:
    """A box in which the turn may end with points."""

    box: str
    column: str
    chance: float
    points: float  # on average, when it ends there


@dataclass(frozen=True, slots=True)
class Reason:
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
            from dicecup.playout.double import sample_endings
            from dicecup.solver.double.solution import DoubleSolution

            solution = self.values.source
            assert isinstance(solution, DoubleSolution)
            endings, error = sample_endings(solution, self.state, choice.move)
        else:
            endings, error = self.exact_endings(choice.move), 0.0
        return summarise(endings, self.never_pay, error)

    def exact_endings(self, move: Keep) -> list[tuple[float, list[Ending]]]:
        found = []
        for dice, chance in self.forecast.ends(move.dice, self.state.throws_left).items():
            box = self.forecast.best_box(dice)
            found.append((chance, [(box.move.placements[0], box.points)]))
        return found


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
