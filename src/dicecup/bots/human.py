"""Bots that play as people do: by what a box is usually worth, without knowing the whole game.

`steady` knows what each box brings if one tries for it alone, and takes dice where they are better than
that. It counts points above as more than their face, for the bonus, and thinks the turn through to its last
throw. `careless` goes for points, thinks one throw ahead, and overlooks things.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from dicecup.bots.plan import Lattice, Worth, lattice, plan
from dicecup.dice import Dice, Faces, layer_faces
from dicecup.engine.moves import Keep, Placement, Score
from dicecup.engine.offers import cell_names, offers
from dicecup.engine.play import is_legal, keeps, scored_layers
from dicecup.engine.state import Sheet, State
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import score_table

RELUCTANCE = 0.25  # how much of what a box usually brings a careless player thinks of


@lru_cache(maxsize=16)
def usual_points(rules: Ruleset) -> tuple[float, ...]:
    """What each box brings on average if a turn is played for it alone."""
    rows = lattice(rules.dice.count, rules.dice.faces)
    table = score_table(rules)
    full = [table[dice] for dice in rows.rows[rows.keeps :]]
    found = []
    for box in range(len(rules.boxes)):
        points = [float(scores[box].points) for scores in full]
        found.append(plan(rows, points, rules.throws)[-1][0])
    return tuple(found)


def bonus_share(rules: Ruleset) -> float:
    """How much more a point above counts, as if the first bonus were shared out over the sum it asks for."""
    return rules.bonus[0].points / rules.bonus[0].at if rules.bonus and rules.bonus[0].at else 0.0


class PlanningBot:
    """Takes the keep or the boxes of the highest appeal; what appeals is for the kinds of bots to say."""

    horizon = 1  # throws that it thinks ahead
    overlooked = 0.0  # the share of choices that it does not see

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        """Of each cell: how much a point counts, and what is taken off for using the box up."""
        raise NotImplementedError

    def decide(self, rules: Ruleset, state: State, chance: Random) -> Keep | Score:
        ways = [way for way in self.scores(rules, state) if is_legal(rules, state, way[1])]
        appeal, best = next((way for way in ways if not self.overlooks(chance)), ways[0])
        if not state.throws_left:
            return best
        rows = lattice(rules.dice.count, rules.dice.faces)
        # With several layers, what one layer keeps is worth nothing to the other: one throw ahead must do.
        horizon = min(state.throws_left, 1 if rules.has_layers else self.horizon)
        worth = self.outlook(rules, state.sheet)[horizon - 1]
        decision: Keep | Score = best
        for keep in keeps(state.dice):
            hoped = keep_worth(rules, rows, worth, keep.dice)
            if hoped > appeal and not self.overlooks(chance):
                appeal, decision = hoped, keep
        return decision

    def overlooks(self, chance: Random) -> bool:
        return chance.random() < self.overlooked

    def scores(self, rules: Ruleset, state: State) -> list[tuple[float, Score]]:
        """Every way to end the turn with its appeal, the most appealing first."""
        weights = self.weights(rules)
        layers = [
            appeals(weights, rules, state.sheet, layer_faces(state.dice, layer))
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
        return [(appeal, Score(tuple(Placement(*names[cell]) for cell in cells))) for appeal, cells in ways]

    def outlook(self, rules: Ruleset, sheet: Sheet) -> list[Worth]:
        return outlook(self, rules, sheet)


@lru_cache(maxsize=256)
def outlook(bot: PlanningBot, rules: Ruleset, sheet: Sheet) -> list[Worth]:
    """What each keep of one layer is worth to a bot on a sheet, by the throws that follow."""
    rows = lattice(rules.dice.count, rules.dice.faces)
    weights = bot.weights(rules)
    full = [
        max(appeal for _, appeal in appeals(weights, rules, sheet, dice)) for dice in rows.rows[rows.keeps :]
    ]
    return plan(rows, full, bot.horizon)


def appeals(
    weights: tuple[tuple[float, float], ...], rules: Ruleset, sheet: Sheet, faces: Faces
) -> list[tuple[int, float]]:
    """How much each open cell appeals for these dice."""
    return [
        (cell, weights[cell][0] * scored.points - weights[cell][1])
        for cell, scored in enumerate(offers(rules, sheet, faces))
        if scored is not None
    ]


def keep_worth(rules: Ruleset, rows: Lattice, worth: Worth, dice: Dice) -> float:
    return sum(worth[rows.number[layer_faces(dice, layer)]] for layer in scored_layers(rules))


class SteadyBot(PlanningBot):
    """A good player at the kitchen table."""

    horizon = 2

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        return steady_weights(rules)


@lru_cache(maxsize=16)
def steady_weights(rules: Ruleset) -> tuple[tuple[float, float], ...]:
    usual, share = usual_points(rules), bonus_share(rules)
    found = []
    for column in rules.columns:
        for box, points in zip(rules.boxes, usual, strict=True):
            times = column.multiplier * (1 + share if box.section == "upper" else 1)
            found.append((times, times * points))
    return tuple(found)


class CarelessBot(PlanningBot):
    """A beginner: wants points now, and does not see everything."""

    overlooked = 0.1

    def weights(self, rules: Ruleset) -> tuple[tuple[float, float], ...]:
        return careless_weights(rules)


@lru_cache(maxsize=16)
def careless_weights(rules: Ruleset) -> tuple[tuple[float, float], ...]:
    """Points as they stand; a 0 is put where the least is lost."""
    usual = usual_points(rules)
    return tuple(
        (float(column.multiplier), RELUCTANCE * column.multiplier * points)
        for column in rules.columns
        for points in usual
    )
