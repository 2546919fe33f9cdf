"""Results of many games: mean, spread, percentiles, bonus, points per box, and who wins how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, overload

from dicecup.engine.legality import cell_names
from dicecup.engine.state import Sheet, final_score
from dicecup.playout.games import FinalSheets, Scores
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


@dataclass(frozen=True)
class BotResult:
    """The results of one bot.

    >>> import dicecup
    >>> result = dicecup.simulate("yatzy", bots="greedy", games=10, seed=1)
    >>> result.lowest, result.highest, round(result.boxes["chance", ""], 1)
    (128, 279, 21.2)
    """

    bot: str
    games: int
    mean: float
    standard_error: float | None  # None for a single game, which has no spread
    sd: float | None
    lowest: int
    highest: int
    percentiles: dict[int, int]
    bonus_share: float | None  # None if the game has no bonus
    boxes: dict[tuple[str, str], float]  # mean points by (box, column)
    histogram: dict[int, int] = field(repr=False)  # number of games by score
    wins: float | None = None  # share of games won head to head, ties shared


class Summary:
    """Accumulates batches of games. Scores are counted, so the number of games is unlimited."""

    def __init__(self, rules: Ruleset, *, keep_scores: bool = False) -> None:
        import numpy as np

        self.rules = rules
        self.keep_scores = keep_scores
        self.counts: dict[int, int] = {}
        self.cell_sums = np.zeros(rules.cells, dtype=np.int64)
        self.with_bonus = 0  # columns
        self.scores: list[Scores] = []
        self.won: list[npt.NDArray[np.bool_]] = []  # of the same games: whether they were won at once

    def add(self, sheets: FinalSheets) -> None:
        import numpy as np

        scores = sheets.scores
        self.count(zip(*np.unique(scores, return_counts=True), strict=True))
        self.cell_sums += sheets.cells.sum(axis=0, dtype=np.int64)
        self.with_bonus += sheets.columns_with_bonus
        if self.keep_scores:
            self.scores.append(scores)
            self.won.append(won_at_once(sheets))

    def count(self, scores: Iterable[tuple[int, int]]) -> None:
        for score, count in scores:
            self.counts[int(score)] = self.counts.get(int(score), 0) + int(count)

    def join(self, other: Summary) -> None:
        """Add the games that another summary has accumulated, after those of this one."""
        self.count(other.counts.items())
        self.cell_sums += other.cell_sums
        self.with_bonus += other.with_bonus
        self.scores += other.scores
        self.won += other.won

    @property
    def all_scores(self) -> Scores:
        import numpy as np

        return np.concatenate(self.scores)

    @property
    def ranks(self) -> Scores:
        """The scores; those of games that were won at once are above all others and equal."""
        import numpy as np

        return np.where(np.concatenate(self.won), np.iinfo(np.int64).max, self.all_scores)

    def result(self, bot: str) -> BotResult:
        """Return the result; sums of integers do not depend on the order of the games."""
        games = sum(self.counts.values())
        total = sum(score * count for score, count in self.counts.items())
        squares = sum(score * score * count for score, count in self.counts.items())
        spread = sqrt((squares * games - total * total) / (games * (games - 1))) if games > 1 else None
        ordered = sorted(self.counts)
        return BotResult(
            bot=bot,
            games=games,
            mean=total / games,
            standard_error=None if spread is None else spread / sqrt(games),
            sd=spread,
            lowest=ordered[0],
            highest=ordered[-1],
            percentiles={percent: self.percentile(percent, games) for percent in PERCENTILES},
            bonus_share=self.with_bonus / (games * len(self.rules.columns)) if self.rules.bonus else None,
            boxes={
                cell_names(self.rules, cell): int(points) / games
                for cell, points in enumerate(self.cell_sums)
            },
            histogram={score: self.counts[score] for score in ordered},
        )

    def percentile(self, percent: int, games: int) -> int:
        """Return the lowest score that this percentage of the games does not exceed."""
        reached = 0
        for score in sorted(self.counts):
            reached += self.counts[score]
            if reached * 100 >= percent * games:
                return score
        raise AssertionError("a share of more than all games")


class MeanDifference(NamedTuple):
    """The mean of how much better a bot is than the first one in the same game, and its standard error.

    Games with the same dice have it: `Simulation.differences` holds one for each bot.

    >>> import dicecup
    >>> bots = ["greedy", "random"]
    >>> found = dicecup.simulate("yatzy", bots, games=20, seed=1, same_dice=True).differences[1]
    >>> round(found.mean, 2), round(found.standard_error, 2)
    (-143.95, 11.05)
    """

    mean: float
    standard_error: float | None  # None for a single game


@dataclass(frozen=True)
class Simulation(Sequence[BotResult]):
    """The results of several bots, one after the other as they were given.

    >>> import dicecup
    >>> found = dicecup.simulate("yatzy", bots=["greedy", "random"], games=20, seed=1)
    >>> [result.bot for result in found], found.mean[0] > found.mean[1]
    (['greedy', 'random'], True)
    """

    results: tuple[BotResult, ...]
    seed: int
    differences: tuple[MeanDifference, ...] = ()  # of each bot to the first, game by game, with the same dice

    @property
    def games(self) -> int:
        """How many games each bot played.

        >>> dicecup.simulate("yatzy", bots=["greedy", "random"], games=20, seed=1).games
        20
        """
        return self.results[0].games

    @property
    def mean(self) -> tuple[float, ...]:
        """The mean final score of each bot.

        >>> dicecup.simulate("yatzy", bots=["greedy", "random"], games=20, seed=1).mean
        (184.65, 27.05)
        """
        return tuple(result.mean for result in self.results)

    @property
    def wins(self) -> tuple[float | None, ...]:
        """The share of games that each bot won, ties shared; None for a bot that played alone.

        >>> dicecup.simulate("yatzy", bots=["greedy", "random"], games=20, seed=1).wins
        (1.0, 0.0)
        """
        return tuple(result.wins for result in self.results)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, number: int) -> BotResult: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[BotResult, ...]: ...

    def __getitem__(self, number: int | slice) -> BotResult | tuple[BotResult, ...]:
        return self.results[number]


def difference(first: Scores, other: Scores) -> MeanDifference:
    """How much better a bot is than the first, from games with the same dice."""
    import numpy as np

    gains = other.astype(np.float64) - first
    error = float(gains.std(ddof=1)) / sqrt(len(gains)) if len(gains) > 1 else None
    return MeanDifference(float(gains.mean()), error)


def win_shares(ranks: list[Scores]) -> list[float | None]:
    """Return the share of games that each player wins; ties are shared."""
    import numpy as np

    table = np.stack(ranks)
    best = table == table.max(axis=0)
    return [float(share) for share in (best / best.sum(axis=0)).mean(axis=1)]


@dataclass(frozen=True)
class EngineSheets(FinalSheets):
    """Finished games whose final score is more than the sum of all lines, or that can be won at once."""

    won: npt.NDArray[np.bool_]  # by game: whether the player has won at once

    @property
    def scores(self) -> Scores:
        import numpy as np

        rows = zip(self.cells.tolist(), self.repeats.tolist(), strict=True)
        found = [final_score(self.rules, Sheet(tuple(cells), repeats)) for cells, repeats in rows]
        return np.array(found, dtype=np.int64)


def won_at_once(sheets: FinalSheets) -> npt.NDArray[np.bool_]:
    import numpy as np

    return sheets.won if isinstance(sheets, EngineSheets) else np.zeros(len(sheets.cells), dtype=np.bool_)


def final_sheets(rules: Ruleset, sheets: Sequence[Sheet], won: Sequence[bool]) -> FinalSheets:
    """Return sheets as arrays; boxes that are open when a game is won at once count as 0."""
    import numpy as np

    cells = np.array([[points or 0 for points in sheet.cells] for sheet in sheets], dtype=np.int16)
    repeats = np.array([sheet.repeats for sheet in sheets], dtype=np.int16)
    if rules.extensions:
        return EngineSheets(rules, cells, repeats, np.array(won, dtype=np.bool_))
    return FinalSheets(rules, cells, repeats)
