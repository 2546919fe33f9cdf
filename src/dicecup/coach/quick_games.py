"""Many games by the quick value at once, from any sheet and any moment of a turn: how final scores spread.

For games whose table nobody has, or nobody can have. The quick value plays nearly as well as the learned one;
the last turns are played perfectly.
"""

from __future__ import annotations

import numpy as np

from dicecup.coach.endgames import endgame, no_endgame
from dicecup.coach.games import turn_seed
from dicecup.coach.quick_kernel import Course, play_games
from dicecup.coach.quick_tables import tables_of
from dicecup.coach.sample import Endings
from dicecup.dice import Faces
from dicecup.engine.state import State
from dicecup.engine.totals import final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.lattice import lattice
from dicecup.solver.learned.layout import layout
from dicecup.solver.learned.moves import NOWHERE, Array, book
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
    end = endgame(rules, tuple(rows.tolist()))
    course = Course(
        rows=np.tile(rows, (games, 1)),
        sheet=np.full(games, 0 if end else NOWHERE, dtype=np.int32),
        scores=np.zeros(games, dtype=np.int64),
        luck=np.zeros(games),
        together=np.zeros(games),
    )
    play_games(
        moves,
        tables_of(rules),
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
