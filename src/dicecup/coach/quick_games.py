"""Many games by the quick value at once, from any sheet and any moment of a turn: how final scores spread.

For games whose table nobody has, or nobody can have. The quick value plays nearly as well as the learned one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dicecup.coach.games import parts_inside, turn_seed
from dicecup.coach.quick_kernel import Course, QuickTables, play_turn
from dicecup.coach.sheets import Scores
from dicecup.dice import Faces
from dicecup.engine.state import State
from dicecup.engine.totals import final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.lattice import lattice
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import Array, Moves, book
from dicecup.solver.learned.quick import find_quick
from dicecup.solver.solution import faces_of


def play_scores(rules: Ruleset, games: int, seed: int, state: State, first_game: int = 0) -> Scores:
    """The final scores of so many games, from where the player stands whose turn it is."""
    rows = np.array(layout(rules).read(state.sheet).rows, dtype=np.int32)
    dice = state.dice if state.kept is None else state.kept
    gained = play_rows(rules, rows, games, seed, first_game, faces_of(dice), state.throws_left)
    return gained + final_score(rules, state.sheet)


def play_rows(
    rules: Ruleset,
    rows: Array,
    games: int,
    seed: int,
    first_game: int = 0,
    dice: Faces = (),
    throws_left: int | None = None,
) -> Scores:
    """What so many games bring from a sheet on, given as the learned value reads it."""
    quick, moves = find_quick(rules), book(rules).moves
    assert quick is not None, "every game with a learned value has a quick one"
    course = Course(np.tile(rows, (games, 1)), np.zeros(games, dtype=np.int64))
    row = lattice(rules.dice.count, rules.dice.faces).number[dice]
    left = rules.throws if throws_left is None else throws_left
    for after in reversed(range(int(moves.opens[rows].sum()))):
        play_turn(
            moves,
            tables_of(rules),
            quick.late,
            quick.early,
            np.float32(after / rules.cells if after else -1.0),
            course,
            rules.throws,
            row,
            left,
            np.uint64(turn_seed(seed, first_game)),
            after,
        )
        row, left = 0, rules.throws
    return course.scores


@lru_cache(maxsize=4)
def tables_of(rules: Ruleset) -> QuickTables:
    known, moves = lattice(rules.dice.count, rules.dice.faces), book(rules).moves
    entry, throw = paying(moves)
    part_start, part = parts_inside(known)
    return QuickTables(
        add=known.add,
        take=known.take,
        take_starts=known.take_starts,
        part_start=part_start,
        part=part,
        pay_start=np.searchsorted(entry, np.arange(len(moves.entry_zero) + 1)).astype(np.int32),
        pay_throw=throw.astype(np.int32),
        pay_slot=moves.entry_slot[entry, throw],
        pay_points=moves.entry_points[entry, throw],
        joker_throw=np.flatnonzero(moves.joker >= 0).astype(np.int32),
    )


def paying(moves: Moves) -> tuple[Array, Array]:
    """Entries and throws, entry by entry, where scoring is not the same as striking."""
    throws = len(moves.joker)
    other = moves.entry_slot[:, :throws] != moves.entry_zero[:, None]
    entry, throw = np.nonzero(other | (moves.entry_points[:, :throws] != 0))
    return entry, throw
