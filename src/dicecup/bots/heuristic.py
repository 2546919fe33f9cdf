"""Bots without a solved table: random, greedy, and two that value boxes as people do."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from dicecup.bots.planning import PlanningBot, plan
from dicecup.dice import Dice, lattice, layer_faces
from dicecup.engine.legality import (
    Moment,
    allowed_placements,
    announceable,
    cell_names,
    moment_of,
    offers,
)
from dicecup.engine.play import (
    announcement_missing,
    legal_moves,
    place,
    scored_layers,
)
from dicecup.engine.state import Announce, Keep, Placement, Score, Sheet, State, TurnMove
from dicecup.rules.model import AnyDice, Ruleset
from dicecup.rules.scoring import Scored, score_table


class RandomBot:
    """A bot that makes a random legal move, all equally likely."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:
        return chance.choice(legal_moves(rules, state))


class GreedyBot:
    """A bot that maximises points now: keeps the dice of the best box, and finally fills that box."""

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:  # noqa: ARG002
        if announcement_missing(rules, state):
            return best_announcement(rules, state)
        if state.throws_left:
            kept = dice_of_best_box(rules, state)
            if len(kept) < len(state.dice):
                return Keep(kept)
        sheet, moment = state.sheet, moment_of(rules, state)
        placements = []
        for layer in scored_layers(rules):
            faces = layer_faces(state.dice, layer)
            placement = best_placement(rules, sheet, faces, moment)
            sheet, _ = place(rules, sheet, faces, placement, moment)
            placements.append(placement)
        return Score(tuple(placements))


def best_placement(
    rules: Ruleset, sheet: Sheet, faces: tuple[int, ...], moment: Moment | None = None
) -> Placement:
    """Return the legal box with the most points; among equals the first on the sheet."""
    allowed = [
        (points_now(rules, cell, scored), -cell)
        for cell, strike, scored in allowed_placements(rules, sheet, faces, moment)
        if not strike
    ]
    box, column = cell_names(rules, -max(allowed)[1])
    return Placement(box, column)


def points_now(rules: Ruleset, cell: int, scored: Scored) -> int:
    """Return what dice add to the total in a cell; a box that is subtracted is better with few points."""
    box, points = rules.boxes[cell % len(rules.boxes)].id, scored.points
    if rules.difference and box == rules.difference.low:
        points = rules.dice.counted * rules.dice.faces - points
    return points * rules.columns[cell // len(rules.boxes)].multiplier


def best_announcement(rules: Ruleset, state: State) -> Announce:
    """Return the announcement of the box in which the dice give most now."""
    given = offers(rules, state.sheet, layer_faces(state.dice, 0))
    scores = {cell: scored for cell in announceable(rules, state.sheet) if (scored := given[cell])}
    return Announce(*cell_names(rules, max(scores, key=lambda cell: points_now(rules, cell, scores[cell]))))


def dice_of_best_box(rules: Ruleset, state: State) -> Dice:
    """Return the dice that count in the best open box of any layer; boxes for any dice are ignored."""
    best = 0
    kept: Dice = ()
    boxes, moment = len(rules.boxes), moment_of(rules, state)
    for layer in scored_layers(rules):
        given = offers(rules, state.sheet, layer_faces(state.dice, layer), moment)
        for cell, scored in enumerate(given):
            if scored is None or isinstance(rules.boxes[cell % boxes].needs, AnyDice):
                continue
            if scored.points > best:
                best, kept = scored.points, dice_with(state.dice, layer, scored)
    return kept


def dice_with(dice: Dice, layer: int, scored: Scored) -> Dice:
    """Return the whole dice whose faces in this layer counted."""
    wanted = list(scored.counted)
    kept = []
    for die in dice:
        face = die if isinstance(die, int) else die[layer]
        if face in wanted:
            wanted.remove(face)
            kept.append(die)
    return tuple(kept)


RELUCTANCE = 0.25  # share of a box's typical score that a careless player takes into account


@lru_cache(maxsize=16)
def mean_points(rules: Ruleset) -> tuple[float, ...]:
    """Return the mean score of each box if a turn is played for it alone."""
    rows = lattice(rules.dice.count, rules.dice.faces)
    table = score_table(rules)
    full = [table[dice] for dice in rows.throws]
    found = []
    for index, box in enumerate(rules.boxes):
        sign = -1.0 if rules.difference and box.id == rules.difference.low else 1.0
        points = tuple(sign * scores[index].points for scores in full)
        found.append(sign * mean_alone(rules.dice.count, rules.dice.faces, rules.throws, points))
    return tuple(found)


@lru_cache(maxsize=256)
def mean_alone(count: int, faces: int, throws: int, points: tuple[float, ...]) -> float:
    """Return the mean score of a turn for one box; variants of a game have most boxes in common."""
    return plan(lattice(count, faces), list(points), throws)[-1][0]


@lru_cache(maxsize=16)
def point_weights(rules: Ruleset) -> tuple[float, ...]:
    """Return what a point in each box is worth, bonus included: 1, unless it is subtracted or multiplied."""
    share, usual = bonus_share(rules), mean_points(rules)
    found = [1 + share if box.section == "upper" else 1.0 for box in rules.boxes]
    if rules.difference:
        high, low, times = (
            rules.box_index[box]
            for box in (rules.difference.high, rules.difference.low, rules.difference.times)
        )
        found[high], found[low] = usual[times], -usual[times]
        found[times] += usual[high] - usual[low]
    return tuple(found)


def bonus_share(rules: Ruleset) -> float:
    """Return the extra weight of an upper point, as if the first bonus were spread over its sum."""
    return rules.bonus[0].points / rules.bonus[0].at if rules.bonus and rules.bonus[0].at else 0.0


class SteadyBot(PlanningBot):
    """A good casual player."""

    horizon = 2

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        return steady_weights(rules)


@lru_cache(maxsize=16)
def steady_weights(rules: Ruleset) -> tuple[tuple[float, float], ...]:
    return tuple(
        (column.multiplier * weight, column.multiplier * weight * points)
        for column in rules.columns
        for weight, points in zip(point_weights(rules), mean_points(rules), strict=True)
    )


class CarelessBot(PlanningBot):
    """A beginner: maximises immediate points, and misses some choices."""

    overlooked = 0.1

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        return careless_weights(rules)


@lru_cache(maxsize=16)
def careless_weights(rules: Ruleset) -> tuple[tuple[float, float], ...]:
    """Return plain points as weights; a 0 goes where it costs least."""
    low = rules.box_index[rules.difference.low] if rules.difference else None
    most = rules.dice.counted * rules.dice.faces
    found = []
    for column in rules.columns:
        times = float(column.multiplier)
        for box, points in enumerate(mean_points(rules)):
            cost = RELUCTANCE * times * points
            found.append(
                (-times, RELUCTANCE * times * (most - points) - times * most) if box == low else (times, cost)
            )
    return tuple(found)
