"""Bots that plan a turn without a solved table: the value of each keep, from what final dice are worth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, compress
from math import inf
from random import Random

from dicecup.dice import Dice, Faces, Lattice, lattice, layer_faces
from dicecup.engine.legality import (
    Moment,
    announceable,
    at_roll,
    cell_names,
    face_of_alike,
    may_fill,
    moment_of,
    offers,
)
from dicecup.engine.links import box_links, links_hold
from dicecup.engine.play import announcement_missing, is_legal, keeps, legal_announcements, scored_layers
from dicecup.engine.state import Announce, Keep, Placement, Score, Sheet, State, TurnMove
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_table

Worth = list[float]  # by row of the lattice


def plan(rows: Lattice, full: Worth, throws: int) -> list[Worth]:
    """Return the value of each keep by the number of throws left, from one on."""
    found = [rows.mean_rolls(full)]
    for _ in range(throws - 1):
        found.append(rows.mean_rolls(rows.best_within(found[-1], full)))
    return found


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
        """Return the announcement with the highest appeal: the expected worth of this turn for its box."""
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
    boxes, limits = len(rules.boxes), []
    linked = {box for box, _kind, _other in box_links(rules)}
    for cell in compress(range(rules.cells), is_free):
        box = cell % boxes
        if box in linked:
            column, values = sheet.cells[cell - box :][:boxes], paying_points(rules)[box]
            allowed = {points for points in values if links_hold(rules, box, points, column)}
            if allowed != values:
                limits.append((cell, allowed))
    for cell, _ in limits:
        is_free[cell] = False
    return is_free, limits


@lru_cache(maxsize=16)
def paying_points(rules: Ruleset) -> list[set[int]]:
    """Return the points other than 0 that any dice give in each box, before links are applied."""
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
    """Return `outlook` for a turn that can fill only this cell, whatever else is on the sheet."""
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
