"""Thousands of games played a decision at a time, compiled. It knows no rules: see `batch_tables`.

All functions that are compiled together stand in this file or in packages whose sources name the cache folder
of `solver.compiled`, so an outdated kernel is never used.

A game has its row in one array, `rows`, and everything about the rules is in one array, `tables`: with tuples
of thirty arrays, counting references took twice as long as playing. Inner loops stand in functions of their
own over views, so that they are vectorised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    KEEP_MASK,
    KEEPS,
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
    STATE_SIZE,
    THROWS,
    UPPER,
)
from dicecup.playout.perfect_kernel import GOLDEN, chance_of, mix
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.compiled import entry_kernel, kernel

OPEN = -(1 << 15)  # the points of an open cell
HALF = np.uint64(32)

# The row of a game: its result in the last step, then the sheet and the turn; the cells come last.
LEGAL, ENDED, FINAL, GAINED, SCORE, REPEATS, THROWS_LEFT, FIXED = range(8)
# Behind these: dice, rolls by layer, upper sums by column, states of groups, cells.


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
    tables: Any,
    rows: Any,
    game: int,
    plain: int,
    offers: Any,
    offer_row: int,
    first_offer: int,
    ways: Any,
    way_row: int,
    first_way: int,
) -> None:
    """Compute what the dice of a layer give in every cell, and which ways to fill one are legal."""
    count, cells = tables[CELLS], cells_at(tables)
    roll, demanded = find_roll(tables, rows, game, plain)
    begin, middle = tables[POINTS] + roll * count, first_way + count
    give(
        tables[begin : begin + count],
        rows[game, cells : cells + count],
        offers[offer_row, first_offer : first_offer + count],
        ways[way_row, first_way:middle],
    )
    for number in range(tables[LINKED_CELLS]):
        points = linked_value(tables, rows, game, GIVES, roll, number)
        offers[offer_row, first_offer + tables[tables[LINK] + count + number]] = points
    can = tables[CAN_CROSS_OUT]
    cross_out(
        tables[can : can + count],
        offers[offer_row, first_offer : first_offer + count],
        ways[way_row, middle : middle + count],
    )
    if tables[BARS]:
        bar_ways(tables, rows, game, roll, demanded, ways, way_row, first_way)


@kernel(forceinline=True)
def give(points: Any, cells: Any, offers: Any, scored: Any) -> None:
    for cell in range(cells.size):
        is_open = cells[cell] == OPEN
        offers[cell] = points[cell] if is_open else 0
        scored[cell] = is_open


@kernel(forceinline=True)
def cross_out(can_cross_out: Any, offers: Any, crossed: Any) -> None:
    for cell in range(offers.size):
        crossed[cell] = (offers[cell] != 0) & (can_cross_out[cell] != 0)


@kernel()
def bar_ways(
    tables: Any, rows: Any, game: int, roll: int, demanded: int, ways: Any, way_row: int, first_way: int
) -> None:
    """Remove the ways that are barred by one of the highest precedence."""
    most, count = 0, tables[CELLS]
    for cell in range(count):
        if ways[way_row, first_way + cell]:
            most = max(most, rank_of_cell(tables, rows, game, roll, demanded, cell)[0])
    for cell in range(count):
        if ways[way_row, first_way + cell]:
            _, endurance, more = rank_of_cell(tables, rows, game, roll, demanded, cell)
            ways[way_row, first_way + cell] = endurance >= most
            if tables[tables[CROSSED_ENDURANCE] + cell] + more < most:
                ways[way_row, first_way + count + cell] = 0


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
    rows[game, SCORE] += gained * tables[tables[MULTIPLIER] + cell] + paid
    rows[game, REPEATS] += paid != 0


@kernel(forceinline=True)
def roll_dice(tables: Any, rows: Any, game: int, chances: Any, keep: int) -> None:
    """Roll the dice that are not kept, and sort all."""
    count, layers, faces = tables[DICE], tables[LAYERS], np.uint64(tables[FACES])
    chance, drawn, half = chances[game], np.uint64(0), False
    for place in range(count):
        if keep >> place & 1:
            continue
        die: Any = 0
        for _layer in range(layers):
            if half:
                drawn = drawn << HALF
            else:
                chance += GOLDEN
                drawn = mix(chance)
            half = not half
            die = (die << DIE_BITS) + 1 + np.int64((drawn >> HALF) * faces >> HALF)
        rows[game, FIXED + place] = die
    chances[game] = chance
    for place in range(1, count):
        die, to = rows[game, FIXED + place], place
        while to > 0 and rows[game, FIXED + to - 1] > die:
            rows[game, FIXED + to] = rows[game, FIXED + to - 1]
            to -= 1
        rows[game, FIXED + to] = die
    for layer in range(layers):
        multiset, shift = 0, DIE_BITS * (layers - 1 - layer)
        for place in range(count):
            face = rows[game, FIXED + place] >> shift & MOST_FACES
            multiset = tables[tables[ADD] + multiset * tables[FACES] + face - 1]
        rows[game, rolls_at(tables) + layer] = multiset - tables[LATTICE_KEEPS]
    rows[game, THROWS_LEFT] -= 1


@kernel()
def way_is_legal(tables: Any, offers: Any, ways: Any, way: int) -> Any:
    """Return whether a box can be filled this way. Crossing out a box that gives 0 is filling it."""
    if ways[0, way]:
        return True
    cell = way - tables[CELLS]
    if cell < 0 or not ways[0, cell]:
        return False
    return offers[0, cell] == 0 and tables[tables[CAN_CROSS_OUT] + cell] != 0


@kernel()
def end_turn(tables: Any, rows: Any, game: int, way: int, offers: Any, ways: Any) -> Any:
    """Fill a box for each layer, if that is legal; otherwise change nothing.

    `offers` and `ways` are working memory.
    """
    count, plain = tables[CELLS], roll_of(tables, rows, game, 0)
    first = way // (2 * count) if tables[SCORED_LAYERS] > 1 else way
    find_ways(tables, rows, game, plain, offers, 0, 0, ways, 0, 0)
    if not way_is_legal(tables, offers, ways, first):
        return False
    if tables[SCORED_LAYERS] > 1:
        second, other = way % (2 * count), roll_of(tables, rows, game, 1)
        before = fill(tables, rows, game, plain, first % count, first >= count)[1]
        find_ways(tables, rows, game, other, offers, 0, 0, ways, 0, 0)
        empty(tables, rows, game, first % count, before)
        if not way_is_legal(tables, offers, ways, second):
            return False
        score(tables, rows, game, plain, first % count, first >= count)
        score(tables, rows, game, other, second % count, second >= count)
    else:
        score(tables, rows, game, plain, first % count, first >= count)
    return True


@kernel()
def show_pairs(
    tables: Any, rows: Any, game: int, seen: Any, first: int, masks: Any, offers: Any, ways: Any
) -> None:
    """Write what the dice of both layers give, and which pairs of boxes are legal."""
    count, inner, outer = tables[CELLS], roll_of(tables, rows, game, 0), roll_of(tables, rows, game, 1)
    find_ways(tables, rows, game, outer, seen, game, first + count, ways, 0, 0)
    find_ways(tables, rows, game, inner, seen, game, first, ways, 0, 0)
    for way in range(2 * count):
        begin = tables[KEEPS] + way * 2 * count
        if ways[0, way]:
            before = fill(tables, rows, game, inner, way % count, way >= count)[1]
            find_ways(tables, rows, game, outer, offers, 0, 0, masks, game, begin)
            empty(tables, rows, game, way % count, before)
        else:
            masks[game, begin : begin + 2 * count] = 0


@kernel(forceinline=True)
def show(tables: Any, rows: Any, game: int, seen: Any, masks: Any, offers: Any, ways: Any) -> None:
    """Write what the player sees: the parts of `encoding.Observation`, and the mask."""
    count, keeps, cells = tables[CELLS], tables[KEEPS], cells_at(tables)
    at = show_dice(tables, rows[game, FIXED : FIXED + tables[DICE]], seen[game])
    seen[game, at] = rows[game, THROWS_LEFT]
    at += 1
    if tables[SCORED_LAYERS] > 1:
        show_pairs(tables, rows, game, seen, at, masks, offers, ways)
    else:
        find_ways(tables, rows, game, roll_of(tables, rows, game, 0), seen, game, at, masks, game, keeps)
    at += tables[SCORED_LAYERS] * count
    show_cells(
        rows[game, cells : cells + count],
        seen[game, at : at + count],
        seen[game, at + count : at + 2 * count],
    )
    at += 2 * count
    for column in range(tables[COLUMNS]):
        seen[game, at + column] = rows[game, upper_at(tables) + column]
    at += tables[COLUMNS]
    seen[game, at] = rows[game, REPEATS]
    seen[game, at + 1] = rows[game, SCORE]
    equal = 0
    for place in range(tables[DICE] - 1):
        equal |= (rows[game, FIXED + place] == rows[game, FIXED + place + 1]) << place
    begin = tables[KEEP_MASK] + equal * keeps
    show_keeps(tables[begin : begin + keeps], rows[game, THROWS_LEFT] > 0, masks[game, :keeps])


@kernel(forceinline=True)
def show_dice(tables: Any, dice: Any, seen: Any) -> Any:
    """Write the dice and how many show each face; return where that ends."""
    faces, layers = tables[FACES], tables[LAYERS]
    counts, end = dice.size * layers, (dice.size + faces) * layers
    for at in range(counts, end):
        seen[at] = 0
    for layer in range(layers):
        shift = DIE_BITS * (layers - 1 - layer)
        for place in range(dice.size):
            face = dice[place] >> shift & MOST_FACES
            seen[place * layers + layer] = face
            seen[counts + layer * faces + face - 1] += 1
    return end


@kernel(forceinline=True)
def show_cells(cells: Any, filled: Any, points: Any) -> None:
    for cell in range(cells.size):
        filled[cell] = cells[cell] != OPEN
        points[cell] = cells[cell] if cells[cell] != OPEN else 0


@kernel(forceinline=True)
def show_keeps(shown: Any, may_roll: bool, mask: Any) -> None:
    for keep in range(shown.size):
        mask[keep] = shown[keep] & may_roll


@kernel(forceinline=True)
def opens(cells: Any) -> Any:
    found = 0
    for cell in range(cells.size):
        found += cells[cell] == OPEN
    return found


@kernel()
def begin_game(tables: Any, rows: Any, game: int) -> None:
    """Empty the sheet, with all throws of the first turn to come."""
    for at in range(SCORE, rows.shape[1]):
        rows[game, at] = 0
    for group in range(tables[GROUPS]):
        rows[game, states_at(tables) + group] = tables[tables[FIRST] + group]
    rows[game, cells_at(tables) :] = OPEN
    rows[game, THROWS_LEFT] = tables[THROWS]


@entry_kernel(nogil=True)
def begin_games(tables: Any, rows: Any, chances: Any, seed: Any) -> None:
    """Begin all games, each with dice of its own; the first step rolls them."""
    for game in range(rows.shape[0]):
        chances[game] = chance_of(seed, game, 0)
        begin_game(tables, rows, game)


@entry_kernel(nogil=True)
def step_games(
    begin: int, end: int, tables: Any, rows: Any, chances: Any, actions: Any, seen: Any, masks: Any
) -> None:
    """Play an action in each of these games; where nothing was rolled yet, roll all dice.

    A game that ends begins anew; an illegal action changes nothing.
    """
    offers, ways = np.zeros((1, tables[CELLS]), np.int16), np.zeros((1, 2 * tables[CELLS]), np.int8)
    keeps, throws, cells = tables[KEEPS], tables[THROWS], cells_at(tables)
    for game in range(begin, end):
        action, before, keep = actions[game], rows[game, SCORE], 0
        for at in range(SCORE):
            rows[game, at] = 0
        if rows[game, THROWS_LEFT] == throws:
            legal = True
        elif 0 <= action < keeps:
            legal = rows[game, THROWS_LEFT] > 0
            keep = action
        else:
            legal = 0 <= action < masks.shape[1]
            legal = legal and end_turn(tables, rows, game, action - keeps, offers, ways)
            if legal:
                rows[game, THROWS_LEFT] = throws
                rows[game, GAINED] = rows[game, SCORE] - before
                if opens(rows[game, cells:]) == 0:
                    rows[game, ENDED] = 1
                    rows[game, FINAL] = rows[game, SCORE]
                    begin_game(tables, rows, game)
        rows[game, LEGAL] = legal
        if legal:
            roll_dice(tables, rows, game, chances, keep)
            show(tables, rows, game, seen, masks, offers, ways)
