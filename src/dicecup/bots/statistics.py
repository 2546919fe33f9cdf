"""What many games add up to: mean, spread, percentiles, bonus, points per box."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from dicecup.coach.sheets import Scores, Sheets
from dicecup.engine.offers import cell_names
from dicecup.rules.model import Ruleset

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


@dataclass(frozen=True)
class BotResult:
    """The games of one bot."""

    bot: str
    games: int
    mean: float
    standard_error: float | None  # None for one game, which shows no spread
    sd: float | None
    lowest: int
    highest: int
    percentiles: dict[int, int]
    bonus_share: float | None  # None where the game has no bonus
    boxes: dict[tuple[str, str], float]  # mean points by (box, column)
    histogram: dict[int, int] = field(repr=False)  # how many games had each score
    wins: float | None = None  # share of games won head to head, ties shared

    def with_wins(self, share: float | None) -> BotResult:
        return replace(self, wins=share)


class Summary:
    """Adds up batches of games. Scores are counted, so that no number of games is too large."""

    def __init__(self, rules: Ruleset, *, keep_scores: bool = False) -> None:
        self.rules = rules
        self.keep_scores = keep_scores
        self.counts: dict[int, int] = {}
        self.cell_sums = np.zeros(rules.cells, dtype=np.int64)
        self.with_bonus = 0.0
        self.scores: list[Scores] = []

    def add(self, sheets: Sheets) -> None:
        scores = sheets.scores
        for score, count in zip(*np.unique(scores, return_counts=True), strict=True):
            self.counts[int(score)] = self.counts.get(int(score), 0) + int(count)
        self.cell_sums += sheets.cells.sum(axis=0, dtype=np.int64)
        self.with_bonus += sheets.bonus_share * len(scores)
        if self.keep_scores:
            self.scores.append(scores)

    @property
    def all_scores(self) -> Scores:
        return np.concatenate(self.scores)

    def result(self, bot: str) -> BotResult:
        """Sums of whole numbers: the same for any order of the games."""
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
            bonus_share=self.with_bonus / games if self.rules.bonus else None,
            boxes={
                cell_names(self.rules, cell): int(points) / games
                for cell, points in enumerate(self.cell_sums)
            },
            histogram={score: self.counts[score] for score in ordered},
        )

    def percentile(self, percent: int, games: int) -> int:
        """The lowest score that so many percent of the games do not exceed."""
        reached = 0
        for score in sorted(self.counts):
            reached += self.counts[score]
            if reached * 100 >= percent * games:
                return score
        raise AssertionError("a share of more than all games")
