"""Many games of a perfect player, for dice of any kind, and how they ended.

NumPy is imported when games are counted, and the kernels when they are played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dicecup.engine.state import State
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import no_callback

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dicecup.playout.single import OnTurns
    from dicecup.solver.solution import Solution


Scores: TypeAlias = "npt.NDArray[np.int64]"


@dataclass(frozen=True)
class FinalSheets:
    """Finished games of one player."""

    rules: Ruleset
    cells: npt.NDArray[np.int16]  # [game, cell]
    repeats: npt.NDArray[np.int16]

    def column_bonus(self, column: int) -> Scores:
        import numpy as np

        first = column * len(self.rules.boxes)
        sums = self.cells[:, [first + box for box in self.rules.upper]].sum(axis=1, dtype=np.int64)
        found = np.zeros(len(sums), dtype=np.int64)
        for tier in self.rules.bonus:
            found[sums >= tier.at] = tier.points
        return found

    @property
    def columns_with_bonus(self) -> int:
        """In how many columns of all games a bonus was reached."""
        import numpy as np

        return sum(
            int(np.count_nonzero(self.column_bonus(column))) for column in range(len(self.rules.columns))
        )

    @property
    def scores(self) -> Scores:
        """The final score of each game."""
        import numpy as np

        boxes = len(self.rules.boxes)
        repeats = self.repeats.astype(np.int64) * (self.rules.repeat.points if self.rules.repeat else 0)
        total = np.zeros(len(self.cells), dtype=np.int64)
        for number, column in enumerate(self.rules.columns):
            cells = self.cells[:, number * boxes : (number + 1) * boxes]
            sums = cells.sum(axis=1, dtype=np.int64) + self.column_bonus(number) + repeats
            total += sums * column.multiplier
        return total


class Endings(NamedTuple):
    """How games of one player ended: the scores, and variables of each game whose mean is known to be 0.

    The variable that says most about the score comes first.
    """

    scores: Scores
    zeros: npt.NDArray[np.float64]  # [variable, game]


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
    from dicecup.playout.double import play_double_games
    from dicecup.playout.single import play_single_games
    from dicecup.solver.double.solution import DoubleSolution
    from dicecup.solver.single.solution import SingleSolution

    if isinstance(source, DoubleSolution):
        return play_double_games(source, count, seed, state, first_game, on_turns)
    assert isinstance(source, SingleSolution)
    return play_single_games(source, count, seed, state, first_game, on_turns)
