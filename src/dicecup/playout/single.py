"""Many games at once, dice of one layer, from any moment of a turn: by solved values, or by the quick value.

A million games of `yatzy-sv` take some seconds: in each turn, games with equal sheets are grouped by
sorting.

The quick value is for the distribution of final scores in games whose table is missing or too large. It plays
nearly as well as the learned value; the last turns are solved exactly and played perfectly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.dice import Faces, lattice
from dicecup.engine.state import Sheet, State, empty_sheet, final_score, turn_start
from dicecup.playout.games import Endings, FinalSheets
from dicecup.playout.perfect_kernel import OPEN, PartTables, PlayedGames, SheetGroups, play_level
from dicecup.playout.quick_kernel import Course, QuickTables, play_quick_games, value_sheets
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import NOWHERE
from dicecup.solver.compiled import entry_kernel
from dicecup.solver.learned.layout import CLOSED, Array, book, layout
from dicecup.solver.learned.value import find_quick
from dicecup.solver.single.solution import SingleSolution, faces_of
from dicecup.solver.solution import no_callback

DIGIT = 11  # bits sorted in one pass: its 2,048 counters fit into the L1 cache

Ints64 = npt.NDArray[np.int64]


def group_equal(keys: Ints64) -> tuple[npt.NDArray[np.int32], Ints64]:
    """Return the indexes of equal keys side by side, and where each group begins in them, and the end."""
    small = keys.astype(np.uint32)
    order = sorting(small)
    return order, borders(small, order)


@entry_kernel(nogil=True)
def sorting(keys: Any) -> Any:
    """Return what a stable `argsort` gives, by radix sort: a million keys in 20 ms instead of 90."""
    count = keys.size
    order, other = np.empty(count, np.int32), np.empty(count, np.int32)
    highest = np.uint32(0)
    for place in range(count):
        order[place] = place
        highest = max(highest, keys[place])
    shift = np.uint32(0)
    mask = np.uint32((1 << DIGIT) - 1)
    starts = np.empty((1 << DIGIT) + 1, np.int64)
    while shift < 32 and highest >> shift:
        starts[:] = 0
        for place in range(count):
            starts[((keys[place] >> shift) & mask) + 1] += 1
        for digit in range(1, starts.size):
            starts[digit] += starts[digit - 1]
        for place in range(count):
            item = order[place]
            digit = (keys[item] >> shift) & mask
            other[starts[digit]] = item
            starts[digit] += 1
        order, other = other, order
        shift += np.uint32(DIGIT)
    return order


@entry_kernel(nogil=True)
def borders(keys: Any, order: Any) -> Any:
    """Return where the key changes in this order, with the beginning and the end."""
    count = 1
    for place in range(1, order.size):
        count += keys[order[place]] != keys[order[place - 1]]
    found = np.zeros(count + 1, np.int64)
    count = 1
    for place in range(1, order.size):
        if keys[order[place]] != keys[order[place - 1]]:
            found[count] = place
            count += 1
    found[count] = order.size
    return found


MOST_TOGETHER = 2048  # games of one sheet in one piece of work: more are distributed over the cores

OnTurns = Callable[[int, int], None]  # called with the turns done, and how many there are


def play_single_games(
    solution: SingleSolution,
    games: int,
    seed: int,
    state: State | None = None,
    first_game: int = 0,
    on_turns: OnTurns = no_callback,
) -> FinalSheets:
    """Play games to their end. `state` is where they begin, for the player whose turn it is."""
    rules = solution.rules
    state = state or turn_start(rules, (empty_sheet(rules),), 0)
    place = solution.place(state.sheet)
    played = PlayedGames(
        games=np.arange(games, dtype=np.int32),
        lower=np.full(games, place.lower, dtype=np.int32),
        position=np.full(games, place.position, dtype=np.int32),
        cells=np.tile(written(state.sheet), (games, 1)),
        repeats=np.full(games, state.sheet.repeats, dtype=np.int16),
    )
    dice = state.dice if state.kept is None else state.kept
    row, left = solution.lattice.number[faces_of(dice)], state.throws_left
    for done, open_boxes in enumerate(range(place.level, 0, -1)):
        on_turns(done, place.level)
        play_turns(solution, played, open_boxes, row, left, np.uint64(turn_seed(seed, first_game)))
        row, left = 0, rules.throws
    on_turns(place.level, place.level)
    return FinalSheets(rules, played.cells, played.repeats)


def play_turns(
    solution: SingleSolution, played: PlayedGames, open_boxes: int, row: int, left: int, seed: np.uint64
) -> None:
    """Play a turn of each game; `row` numbers the dice that it begins with, `left` throws follow."""
    sheets = group(solution, played, open_boxes)
    play_level(
        len(sheets.lower),
        solution.program,
        solution.choices,
        part_tables(solution),
        solution.source(open_boxes - 1),
        sheets,
        played,
        open_boxes,
        row,
        left,
        seed,
        solution.room,
    )


def turn_seed(seed: int, first_game: int) -> int:
    """Return the seed of a batch, whose games are numbered from 0: different for each seed and batch."""
    digest = hashlib.sha256(f"dicecup games {seed} {first_game}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def written(sheet: Sheet) -> npt.NDArray[np.int16]:
    return np.array([OPEN if points is None else points for points in sheet.cells], dtype=np.int16)


def group(solution: SingleSolution, played: PlayedGames, open_boxes: int) -> SheetGroups:
    """Return the games sorted by their sheets, large groups cut into pieces."""
    starts = solution.index.level(open_boxes).starts
    order, bounds = group_equal(starts[played.lower] + played.position)
    played.games[:] = played.games[order]
    first = bounds[:-1]
    pieces = -(-np.diff(bounds) // MOST_TOGETHER)
    if pieces.max() > 1:
        inner = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        first = np.repeat(first, pieces) + inner * MOST_TOGETHER
    chosen = order[first]
    return SheetGroups(played.lower[chosen], played.position[chosen], np.append(first, len(order)))


@lru_cache(maxsize=4)
def part_tables(solution: SingleSolution) -> PartTables:
    lattice, index = solution.lattice, solution.index
    stands = [
        (
            sum(1 << box for box, cell in zip(group.boxes, state.cells, strict=True) if cell is None),
            sum(1 << box for box in group.boxes),
        )
        for group in index.components
        for state in group.states
    ]
    open_boxes, group_boxes = zip(*stands, strict=True)
    return PartTables(
        inside=lattice.inside,
        inside_starts=lattice.inside_starts,
        row_size=np.array([len(dice) for dice in lattice.multisets], dtype=np.int32),
        open_boxes=np.array(open_boxes, dtype=np.int64),
        group_boxes=np.array(group_boxes, dtype=np.int64),
    )


@lru_cache(maxsize=4)
def quick_tables(rules: Ruleset) -> QuickTables:
    known, moves = lattice(rules.dice.count, rules.dice.faces), book(rules).moves
    pays: list[list[tuple[int, int, float]]] = [[] for _ in moves.entry_zero]
    kinds: list[list[int]] = [[] for _ in known.throws]
    count = 0
    for entries in entries_of_boxes(rules):
        slots, points = moves.entry_slot[entries, : len(kinds)], moves.entry_points[entries, : len(kinds)]
        pay = (slots != moves.entry_zero[entries, None]) | (points != 0)
        _, example, kind = np.unique(
            np.concatenate([slots, points]), axis=1, return_index=True, return_inverse=True
        )
        for place, entry in enumerate(entries):
            pays[entry] += [
                (count + number, slots[place, throw], points[place, throw])
                for number, throw in enumerate(example)
                if pay[place, throw]
            ]
        for throw in np.flatnonzero(pay.any(axis=0)):
            kinds[throw].append(count + int(kind[throw]))
        count += len(example)
    pay_kind, pay_slot, pay_points = zip(*(one for entry in pays for one in entry), strict=True)
    return QuickTables(
        add=known.add,
        take=known.take,
        take_starts=known.take_starts,
        weights=known.weights,
        inside=known.inside,
        inside_starts=known.inside_starts,
        pay_start=np.cumsum([0, *map(len, pays)], dtype=np.int32),
        pay_kind=np.array(pay_kind, dtype=np.int32),
        pay_slot=np.array(pay_slot, dtype=np.int32),
        pay_points=np.array(pay_points, dtype=np.float32),
        kind_start=np.cumsum([0, *map(len, kinds)], dtype=np.int32),
        kind=np.concatenate([np.array(own, dtype=np.int32) for own in kinds]),
        joker_throw=np.flatnonzero(moves.joker >= 0).astype(np.int32),
    )


def entries_of_boxes(rules: Ruleset) -> Iterator[Array]:
    """Yield the entries of each box of a column, on any sheet."""
    moves, first = book(rules).moves, layout(rules).first
    for part, number in islice(zip(moves.cell_place, moves.cell_number, strict=True), len(rules.boxes)):
        entries = np.unique(moves.entry[first[part] : first[part + 1], number])
        yield entries[entries != CLOSED]


MOST_TURNS = 5
MOST_SHEETS = 1000  # with the same number of boxes open: a twentieth of a second in Triple Yum Plus


class Endgame(NamedTuple):
    """All sheets that can follow a sheet, numbered from it on."""

    ahead: Array  # [sheet, slot]: what it adds, all that follows included; -inf where there is none
    follow: Array  # [sheet, slot]: the sheet afterwards, or NOWHERE


def no_endgame(rules: Ruleset) -> Endgame:
    slots = len(book(rules).moves.slot_place)
    return Endgame(np.empty((0, slots), dtype=np.float32), np.empty((0, slots), dtype=np.int32))


@lru_cache(maxsize=16)
def endgame(rules: Ruleset, rows: tuple[int, ...]) -> Endgame | None:
    """Return everything that can follow a sheet, or None if there are too many sheets."""
    moves, first = book(rules).moves, np.array([rows], dtype=np.int32)
    turns = int(moves.opens[first].sum())
    if turns > MOST_TURNS:
        return None
    levels, follows = [first], []
    for _ in range(turns):
        sheets, follow = next_level(rules, levels[-1])
        if len(sheets) > MOST_SHEETS:
            return None
        levels.append(sheets)
        follows.append(follow)
    worth = np.zeros(len(levels[-1]), dtype=np.float32)
    found = []
    for sheets, follow in zip(reversed(levels[:-1]), reversed(follows), strict=True):
        paid = moves.paid[sheets[:, moves.slot_place], moves.slot_step]
        ahead = np.where(follow == NOWHERE, -np.inf, worth[follow] + paid).astype(np.float32)
        worth = np.empty(len(sheets), dtype=np.float32)
        value_sheets(len(sheets), moves, quick_tables(rules), sheets, ahead, rules.throws, worth)
        found.append(ahead)
    starts = np.cumsum([len(sheets) for sheets in levels])
    shifted = [
        np.where(follow == NOWHERE, NOWHERE, follow + start)
        for follow, start in zip(follows, starts, strict=False)
    ]
    return Endgame(np.concatenate(found[::-1]), np.concatenate(shifted).astype(np.int32))


def next_level(rules: Ruleset, sheets: Array) -> tuple[Array, Array]:
    """Return the sheets with one box less open, and which of them each slot leads to."""
    moves = book(rules).moves
    after = moves.after[sheets[:, moves.slot_place], moves.slot_step]
    sheet, slot = np.nonzero(after != NOWHERE)
    grown = sheets[sheet]
    grown[np.arange(len(sheet)), moves.slot_place[slot]] = after[sheet, slot]
    found, number = np.unique(grown, axis=0, return_inverse=True)
    follow = np.full(after.shape, NOWHERE, dtype=np.int32)
    follow[sheet, slot] = number.reshape(-1)
    return found, follow


def play_on(rules: Ruleset, games: int, seed: int, state: State, first_game: int = 0) -> Endings:
    """Return how games end, from the position of the player whose turn it is."""
    rows = np.array(layout(rules).read(state.sheet).rows, dtype=np.int32)
    dice = state.dice if state.kept is None else state.kept
    gained = play_rows(rules, rows, games, seed, first_game, faces_of(dice), state.throws_left)
    return gained._replace(scores=gained.scores + final_score(rules, state.sheet))


def play_rows(
    rules: Ruleset,
    rows: Array,
    games: int,
    seed: int,
    first_game: int = 0,
    dice: Faces = (),
    throws_left: int | None = None,
) -> Endings:
    """Return what games bring from a sheet on, given by its rows (see `learned.layout`)."""
    quick, moves = find_quick(rules), book(rules).moves
    assert quick is not None, "every game with a learned value has a quick one"
    end = endgame(rules, tuple(rows.tolist()))
    course = Course(
        rows=np.tile(rows, (games, 1)),
        sheet=np.full(games, 0 if end else NOWHERE, dtype=np.int32),
        scores=np.zeros(games, dtype=np.int64),
        luck=np.zeros(games),
        together=np.zeros(games),
    )
    play_quick_games(
        games,
        moves,
        quick_tables(rules),
        quick.late,
        quick.early,
        *(end or no_endgame(rules)),
        course,
        rules.throws,
        int(moves.opens[rows].sum()),
        lattice(rules.dice.count, rules.dice.faces).number[dice],
        rules.throws if throws_left is None else throws_left,
        np.uint64(turn_seed(seed, first_game)),
    )
    return Endings(course.scores, np.stack([course.luck, course.together]))
