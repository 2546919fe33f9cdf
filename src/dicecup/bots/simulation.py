"""Simulate many games of bots, alone or against each other, reproducible on any number of cores.

Most bots do not look at each other's sheets, so each plays its games alone, and games with the same number
are compared. If one does (see `bots.head_to_head`), all play together. The optimal bot of a solved game runs
in compiled kernels, all others on the engine. `Summary` accumulates the statistics: mean, spread,
percentiles, bonus, points per box.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from math import sqrt
from random import Random
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from dicecup.bots.registry import (
    Bot,
    OptimalBot,
    WinnerBot,
    bot_name,
    checked_bot,
    decided,
    find_bot,
    sees_others,
)
from dicecup.bots.workers import Helpers, Player, can_share, share, share_with
from dicecup.coach.advice import known_values
from dicecup.dice import all_dice
from dicecup.engine.legality import cell_names
from dicecup.engine.play import apply
from dicecup.engine.state import Sheet, State, Throw, dice_to_throw, final_score, start
from dicecup.errors import BotError, DicecupError, UsageError, whole_number
from dicecup.executors import spread
from dicecup.phrases import Phrase
from dicecup.playout.games import FinalSheets, Scores
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import OnShare, OnWarning, no_callback

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

    def with_wins(self, share: float | None) -> BotResult:
        """The same result with the share of games won."""
        return replace(self, wins=share)


class Summary:
    """Accumulates batches of games. Scores are counted, so the number of games is unlimited."""

    def __init__(self, rules: Ruleset, *, keep_scores: bool = False) -> None:
        self.rules = rules
        self.keep_scores = keep_scores
        self.counts: dict[int, int] = {}
        self.cell_sums = np.zeros(rules.cells, dtype=np.int64)
        self.with_bonus = 0  # columns
        self.scores: list[Scores] = []
        self.won: list[npt.NDArray[np.bool_]] = []  # of the same games: whether they were won at once

    def add(self, sheets: FinalSheets) -> None:
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
        return np.concatenate(self.scores)

    @property
    def ranks(self) -> Scores:
        """The scores; those of games that were won at once are above all others and equal."""
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


BATCH = 1_000_000  # games of a solved game at once: 100 MB
PIECE = 25  # games of any other bot between two progress reports
MOST_GAMES = 100_000_000
MOST_SEED = 10**18
MOST_CORES = 4096

Played = TypeVar("Played")
Piece = tuple[Any, ...]  # rules, first game, the game after the last, seed; and whether with the same dice


def warn(error: DicecupError) -> None:
    """Why a bot plays on one core."""
    warnings.warn(str(error), stacklevel=2)


def insist(error: DicecupError) -> None:
    """The caller wants several cores."""
    raise error


class Difference(NamedTuple):
    """The mean of how much better a bot is than the first one in the same game, and its standard error."""

    mean: float
    standard_error: float | None


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
    differences: tuple[Difference, ...] = ()  # of each bot to the first, game by game, with the same dice

    @property
    def games(self) -> int:
        """How many games each bot played."""
        return self.results[0].games

    @property
    def mean(self) -> tuple[float, ...]:
        """The mean final score of each bot."""
        return tuple(result.mean for result in self.results)

    @property
    def wins(self) -> tuple[float | None, ...]:
        """The share of games that each bot won, ties shared; None for a bot that played alone."""
        return tuple(result.wins for result in self.results)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, number: int) -> BotResult: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[BotResult, ...]: ...

    def __getitem__(self, number: int | slice) -> BotResult | tuple[BotResult, ...]:
        return self.results[number]


@overload
def simulate(  # type: ignore[overload-overlap]  # a text is also a sequence of texts
    game: AnyGame,
    bots: str | Bot,
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> BotResult: ...


@overload
def simulate(
    game: AnyGame,
    bots: Sequence[str | Bot],
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> Simulation: ...


def simulate(
    game: AnyGame,
    bots: str | Bot | Sequence[str | Bot],
    games: int = 1000,
    seed: int | None = None,
    *,
    options: Mapping[str, str] | None = None,
    cores: int | None = None,
    executor: Executor | None = None,
    same_dice: bool = False,
    on_progress: OnShare = no_callback,
    on_warning: OnWarning = warn,
) -> BotResult | Simulation:
    """Return the results of each bot, with its share of wins if there are several.

    `bots` are names (built-in, installed, or `package.module:Class`) or objects. Of one bot by itself the
    result is a `BotResult`, of a list a `Simulation`. The same seed gives the same games, whatever the
    number of cores: all of them are used, or as many as `cores` says. A bot that worker processes cannot
    load plays on one core; `on_warning` is called with the reason, which is a warning by default.

    With an `executor` (of `concurrent.futures`, a Dask client's or MPI's) its workers play instead. They get
    the rules, the bot and the numbers of the games, and find or solve tables in their own cache.

    With `same_dice` the games of a number have the same dice for all bots in every turn and roll, whatever
    they keep: bots are then told apart with fewer games. All of them play on the engine.

    >>> import dicecup
    >>> dicecup.simulate("yatzy", bots="greedy", games=10, seed=1).mean
    181.5
    """
    rules = as_ruleset(game, options)
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        return simulate(
            rules,
            [bots],
            games,
            seed,
            cores=cores,
            executor=executor,
            same_dice=same_dice,
            on_progress=on_progress,
            on_warning=on_warning,
        )[0]
    players = [
        Player(find_bot(bot) if isinstance(bot, str) else checked_bot(bot), bot_name(bot)) for bot in bots
    ]
    if not players:
        raise UsageError("argument_wrong", argument="bots", expected=Phrase("expected_players"))
    games = whole_number("games", games, 1, MOST_GAMES)
    seed = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
    if cores is not None:
        cores = whole_number("cores", cores, 1, MOST_CORES)
    helpers = Helpers(cores, executor, on_warning)
    summaries = [Summary(rules, keep_scores=len(players) > 1) for _ in players]
    if len(players) > 1 and not same_dice and any(sees_others(player.bot) for player in players):
        from dicecup.bots.head_to_head import play_together

        for together in play_together(rules, players, games, seed, on_progress, helpers):
            for summary, sheets in zip(summaries, together, strict=True):
                summary.add(sheets)
    else:
        for number, (player, summary) in enumerate(zip(players, summaries, strict=True)):

            def report(share: float, number: int = number) -> None:
                on_progress((number + share) / len(players))

            own_seed = seed if same_dice else seed * len(players) + number
            if executor and is_solved(rules, player, same_dice):
                for part in spread_solved(rules, games, own_seed, report, executor, summary.keep_scores):
                    summary.join(part)
                continue
            for sheets in play(rules, player, games, own_seed, report, helpers, same_dice):
                summary.add(sheets)
    scores = [summary.all_scores for summary in summaries] if len(players) > 1 else []
    wins = win_shares([summary.ranks for summary in summaries]) if scores else [None]
    found = (
        summary.result(player.name).with_wins(share)
        for player, summary, share in zip(players, summaries, wins, strict=True)
    )
    paired = [difference(scores[0], others) for others in scores] if same_dice else []
    return Simulation(tuple(found), seed, tuple(paired))


def difference(first: Scores, other: Scores) -> Difference:
    """How much better a bot is than the first, from games with the same dice."""
    gains = other.astype(np.float64) - first
    error = float(gains.std(ddof=1)) / sqrt(len(gains)) if len(gains) > 1 else None
    return Difference(float(gains.mean()), error)


def win_shares(ranks: list[Scores]) -> list[float | None]:
    """Return the share of games that each player wins; ties are shared."""
    table = np.stack(ranks)
    best = table == table.max(axis=0)
    return [float(share) for share in (best / best.sum(axis=0)).mean(axis=1)]


def play(
    rules: Ruleset,
    player: Player,
    games: int,
    seed: int,
    on_progress: OnShare,
    helpers: Helpers,
    same_dice: bool = False,
) -> Iterator[FinalSheets]:
    """Yield the full sheets of a bot's games, in batches."""
    if is_solved(rules, player, same_dice):
        return play_solved(rules, games, seed, on_progress)
    return play_engine(rules, player, games, seed, on_progress, helpers, same_dice)


def is_solved(rules: Ruleset, player: Player, same_dice: bool) -> bool:
    """Whether the games can be played in compiled kernels, from a table."""
    perfect = isinstance(player.bot, OptimalBot | WinnerBot)  # alone, both are one
    return perfect and not same_dice and known_values(rules).exact


def spread_solved(
    rules: Ruleset, games: int, seed: int, on_progress: OnShare, executor: Executor, keep_scores: bool
) -> Iterator[Summary]:
    """Yield summaries of a perfect player's games, which workers play from tables in their own cache."""
    pieces = [
        (rules, first, min(BATCH, games - first), seed, keep_scores) for first in range(0, games, BATCH)
    ]
    for number, part in enumerate(spread(executor, solved_piece, pieces), start=1):
        yield part
        on_progress(number / len(pieces))


def solved_piece(rules: Ruleset, first: int, count: int, seed: int, keep_scores: bool) -> Summary:
    """The games of these numbers, counted where they are played: a few kilobytes travel, not all sheets."""
    from dicecup.playout.games import play_games

    found = Summary(rules, keep_scores=keep_scores)
    found.add(play_games(known_values(rules).source, count, seed, first_game=first))
    return found


def play_solved(rules: Ruleset, games: int, seed: int, on_progress: OnShare) -> Iterator[FinalSheets]:
    from dicecup.playout.games import play_games

    source = known_values(rules).source
    for first in range(0, games, BATCH):
        count = min(BATCH, games - first)

        def report(done: int, total: int, first: int = first, count: int = count) -> None:
            on_progress((first + count * done / total) / games)

        yield play_games(source, count, seed, first_game=first, on_turns=report)


def play_engine(
    rules: Ruleset,
    player: Player,
    games: int,
    seed: int,
    on_progress: OnShare,
    helpers: Helpers,
    same_dice: bool = False,
) -> Iterator[FinalSheets]:
    """Play games one by one on the engine, distributed over the cores."""
    pieces = [(rules, first, min(first + PIECE, games), seed, same_dice) for first in range(0, games, PIECE)]
    return play_pieces(play_piece, player, pieces, on_progress, helpers)


def play_pieces(
    play: Callable[..., Played],
    player: Player,
    pieces: Sequence[Piece],
    on_progress: OnShare,
    helpers: Helpers,
) -> Iterator[Played]:
    """Yield `play(player, *piece)` for every piece, distributed over the cores or by the executor."""
    workers = min(helpers.cores or os.cpu_count() or 1, len(pieces))
    played: Iterator[Played] = (play(player, *piece) for piece in pieces)
    if helpers.executor:
        played = share_with(helpers.executor, play, player, pieces)
    elif workers > 1 and can_share():
        warned = helpers.on_warning if helpers.cores is None else insist
        played = shared_if_possible(play, player, pieces, workers, played, warned)
    for number, sheets in enumerate(played, start=1):
        yield sheets
        on_progress(number / len(pieces))


def shared_if_possible(
    play: Callable[..., Played],
    player: Player,
    pieces: Sequence[Piece],
    workers: int,
    alone: Iterator[Played],
    on_warning: OnWarning,
) -> Generator[Played]:
    """Play on several cores; on one, after telling so, where workers cannot load the bot."""
    try:
        yield from share(play, player, pieces, workers)
    except BotError as error:
        if error.code != "bot_not_shared":
            raise
        on_warning(error)
        yield from alone


def play_piece(
    player: Player, rules: Ruleset, first: int, end: int, seed: int, same_dice: bool = False
) -> FinalSheets:
    """The games of these numbers."""
    games = [(f"{seed} {number}", Random(f"{seed} {number}")) for number in range(first, end)]
    ends = [play_table(rules, [player], chance, name if same_dice else "") for name, chance in games]
    return final_sheets(rules, [end.sheet for end in ends], [end.winner is not None for end in ends])


@dataclass(frozen=True)
class EngineSheets(FinalSheets):
    """Finished games whose final score is more than the sum of all lines, or that can be won at once."""

    won: npt.NDArray[np.bool_]  # by game: whether the player has won at once

    @property
    def scores(self) -> Scores:
        rows = zip(self.cells.tolist(), self.repeats.tolist(), strict=True)
        found = [final_score(self.rules, Sheet(tuple(cells), repeats)) for cells, repeats in rows]
        return np.array(found, dtype=np.int64)


def won_at_once(sheets: FinalSheets) -> npt.NDArray[np.bool_]:
    return sheets.won if isinstance(sheets, EngineSheets) else np.zeros(len(sheets.cells), dtype=np.bool_)


def final_sheets(rules: Ruleset, sheets: Sequence[Sheet], won: Sequence[bool]) -> FinalSheets:
    """Return sheets as arrays; boxes that are open when a game is won at once count as 0."""
    cells = np.array([[points or 0 for points in sheet.cells] for sheet in sheets], dtype=np.int16)
    repeats = np.array([sheet.repeats for sheet in sheets], dtype=np.int16)
    if rules.extensions:
        return EngineSheets(rules, cells, repeats, np.array(won, dtype=np.bool_))
    return FinalSheets(rules, cells, repeats)


def play_table(rules: Ruleset, players: Sequence[Player], chance: Random, same: str = "") -> State:
    """Play one game of these players, in this order.

    `same` names the game of one player for all who are to have the same dice in every turn and roll.
    """
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    state = start(rules, len(players))
    turn = 0
    while not state.finished:
        if state.throw_due:
            turn += not state.dice
            source = Random(f"{same} {turn} {state.throws_left}") if same else chance
            dice = tuple(source.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(dice))
        else:
            player = players[state.player]
            _, state = decided(player.bot, player.name, rules, state, chance)
    return state
