"""Many games of a perfect player, for dice of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicecup.engine.state import State
from dicecup.playout.double import play_double_games
from dicecup.playout.endings import FinalSheets
from dicecup.playout.perfect import OnTurns, play_single_games
from dicecup.solver.progress import no_callback

if TYPE_CHECKING:
    from dicecup.solver.solution import Solution


def play_games(
    source: Solution,
    count: int,
    seed: int,
    *,
    state: State | None = None,
    first_game: int = 0,
    on_turns: OnTurns = no_callback,
) -> FinalSheets:
    """Play games to their end. `state` is where they begin, for the player whose turn it is."""
    from dicecup.solver.double.solution import DoubleSolution
    from dicecup.solver.single.solution import SingleSolution

    if isinstance(source, DoubleSolution):
        return play_double_games(source, count, seed, state, first_game, on_turns)
    assert isinstance(source, SingleSolution)
    return play_single_games(source, count, seed, state, first_game, on_turns)
