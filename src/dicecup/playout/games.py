"""Many games of a perfect player, whatever the dice of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicecup.engine.state import State
from dicecup.playout import double, perfect
from dicecup.playout.perfect import FinalSheets, Watch, ignore

if TYPE_CHECKING:
    from dicecup.solver.find import Solution


def play_games(
    source: Solution,
    count: int,
    seed: int,
    *,
    state: State | None = None,
    first_game: int = 0,
    watch: Watch = ignore,
) -> FinalSheets:
    """So many games to their end. `state`: where they begin, of the player whose turn it is."""
    from dicecup.solver.double.solution import DoubleSolution
    from dicecup.solver.single.solution import SingleSolution

    if isinstance(source, DoubleSolution):
        return double.play_double_games(source, count, seed, state=state, first_game=first_game, watch=watch)
    assert isinstance(source, SingleSolution)
    return perfect.play_single_games(source, count, seed, state=state, first_game=first_game, watch=watch)
