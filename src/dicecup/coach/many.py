"""Many games of a perfect player, whatever the dice of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicecup.coach import double_games, games
from dicecup.coach.games import Watch, ignore
from dicecup.coach.sheets import Sheets
from dicecup.engine.state import State

if TYPE_CHECKING:
    from dicecup.solver.games import Solved


def play_games(
    source: Solved,
    count: int,
    seed: int,
    *,
    state: State | None = None,
    first_game: int = 0,
    watch: Watch = ignore,
) -> Sheets:
    """So many games to their end. `state`: where they begin, of the player whose turn it is."""
    from dicecup.solver.double.solution import Solution as DoubleSolution
    from dicecup.solver.solution import Solution

    if isinstance(source, DoubleSolution):
        return double_games.play_games(source, count, seed, state=state, first_game=first_game, watch=watch)
    assert isinstance(source, Solution)
    return games.play_games(source, count, seed, state=state, first_game=first_game, watch=watch)
