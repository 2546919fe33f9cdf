"""Simulate many games of bots, alone or against each other, reproducible on any number of cores.

Players do not influence each other, so every bot plays its games alone, and games with the same number are
compared. The optimal bot of a solved game runs in compiled kernels, all others on the engine. `Summary`
accumulates the statistics: mean, spread, percentiles, bonus, points per box.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from multiprocessing import get_context
from random import Random

import numpy as np

from dicecup.bots.registry import bot_called
from dicecup.coach.advice import known_values
from dicecup.dice import all_dice
from dicecup.engine.legality import cell_names
from dicecup.engine.play import apply
from dicecup.engine.state import Sheet, Throw, dice_to_throw, start
from dicecup.playout.endings import FinalSheets, Scores
from dicecup.rules.model import Ruleset
from dicecup.solver.progress import no_callback

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


@dataclass(frozen=True)
class BotResult:
    """The results of one bot."""

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

    def with_wins(self, share: float | None) -> BotResult:
        return replace(self, wins=share)


class Summary:
    """Accumulates batches of games. Scores are counted, so the number of games is unlimited."""

    def __init__(self, rules: Ruleset, *, keep_scores: bool = False) -> None:
        self.rules = rules
        self.keep_scores = keep_scores
        self.counts: dict[int, int] = {}
        self.cell_sums = np.zeros(rules.cells, dtype=np.int64)
        self.with_bonus = 0.0
        self.scores: list[Scores] = []

    def add(self, sheets: FinalSheets) -> None:
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
            bonus_share=self.with_bonus / games if self.rules.bonus else None,
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


BATCH = 1_000_000  # games of a solved game at once: 100 MB
PIECE = 25  # games of any other bot between two progress reports

Watch = Callable[[float], None]  # called with the fraction of the work done


def simulate(
    rules: Ruleset,
    bots: Sequence[str],
    games: int,
    seed: int,
    *,
    watch: Watch = no_callback,
    cores: int | None = None,
) -> tuple[BotResult, ...]:
    """Return the results of each bot, with its share of wins if there are several."""
    results, scores = [], []
    for number, name in enumerate(bots):
        bot_called(name)
        summary = Summary(rules, keep_scores=len(bots) > 1)

        def tell(share: float, number: int = number) -> None:
            watch((number + share) / len(bots))

        for sheets in play(rules, name, games, seed * len(bots) + number, tell, cores):
            summary.add(sheets)
        results.append(summary.result(name))
        if len(bots) > 1:
            scores.append(summary.all_scores)
    wins = win_shares(scores) if len(bots) > 1 else [None]
    return tuple(result.with_wins(share) for result, share in zip(results, wins, strict=True))


def win_shares(scores: list[Scores]) -> list[float | None]:
    """Return the share of games that each player wins; ties are shared."""
    table = np.stack(scores)
    best = table == table.max(axis=0)
    return [float(share) for share in (best / best.sum(axis=0)).mean(axis=1)]


def play(
    rules: Ruleset, name: str, games: int, seed: int, watch: Watch, cores: int | None
) -> Iterator[FinalSheets]:
    """Yield the full sheets of a bot's games, in batches."""
    if name == "optimal":
        values = known_values(rules)
        if values.exact:
            yield from play_solved(rules, games, seed, watch)
            return
    yield from play_engine(rules, name, games, seed, watch, cores)


def play_solved(rules: Ruleset, games: int, seed: int, watch: Watch) -> Iterator[FinalSheets]:
    from dicecup.playout.games import play_games

    source = known_values(rules).source
    for first in range(0, games, BATCH):
        count = min(BATCH, games - first)

        def tell(done: int, total: int, first: int = first, count: int = count) -> None:
            watch((first + count * done / total) / games)

        yield play_games(source, count, seed, first_game=first, on_turns=tell)


def play_engine(
    rules: Ruleset, name: str, games: int, seed: int, watch: Watch, cores: int | None
) -> Iterator[FinalSheets]:
    """Play games one by one on the engine, distributed over the cores."""
    firsts = range(0, games, PIECE)
    tasks = [(rules, name, first, min(first + PIECE, games), seed) for first in firsts]
    cores = cores or os.cpu_count() or 1
    if cores == 1 or len(tasks) < 2:
        for number, task in enumerate(tasks, start=1):
            yield play_piece(task)
            watch(number / len(tasks))
        return
    # Leaving ends the processes at once. Ctrl-C is handled here; each of them would print a traceback.
    with get_context("spawn").Pool(cores, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for number, sheets in enumerate(pool.imap(play_piece, tasks), start=1):
            yield sheets
            watch(number / len(tasks))


def play_piece(task: tuple[Ruleset, str, int, int, int]) -> FinalSheets:
    rules, name, first, end, seed = task
    sheets = [play_game(rules, name, Random(f"{seed} {number}")) for number in range(first, end)]
    return FinalSheets(
        rules,
        np.array([sheet.cells for sheet in sheets], dtype=np.int16),
        np.array([sheet.repeats for sheet in sheets], dtype=np.int16),
    )


def play_game(rules: Ruleset, name: str, chance: Random) -> Sheet:
    bot = bot_called(name)
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    state = start(rules)
    while not state.finished:
        if state.throw_due:
            dice = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
        else:
            state = apply(rules, state, bot.decide(rules, state, chance))
    return state.sheet
