"""One turn of many games of a perfect player, compiled: double dice.

The values of the turn are worked out before (`solver/double`), for several sheets side by side; here every
game throws its dice, looks up the best of the 64 keeps, and fills the two best boxes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dicecup.coach.games_kernel import GOLDEN, chance_of, mix
from dicecup.solver.compiled import kernel
from dicecup.solver.double.game_tables import GameTables
from dicecup.solver.double.points import FORBIDDEN

Array = Any
NEVER = np.float32(-1e9)


class Rules(NamedTuple):
    """The game as arrays."""

    game: GameTables
    layer_weights: Array  # [place, face]: what a face adds to the rank of one layer's dice
    double_weights: Array


class Values(NamedTuple):
    """What the keeps of a turn are worth, by lane."""

    layers: Any  # by dice kept, [lane, inner multiset, outer multiset]: one throw follows; final throws last
    keeps: Any  # by throws that follow, from 2 on, and dice kept: [keep row, lane]
    rows: Any  # by dice kept: the row of every multiset
    after: Array  # the values of the sheets after the turn


class Played(NamedTuple):
    """By game: the filled boxes, the upper total, the sheet."""

    masks: Array
    totals: Array
    cells: Array  # [game, box]


@kernel(inline="always")
def layer_rank(rules: Rules, dice: Any, count: int, outer: bool) -> int:
    """The rank of one layer of the dice."""
    faces = rules.layer_weights.shape[1]
    shown = np.empty(rules.layer_weights.shape[0], np.int64)
    for place in range(count):
        face = dice[place] % faces if outer else dice[place] // faces
        at = place
        while at > 0 and shown[at - 1] > face:
            shown[at] = shown[at - 1]
            at -= 1
        shown[at] = face
    rank = 0
    for place in range(count):
        rank += rules.layer_weights[place, shown[place]]
    return rank


@kernel()
def keep_value(rules: Rules, values: Values, dice: Any, count: int, left: int, lane: int) -> Any:
    """Keeping the first `count` of these sorted dice; keeping all is ending the turn."""
    every = rules.layer_weights.shape[0]
    if left == 1 or count == every:
        inner, outer = layer_rank(rules, dice, count, False), layer_rank(rules, dice, count, True)
        return values.layers[count][lane, inner, outer]
    rank = 0
    for place in range(count):
        rank += rules.double_weights[place, dice[place]]
    return values.keeps[(left - 2) * every + count][values.rows[count][rank], lane]


@kernel()
def sort_dice(dice: Any) -> None:
    for end in range(1, dice.size):
        at, held = end, dice[end]
        while at > 0 and dice[at - 1] > held:
            dice[at] = dice[at - 1]
            at -= 1
        dice[at] = held


@kernel()
def throw_dice(
    rules: Rules, values: Values, dice: Any, fixed: int, left: int, lane: int, chance: Any
) -> None:
    """Play a turn to its last throw; the first `fixed` dice are given, `left` throws follow."""
    count = dice.size
    faces = np.uint64(rules.double_weights.shape[1])
    kept, best_kept = np.empty(count, np.int64), np.empty(count, np.int64)
    while True:
        if fixed < count:
            left -= 1
        for place in range(fixed, count):
            chance += GOLDEN
            dice[place] = np.int64(((mix(chance) >> np.uint64(32)) * faces) >> np.uint64(32))
        sort_dice(dice)
        if left == 0:
            return
        best, fixed = NEVER, count
        for part in range((1 << count) - 1, -1, -1):
            size = 0
            for die in range(count):
                if (part >> die) & 1:
                    kept[size] = dice[die]
                    size += 1
            value = keep_value(rules, values, kept, size, left, lane)
            if value > best:
                best, fixed = value, size
                best_kept[:] = kept
        if fixed == count:
            return
        dice[:] = best_kept


@kernel()
def best_boxes(rules: Rules, after: Any, dice: Any, mask: int, total: int) -> Any:
    """The two best boxes with their points, and the upper total after them."""
    count, boxes = dice.size, rules.game.free.shape[1]
    inner, outer = layer_rank(rules, dice, count, False), layer_rank(rules, dice, count, True)
    first_points = rules.game.forced[inner] if rules.game.scoring[inner] & ~mask else rules.game.free[inner]
    best = NEVER
    found = (0, 0, 0, 0, total)
    for first in range(boxes):
        if (mask >> first) & 1 or first_points[first] == FORBIDDEN:
            continue
        between = mask | 1 << first
        reached = total + (first_points[first] if rules.game.is_upper[first] else 0)
        points = rules.game.forced[outer] if rules.game.scoring[outer] & ~between else rules.game.free[outer]
        for second in range(boxes):
            if (between >> second) & 1 or points[second] == FORBIDDEN:
                continue
            filled, end = (
                between | 1 << second,
                reached + (points[second] if rules.game.is_upper[second] else 0),
            )
            gain = first_points[first] + points[second] + rules.game.bonus[end] - rules.game.bonus[total]
            value = after[
                rules.game.place[filled] + rules.game.class_of[rules.game.upper_mask[filled], end]
            ] + np.float32(gain)
            if value > best:
                best = value
                found = (first, first_points[first], second, points[second], end)
    return found


@kernel()
def play_turn(
    rules: Rules,
    values: Values,
    lanes: Any,
    games: Any,
    given: Any,
    left: int,
    seed: Any,
    turn: int,
    played: Played,
) -> None:
    """The turn of some games, each in the lane of its sheet. `given`: dice that lie before the first throw.

    One core does: 10 µs a game are nothing beside the milliseconds that the turn's values took.
    """
    for item in range(games.size):
        game = games[item]
        dice = np.zeros(rules.layer_weights.shape[0], np.int64)
        dice[: given.size] = given
        throw_dice(rules, values, dice, given.size, left, lanes[item], chance_of(seed, game, turn))
        mask = played.masks[game]
        first, first_points, second, points, end = best_boxes(
            rules, values.after, dice, mask, played.totals[game]
        )
        played.cells[game, first] = first_points
        played.cells[game, second] = points
        played.masks[game] = mask | 1 << first | 1 << second
        played.totals[game] = end
