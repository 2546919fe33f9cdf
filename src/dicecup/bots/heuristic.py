"""Bots without a solved table: random, greedy, and two that value boxes as people do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, compress
from math import inf
from random import Random

from dicecup.bots.planning import Worth, plan
from dicecup.dice import Dice, Faces, Lattice, lattice, layer_faces
from dicecup.engine.legality import (
    Moment,
    allowed_placements,
    announceable,
    at_roll,
    box_links,
    cell_names,
    face_of_alike,
    link_holds,
    may_fill,
    moment_of,
    offers,
)
from dicecup.engine.play import (
    announcement_missing,
    is_legal,
    keeps,
    legal_announcements,
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
def usual_points(rules: Ruleset) -> tuple[float, ...]:
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
    share, usual = bonus_share(rules), usual_points(rules)
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


class PlanningBot:
    """A bot that picks the keep or the boxes with the highest appeal, which its subclasses define."""

    horizon = 1  # throws planned ahead
    overlooked = 0.0  # the share of choices that it misses

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        """Return for each cell the weight of a point, and the cost of using the box up."""
        raise NotImplementedError

    def decide(self, rules: Ruleset, state: State, chance: Random) -> TurnMove:
        announcements = legal_announcements(rules, state) if rules.extensions else ()
        if not announcements:
            return self.turn_move(rules, state, chance)[1]
        appeal, best = self.announcement(rules, state)
        if announcement_missing(rules, state):
            return best
        otherwise, move = self.turn_move(rules, state, chance)
        return best if appeal > otherwise else move

    def announcement(self, rules: Ruleset, state: State) -> tuple[float, Announce]:
        """Return the announcement with the highest appeal: what the rest of the turn promises for its box."""
        rows, weights = lattice(rules.dice.count, rules.dice.faces), self.weights(rules)
        horizon = min(state.throws_left, self.horizon)
        faces = layer_faces(state.dice, 0)
        now = offers(rules, state.sheet, faces)
        appeals = {}
        for cell in announceable(rules, state.sheet):
            worth = single_outlook(self, rules, cell)[horizon - 1]
            given = now[cell]
            assert given is not None
            hoped = max(keep_worth(rules, rows, worth, keep.dice) for keep in keeps(state.dice))
            appeals[cell] = max(hoped, weights[cell][0] * given.points - weights[cell][1])
        best = max(appeals, key=appeals.__getitem__)
        return appeals[best], Announce(*cell_names(rules, best))

    def turn_move(self, rules: Ruleset, state: State, chance: Random) -> tuple[float, Keep | Score]:
        """Return the keep or the boxes with the highest appeal, and the appeal."""
        appeal, best = self.best_score(rules, state, chance)
        if not state.throws_left:
            return appeal, best
        rows = lattice(rules.dice.count, rules.dice.faces)
        # With several layers the keeps of one layer ignore the other: plan only one throw ahead.
        horizon = min(state.throws_left, 1 if rules.has_layers else self.horizon)
        worth = self.outlook(rules, state)[horizon - 1]
        decision: Keep | Score = best
        for keep in keeps(state.dice):
            hoped = keep_worth(rules, rows, worth, keep.dice)
            if hoped > appeal and not self.overlooks(chance):
                appeal, decision = hoped, keep
        return appeal, decision

    def best_score(self, rules: Ruleset, state: State, chance: Random) -> tuple[float, Score]:
        """Return the way to end the turn that it likes best of those it sees, or of all if it sees none."""
        legal = (way for way in self.scores(rules, state) if is_legal(rules, state, way[1]))
        best = next(legal)
        seen = (way for way in chain([best], legal) if not self.overlooks(chance))
        return next(seen, best)

    def overlooks(self, chance: Random) -> bool:
        return chance.random() < self.overlooked

    def scores(self, rules: Ruleset, state: State) -> Iterator[tuple[float, Score]]:
        """Yield every way to end the turn with its appeal, best first."""
        weights = self.weights(rules)
        layers = [
            appeals(weights, rules, state.sheet, layer_faces(state.dice, layer), moment_of(rules, state))
            for layer in scored_layers(rules)
        ]
        ways: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        for layer in layers:
            ways = [
                (before + appeal, (*cells, cell))
                for before, cells in ways
                for cell, appeal in layer
                if cell not in cells
            ]
        ways.sort(key=lambda way: -way[0])
        names = [cell_names(rules, cell) for cell in range(rules.cells)]
        for appeal, cells in ways:
            yield appeal, Score(tuple(Placement(*names[cell]) for cell in cells))

    def outlook(self, rules: Ruleset, state: State) -> list[Worth]:
        if state.announced is not None:
            return single_outlook(self, rules, state.announced)
        return outlook(self, rules, state.sheet)


@lru_cache(maxsize=256)
def outlook(bot: PlanningBot, rules: Ruleset, sheet: Sheet) -> list[Worth]:
    """Return the value of each keep of one layer for a bot on a sheet, by the number of throws left."""
    rows, table, weights = lattice(rules.dice.count, rules.dice.faces), score_table(rules), bot.weights(rules)
    is_free, limits = free_cells(rules, sheet)
    full = []
    for dice, alone in zip(rows.throws, appeals_alone(bot, rules), strict=True):
        if not alone:
            full.append(max(appeal for _, appeal in appeals(weights, rules, sheet, dice, last_roll(rules))))
            continue
        best = max(compress(alone, is_free), default=-inf)
        for cell, allowed in limits:
            holds = table[dice][cell % len(rules.boxes)].points in allowed
            best = max(best, alone[cell] if holds else -weights[cell][1])
        full.append(best)
    return plan(rows, full, bot.horizon)


def last_roll(rules: Ruleset) -> Moment | None:
    return Moment(rules.throws) if rules.counts_rolls else None


def free_cells(rules: Ruleset, sheet: Sheet) -> tuple[list[bool], list[tuple[int, set[int]]]]:
    """Return whether each cell is open to the points of any dice; and the others, with what links allow."""
    is_free = [
        written is None and (not rules.extensions or may_fill(rules, sheet, cell, last_roll(rules)))
        for cell, written in enumerate(sheet.cells)
    ]
    limits = []
    for cell in compress(range(rules.cells), is_free):
        first, box = cell - cell % len(rules.boxes), cell % len(rules.boxes)
        links = [(kind, sheet.cells[first + other]) for held, kind, other in box_links(rules) if held == box]
        values = possible_points(rules)[box] if links else set()
        allowed = {points for points in values if all(link_holds(kind, points, to) for kind, to in links)}
        if allowed != values:
            limits.append((cell, allowed))
    for cell, _ in limits:
        is_free[cell] = False
    return is_free, limits


@lru_cache(maxsize=16)
def possible_points(rules: Ruleset) -> list[set[int]]:
    """Return what any dice give in each box by themselves; 0 aside, which links leave as it is."""
    throws = [score_table(rules)[dice] for dice in lattice(rules.dice.count, rules.dice.faces).throws]
    return [{scores[box].points for scores in throws} - {0} for box in range(len(rules.boxes))]


@lru_cache(maxsize=16)
def appeals_alone(bot: PlanningBot, rules: Ruleset) -> list[tuple[float, ...]]:
    """Return the appeal of every cell for each throw; nothing where a joker depends on the sheet."""
    rows, table, weights = lattice(rules.dice.count, rules.dice.faces), score_table(rules), bot.weights(rules)
    later = last_roll(rules)
    return [
        ()
        if rules.joker and face_of_alike(rules, dice)
        else tuple(
            weight * (scored.points if later is None else at_roll(rules, cell, scored, later).points) - cost
            for cell, ((weight, cost), scored) in enumerate(
                zip(weights, table[dice] * len(rules.columns), strict=True)
            )
        )
        for dice in rows.throws
    ]


@lru_cache(maxsize=1024)
def single_outlook(bot: PlanningBot, rules: Ruleset, cell: int) -> list[Worth]:
    """As `outlook`, if this cell alone is filled, whatever else is on the sheet."""
    rows, table = lattice(rules.dice.count, rules.dice.faces), score_table(rules)
    weight, cost = bot.weights(rules)[cell]
    box = cell % len(rules.boxes)
    return plan(rows, [weight * table[dice][box].points - cost for dice in rows.throws], bot.horizon)


def appeals(
    weights: tuple[tuple[float, float], ...],
    rules: Ruleset,
    sheet: Sheet,
    faces: Faces,
    moment: Moment | None = None,
) -> list[tuple[int, float]]:
    """Return the appeal of each open cell for these dice."""
    return [
        (cell, weights[cell][0] * scored.points - weights[cell][1])
        for cell, scored in enumerate(offers(rules, sheet, faces, moment))
        if scored is not None
    ]


def keep_worth(rules: Ruleset, rows: Lattice, worth: Worth, dice: Dice) -> float:
    return sum(worth[rows.number[layer_faces(dice, layer)]] for layer in scored_layers(rules))


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
        for weight, points in zip(point_weights(rules), usual_points(rules), strict=True)
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
        for box, points in enumerate(usual_points(rules)):
            cost = RELUCTANCE * times * points
            found.append(
                (-times, RELUCTANCE * times * (most - points) - times * most) if box == low else (times, cost)
            )
    return tuple(found)
