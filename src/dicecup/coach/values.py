"""What is known about a game: the one way in which the coach asks, whoever answers.

All values are expected final scores under perfect play from there on, the points on the sheet included. An
exact table answers so, and so does a learned value: it works out the turn exactly against its estimate of
the sheets that can follow, and says that it is not exact. Both are a `Solved` (see `solver.games`).
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from dicecup.engine.state import Sheet
from dicecup.errors import DicecupError
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from dicecup.solver.games import Solved, Turn

MOST_REMEMBERED = 64  # turns; a review asks about the same turn up to five times, one after the other


class Values:
    """A game's values, and whether they are exact. Turns that were asked about are remembered.

    Several threads may ask at once: who works a turn out does so alone.
    """

    def __init__(self, source: Solved, *, why_learned: DicecupError | None = None) -> None:
        self.source = source
        self.why_learned = why_learned  # why there is no exact answer, where there is none
        self.remembered: dict[Sheet, Turn] = {}
        self.alone = RLock()

    @property
    def exact(self) -> bool:
        return self.why_learned is None

    @property
    def rules(self) -> Ruleset:
        return self.source.rules

    def turn(self, sheet: Sheet) -> Turn:
        with self.alone:
            if sheet not in self.remembered:
                if len(self.remembered) >= MOST_REMEMBERED:
                    self.remembered.pop(next(iter(self.remembered)))
                self.remembered[sheet] = self.source.turn(sheet)
            return self.remembered[sheet]
