"""Many games by the quick value at once, from any sheet and any moment of a turn: how final scores spread.

For games whose table nobody has, or nobody can have. The quick value plays nearly as well as the learned one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from dicecup.coach.games import parts_inside, turn_seed
from dicecup.coach.quick_kernel import Course, QuickTables, play_games
from dicecup.coach.sample import Endings
from dicecup.dice import Faces
from dicecup.engine.state import State
from dicecup.engine.totals import final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.lattice import lattice
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import CLOSED, Array, book
from dicecup.solver.learned.quick import find_quick
from dicecup.solver.solution import faces_of


def play_on(rules: Ruleset, games: int, seed: int, state: State, first_game: int = 0) -> Endings:
    """How so many games end, from where the player stands whose turn it is."""
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
    """What so many games bring from a sheet on, given as the learned value reads it."""
    quick, moves = find_quick(rules), book(rules).moves
    assert quick is not None, "every game with a learned value has a quick one"
    course = Course(
        np.tile(rows, (games, 1)), np.zeros(games, dtype=np.int64), np.zeros(games), np.zeros(games)
    )
    play_games(
        moves,
        tables_of(rules),
        quick.late,
        quick.early,
        course,
        rules.throws,
        int(moves.opens[rows].sum()),
        lattice(rules.dice.count, rules.dice.faces).number[dice],
        rules.throws if throws_left is None else throws_left,
        np.uint64(turn_seed(seed, first_game)),
    )
    return Endings(course.scores, np.stack([course.luck, course.together]))


@lru_cache(maxsize=4)
def tables_of(rules: Ruleset) -> QuickTables:
    known, moves = lattice(rules.dice.count, rules.dice.faces), book(rules).moves
    part_start, part = parts_inside(known)
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
        part_start=part_start,
        part=part,
        pay_start=np.cumsum([0, *map(len, pays)], dtype=np.int32),
        pay_kind=np.array(pay_kind, dtype=np.int32),
        pay_slot=np.array(pay_slot, dtype=np.int32),
        pay_points=np.array(pay_points, dtype=np.float32),
        kind_start=np.cumsum([0, *map(len, kinds)], dtype=np.int32),
        kind=np.concatenate([np.array(own, dtype=np.int32) for own in kinds]),
        joker_throw=np.flatnonzero(moves.joker >= 0).astype(np.int32),
    )


def entries_of_boxes(rules: Ruleset) -> Iterator[Array]:
    """By box of a column: the entries it has, whatever else is on the sheet."""
    moves, first = book(rules).moves, layout(rules).first
    for part, number in islice(zip(moves.cell_place, moves.cell_number, strict=True), len(rules.boxes)):
        entries = np.unique(moves.entry[first[part] : first[part + 1], number])
        yield entries[entries != CLOSED]
