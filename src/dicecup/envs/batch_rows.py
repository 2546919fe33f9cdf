"""The rows of thousands of games, compiled: dice that are rolled, boxes they may fill, what a move writes.

A game has its row in one array, `rows`, and everything about the rules is in one array, `tables` (see
`batch_tables`): with tuples of thirty arrays, counting references took twice as long as playing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from dicecup.engine.legality import FORCED
from dicecup.envs.batch_tables import (
    ADD,
    BARS,
    BONUS,
    BONUS_STEPS,
    CAN_CROSS_OUT,
    CELLS,
    COLUMN,
    COLUMNS,
    CROSSED,
    CROSSED_ENDURANCE,
    DEMANDED,
    DICE,
    DIE_BITS,
    ENDURANCE,
    FACES,
    FIRST,
    GROUP,
    GROUPS,
    JOKER,
    JOKER_CELLS,
    JOKER_NEEDS,
    LATTICE_KEEPS,
    LAYERS,
    LINK,
    LINKED,
    LINKED_CELLS,
    LINKED_WIDTH,
    MOST_FACES,
    MULTIPLIER,
    NEEDS,
    PLACE,
    PLAIN_ROLLS,
    POINTS,
    PRECEDENCE,
    REPEAT,
    REPEAT_CELL,
    ROLLS,
    SCORED,
    SCORED_LAYERS,
    SORTED,
    STATE_SIZE,
    THROWS,
    UPPER,
)
from dicecup.playout.perfect_kernel import GOLDEN, OPEN, mix
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.compiled import BLOCK, kernel, lane_wise, load_block, store_block

# The row of a game: its score, how many cells are open, and so on. Behind these: dice in ascending order,
# rolls by layer, upper sums by column, states of groups, cells.
SCORE, REPEATS, THROWS_LEFT, TO_FILL, FIXED = range(5)


# One draw gives several dice: multiplied by the number of faces, its bits above these are a face, and those
# below are the draw for the next die. Even of the last of six dice no face differs from its chance by 10⁻¹¹.
DRAW_BITS = np.uint64(59)
DRAW_MASK = np.uint64((1 << 59) - 1)
DRAWN_TOGETHER = 6


@kernel(forceinline=True)
def rolls_at(tables: Any) -> Any:
    return FIXED + tables[DICE]


@kernel(forceinline=True)
def upper_at(tables: Any) -> Any:
    return FIXED + tables[DICE] + tables[LAYERS]


@kernel(forceinline=True)
def states_at(tables: Any) -> Any:
    return FIXED + tables[DICE] + tables[LAYERS] + tables[COLUMNS]


@kernel(forceinline=True)
def cells_at(tables: Any) -> Any:
    return states_at(tables) + tables[GROUPS]


@kernel(forceinline=True)
def roll_of(tables: Any, rows: Any, game: int, layer: int) -> Any:
    """Return the roll of a layer, by its place in the order of scoring."""
    return rows[game, rolls_at(tables) + tables[tables[SCORED] + layer]]


@kernel(forceinline=True)
def find_roll(tables: Any, rows: Any, game: int, roll: int) -> Any:
    """Return the roll with its jokers, and the row of the boxes that it demands, if it can be one."""
    joker = tables[tables[JOKER] + roll]
    if joker == NOWHERE:
        return roll, NOWHERE
    cells = cells_at(tables)
    for number in range(tables[NEEDS]):
        if rows[game, cells + tables[tables[JOKER_NEEDS] + number]] == OPEN:
            return roll, NOWHERE
    own = tables[JOKER_CELLS] + joker * tables[COLUMNS]
    for column in range(tables[COLUMNS]):
        if rows[game, cells + tables[own + column]] == OPEN:
            return roll, joker * 2
    return tables[PLAIN_ROLLS] + joker, joker * 2 + 1


@kernel()
def linked_value(tables: Any, rows: Any, game: int, kind: int, roll: int, number: int) -> Any:
    """Return what a linked cell gives, the state after it, its precedence or its endurance."""
    state = rows[game, states_at(tables) + tables[tables[GROUP] + number]]
    at = tables[LINKED] + ((kind * tables[STATE_SIZE] + state) * tables[ROLLS] + roll) * tables[LINKED_WIDTH]
    return tables[at + tables[tables[PLACE] + number]]


GIVES, FOLLOWS, PRECEDES, ENDURES = range(4)  # kinds of `linked_value`


@kernel()
def find_ways(
    tables: Any, rows: Any, game: int, plain: int, offers: Any, first: int, ways: Any, first_way: int
) -> None:
    """Compute what the dice of a layer give in every cell, and which ways to fill one are legal.

    Like everything that is written in blocks, this writes up to `BLOCK` - 1 elements more behind the ways.
    """
    count, cells = tables[CELLS], game * rows.shape[1] + cells_at(tables)
    roll, demanded = find_roll(tables, rows, game, plain)
    points, can, middle = tables[POINTS] + roll * count, tables[CAN_CROSS_OUT], first_way + count
    for cell in range(0, count, BLOCK):
        own = load_block(rows, cells + cell)
        store_block(offers, first + cell, offered(own, load_block(tables, points + cell)))
        store_block(ways, first_way + cell, opens(own, own))
    for number in range(tables[LINKED_CELLS]):
        given = linked_value(tables, rows, game, GIVES, roll, number)
        offers[first + tables[tables[LINK] + count + number]] = given
    for cell in range(0, count, BLOCK):
        crossed = crossing(load_block(tables, can + cell), load_block(offers, first + cell))
        store_block(ways, middle + cell, crossed)
    if tables[BARS]:
        bar_ways(tables, rows, game, roll, demanded, ways, first_way)


def open_lanes(builder: Any, cells: Any) -> Any:
    return builder.icmp_signed("==", cells, ir.Constant(cells.type, [OPEN] * BLOCK))


def zeros(vector: Any) -> Any:
    return ir.Constant(vector.type, [0] * BLOCK)


# What the blocks of cells show, lane by lane; the second parameter of some is not used.
offered = lane_wise(lambda build, cells, points: build.select(open_lanes(build, cells), points, zeros(cells)))
written = lane_wise(lambda build, cells, _: build.select(open_lanes(build, cells), zeros(cells), cells))
opens = lane_wise(lambda build, cells, _: build.zext(open_lanes(build, cells), cells.type))
filled = lane_wise(lambda build, cells, _: build.zext(build.not_(open_lanes(build, cells)), cells.type))
crossing = lane_wise(
    lambda build, can, offers: build.select(build.icmp_signed("!=", offers, zeros(offers)), can, zeros(can))
)


@kernel()
def bar_ways(tables: Any, rows: Any, game: int, roll: int, demanded: int, ways: Any, first_way: int) -> None:
    """Remove the ways that are barred by one of the highest precedence."""
    most, count = 0, tables[CELLS]
    for cell in range(count):
        if ways[first_way + cell]:
            most = max(most, rank_of_cell(tables, rows, game, roll, demanded, cell)[0])
    for cell in range(count):
        if ways[first_way + cell]:
            _, endurance, more = rank_of_cell(tables, rows, game, roll, demanded, cell)
            ways[first_way + cell] = endurance >= most
            if tables[tables[CROSSED_ENDURANCE] + cell] + more < most:
                ways[first_way + count + cell] = 0


@kernel()
def rank_of_cell(tables: Any, rows: Any, game: int, roll: int, demanded: int, cell: int) -> Any:
    """Return precedence and endurance of scoring a cell, and what a forced joker has added to both."""
    count, more = tables[CELLS], 0
    if demanded != NOWHERE and tables[tables[DEMANDED] + demanded * count + cell]:
        more = FORCED
    number = tables[tables[LINK] + cell]
    if number == NOWHERE:
        at = roll * count + cell
        return tables[tables[PRECEDENCE] + at] + more, tables[tables[ENDURANCE] + at] + more, more
    precedence = linked_value(tables, rows, game, PRECEDES, roll, number)
    return precedence + more, linked_value(tables, rows, game, ENDURES, roll, number) + more, more


@kernel()
def fill(tables: Any, rows: Any, game: int, plain: int, cell: int, crossed: bool) -> Any:
    """Fill a cell with the dice of a layer; return the points, and the state of its group before."""
    roll = find_roll(tables, rows, game, plain)[0]
    points, before = tables[tables[POINTS] + roll * tables[CELLS] + cell], NOWHERE
    number = tables[tables[LINK] + cell]
    if number != NOWHERE:
        at = states_at(tables) + tables[tables[GROUP] + number]
        points = linked_value(tables, rows, game, GIVES, roll, number)
        follow = linked_value(tables, rows, game, FOLLOWS, roll, number)
        before = rows[game, at]
        if crossed:
            place = tables[tables[PLACE] + number]
            follow = tables[tables[CROSSED] + before * tables[LINKED_WIDTH] + place]
        rows[game, at] = follow
    if crossed:
        points = 0
    rows[game, cells_at(tables) + cell] = points
    return points, before


@kernel()
def empty(tables: Any, rows: Any, game: int, cell: int, before: int) -> None:
    """Undo `fill`."""
    rows[game, cells_at(tables) + cell] = OPEN
    number = tables[tables[LINK] + cell]
    if number != NOWHERE:
        rows[game, states_at(tables) + tables[tables[GROUP] + number]] = before


@kernel()
def bonus_of(tables: Any, total: int) -> Any:
    best = 0
    for step in range(tables[BONUS_STEPS]):
        if total >= tables[tables[BONUS] + 2 * step]:
            best = max(best, tables[tables[BONUS] + 2 * step + 1])
    return best


@kernel()
def score(tables: Any, rows: Any, game: int, plain: int, cell: int, crossed: bool) -> None:
    """Fill a cell, and bring upper sums, repeats and the score up to date."""
    paid = 0
    if tables[REPEAT_CELL] != NOWHERE and rows[game, cells_at(tables) + tables[REPEAT_CELL]] > 0:
        paid = tables[tables[REPEAT] + plain]
    points = fill(tables, rows, game, plain, cell, crossed)[0]
    gained = points
    if tables[tables[UPPER] + cell]:
        at = upper_at(tables) + tables[tables[COLUMN] + cell]
        before = rows[game, at]
        rows[game, at] = before + points
        gained += bonus_of(tables, before + points) - bonus_of(tables, before)
    rows[game, TO_FILL] -= 1
    rows[game, SCORE] += gained * tables[tables[MULTIPLIER] + cell] + paid
    rows[game, REPEATS] += paid != 0


@kernel()
def way_is_legal(tables: Any, offers: Any, ways: Any, way: int) -> Any:
    """Return whether a box can be filled this way. Crossing out a box that gives 0 is filling it."""
    if ways[way]:
        return True
    cell = way - tables[CELLS]
    if cell < 0 or not ways[cell]:
        return False
    return offers[cell] == 0 and can_cross_out(tables, cell)


@kernel(forceinline=True)
def can_cross_out(tables: Any, cell: int) -> Any:
    return tables[tables[CAN_CROSS_OUT] + cell] != 0


@kernel()
def end_turn(tables: Any, rows: Any, game: int, way: int, offers: Any, ways: Any) -> Any:
    """Fill a box for each layer, if that is legal; otherwise change nothing.

    `offers` and `ways` are working memory.
    """
    count, plain = tables[CELLS], roll_of(tables, rows, game, 0)
    first = way // (2 * count) if tables[SCORED_LAYERS] > 1 else way
    if tables[SCORED_LAYERS] == 1 and not tables[BARS]:
        cell = first % count
        if rows[game, cells_at(tables) + cell] != OPEN or (
            first >= count and not can_cross_out(tables, cell)
        ):
            return False
        score(tables, rows, game, plain, cell, first >= count)
        return True
    find_ways(tables, rows, game, plain, offers, 0, ways, 0)
    if not way_is_legal(tables, offers, ways, first):
        return False
    if tables[SCORED_LAYERS] > 1:
        second, other = way % (2 * count), roll_of(tables, rows, game, 1)
        before = fill(tables, rows, game, plain, first % count, first >= count)[1]
        find_ways(tables, rows, game, other, offers, 0, ways, 0)
        empty(tables, rows, game, first % count, before)
        if not way_is_legal(tables, offers, ways, second):
            return False
        score(tables, rows, game, plain, first % count, first >= count)
        score(tables, rows, game, other, second % count, second >= count)
    else:
        score(tables, rows, game, plain, first % count, first >= count)
    return True


@kernel(forceinline=True)
def roll_dice(tables: Any, rows: Any, game: int, chances: Any, keep: int) -> None:
    """Roll the dice that are not kept, and sort all.

    Every die is drawn, and those that are kept are put back, because a branch for each would be mispredicted.
    """
    count, layers, faces = tables[DICE], tables[LAYERS], np.uint64(tables[FACES])
    chance, drawn, left = chances[game], np.uint64(0), 0
    for place in range(count):
        die: Any = 0
        for _layer in range(layers):
            if left == 0:
                chance += GOLDEN
                drawn, left = mix(chance) & DRAW_MASK, DRAWN_TOGETHER
            drawn *= faces
            die = (die << DIE_BITS) + 1 + np.int64(drawn >> DRAW_BITS)
            drawn &= DRAW_MASK
            left -= 1
        die = rows[game, FIXED + place] if keep >> place & 1 else die
        rows[game, FIXED + place] = die
    chances[game] = chance
    for layer in range(layers):
        multiset, shift = 0, DIE_BITS * (layers - 1 - layer)
        for place in range(count):
            face = rows[game, FIXED + place] >> shift & MOST_FACES
            multiset = tables[tables[ADD] + multiset * tables[FACES] + face - 1]
        rows[game, rolls_at(tables) + layer] = multiset - tables[LATTICE_KEEPS]
    if layers == 1:
        begin = tables[SORTED] + rows[game, rolls_at(tables)] * count
        for place in range(count):
            rows[game, FIXED + place] = tables[begin + place]
    else:
        sort(rows[game, FIXED : FIXED + count])
    rows[game, THROWS_LEFT] -= 1


@kernel()
def sort(dice: Any) -> None:
    for place in range(1, dice.size):
        die, to = dice[place], place
        while to > 0 and dice[to - 1] > die:
            dice[to] = dice[to - 1]
            to -= 1
        dice[to] = die


@kernel()
def begin_game(tables: Any, rows: Any, game: int) -> None:
    """Empty the sheet, with all throws of the first turn to come."""
    for at in range(SCORE, rows.shape[1]):
        rows[game, at] = 0
    for group in range(tables[GROUPS]):
        rows[game, states_at(tables) + group] = tables[tables[FIRST] + group]
    rows[game, cells_at(tables) :] = OPEN
    rows[game, THROWS_LEFT] = tables[THROWS]
    rows[game, TO_FILL] = tables[CELLS]
